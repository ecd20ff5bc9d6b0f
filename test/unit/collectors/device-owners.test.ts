import { describe, expect, test } from 'vitest';
import type { Believed } from '../../../src/collectors/inventory/believed-list.ts';
import { DeviceOwners, type OwnerChanges } from '../../../src/collectors/owners/device-owners.ts';
import { ofStation, renamedDevices } from '../../../src/collectors/inventory/devices.ts';
import type { Device } from '../../../src/model/station.ts';

type Listed = Device & Believed;

const plain: Listed = { deviceId: 'd' };
const named = (stationId: string, listedAtMs = 1): Listed => ({ ...plain, stationId, listedAtMs });
const kept: Listed = { ...plain, unlistedSinceMs: 0 };

/** Knows that the device counted at a station before. */
function countedAt(stationId: string | undefined): DeviceOwners | undefined {
  if (stationId === undefined) return undefined;
  const owners = new DeviceOwners([stationId]);
  owners.setList(stationId, [plain]);
  return owners;
}

const changesOf = ({ stations, moves }: OwnerChanges) => ({ stations: [...stations], moves });

describe('a device counts', () => {
  type Lists = Readonly<Record<string, readonly Listed[] | undefined>>;

  test.each<[when: string, at: string | undefined, repeated: number, Lists, before?: string]>([
    ['at its only station', 'b', 0, { a: [], b: [plain] }],
    ['nowhere when no list has it', undefined, 0, { a: [], b: undefined }],
    ['at the first of the stations that list it', 'a', 1, { a: [plain], b: [plain] }],
    ['where it counted before', 'b', 1, { a: [plain], b: [plain], c: [plain] }, 'b'],
    ['where it is listed, and not where it is kept', 'a', 0, { a: [plain], b: [kept] }, 'b'],
    ['at the station that its record names', 'b', 1, { a: [named('b')], b: [named('b')] }, 'a'],
    ['where its newest record says', 'b', 1, { a: [named('a', 1)], b: [named('b', 2)] }],
    ['where its record says, with a list to come', 'b', 0, { a: [named('b')], b: undefined }],
    ['where it is listed, and not where its record says', 'a', 0, { a: [named('b')], b: [] }],
    ['where it is listed when its record names nobody', 'a', 0, { a: [named('x')] }],
    ['where it is listed rather than kept', 'b', 0, { a: [kept], b: [plain] }],
    ['where it is kept when no list has it', 'b', 0, { a: [], b: [kept] }],
    ['at the first that keeps it', 'a', 0, { a: [kept], b: [kept] }],
  ])('%s: at %s', (_when, at, repeated, lists, before) => {
    for (const entries of [Object.entries(lists), Object.entries(lists).toReversed()]) {
      const owners = new DeviceOwners(Object.keys(lists), countedAt(before));
      for (const [stationId, list] of entries)
        if (list !== undefined) owners.setList(stationId, list);
      if (before === undefined) owners.settle();
      expect(owners.stationOf('d')).toBe(at);
      expect(owners.repeated).toBe(repeated);
    }
  });

  test('elsewhere when its list leaves it, and both stations are told', () => {
    const owners = new DeviceOwners(['a', 'b', 'c']);
    expect(changesOf(owners.setList('b', [plain]))).toEqual({ stations: ['b'], moves: [] });
    expect(changesOf(owners.setList('a', [plain]))).toEqual({ stations: ['a'], moves: [] });
    expect(changesOf(owners.setList('b', []))).toEqual({
      stations: ['b', 'a'],
      moves: [{ deviceId: 'd', from: 'b', to: 'a' }],
    });
    expect(changesOf(owners.setList('a', []))).toEqual({ stations: ['a'], moves: [] });
    expect(owners.stationOf('d')).toBeUndefined();
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
