import { describe, expect, test } from 'vitest';
import { summaryCollector } from '../../src/collectors/summary.ts';
import { pointsOf } from './collector-samples.ts';

describe('the monthly summary of a station', () => {
  test('gives energy in kWh and the share of the sun', () => {
    const month = {
      pvGeneratedKwh: 300.5,
      gridImportKwh: 0,
      consumptionKwh: 400,
      solarRatio: 0.751,
    };
    expect(pointsOf(summaryCollector, month)).toEqual({
      solar_month_pv_generated_kwh: 300.5,
      solar_month_grid_import_kwh: 0,
      solar_month_consumption_kwh: 400,
      solar_month_solar_ratio: 0.751,
    });
  });

  test('gives nothing when it is empty', () => {
    expect(pointsOf(summaryCollector, undefined)).toEqual({});
  });
});
