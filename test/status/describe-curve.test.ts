import { describe, expect, test } from 'vitest';
import { CURVE_STEP_MS, DayCurve } from '../../src/model/day-curve.ts';
import { describeCurve } from '../../src/status/describe-curve.ts';

const DAY = { startsAtMs: 0, endsAtMs: 86_400_000 };

describe('the curve of a station', () => {
  test('is absent while nothing is known', () => {
    expect(describeCurve(new DayCurve(DAY))).toEqual({});
  });

  test('has whole watts, thousandths of a charge, and null for what is unknown', () => {
    const curve = new DayCurve(DAY);
    const values = { pvPowerWatts: -0.4, loadPowerWatts: 12.6, batterySocRatio: 0.98765 };
    curve.add({ atMs: 1, values }, { atMs: CURVE_STEP_MS, values });
    expect(describeCurve(curve)).toEqual({
      curve: {
        ...DAY,
        stepMs: CURVE_STEP_MS,
        pvPowerWatts: [null, 0],
        loadPowerWatts: [null, 13],
        batterySocRatio: [null, 0.988],
      },
    });
  });

  test('does not express what JSON cannot', () => {
    const curve = new DayCurve(DAY);
    const values = { pvPowerWatts: Infinity };
    curve.add({ atMs: -1, values }, { atMs: 0, values });
    expect(describeCurve(curve)).toMatchObject({ curve: { pvPowerWatts: [null] } });
  });
});
