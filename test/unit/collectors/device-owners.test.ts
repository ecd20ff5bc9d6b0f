import { describe, expect, test } from 'vitest';
import { DeviceOwners } from '../../../src/collectors/device-owners.ts';
import { ofStation, renamedDevices } from '../../../src/collectors/inventory/devices.ts';
import type { ListedDevice as Listed } from '../../../src/collectors/inventory/devices.ts';
import type { Device } from '../../../src/model/station.ts';

const plain: Listed = { deviceId: 'd' };
const named = (stationId: string, listedAtMs = 1): Listed => ({ ...plain, stationId, listedAtMs });
const kept: Listed = { ...plain, unlistedSinceMs: 0 };

describe('a device counts', () => {
  type Lists = Readonly<Record<string, readonly Listed[]>>;

  test.each<[when: string, at: string | undefined, Lists]>([
    ['at its only station', 'b', { a: [], b: [plain] }],
    ['nowhere when no list has it', undefined, { a: [] }],
    ['at the first of the stations that list it', 'a', { a: [plain], b: [plain] }],
    ['where it is listed, and not where it is kept', 'a', { a: [plain], b: [kept] }],
    ['at the station that its record names', 'b', { a: [named('b')], b: [named('b')] }],
    ['where its newest record says', 'b', { a: [named('a', 1)], b: [named('b', 2)] }],
    ['where it is listed, and not where its record says', 'a', { a: [named('b')], b: [] }],
    ['where it is listed when its record names nobody', 'a', { a: [named('x')] }],
    ['where it is listed rather than kept', 'b', { a: [kept], b: [plain] }],
    ['where it is kept when no list has it', 'b', { a: [], b: [kept] }],
  ])('%s: at %s', (_when, at, lists) => {
    for (const entries of [Object.entries(lists), Object.entries(lists).toReversed()]) {
      const owners = new DeviceOwners();
      for (const [stationId, list] of entries) owners.setList(stationId, list);
      owners.settle(Object.keys(lists));
      expect(owners.stationOf('d')).toBe(at);
    }
  });

  test('elsewhere when its list leaves it, and both stations are told', () => {
    const owners = new DeviceOwners();
    expect([...owners.setList('b', [plain])]).toEqual(['b']);
    expect([...owners.setList('a', [plain])]).toEqual(['a']);
    expect(owners.stationOf('d')).toBe('b');
    expect([...owners.setList('b', [])]).toEqual(['b', 'a']);
    expect(owners.stationOf('d')).toBe('a');
  });

  test('where it did, when no list has it any more and all keep it', () => {
    const owners = new DeviceOwners();
    for (const [a, b] of [[plain], [plain, plain], [kept, plain], [kept, kept]]) {
      if (b !== undefined) owners.setList('b', [b]);
      if (a !== undefined) owners.setList('a', [a]);
    }
    expect(owners.stationOf('d')).toBe('b');
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
    ['is known by its serial number', [of('1', 'A')], of('2', 'A'), ['1']],
    ['is not one that is listed as before', [of('1', 'A')], of('1', 'A'), []],
    ['is not one of another number', [of('1', 'A')], of('2', 'B'), []],
    ['is unknown without numbers', [of('1')], of('2'), []],
    ['is unknown where several share a number', [of('1', 'A'), of('2', 'A')], of('3', 'A'), []],
  ])('%s', (_when, known, listed, old) => {
    expect([...renamedDevices(known, [listed])]).toEqual(old);
  });
});
