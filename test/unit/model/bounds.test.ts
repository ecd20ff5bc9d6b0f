import { expect, test } from 'vitest';
import { isEnergyOf, ratedTogether } from '../../../src/model/bounds.ts';

test.each([
  ['of the sun in a day', 'day', 'pvGeneratedKwh', 5000, 180],
  ['into the battery in a month', 'month', 'batteryChargedKwh', 5000, 31 * 180],
  ['out of the battery in a year', 'year', 'batteryDischargedKwh', 5000, 366 * 180],
  ['of the sun in a lifetime', 'lifetime', 'pvGeneratedKwh', 5000, 25 * 366 * 180],
  ['of a device that does not say what it carries', 'day', 'pvGeneratedKwh', undefined, 3600],
  ['of the house, which may draw more', 'day', 'consumptionKwh', 5000, 3600],
  ['of the grid, from which it may draw more', 'day', 'gridImportKwh', 5000, 3600],
  ['of a house that carries more than most', 'day', 'gridFeedInKwh', 250_000, 9000],
] as const)('the most energy %s', (_, period, quantity, ratedWatts, most) => {
  const can = (energyKwh: number) => isEnergyOf(period, quantity, energyKwh, ratedWatts);
  expect([0, most, most + 1, -0.1, NaN].map(can)).toEqual([true, true, false, false, false]);
});

test.each([
  ['all of what they say', [{ ratedPowerWatts: 5000 }, { ratedPowerWatts: 3000 }], 8000],
  ['a generous figure for one that says nothing', [{ ratedPowerWatts: 5000 }, {}], 105_000],
  ['nothing of none', [], undefined],
])('devices are rated together at %s', (_, devices, watts) => {
  expect(ratedTogether(devices)).toBe(watts);
});
