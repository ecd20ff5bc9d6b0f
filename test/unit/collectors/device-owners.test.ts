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

  test.each<[when: string, at: string | undefined, repeated: number, Lists]>([
    ['at its only station', 'b', 0, { a: [], b: [plain] }],
    ['nowhere when no list has it', undefined, 0, { a: [] }],
    ['at the first of the stations that list it', 'a', 1, { a: [plain], b: [plain] }],
    ['where it is listed, and not where it is kept', 'a', 0, { a: [plain], b: [kept] }],
    ['at the station that its record names', 'b', 1, { a: [named('b')], b: [named('b')] }],
    ['where its newest record says', 'b', 1, { a: [named('a', 1)], b: [named('b', 2)] }],
    ['where it is listed, and not where its record says', 'a', 0, { a: [named('b')], b: [] }],
    ['where it is listed when its record names nobody', 'a', 0, { a: [named('x')] }],
    ['where it is listed rather than kept', 'b', 0, { a: [kept], b: [plain] }],
    ['where it is kept when no list has it', 'b', 0, { a: [], b: [kept] }],
  ])('%s: at %s', (_when, at, repeated, lists) => {
    for (const entries of [Object.entries(lists), Object.entries(lists).toReversed()]) {
      const owners = new DeviceOwners();
      owners.setStations(Object.keys(lists));
      for (const [stationId, list] of entries) owners.setList(stationId, list);
      owners.settle();
      expect(owners.stationOf('d')).toBe(at);
      expect(owners.repeated).toBe(repeated);
    }
  });

  test('elsewhere when its list leaves it, and both stations are told', () => {
    const owners = new DeviceOwners();
    owners.setStations(['a', 'b', 'c']);
    expect([...owners.setList('b', [plain])]).toEqual(['b']);
    expect([...owners.setList('a', [plain])]).toEqual(['a']);
    expect(owners.stationOf('d')).toBe('b');
    expect([...owners.setList('b', [])]).toEqual(['a', 'b']);
    expect(owners.stationOf('d')).toBe('a');
    owners.setStations(['b', 'c']);
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
