import type { MonthlyEnergy } from '../model/station.ts';
import { type Collector, slowlyChanging, type StationTarget } from './collector.ts';
import { type CollectorMetric, pointOf } from './metric.ts';

/** Reads the monthly summary of a station (interface endpoint 5). */
export const summaryCollector: Collector<StationTarget, MonthlyEnergy | undefined> = {
  name: 'summary',
  lifetime: ({ summaryTtlMs, maxAgeMs }) => slowlyChanging(summaryTtlMs, maxAgeMs),
  fetch: (api, { station }) => api.fetchMonthlyEnergy(station.stationId, station.timeZone),
  metrics: [
    monthly(
      'solar_month_pv_generated_kwh',
      'PV energy generated in the current month of the station, in kWh.',
      (month) => month.pvGeneratedKwh,
    ),
    monthly(
      'solar_month_grid_import_kwh',
      'Energy imported from the grid in the current month of the station, in kWh.',
      (month) => month.gridImportKwh,
    ),
    monthly(
      'solar_month_consumption_kwh',
      'Energy consumed in the current month of the station, in kWh.',
      (month) => month.consumptionKwh,
    ),
    monthly(
      'solar_month_solar_ratio',
      'PV energy generated as a share of the energy consumed in the current month, to three decimals; 0 when nothing was consumed.',
      (month) => month.solarRatio,
    ),
  ],
};

function monthly(
  name: `solar_${string}`,
  help: string,
  value: (month: MonthlyEnergy) => number,
): CollectorMetric<MonthlyEnergy | undefined> {
  const read: CollectorMetric<MonthlyEnergy | undefined>['read'] = (month) =>
    pointOf(month === undefined ? undefined : value(month));
  return { name, type: 'gauge', help, labelNames: ['station_id'], read };
}
