import { describe, expect, test } from 'vitest';
import {
  groupedByStation,
  isRenamed,
  type ListedDevice as Listed,
  ofStation,
} from '../../../src/collectors/inventory.ts';
import type { Device } from '../../../src/model/station.ts';

const plain: Listed = { deviceId: 'd' };
const named = (stationId: string): Listed => ({ ...plain, stationId });
const kept: Listed = { ...plain, unlistedSinceMs: 0 };

describe('a device counts', () => {
  test.each<[when: string, at: readonly string[], Readonly<Record<string, readonly Listed[]>>]>([
    ['at its only station', ['b'], { a: [], b: [plain] }],
    ['nowhere when no list has it', [], { a: [] }],
    ['at the first of the stations that list it', ['a'], { a: [plain], b: [plain] }],
    ['where it is listed, and not where it is kept', ['b'], { a: [kept], b: [plain] }],
    ['at the station that its record names', ['b'], { a: [named('b')], b: [named('b')] }],
    ['there, too, where the list lacks it', ['b'], { a: [named('b')], b: [] }],
    ['where it is listed when its record names a station unknown', ['a'], { a: [named('x')] }],
    ['where it is kept when no list has it', ['b'], { a: [], b: [kept] }],
    ['at the first station that keeps it', ['a'], { a: [kept], b: [kept] }],
    ['once where a list has it twice', ['a'], { a: [plain, plain] }],
  ])('%s: at %j', (_when, at, lists) => {
    const groups = groupedByStation(new Map(Object.entries(lists)));
    expect([...groups.keys()]).toEqual(Object.keys(lists));
    expect([...groups].flatMap(([id, devices]) => devices.map(() => id))).toEqual(at);
  });
});

describe('the records of a station', () => {
  const of = (deviceId: string, stationId?: string): Device => ({ deviceId, stationId });

  test.each([
    ['those that name it and those that name none', [of('1', 'a'), of('2', 'b'), of('3')], '13'],
    // The service may have two names for it.
    ['all where all name the same other one', [of('1', 'x'), of('2', 'x'), of('3')], '123'],
    ['none of those that name several others', [of('1', 'x'), of('2', 'y'), of('3')], '3'],
    ['all where none names any', [of('1'), of('2')], '12'],
  ])('are %s', (_what, devices, own) => {
    const ids = ofStation('a', devices).map(({ deviceId }) => deviceId);
    expect(ids.join('')).toBe(own);
  });
});

describe('a device that was registered anew', () => {
  const of = (deviceId: string, serial?: string): Device => ({ deviceId, serial });

  test.each([
    ['is known by its serial number', [of('1', 'A')], [of('2', 'A')], true],
    ['is not one of another number', [of('1', 'A')], [of('2', 'B')], false],
    ['is unknown without numbers', [of('1')], [of('2')], false],
    [
      'is not another that has the same number',
      [of('1', 'A'), of('2', 'A')],
      [of('2', 'A')],
      false,
    ],
  ])('%s', (_when, known, listed, expected) => {
    expect(isRenamed(of('1', known[0]?.serial), known, listed)).toBe(expected);
  });
});
