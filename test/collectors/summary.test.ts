import { describe, expect, test } from 'vitest';
import { summaryCollector } from '../../src/collectors/summary.ts';
import { pointsOf } from './collector-samples.ts';

const AUGUST = {
  startsAtMs: Date.parse('2026-08-01T00:00:00+08:00'),
  endsAtMs: Date.parse('2026-09-01T00:00:00+08:00'),
};
const START = { solar_month_start_timestamp_seconds: AUGUST.startsAtMs / 1000 };

describe('the monthly summary of a station', () => {
  test('gives energy in kWh, the share of the sun, and which month it is', () => {
    const month = {
      ...AUGUST,
      pvGeneratedKwh: 300.5,
      gridImportKwh: 0,
      gridFeedInKwh: 12,
      consumptionKwh: 400,
      batteryChargedKwh: 90,
      batteryDischargedKwh: 80.5,
      solarRatio: 0.751,
    };
    expect(pointsOf(summaryCollector, month)).toEqual({
      ...START,
      solar_month_pv_generated_kwh: 300.5,
      solar_month_grid_import_kwh: 0,
      solar_month_grid_feed_in_kwh: 12,
      solar_month_consumption_kwh: 400,
      solar_month_battery_charged_kwh: 90,
      solar_month_battery_discharged_kwh: 80.5,
      solar_month_solar_ratio: 0.751,
      'solar_energy_month_kwh{pv}': 300.5,
      'solar_energy_month_kwh{load}': 400,
      'solar_energy_month_kwh{grid_import}': 0,
      'solar_energy_month_kwh{grid_feed_in}': 12,
      'solar_energy_month_kwh{battery_charge}': 90,
      'solar_energy_month_kwh{battery_discharge}': 80.5,
    });
  });

  test.each([
    {
      known: { pvGeneratedKwh: 140 },
      points: { solar_month_pv_generated_kwh: 140, 'solar_energy_month_kwh{pv}': 140 },
    },
    {
      known: { gridFeedInKwh: 0 },
      points: { solar_month_grid_feed_in_kwh: 0, 'solar_energy_month_kwh{grid_feed_in}': 0 },
    },
  ])('gives nothing but $known where nothing else is known', ({ known, points }) => {
    expect(pointsOf(summaryCollector, { ...AUGUST, ...known })).toEqual({ ...START, ...points });
  });

  test('says which of its zeros only stand in for what is unknown', () => {
    const assumed = ['gridImportKwh', 'consumptionKwh'] as const;
    const month = { ...AUGUST, pvGeneratedKwh: 3, gridImportKwh: 0, consumptionKwh: 0, assumed };
    expect(pointsOf(summaryCollector, month)).toEqual({
      ...START,
      solar_month_pv_generated_kwh: 3,
      solar_month_grid_import_kwh: 0,
      solar_month_consumption_kwh: 0,
      'solar_month_quantity_assumed{grid_import}': 1,
      'solar_month_quantity_assumed{consumption}': 1,
      'solar_energy_month_kwh{pv}': 3,
    });
  });

  test('gives nothing when it is empty', () => {
    expect(pointsOf(summaryCollector, { ...AUGUST, pvGeneratedKwh: undefined })).toEqual({});
  });
});
