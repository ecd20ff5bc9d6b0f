import {
  type CountedAsZero,
  type Energies,
  isEmptyMonth,
  type MonthlyEnergy,
  solarRatio,
  withZeros,
} from '../model/energy.ts';
import { type Collector, slowlyChanging, type StationSubject } from './collector.ts';
import { energyOf } from './energy.ts';
import { type Metric, pointOf } from './metric.ts';

const QUANTITY_LABELS: Readonly<Record<CountedAsZero, string>> = {
  pvGeneratedKwh: 'pv_generated',
  gridImportKwh: 'grid_import',
  consumptionKwh: 'consumption',
};

/** Reads the monthly summary of a station (interface endpoint 5, field notes 2.9). */
export const summaryCollector: Collector<StationSubject, MonthlyEnergy> = {
  name: 'summary',
  lifetime: ({ summaryTtlMs, maxAgeMs }) => slowlyChanging(summaryTtlMs, maxAgeMs),
  fetch: (api, { station }) => api.fetchMonthlyEnergy(station),
  // The figures of a month that has ended are never shown as those of the next.
  endsAtMs: (month) => month.endsAtMs,
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
      'solar_month_grid_feed_in_kwh',
      'Energy fed into the grid in the current month of the station, in kWh; absent where the service does not measure it.',
      (month) => month.gridFeedInKwh,
    ),
    monthly(
      'solar_month_consumption_kwh',
      'Energy consumed in the current month of the station, in kWh.',
      (month) => month.consumptionKwh,
    ),
    monthly(
      'solar_month_battery_charged_kwh',
      'Energy charged into the battery in the current month of the station, in kWh; absent where the service does not measure it.',
      (month) => month.batteryChargedKwh,
    ),
    monthly(
      'solar_month_battery_discharged_kwh',
      'Energy discharged from the battery in the current month of the station, in kWh; absent where the service does not measure it.',
      (month) => month.batteryDischargedKwh,
    ),
    monthly(
      'solar_month_solar_ratio',
      'PV energy generated as a share of the energy consumed in the current month, to three decimals; 0 when nothing was consumed.',
      solarRatio,
    ),
    {
      name: 'solar_month_quantity_assumed',
      type: 'gauge',
      help: "Always 1; a quantity of the current month that the service's answer lacks, and that is 0 only by the rule of its interface; the dashboard leaves it out.",
      labelNames: ['station_id', 'quantity'],
      read: ({ countedAsZero = [] }) =>
        countedAsZero.flatMap((name) => pointOf(1, { quantity: QUANTITY_LABELS[name] })),
    },
    {
      name: 'solar_month_start_timestamp_seconds',
      type: 'gauge',
      help: "Start of the month that the month's other metrics count, in the time zone of the station, in seconds since the Unix epoch.",
      labelNames: ['station_id'],
      read: (month) => (isEmptyMonth(month) ? [] : pointOf(month.startsAtMs / 1000)),
    },
    energyOf('solar_energy_month_kwh', 'of the current month', (month) => month),
  ],
};

/** What the interface counts as 0 is 0 here. */
function monthly(
  name: `solar_${string}`,
  help: string,
  value: (month: Energies) => number | undefined,
): Metric<MonthlyEnergy> {
  const read: Metric<MonthlyEnergy>['read'] = (month) => pointOf(value(withZeros(month)));
  return { name, type: 'gauge', help, labelNames: ['station_id'], read };
}
