import { describe, expect, test } from 'vitest';
import { daysCollector, yearsCollector } from '../../src/collectors/energy.ts';
import { summaryCollector } from '../../src/collectors/summary.ts';
import { pointsOf } from './collector-samples.ts';
import { createCollection, HOUR_MS, keepScraping } from './collection-harness.ts';

const ALL = {
  pvGeneratedKwh: 1,
  consumptionKwh: 2,
  gridImportKwh: 3,
  gridFeedInKwh: 0,
  batteryChargedKwh: 5,
  batteryDischargedKwh: 6,
};

describe('the energies of a station', () => {
  test('have a flow each, and a real 0', () => {
    const days = { today: ALL, yesterday: { consumptionKwh: 4 }, endsAtMs: Infinity };
    expect(pointsOf(daysCollector, days)).toEqual({
      'solar_energy_today_kwh{pv}': 1,
      'solar_energy_today_kwh{load}': 2,
      'solar_energy_today_kwh{grid_import}': 3,
      'solar_energy_today_kwh{grid_feed_in}': 0,
      'solar_energy_today_kwh{battery_charge}': 5,
      'solar_energy_today_kwh{battery_discharge}': 6,
      'solar_energy_yesterday_kwh{load}': 4,
    });
  });

  test('are of this year and of all years', () => {
    const years = { year: { pvGeneratedKwh: 1 }, lifetime: { pvGeneratedKwh: 9 }, endsAtMs: 0 };
    expect(pointsOf(yearsCollector, years)).toEqual({
      'solar_energy_year_kwh{pv}': 1,
      'solar_energy_lifetime_kwh{pv}': 9,
    });
  });

  test('are of the month without what only counts as 0', () => {
    const month = { ...ALL, assumed: ['gridImportKwh'] as const, startsAtMs: 0, endsAtMs: 1 };
    const points = pointsOf(summaryCollector, month);
    expect(points).toMatchObject({ 'solar_energy_month_kwh{pv}': 1 });
    expect(points).not.toHaveProperty(['solar_energy_month_kwh{grid_import}']);
  });
});

describe('the requests for energies', () => {
  test('are 96 for days and 24 for years in a day, of each station', async () => {
    const harness = createCollection({
      energy: true,
      account: { house: ['first', 'second'], barn: ['third'] },
    });
    const endsAtMs = Infinity;
    harness.api.days = { ...harness.api.days, endsAtMs };
    harness.api.month = { ...harness.api.month, endsAtMs };
    await keepScraping(harness, 24 * HOUR_MS, 60_000);
    expect(harness.api.counts).toMatchObject({
      'days house': 96,
      'days barn': 96,
      'years house': 24,
      'years barn': 24,
      // The energies of the month cost nothing: its summary was asked for before.
      'summary house': 96,
    });
  });

  test('are one an hour and summary where the service lacks them', async () => {
    const harness = createCollection({ energy: true });
    const { api, names, outcome } = harness;
    const missing = { endsAtMs: Infinity, isMissing: true };
    api.days = { today: {}, yesterday: {}, ...missing };
    api.years = { year: {}, lifetime: {}, ...missing };
    await keepScraping(harness, 24 * HOUR_MS, 60_000);
    expect(api.counts).toMatchObject({ 'days house': 24, 'years house': 24 });
    expect(outcome('house', 'summary-days')?.isSuccess).toBe(true);
    expect(outcome('house', 'summary-years')?.isSuccess).toBe(true);
    expect(names().filter((name) => /today|yesterday|year|lifetime/.test(name))).toEqual([]);
  });

  test('are none without the switch, and the month stays', async () => {
    const { api, scrape } = createCollection();
    const series = await scrape();
    expect(api.questions).not.toContain('days house');
    expect(api.questions).not.toContain('years house');
    expect(series).toHaveProperty(['solar_energy_month_kwh{house,pv}']);
  });
});
