import { describe, expect, test } from 'vitest';
import {
  type Energies,
  isEmptyMonth,
  type MonthlyEnergy,
  monthOf,
  solarRatio,
  withZeros,
} from '../../../src/model/energy.ts';

/** A month as the metrics of the specification show it. */
function figuresOf(
  ...given: Parameters<typeof monthOf>
): Energies & { solarRatio?: number | undefined } {
  const month = withZeros(monthIn(monthOf(...given)));
  return { ...month, solarRatio: solarRatio(month) };
}

function monthIn(quantities: Partial<MonthlyEnergy>): MonthlyEnergy {
  return { startsAtMs: 0, endsAtMs: 1, ...quantities };
}

const nothing = { pvGeneratedKwh: [], gridImportKwh: [], consumptionKwh: [] };
const everywhere = <Value>(value: Value) => ({
  pvGeneratedKwh: value,
  gridImportKwh: value,
  consumptionKwh: value,
});

describe('the month by the specified rules', () => {
  test.each<[when: string, number | undefined, candidates: (number | undefined)[], kwh: number]>([
    ['the first is there', undefined, [120.5, 90, 80], 120.5],
    ['the first is zero', undefined, [0, 90, 80], 90],
    ['the first is missing', undefined, [undefined, 90, 80], 90],
    ['only the last counts', undefined, [undefined, 0, 80], 80],
    ['all are zero or missing', undefined, [undefined, 0, 0], 0],
    ['there are none', undefined, [], 0],
    ['they have a value, and something was measured', 70, [0, 90], 70],
    ['they have a value, and nothing was measured to have flowed', 0, [90], 0],
    ['they have only zeros, and something was measured', 70, [0, 0], 70],
    ['they have nothing, and something was measured', 70, [], 70],
    ['neither has more than 0', 0, [0], 0],
  ])('takes the first non-zero candidate of each quantity: %s', (_when, measured, ...row) => {
    const [candidates, kwh] = row;
    const month = figuresOf(everywhere(measured), everywhere(candidates));
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
});

test.each<[when: string, measured: Energies, solarRatio?: number]>([
  ['nothing is known', {}],
  ['next to nothing was consumed', { pvGeneratedKwh: 300, consumptionKwh: 0.0009 }],
  ['it is the least that can be', { pvGeneratedKwh: 300, consumptionKwh: 5e-324 }],
  ['only the generation is known', { pvGeneratedKwh: 140 }],
  ['generation and consumption are known', { pvGeneratedKwh: 1, consumptionKwh: 3 }, 0.333],
  ['nothing was consumed', { pvGeneratedKwh: 1, consumptionKwh: 0 }, 0],
  ['the battery is known', { gridFeedInKwh: 4, batteryChargedKwh: 0, batteryDischargedKwh: 6 }],
])('the month as it was measured leaves out the unknown: %s', (_when, measured, solarRatio) => {
  expect(figuresOf(measured)).toMatchObject({ ...measured, solarRatio });
});

describe('a quantity that the specification only counts as 0', () => {
  const candidates = { ...nothing, pvGeneratedKwh: [140], gridImportKwh: [0], consumptionKwh: [] };

  const shown = { pvGeneratedKwh: 140, gridImportKwh: 0, consumptionKwh: 0, solarRatio: 0 };

  test('is named, and one that is said to be 0 is not', () => {
    expect(figuresOf({}, candidates)).toMatchObject(shown);
    const month = monthIn(monthOf({}, candidates));
    expect(month.countedAsZero).toEqual(['consumptionKwh']);
    // Of what is known, nothing follows for it.
    expect([month.consumptionKwh, solarRatio(month)]).toEqual([undefined, undefined]);
  });

  test('is absent where the portal measured anything', () => {
    const month = monthIn(monthOf({ gridFeedInKwh: 3 }, candidates));
    expect(month).toMatchObject({ pvGeneratedKwh: 140, gridImportKwh: 0, gridFeedInKwh: 3 });
    expect(month.countedAsZero).toEqual([]);
    expect(withZeros(month).consumptionKwh).toBeUndefined();
  });
});

test.each<[month: Partial<MonthlyEnergy>, isEmpty: boolean]>([
  [{}, true],
  [{ pvGeneratedKwh: undefined }, true],
  [{ batteryChargedKwh: 0 }, false],
  [{ countedAsZero: ['consumptionKwh'] }, false],
])('a month of %j is empty: %s', (figures, isEmpty) => {
  expect(isEmptyMonth(monthIn(figures))).toBe(isEmpty);
});

function ratioOf(generated: number, consumed: number): number {
  const candidates = { ...nothing, pvGeneratedKwh: [generated], consumptionKwh: [consumed] };
  return figuresOf({}, candidates).solarRatio ?? Number.NaN;
}
