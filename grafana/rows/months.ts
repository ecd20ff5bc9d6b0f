import { COLOURS } from '../colours.ts';
import { DIGITS_0, DIGITS_1, ID, type Panel } from '../panel.ts';
import { S, stationNamed, stations, stationsMissing } from '../promql.ts';
import { money, shares } from './today.ts';

const MONTH = 'solar_energy_month_kwh';

/** Shares, money and counts of the month and beyond. */
export const monthPanels: readonly Panel[] = [
  shares('Month: own share', "From the service's figures of the month.", MONTH),
  {
    kind: 'numbers',
    title: 'Month: money',
    about:
      "Saved: what the house drew without the grid, times the price of what is bought; earned: what was fed in, times the price for it. From the service's figures of the month at the price of this moment, of a tariff file or as typed at the top.",
    size: [6, 5],
    decimals: 2,
    queries: money(
      MONTH,
      (direction) =>
        `max by (account, station_id, currency) (solar_tariff_price_per_kwh{direction="${direction}"})`,
    ),
  },
  ever('Month: energy', 'in the current month', MONTH),
  ever('Energy ever', 'in all years of the station', 'solar_energy_lifetime_kwh'),
  {
    kind: 'table',
    title: 'Stations this month, in kWh',
    about:
      'The figures of the service for each station since the start of its month, and what was generated as a share of what was consumed. Above 100 % a station gave more than it drew.',
    size: [24, 6],
    queries: [
      { expr: stationNamed(`solar_station_devices{${S}}`, 'name, time_zone') },
      { expr: stationNamed(`1000 * solar_month_start_timestamp_seconds{${S}}`) },
      { expr: stationNamed(`sum without (flow) (${MONTH}{${S}, flow="pv"})`) },
      { expr: stationNamed(`sum without (flow) (${MONTH}{${S}, flow="load"})`) },
      {
        expr: stationNamed(
          `(solar_month_solar_ratio{${S}} unless on (instance, account, station_id) solar_month_quantity_assumed_info)`,
        ),
      },
    ],
    columns: [
      ['name', 'Station'],
      ['Value #B', 'Counted since', { unit: 'dateTimeAsIso' }],
      ['Value #C', 'Generated', DIGITS_1],
      ['Value #D', 'Consumed', DIGITS_1],
      ['Value #E', 'Share', { unit: 'percentunit', decimals: 0 }],
      ['Value #A', 'Devices', DIGITS_0],
      ['time_zone', 'Time zone'],
      ['station_id', 'Station id', ID],
      ['instance', 'Exporter'],
    ],
  },
];

function ever(title: string, when: string, metric: string): Panel {
  const generated = `${metric}{${S}, flow="pv"}`;
  const consumed = `${metric}{${S}, flow="load"}`;
  return {
    kind: 'numbers',
    title,
    about: `What the panels gave and the house drew ${when}, by the service's own figures; a sum says how many stations it lacks.`,
    size: [6, 5],
    unit: 'suffix:kWh',
    decimals: 0,
    queries: [
      { expr: stations(generated), legend: 'generated', colour: COLOURS.solar },
      { expr: stations(consumed), legend: 'consumed', colour: COLOURS.house },
      stationsMissing(generated),
      stationsMissing(consumed),
    ],
  };
}
