import { describe, expect, test } from 'vitest';
import { CURVE_STEP_MS, type CurvePoint, DayCurve } from '../../../src/model/day-curve.ts';
import { HOUR_MS } from '../../support/durations.ts';

const STARTS_AT_MS = Date.parse('2026-08-24T16:00:00Z');

function dayOf(hours = 24): DayCurve {
  return new DayCurve({ startsAtMs: STARTS_AT_MS, endsAtMs: STARTS_AT_MS + hours * HOUR_MS });
}

/** A point, so many steps after midnight. */
function at(step: number, values: CurvePoint['values']): CurvePoint {
  return { atMs: STARTS_AT_MS + step * CURVE_STEP_MS, values };
}

describe('the curve of a day', () => {
  test('has the value of every fifth minute, between the points of a device', () => {
    const curve = dayOf();
    curve.add(at(-0.5, { pvPowerWatts: 100 }), at(1.5, { pvPowerWatts: 300 }));
    curve.add(at(1.5, { pvPowerWatts: 300 }), at(3, { pvPowerWatts: 0 }));
    expect(curve.valuesOf('pvPowerWatts')).toEqual([150, 250, 200, 0]);
  });

  test('is empty where nothing is known', () => {
    const curve = dayOf();
    curve.add(at(0, { pvPowerWatts: 1 }), at(1, { loadPowerWatts: 2 }));
    expect(curve.valuesOf('pvPowerWatts')).toEqual([]);
    expect(curve.valuesOf('loadPowerWatts')).toEqual([]);
  });

  test('has gaps where nothing was added, and ends with the last known value', () => {
    const curve = dayOf();
    curve.add(at(0, { loadPowerWatts: 1 }), at(1, { loadPowerWatts: 1 }));
    curve.add(at(3, { loadPowerWatts: 4 }), at(4, { loadPowerWatts: 4 }));
    expect(curve.valuesOf('loadPowerWatts')).toEqual([undefined, 1, undefined, undefined, 4]);
  });

  test('adds up the devices, and takes the emptiest of their batteries', () => {
    const curve = dayOf();
    for (const [watts, soc] of [
      [100, 0.9],
      [-30, 0.2],
      [0, 0.5],
    ] as const) {
      const values = { batteryPowerWatts: watts, batterySocRatio: soc };
      curve.add(at(-1, values), at(0, values));
    }
    expect(curve.valuesOf('batteryPowerWatts')).toEqual([70]);
    expect(curve.valuesOf('batterySocRatio')).toEqual([Math.fround(0.2)]);
  });

  test('knows no sum while one of few devices is silent', () => {
    const curve = dayOf();
    const values = { pvPowerWatts: 500 };
    curve.add(at(-1, values), at(2, values));
    curve.add(at(0, values), at(1, values));
    expect(curve.valuesOf('pvPowerWatts')).toEqual([undefined, 1000]);
  });

  test('bears one silent device of twenty', () => {
    const curve = dayOf();
    const values = { pvPowerWatts: 1 };
    for (let device = 0; device < 20; device += 1)
      curve.add(at(-1, values), at(device === 0 ? 0 : 1, values));
    expect(curve.valuesOf('pvPowerWatts')).toEqual([20, 19]);
  });

  test.each([
    { hours: 23, length: 276 },
    { hours: 24, length: 288 },
    { hours: 25, length: 300 },
  ])('ends at midnight, on a day of $hours hours as well', ({ hours, length }) => {
    const curve = dayOf(hours);
    const values = { pvPowerWatts: 7 };
    curve.add(at(-10, values), at(400, values));
    expect(curve.valuesOf('pvPowerWatts')).toEqual(Array.from({ length }, () => 7));
    expect(curve.valuesOf('loadPowerWatts')).toEqual([]);
  });

  test('takes nothing of another day', () => {
    const curve = dayOf();
    const values = { pvPowerWatts: 7 };
    curve.add(at(-3, values), at(-1, values));
    curve.add(at(288, values), at(290, values));
    expect(curve.valuesOf('pvPowerWatts')).toEqual([]);
  });
});
