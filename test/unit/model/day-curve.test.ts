import { describe, expect, test } from 'vitest';
import { CURVE_STEP_MS, DayCurve } from '../../../src/model/day-curve.ts';
import type { PowerFigures, PowerPoint } from '../../../src/model/readings.ts';
import { HOUR_MS } from '../../support/durations.ts';

const STARTS_AT_MS = Date.parse('2026-08-24T16:00:00Z');

function dayOf(hours = 24): DayCurve {
  return new DayCurve({ startsAtMs: STARTS_AT_MS, endsAtMs: STARTS_AT_MS + hours * HOUR_MS });
}

/** A point, so many steps after midnight. */
function at(step: number, figures: PowerFigures): PowerPoint {
  return { atMs: STARTS_AT_MS + step * CURVE_STEP_MS, figures, shared: [], misread: [] };
}

const NO = undefined;

describe('the curve of a day', () => {
  /** Adds what flowed from one step to another, the power of which changes evenly. */
  type Span = (curve: DayCurve) => void;
  const span = (from: number, to: number, fromWatts: number, toWatts = fromWatts): Span => {
    const points = [
      at(from, { pvPowerWatts: fromWatts }),
      at(to, { pvPowerWatts: toWatts }),
    ] as const;
    return (curve) => curve.add(...points);
  };
  const TWENTY = [span(-1, 0, 1), ...Array<Span>(19).fill(span(-1, 1, 1))];

  test.each<[what: string, spans: readonly Span[], watts: readonly (number | undefined)[]]>([
    [
      'has every fifth minute',
      [span(-0.5, 1.5, 100, 300), span(1.5, 3, 300, 0)],
      [150, 250, 200, 0],
    ],
    ['has gaps, and ends with what is known', [span(0, 1, 1), span(3, 4, 4)], [NO, 1, NO, NO, 4]],
    ['has no sum while one of two is silent', [span(-1, 2, 5), span(0, 1, 5)], [NO, 10]],
    ['bears one silent device of twenty', TWENTY, [20, 19]],
    ['has nothing of another day', [span(-3, -1, 7), span(288, 290, 7)], []],
  ])('%s', (_what, spans, watts) => {
    const curve = dayOf();
    for (const add of spans) add(curve);
    expect(curve.valuesOf('pvPowerWatts')).toEqual(watts);
    expect(curve.valuesOf('loadPowerWatts')).toEqual([]);
  });

  test('is empty of what is not known at both points', () => {
    const curve = dayOf();
    curve.add(at(0, { pvPowerWatts: 1 }), at(1, { loadPowerWatts: 2 }));
    expect(curve.valuesOf('pvPowerWatts')).toEqual([]);
    expect(curve.valuesOf('loadPowerWatts')).toEqual([]);
  });

  test('adds up the devices, and takes the mean of their batteries', () => {
    const curve = dayOf();
    const [watts, socs] = [
      [100, -30, 0],
      [0.9, 0.2, 0.5],
    ];
    for (const [index, batteryPowerWatts] of watts.entries()) {
      const values = { batteryPowerWatts, batterySocRatio: socs[index] };
      curve.add(at(-1, values), at(0, values));
    }
    expect(curve.valuesOf('batteryPowerWatts')).toEqual([70]);
    expect(curve.valuesOf('batterySocRatio')).toEqual([Math.fround(1.6 / 3)]);
  });

  test.each([
    [23, 276],
    [24, 288],
    [25, 300],
  ])('ends at midnight, on a day of %d hours as well', (hours, length) => {
    const curve = dayOf(hours);
    curve.add(at(-10, { pvPowerWatts: 7 }), at(400, { pvPowerWatts: 7 }));
    expect(curve.valuesOf('pvPowerWatts')).toEqual(Array.from({ length }, () => 7));
  });
});
