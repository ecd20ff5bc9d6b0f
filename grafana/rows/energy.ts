import { COLOURS, STATES } from '../colours.ts';
import { houseSum, knownOfMonth, named, risen, stationSum } from '../expressions.ts';
import { labelList, series } from '../series.ts';
import type { Row, Strip } from '../layout.ts';
import { remarkedStat } from '../panels.ts';
import { hoursStrip } from './hours.ts';
import { monthStrip } from './month.ts';
import { periodsStrip } from './periods.ts';
import { todayStrip } from './today.ts';

const LIFETIME_KWH = series('solar_device_pv_energy_lifetime_kwh');

const otherFigures: Strip = {
  height: 4,
  panels: [
    [
      4,
      remarkedStat(
        {
          title: 'PV today by the inverters',
          description:
            "Each inverter's own count of the day, refreshed about once an hour; it can differ from the sum of the readings.",
          unit: 'kwatth',
          decimals: 1,
        },
        [
          {
            expr: named(series('solar_device_pv_energy_today_kwh')),
            legend: '{{name}}',
            colour: COLOURS.solar,
          },
        ],
      ),
    ],
    [
      4,
      remarkedStat(
        {
          title: 'PV in the range shown',
          description:
            'How far the lifetime figures of the inverters rose in the range shown; they move about once an hour. Of a figure that began again, what came since.',
          unit: 'kwatth',
          decimals: 1,
        },
        [
          {
            expr: houseSum(risen(LIFETIME_KWH)),
            legend: '{{coverage}}',
            colour: COLOURS.solar,
          },
        ],
      ),
    ],
    [
      4,
      remarkedStat(
        {
          title: 'PV ever',
          description: 'The lifetime figures of the inverters, added up.',
          unit: 'kwatth',
          decimals: 0,
        },
        [{ expr: houseSum(LIFETIME_KWH), legend: '{{coverage}}', colour: COLOURS.solar }],
      ),
    ],
    [
      4,
      remarkedStat(
        {
          title: 'Ever by the service',
          description:
            "What the panels gave and the house drew in all years of the station, by the service's own figures; not known while a year is missing.",
          unit: 'kwatth',
          decimals: 0,
        },
        [
          {
            expr: stationSum(series('solar_energy_lifetime_kwh', { flow: '="pv"' })),
            legend: 'generated, {{coverage}}',
            colour: COLOURS.solar,
          },
          {
            expr: stationSum(series('solar_energy_lifetime_kwh', { flow: '="load"' })),
            legend: 'consumed, {{coverage}}',
            colour: COLOURS.house,
          },
        ],
      ),
    ],
    [
      4,
      remarkedStat(
        {
          title: 'Generated ÷ consumed this month',
          description:
            'What the panels of each station gave as a share of what its house drew; above 100 % it gave more.',
          unit: 'percentunit',
          decimals: 0,
        },
        [
          {
            expr: stationNamed(knownOfMonth('solar_month_solar_ratio', 'pv_generated|consumption')),
            legend: '{{name}}',
            colour: COLOURS.solar,
          },
        ],
      ),
    ],
    [
      4,
      remarkedStat(
        {
          title: 'Month counted since',
          description: "The start of the month that the service's figures count, for each station.",
          unit: 'dateTimeAsIso',
        },
        [
          {
            expr: `${stationNamed(series('solar_month_start_timestamp_seconds'))} * 1000`,
            legend: '{{name}}',
            colour: STATES.neutral,
          },
        ],
      ),
    ],
  ],
};

/** The energy of day, month and year: from the service, from the readings, from the inverters. */
export const energyRow: Row = {
  title: 'Energy',
  strips: [periodsStrip, todayStrip, hoursStrip, monthStrip, otherFigures],
};

function stationNamed(expression: string): string {
  const on = labelList('job', 'instance', 'account', 'station_id');
  const names = series('solar_station_info', { name: '!=""' });
  const byId = `label_replace(${expression}, "name", "$1", "station_id", "(.+)")`;
  return `(${expression}) * on ${on} group_left ${labelList('name')} ${names} or on ${on} ${byId}`;
}
