import {
  type CountedAsZero,
  type DailyEnergy,
  type Energies,
  type EnergyQuantity,
  isEmptyMonth,
  type MonthlyEnergy,
  solarRatio,
  withZeros,
  type YearlyEnergy,
} from '../model/energy.ts';
import { type Collector, slowlyChanging, type StationSubject } from './collector.ts';
import { type MetricRow, metricsOf, type Point, pointOf } from './metric.ts';

/** The label `flow` of every metric of energies. */
export const FLOW_LABELS: Readonly<Record<EnergyQuantity, string>> = {
  pvGeneratedKwh: 'pv',
  consumptionKwh: 'load',
  gridImportKwh: 'grid_import',
  gridFeedInKwh: 'grid_feed_in',
  batteryChargedKwh: 'battery_charge',
  batteryDischargedKwh: 'battery_discharge',
};
const QUANTITIES = Object.keys(FLOW_LABELS) as EnergyQuantity[];

/** The label `quantity` of what counts as 0. */
const ASSUMED_LABELS: Readonly<Record<CountedAsZero, string>> = {
  pvGeneratedKwh: 'pv_generated',
  gridImportKwh: 'grid_import',
  consumptionKwh: 'consumption',
};

/** Figures of years change slowly, and a summary that is missing may come with an update of the service. */
const SLOWER = 12;

/** Reads the monthly summary of a station (service.md#summaries). */
export const summaryCollector: Collector<StationSubject, MonthlyEnergy> = {
  name: 'summary',
  // The figures of a month that has ended are never shown as those of the next.
  validity: ({ summaryTtlMs, maxAgeMs }, { endsAtMs }, fetchedAtMs) =>
    slowlyChanging(fetchedAtMs, summaryTtlMs, maxAgeMs, endsAtMs),
  fetch: (api, { station }) => api.fetchMonthlyEnergy(station),
  metrics: metricsOf<MonthlyEnergy>('gauge', ['station_id'], {
    solar_month_pv_generated_kwh: ofMonth('pvGeneratedKwh', 'PV energy generated'),
    solar_month_grid_import_kwh: ofMonth('gridImportKwh', 'Energy imported from the grid'),
    solar_month_grid_feed_in_kwh: ofMonth('gridFeedInKwh', 'Energy fed into the grid'),
    solar_month_consumption_kwh: ofMonth('consumptionKwh', 'Energy consumed'),
    solar_month_battery_charged_kwh: ofMonth(
      'batteryChargedKwh',
      'Energy charged into the battery',
    ),
    solar_month_battery_discharged_kwh: ofMonth(
      'batteryDischargedKwh',
      'Energy discharged from the battery',
    ),
    solar_month_solar_ratio: [
      'PV energy as a share of consumption in the current month, to three decimals; 0 when nothing was consumed.',
      (month) => solarRatio(withZeros(month)),
    ],
    solar_month_quantity_assumed_info: [
      'A quantity of the current month that is 0 only because the service sends none.',
      ({ countedAsZero }) =>
        countedAsZero?.flatMap((name) => pointOf(1, { quantity: ASSUMED_LABELS[name] })),
      'quantity',
    ],
    solar_month_start_timestamp_seconds: [
      'Start of the current month in the time zone of the station.',
      (month) => (isEmptyMonth(month) ? undefined : month.startsAtMs / 1000),
    ],
    solar_energy_month_kwh: [energyHelp('of the current month'), flowPoints, 'flow'],
  }),
};

/** Reads the days of a station: today and yesterday (service.md#summaries). */
export const daysCollector: Collector<StationSubject, DailyEnergy> = {
  name: 'summary-days',
  // At midnight, today becomes yesterday: the figures of a day are never shown as those of the next.
  validity: ({ summaryTtlMs, maxAgeMs }, { isMissing, endsAtMs }, fetchedAtMs) => {
    const ttlMs = isMissing === true ? SLOWER * summaryTtlMs : summaryTtlMs;
    return slowlyChanging(fetchedAtMs, ttlMs, maxAgeMs, endsAtMs);
  },
  fetch: (api, { station }, { previous }) => api.fetchDailyEnergy(station, previous),
  metrics: metricsOf<DailyEnergy>('gauge', ['station_id', 'flow'], {
    solar_energy_today_kwh: [energyHelp('of the current day'), ({ today }) => flowPoints(today)],
    solar_energy_yesterday_kwh: [
      energyHelp('of the previous day'),
      ({ yesterday }) => flowPoints(yesterday),
    ],
  }),
};

/** Reads the years of a station: this one, and all together (service.md#summaries). */
export const yearsCollector: Collector<StationSubject, YearlyEnergy> = {
  name: 'summary-years',
  validity: ({ summaryTtlMs, maxAgeMs }, { endsAtMs }, fetchedAtMs) =>
    slowlyChanging(fetchedAtMs, SLOWER * summaryTtlMs, maxAgeMs, endsAtMs),
  fetch: (api, { station }, { previous }) => api.fetchYearlyEnergy(station, previous),
  metrics: metricsOf<YearlyEnergy>('gauge', ['station_id', 'flow'], {
    solar_energy_year_kwh: [energyHelp('of the current year'), ({ year }) => flowPoints(year)],
    solar_energy_lifetime_kwh: [energyHelp('of all years'), ({ lifetime }) => flowPoints(lifetime)],
  }),
};

/** Declares an alias: what the specification counts as 0 is 0 here, but not in the energies by flow. */
function ofMonth(quantity: EnergyQuantity, what: string): MetricRow<MonthlyEnergy> {
  const unknown = quantity in ASSUMED_LABELS ? '0 also' : 'absent';
  return [
    `${what} in the current month; ${unknown} where the service sends none.`,
    (month) => withZeros(month)[quantity],
  ];
}

/** Returns one point for each flow whose energy is known. */
export function flowPoints(energies: Energies): readonly Point[] {
  return QUANTITIES.flatMap((quantity) =>
    pointOf(energies[quantity], { flow: FLOW_LABELS[quantity] }),
  );
}

function energyHelp(period: string): string {
  return `Energy ${period} by flow, never negative: the service's own figure; absent where it sends none.`;
}
