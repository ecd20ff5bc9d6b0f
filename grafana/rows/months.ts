import { COLOURS, STATES } from '../colours.ts';
import { columns, ID_WIDTH, instants, MERGED, numbers } from '../columns.ts';
import { knownOfMonth, perStation, risen } from '../expressions.ts';
import type { Row } from '../layout.ts';
import { named, stationNamed } from '../names.ts';
import { statPair, table } from '../panels.ts';
import { series } from '../series.ts';
import { houseSum, stationSum } from '../sums.ts';
import { money, priceOf } from '../today.ts';
import { UNITS } from '../units.ts';
import { shares } from './shares.ts';

const GENERATED = perStation(knownOfMonth('solar_month_pv_generated_kwh', 'pv_generated'));
const CONSUMED = perStation(knownOfMonth('solar_month_consumption_kwh', 'consumption'));
const IMPORTED = perStation(knownOfMonth('solar_month_grid_import_kwh', 'grid_import'));
const FED_IN = perStation(series('solar_month_grid_feed_in_kwh'));
const LIFETIME = series('solar_device_pv_energy_lifetime_kwh');

/** Shares, money and counts of the month and beyond. */
export const monthsRow: Row = {
  title: 'Month, money and counts',
  isCollapsed: true,
  strips: [
    {
      height: 4,
      panels: [
        [
          6,
          shares('Month: own share', "From the service's figures of the month.", {
            generated: GENERATED,
            consumed: CONSUMED,
            imported: IMPORTED,
            fedIn: FED_IN,
          }),
        ],
        [
          6,
          statPair(
            {
              title: 'Month: money',
              description:
                "Saved: what the house drew without the grid, times the price of what is bought; earned: what was fed in, times the price for it. From the service's figures of the month at the price of this moment.",
              unit: UNITS.count,
              decimals: 2,
            },
            [
              {
                expr: money(`(${CONSUMED} - ${IMPORTED})`, priceOf('import', '$tariff')),
                legend: '{{currency}} saved',
                colour: STATES.neutral,
              },
              {
                expr: money(FED_IN, priceOf('feed_in', '$feed_in_price')),
                legend: '{{currency}} earned',
                colour: STATES.neutral,
              },
            ],
          ),
        ],
        [
          6,
          statPair(
            {
              title: 'In this range',
              description:
                'What the panels gave by the lifetime figures of the inverters: how far they rose in the range shown; they move about once an hour. Of a figure that began again, what came since.',
              unit: UNITS.kilowattHours,
              decimals: 1,
            },
            [
              {
                expr: houseSum(risen(LIFETIME)),
                legend: 'generated{{coverage}}',
                colour: COLOURS.solar,
              },
            ],
          ),
        ],
        [
          6,
          statPair(
            {
              title: 'Energy ever',
              description:
                "What the panels gave and the house drew in all years of the station, by the service's own figures; not known while a year is missing.",
              unit: UNITS.kilowattHours,
              decimals: 0,
            },
            [
              { expr: ever('pv'), legend: 'generated{{coverage}}', colour: COLOURS.solar },
              { expr: ever('load'), legend: 'consumed{{coverage}}', colour: COLOURS.house },
            ],
          ),
        ],
      ],
    },
    {
      height: 6,
      panels: [
        [
          24,
          table(
            {
              title: 'Stations this month, in kWh',
              description:
                'The figures of the service for each station since the start of its month, and what was generated as a share of what was consumed. Above 100 % a station gave more than it drew.',
            },
            [
              { expr: stationNamed(series('solar_station_devices'), 'time_zone'), legend: '' },
              {
                expr: stationNamed(`${series('solar_month_start_timestamp_seconds')} * 1000`),
                legend: '',
              },
              {
                expr: stationNamed(knownOfMonth('solar_month_pv_generated_kwh', 'pv_generated')),
                legend: '',
              },
              {
                expr: stationNamed(knownOfMonth('solar_month_consumption_kwh', 'consumption')),
                legend: '',
              },
              {
                expr: stationNamed(
                  knownOfMonth('solar_month_solar_ratio', 'pv_generated|consumption'),
                ),
                legend: '',
              },
            ],
            [
              MERGED,
              columns({
                name: 'Station',
                'Value #B': 'Counted since',
                'Value #C': 'Generated',
                'Value #D': 'Consumed',
                'Value #E': 'Share',
                'Value #A': 'Devices',
                time_zone: 'Time zone',
                station_id: 'Station id',
                instance: 'Exporter',
              }),
            ],
            {
              'Counted since': instants(UNITS.date),
              Generated: numbers(UNITS.count, 1),
              Consumed: numbers(UNITS.count, 1),
              Share: numbers(UNITS.percent, 0),
              'Station id': [ID_WIDTH],
            },
          ),
        ],
      ],
    },
    {
      height: 6,
      panels: [
        [
          24,
          table(
            {
              title: 'Counts of the inverters, in kWh',
              description:
                "Each inverter's own count of what its panels gave, refreshed about once an hour; it can differ from the figures of the service.",
            },
            [
              { expr: named(series('solar_device_pv_energy_today_kwh')), legend: '' },
              { expr: named(LIFETIME), legend: '' },
            ],
            [
              MERGED,
              columns({
                name: 'Device',
                'Value #A': 'Today',
                'Value #B': 'Ever',
                device_id: 'Device id',
                instance: 'Exporter',
              }),
            ],
            {
              Today: numbers(UNITS.count, 1),
              Ever: numbers(UNITS.count, 0),
              'Device id': [ID_WIDTH],
            },
          ),
        ],
      ],
    },
  ],
};

function ever(flow: string): string {
  return stationSum(series('solar_energy_lifetime_kwh', { flow: `="${flow}"` }));
}
