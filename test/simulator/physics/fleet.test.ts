import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Fleet, totalWeight } from '../../../src/simulator/physics/fleet.ts';

function idsOf(fleet: Fleet): string[] {
  return fleet.stations.flatMap(({ stationId, devices }) => [
    stationId,
    ...devices.map(({ deviceId }) => deviceId),
  ]);
}

describe('a fleet', () => {
  test('has distinct 18-digit ids that no double can hold', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const ids = idsOf(new Fleet(seed, 3, 4));
        expect(new Set(ids).size).toBe(15);
        for (const id of ids) {
          expect(id).toMatch(/^[1-9]\d{17}$/);
          expect(BigInt(Number(id)).toString()).not.toBe(id);
        }
      }),
    );
  });

  test('is the same for the same seed and another for another', () => {
    expect(idsOf(new Fleet(4, 2, 2))).toEqual(idsOf(new Fleet(4, 2, 2)));
    expect(idsOf(new Fleet(5, 2, 2))).not.toEqual(idsOf(new Fleet(4, 2, 2)));
  });

  test('lets the last device leave and come back as it was', () => {
    const fleet = new Fleet(1, 1, 3);
    const [station] = fleet.stations;
    const stationId = station?.stationId ?? '';
    const before = station?.devices.map(({ deviceId, weight }) => ({ deviceId, weight }));
    const lastId = before?.[2]?.deviceId ?? '';

    fleet.setDeviceCount(stationId, 2);
    expect(fleet.device(lastId)).toBeUndefined();
    expect(fleet.station(stationId)?.devices).toHaveLength(2);

    fleet.setDeviceCount(stationId, 3);
    expect(fleet.device(lastId)?.weight).toBe(before?.[2]?.weight);
    expect(
      fleet.stations[0]?.devices.map(({ deviceId, weight }) => ({ deviceId, weight })),
    ).toEqual(before);
  });

  test('lets stations leave with their devices and come back', () => {
    const fleet = new Fleet(1, 2, 2);
    const before = idsOf(fleet);
    fleet.setStations(1);
    expect(idsOf(fleet)).toEqual(before.slice(0, 3));
    expect(fleet.device(before[5] ?? '')).toBeUndefined();
    fleet.setStations(2);
    expect(idsOf(fleet)).toEqual(before);
  });

  test('refuses counts its ids have no room for, and unknown stations', () => {
    expect(() => new Fleet(1, 100_000, 1)).toThrow(RangeError);
    expect(() => new Fleet(1, 1, -1)).toThrow(RangeError);
    expect(() => new Fleet(1, 1.5, 1)).toThrow(RangeError);
    expect(() => new Fleet(1, 1, 1).setDeviceCount('1', 1)).toThrow(RangeError);
  });

  test('weighs its devices differently, around one', () => {
    const [station] = new Fleet(1, 1, 200).stations;
    const weights = (station?.devices ?? []).map(({ weight }) => weight);
    expect(Math.min(...weights)).toBeGreaterThanOrEqual(0.6);
    expect(Math.max(...weights)).toBeLessThan(1.4);
    expect(totalWeight(station?.devices ?? []) / 200).toBeCloseTo(1, 1);
  });
});
