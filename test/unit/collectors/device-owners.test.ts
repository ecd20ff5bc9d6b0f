import { describe, expect, test } from 'vitest';
import type { Believed } from '../../../src/collectors/inventory/believed-list.ts';
import { DeviceOwners, type OwnerChanges } from '../../../src/collectors/owners/device-owners.ts';
import { ofStation, renamedDevices } from '../../../src/collectors/inventory/listed-devices.ts';
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
  test.each<{
    readonly when: string;
    readonly lists: Readonly<Record<string, readonly Listed[] | undefined>>;
    readonly at: string | undefined;
    readonly before?: string;
    readonly isRepeated?: boolean;
  }>([
    { when: 'at its only station', lists: { a: [], b: [plain] }, at: 'b' },
    { when: 'nowhere when no list has it', lists: { a: [], b: undefined }, at: undefined },
    {
      when: 'at the first of the stations that list it',
      lists: { a: [plain], b: [plain] },
      at: 'a',
      isRepeated: true,
    },
    {
      when: 'where it counted before when that station still lists it',
      lists: { a: [plain], b: [plain], c: [plain] },
      before: 'b',
      at: 'b',
      isRepeated: true,
    },
    {
      when: 'at another station when the one where it counted before only keeps it',
      lists: { a: [plain], b: [kept] },
      before: 'b',
      at: 'a',
    },
    {
      when: 'at the station that its record names',
      lists: { a: [named('b')], b: [named('b')] },
      before: 'a',
      at: 'b',
      isRepeated: true,
    },
    {
      when: 'at the station that its newest record names',
      lists: { a: [named('a', 1)], b: [named('b', 2)] },
      at: 'b',
      isRepeated: true,
    },
    {
      when: 'at the station that its record names, although its list is still to come',
      lists: { a: [named('b')], b: undefined },
      at: 'b',
    },
    {
      when: 'where it is listed when the station that its record names does not list it',
      lists: { a: [named('b')], b: [] },
      at: 'a',
    },
    {
      when: 'where it is listed when its record names nobody we know',
      lists: { a: [named('x')] },
      at: 'a',
    },
    { when: 'where it is listed rather than kept', lists: { a: [kept], b: [plain] }, at: 'b' },
    { when: 'where it is kept when no list has it', lists: { a: [], b: [kept] }, at: 'b' },
    { when: 'at the first that keeps it', lists: { a: [kept], b: [kept] }, at: 'a' },
  ])('$when', ({ lists, at, before, isRepeated = false }) => {
    for (const entries of [Object.entries(lists), Object.entries(lists).toReversed()]) {
      const owners = new DeviceOwners(Object.keys(lists), countedAt(before));
      for (const [stationId, list] of entries)
        if (list !== undefined) owners.setList(stationId, list);
      if (before === undefined) owners.settle();
      expect(owners.stationOf('d')).toBe(at);
      expect(owners.repeated).toBe(isRepeated ? 1 : 0);
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
  test.each<{ readonly what: string; readonly devices: readonly Device[]; readonly own: string }>([
    {
      what: 'those that name it and those that name none',
      devices: [
        { deviceId: '1', stationId: 'a' },
        { deviceId: '2', stationId: 'b' },
        { deviceId: '3' },
      ],
      own: '13',
    },
    {
      what: 'all where all name the same other one: the service may have two names for it',
      devices: [
        { deviceId: '1', stationId: 'x' },
        { deviceId: '2', stationId: 'x' },
        { deviceId: '3' },
      ],
      own: '123',
    },
    {
      what: 'none of those that name several others',
      devices: [
        { deviceId: '1', stationId: 'x' },
        { deviceId: '2', stationId: 'y' },
        { deviceId: '3' },
      ],
      own: '3',
    },
    {
      what: 'all where none names any',
      devices: [{ deviceId: '1' }, { deviceId: '2' }],
      own: '12',
    },
  ])('are $what', ({ devices, own }) => {
    expect(
      ofStation('a', devices)
        .map(({ deviceId }) => deviceId)
        .join(''),
    ).toBe(own);
  });
});

describe('a device that was registered anew', () => {
  const of = (deviceId: string, serial?: string): Device => ({ deviceId, serial });

  test.each([
    {
      when: 'is known by its serial number',
      known: [of('1', 'A')],
      listed: [of('2', 'A')],
      old: ['1'],
    },
    {
      when: 'is not one that is listed as before',
      known: [of('1', 'A')],
      listed: [of('1', 'A')],
      old: [],
    },
    {
      when: 'is not one of another number',
      known: [of('1', 'A')],
      listed: [of('2', 'B')],
      old: [],
    },
    { when: 'is unknown without numbers', known: [of('1')], listed: [of('2')], old: [] },
    {
      when: 'is unknown where several share a number',
      known: [of('1', 'A'), of('2', 'A')],
      listed: [of('3', 'A')],
      old: [],
    },
  ])('$when', ({ known, listed, old }) => {
    expect([...renamedDevices(known, listed)]).toEqual(old);
  });
});
