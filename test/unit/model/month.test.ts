import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Energies } from '../../../src/model/energy.ts';
import { deriveMonthlyEnergy, isEmptyMonth, withoutAssumed } from '../../../src/model/month.ts';

const nothing = { pvGeneratedKwh: [], gridImportKwh: [], consumptionKwh: [] };
const everywhere = <Value>(value: Value) => ({
  pvGeneratedKwh: value,
  gridImportKwh: value,
  consumptionKwh: value,
});

describe('the month by the rules of the interface', () => {
  test.each<[when: string, number | undefined, candidates: (number | undefined)[], kwh: number]>([
    ['the first is there', undefined, [120.5, 90, 80], 120.5],
    ['the first is zero', undefined, [0, 90, 80], 90],
    ['the first is missing', undefined, [undefined, 90, 80], 90],
    ['only the last counts', undefined, [undefined, 0, 80], 80],
    ['all are zero or missing', undefined, [undefined, 0, 0], 0],
    ['there are none', undefined, [], 0],
    ['they have a value, which goes before what was measured', 70, [0, 90], 90],
    ['they have only zeros, and something was measured', 70, [0, 0], 70],
    ['they have nothing, and something was measured', 70, [], 70],
    ['neither has more than 0', 0, [0], 0],
  ])('takes the first non-zero candidate of each quantity: %s', (_when, measured, ...row) => {
    const [candidates, kwh] = row;
    const month = deriveMonthlyEnergy(everywhere(measured), everywhere(candidates));
    expect(month).toMatchObject({ ...everywhere(kwh), solarRatio: kwh > 0 ? 1 : 0 });
  });

  test.each([
    [140, 280, 50],
    [1, 3, 33.3],
    [2, 3, 66.7],
    [123.4, 345.6, 35.7],
    [0, 10, 0],
    [0.004, 10, 0],
    [30, 20, 150],
    [30, 0, 0],
    [30, -5, 0],
  ])('%d of %d kWh are %d %%, as a ratio', (generated, consumed, percentage) => {
    expect(ratioOf(generated, consumed)).toBeCloseTo(percentage / 100, 12);
  });

  test('the ratio has at most three decimals, one of the percentage', () => {
    const energyKwh = fc.double({ min: 0.001, max: 5000, noNaN: true });
    fc.assert(
      fc.property(energyKwh, energyKwh, (generated, consumed) => {
        const ratio = ratioOf(generated, consumed);
        expect(Number(ratio.toFixed(3))).toBe(ratio);
        expect(Math.abs(ratio - generated / consumed)).toBeLessThanOrEqual(0.000501);
      }),
    );
  });
});

test.each<[when: string, measured: Energies, solarRatio?: number]>([
  ['nothing is known', {}],
  ['only the generation is known', { pvGeneratedKwh: 140 }],
  ['generation and consumption are known', { pvGeneratedKwh: 1, consumptionKwh: 3 }, 0.333],
  ['nothing was consumed', { pvGeneratedKwh: 1, consumptionKwh: 0 }, 0],
  ['the battery is known', { gridFeedInKwh: 4, batteryChargedKwh: 0, batteryDischargedKwh: 6 }],
])('the month as it was measured leaves out the unknown: %s', (_when, measured, solarRatio) => {
  expect(deriveMonthlyEnergy(measured)).toEqual({ ...measured, solarRatio });
});

describe('a quantity that the interface only counts as 0', () => {
  const candidates = { ...nothing, pvGeneratedKwh: [140], gridImportKwh: [0], consumptionKwh: [] };

  test('is named, and one that is said to be 0 is not', () => {
    expect(deriveMonthlyEnergy({}, candidates)).toEqual({
      pvGeneratedKwh: 140,
      gridImportKwh: 0,
      consumptionKwh: 0,
      solarRatio: 0,
      assumed: ['consumptionKwh'],
    });
  });

  test('is absent where the portal measured anything, as in an answer of the portal alone', () => {
    expect(deriveMonthlyEnergy({ gridFeedInKwh: 3 }, candidates)).toEqual({
      pvGeneratedKwh: 140,
      gridImportKwh: 0,
      gridFeedInKwh: 3,
    });
  });

  test.each([
    [undefined, { pvGeneratedKwh: 0, gridImportKwh: 5, solarRatio: 0 }],
    [['gridImportKwh'] as const, { pvGeneratedKwh: 0, solarRatio: 0 }],
    [['pvGeneratedKwh'] as const, { gridImportKwh: 5 }],
    [['consumptionKwh'] as const, { pvGeneratedKwh: 0, gridImportKwh: 5 }],
  ])('can be left out with what follows from it: %j', (assumed, left) => {
    const month = { pvGeneratedKwh: 0, gridImportKwh: 5, solarRatio: 0, assumed };
    expect(withoutAssumed(month)).toEqual({ ...left, assumed });
  });
});

test.each([
  [{}, true],
  [{ pvGeneratedKwh: undefined }, true],
  [{ batteryChargedKwh: 0 }, false],
])('a month of %j is empty: %s', (figures, isEmpty) => {
  expect(isEmptyMonth(figures)).toBe(isEmpty);
});

function ratioOf(generated: number, consumed: number): number {
  const candidates = { ...nothing, pvGeneratedKwh: [generated], consumptionKwh: [consumed] };
  return deriveMonthlyEnergy({}, candidates).solarRatio ?? Number.NaN;
}
