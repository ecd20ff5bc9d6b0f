import type { DailyEnergy, Energies, EnergyQuantity, YearlyEnergy } from '../model/energy.ts';
import {
  type CacheLifetimes,
  type Collector,
  type Lifetime,
  slowlyChanging,
  type StationSubject,
} from './collector.ts';
import { type Metric, type Point, pointOf } from './metric.ts';

/** The label `flow` of every metric of energies. */
const FLOW_LABELS: Readonly<Record<EnergyQuantity, string>> = {
  pvGeneratedKwh: 'pv',
  consumptionKwh: 'load',
  gridImportKwh: 'grid_import',
  gridFeedInKwh: 'grid_feed_in',
  batteryChargedKwh: 'battery_charge',
  batteryDischargedKwh: 'battery_discharge',
};
const QUANTITIES = Object.keys(FLOW_LABELS) as EnergyQuantity[];

/** Returns one point for each flow whose energy is known. */
export function flowPoints(energies: Energies): readonly Point[] {
  return QUANTITIES.flatMap((quantity) =>
    pointOf(energies[quantity], { flow: FLOW_LABELS[quantity] }),
  );
}

/** Figures of years change slowly, and a summary that is missing may come with an update of the service. */
const SLOWER = 12;

/** Reads the days of a station: today and yesterday (field notes 1.4). */
export const daysCollector: Collector<StationSubject, DailyEnergy> = {
  name: 'summary-days',
  lifetime: (lifetimes, days) => summaryLifetime(lifetimes, days?.isMissing === true ? SLOWER : 1),
  fetch: (api, { station }, { previous }) => api.fetchDailyEnergy(station, previous),
  // At midnight, today becomes yesterday: the figures of a day are never shown as those of the next.
  endsAtMs: (days) => days.endsAtMs,
  metrics: [
    energyOf('solar_energy_today_kwh', 'of the current day', (days: DailyEnergy) => days.today),
    energyOf(
      'solar_energy_yesterday_kwh',
      'of the day before the current one',
      (days: DailyEnergy) => days.yesterday,
    ),
  ],
};

/** Reads the years of a station: this one, and all together (field notes 1.4). */
export const yearsCollector: Collector<StationSubject, YearlyEnergy> = {
  name: 'summary-years',
  lifetime: (lifetimes) => summaryLifetime(lifetimes, SLOWER),
  fetch: (api, { station }, { previous }) => api.fetchYearlyEnergy(station, previous),
  endsAtMs: (years) => years.endsAtMs,
  metrics: [
    energyOf('solar_energy_year_kwh', 'of the current year', (years: YearlyEnergy) => years.year),
    energyOf(
      'solar_energy_lifetime_kwh',
      'of all years together',
      (years: YearlyEnergy) => years.lifetime,
    ),
  ],
};

/** Makes a metric of the service's energies, with one point for each flow that is known. */
export function energyOf<Value>(
  name: `solar_energy_${string}`,
  period: string,
  energies: (value: Value) => Energies,
): Metric<Value> {
  return {
    name,
    type: 'gauge',
    help: `Energy ${period} by flow, in kWh and never negative: the service's own figure in the time zone of the station, not integrated from power; absent where the service does not say.`,
    labelNames: ['station_id', 'flow'],
    read: (value) => flowPoints(energies(value)),
  };
}

function summaryLifetime({ summaryTtlMs, maxAgeMs }: CacheLifetimes, times: number): Lifetime {
  return slowlyChanging(times * summaryTtlMs, maxAgeMs);
}
