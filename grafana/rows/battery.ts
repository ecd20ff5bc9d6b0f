import { COLOURS, STATES } from '../colours.ts';
import { named } from '../expressions.ts';
import type { Row } from '../layout.ts';
import { bars, lines, remarkedStat } from '../panels.ts';
import { series } from '../series.ts';
import { DASHED_LINE } from './power.ts';

const SOC = series('solar_battery_soc_ratio');
const POWER = series('solar_battery_power_watts');

/** How the batteries are used, and their health. */
export const batteryRow: Row = {
  title: 'Battery',
  strips: [
    {
      height: 8,
      panels: [
        [
          12,
          lines(
            {
              title: 'State of charge over time',
              description:
                'How full each battery is, with the lowest and highest of the 24 hours before each point dashed: the depth of its daily cycle. Red is the limit in "Low battery %".',
              unit: 'percentunit',
              min: 0,
              max: 1,
            },
            [
              { expr: named(SOC), legend: '{{name}}', colour: COLOURS.battery, isShaded: true },
              {
                expr: named(`min_over_time(${SOC}[24h])`),
                legend: '{{name}} lowest of 24 h',
                colour: COLOURS.battery,
                isShaded: true,
                properties: DASHED_LINE,
              },
              {
                expr: named(`max_over_time(${SOC}[24h])`),
                legend: '{{name}} highest of 24 h',
                colour: COLOURS.battery,
                isShaded: true,
                properties: DASHED_LINE,
              },
              {
                // Only where there is a battery.
                expr: `max(${SOC}) * 0 + $low_soc / 100`,
                legend: 'low',
                colour: STATES.bad,
              },
            ],
          ),
        ],
        [
          12,
          lines(
            {
              title: 'Battery power',
              description: 'Above zero each battery discharges, below zero it charges.',
              unit: 'watt',
            },
            [
              {
                expr: named(`clamp_min(${POWER}, 0)`),
                legend: '{{name}} discharging',
                colour: COLOURS.battery,
                isShaded: true,
              },
              {
                expr: named(`clamp_max(${POWER}, 0)`),
                legend: '{{name}} charging',
                colour: COLOURS.battery,
                isShaded: true,
                properties: DASHED_LINE,
              },
            ],
          ),
        ],
      ],
    },
    {
      height: 7,
      panels: [
        [
          8,
          lines(
            {
              title: 'Battery voltage',
              description: 'The voltage of each battery.',
              unit: 'volt',
            },
            [
              {
                expr: named(series('solar_battery_voltage_volts')),
                legend: '{{name}}',
                colour: COLOURS.battery,
                isShaded: true,
              },
            ],
          ),
        ],
        [
          8,
          lines(
            {
              title: 'Battery currents',
              description: 'The current out of each battery, and dashed the current into it.',
              unit: 'amp',
              min: 0,
            },
            [
              {
                expr: named(series('solar_battery_discharge_current_amperes')),
                legend: '{{name}} discharging',
                colour: COLOURS.battery,
                isShaded: true,
              },
              {
                expr: named(series('solar_battery_charging_current_amperes')),
                legend: '{{name}} charging',
                colour: COLOURS.battery,
                isShaded: true,
                properties: DASHED_LINE,
              },
            ],
          ),
        ],
        [
          8,
          lines(
            {
              title: 'Battery temperature',
              description: 'The temperature of each battery that measures one.',
              unit: 'celsius',
            },
            [
              {
                expr: named(series('solar_battery_temperature_celsius')),
                legend: '{{name}}',
                colour: COLOURS.battery,
                isShaded: true,
              },
            ],
          ),
        ],
      ],
    },
    {
      height: 5,
      panels: [
        [
          16,
          bars(
            {
              title: "Today's cycle",
              description:
                'The lowest and the highest state of charge of each battery since midnight.',
              unit: 'percentunit',
              decimals: 0,
              min: 0,
              max: 1,
              timeFrom: 'now/d',
            },
            [
              {
                expr: named(`min_over_time(${SOC}[$__range])`),
                legend: '{{name}} lowest',
                colour: COLOURS.battery,
              },
              {
                expr: named(`max_over_time(${SOC}[$__range])`),
                legend: '{{name}} highest',
                colour: COLOURS.battery,
              },
            ],
          ),
        ],
        [
          8,
          remarkedStat(
            {
              title: 'State of health',
              description: 'What is left of the capacity of each battery that reports it.',
              unit: 'percentunit',
              decimals: 0,
            },
            [
              {
                expr: named(series('solar_battery_soh_ratio')),
                legend: '{{name}}',
                colour: COLOURS.battery,
              },
            ],
          ),
        ],
      ],
    },
  ],
};
