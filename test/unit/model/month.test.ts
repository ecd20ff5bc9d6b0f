import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deriveMonthlyEnergy, isEmptyMonth, withoutAssumed } from '../../../src/model/month.ts';

const nothing = { pvGeneratedKwh: [], gridImportKwh: [], consumptionKwh: [] };

describe('the month by the rules of the interface', () => {
  test.each([
    { when: 'the first is there', candidates: [120.5, 90, 80], expected: 120.5 },
    { when: 'the first is zero', candidates: [0, 90, 80], expected: 90 },
    { when: 'the first is missing', candidates: [undefined, 90, 80], expected: 90 },
    { when: 'only the last counts', candidates: [undefined, 0, 80], expected: 80 },
    { when: 'all are zero or missing', candidates: [undefined, 0, 0], expected: 0 },
    { when: 'there are none', candidates: [], expected: 0 },
  ])('takes the first non-zero candidate of each quantity: $when', ({ candidates, expected }) => {
    const month = deriveMonthlyEnergy(
      {},
      { pvGeneratedKwh: candidates, gridImportKwh: candidates, consumptionKwh: candidates },
    );
    expect(month).toMatchObject({
      pvGeneratedKwh: expected,
      gridImportKwh: expected,
      consumptionKwh: expected,
    });
  });

  test.each([
    { generated: 140, consumed: 280, percentage: 50 },
    { generated: 1, consumed: 3, percentage: 33.3 },
    { generated: 2, consumed: 3, percentage: 66.7 },
    { generated: 123.4, consumed: 345.6, percentage: 35.7 },
    { generated: 0, consumed: 10, percentage: 0 },
    { generated: 0.004, consumed: 10, percentage: 0 },
    { generated: 30, consumed: 20, percentage: 150 },
    { generated: 30, consumed: 0, percentage: 0 },
    { generated: 30, consumed: -5, percentage: 0 },
  ])(
    '$generated of $consumed kWh are $percentage %, as a ratio',
    ({ generated, consumed, percentage }) => {
      expect(ratioOf(generated, consumed)).toBeCloseTo(percentage / 100, 12);
    },
  );

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

describe('the month as it was measured', () => {
  test.each([
    { when: 'nothing is known', measured: {}, expected: {} },
    {
      when: 'only the generation is known',
      measured: { pvGeneratedKwh: 140 },
      expected: { pvGeneratedKwh: 140 },
    },
    {
      when: 'generation and consumption are known',
      measured: { pvGeneratedKwh: 1, consumptionKwh: 3 },
      expected: { pvGeneratedKwh: 1, consumptionKwh: 3, solarRatio: 0.333 },
    },
    {
      when: 'nothing was consumed',
      measured: { pvGeneratedKwh: 1, consumptionKwh: 0 },
      expected: { pvGeneratedKwh: 1, consumptionKwh: 0, solarRatio: 0 },
    },
    {
      when: 'the battery and the feed-in are known',
      measured: { gridFeedInKwh: 4, batteryChargedKwh: 0, batteryDischargedKwh: 6 },
      expected: { gridFeedInKwh: 4, batteryChargedKwh: 0, batteryDischargedKwh: 6 },
    },
  ])('leaves out what is unknown when $when', ({ measured, expected }) => {
    expect(deriveMonthlyEnergy(measured)).toEqual(expected);
  });

  test.each([
    { when: 'they have a value', candidates: [0, 90], measured: 70, expected: 90 },
    { when: 'they have only zeros', candidates: [0, 0], measured: 70, expected: 70 },
    { when: 'they have nothing', candidates: [], measured: 70, expected: 70 },
    { when: 'neither has more than 0', candidates: [0], measured: 0, expected: 0 },
    { when: 'nothing was measured', candidates: [0], measured: undefined, expected: 0 },
  ])('gives way to candidates of the interface when $when', (row) => {
    const { candidates, measured, expected } = row;
    const month = deriveMonthlyEnergy(
      { pvGeneratedKwh: measured, gridImportKwh: measured, consumptionKwh: measured },
      { pvGeneratedKwh: candidates, gridImportKwh: candidates, consumptionKwh: candidates },
    );
    expect(month).toMatchObject({
      pvGeneratedKwh: expected,
      gridImportKwh: expected,
      consumptionKwh: expected,
      solarRatio: expected > 0 ? 1 : 0,
    });
  });
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
    { assumed: undefined, left: { pvGeneratedKwh: 0, gridImportKwh: 5, solarRatio: 0 } },
    { assumed: ['gridImportKwh'] as const, left: { pvGeneratedKwh: 0, solarRatio: 0 } },
    { assumed: ['pvGeneratedKwh'] as const, left: { gridImportKwh: 5 } },
    {
      assumed: ['consumptionKwh'] as const,
      left: { pvGeneratedKwh: 0, gridImportKwh: 5 },
    },
  ])('can be left out with what follows from it: $assumed', ({ assumed, left }) => {
    const month = { pvGeneratedKwh: 0, gridImportKwh: 5, solarRatio: 0, assumed };
    expect(withoutAssumed(month)).toEqual({ ...left, assumed });
  });
});

test.each([
  { figures: {}, isEmpty: true },
  { figures: { pvGeneratedKwh: undefined }, isEmpty: true },
  { figures: { batteryChargedKwh: 0 }, isEmpty: false },
])('a month of $figures is empty: $isEmpty', ({ figures, isEmpty }) => {
  expect(isEmptyMonth(figures)).toBe(isEmpty);
});

function ratioOf(generated: number, consumed: number): number {
  const candidates = { ...nothing, pvGeneratedKwh: [generated], consumptionKwh: [consumed] };
  return deriveMonthlyEnergy({}, candidates).solarRatio ?? Number.NaN;
}
