import { STATES } from '../colours.ts';
import { columns, MERGED, numbers } from '../columns.ts';
import type { Row } from '../layout.ts';
import { named } from '../names.ts';
import { table } from '../panels.ts';
import { series } from '../series.ts';
import { DASHED_LINE, lines } from '../time-series.ts';
import { UNITS } from '../units.ts';

const SOC = series('solar_battery_soc_ratio');

/** How the batteries are used. */
export const batteryRow: Row = {
  title: 'Batteries, one by one',
  isCollapsed: true,
  strips: [
    {
      height: 8,
      panels: [
        [
          12,
          lines(
            {
              title: 'Level, by battery',
              description:
                'How full each battery is. The red line is the limit in "Low battery %".',
              unit: UNITS.percent,
              decimals: 0,
              min: 0,
              max: 1,
            },
            [
              { expr: named(SOC), legend: '{{name}}' },
              {
                // Only where there is a battery.
                expr: `max(${SOC}) * 0 + $low_soc / 100`,
                legend: 'low',
                colour: STATES.bad,
                properties: DASHED_LINE,
              },
            ],
          ),
        ],
        [
          12,
          lines(
            {
              title: 'Power, by battery',
              description: 'Above zero each battery discharges, below zero it charges.',
              unit: UNITS.watts,
              decimals: 0,
            },
            [{ expr: named(series('solar_battery_power_watts')), legend: '{{name}}' }],
          ),
        ],
      ],
    },
    {
      height: 8,
      panels: [
        [
          12,
          lines(
            {
              title: 'Voltage, by battery',
              description: 'The voltage of each battery.',
              unit: UNITS.volts,
              decimals: 1,
            },
            [{ expr: named(series('solar_battery_voltage_volts')), legend: '{{name}}' }],
          ),
        ],
        [
          12,
          lines(
            {
              title: 'Currents, by battery',
              description: 'The current out of each battery, and dashed the current into it.',
              unit: UNITS.amperes,
              decimals: 1,
              min: 0,
            },
            [
              {
                expr: named(series('solar_battery_discharge_current_amperes')),
                legend: '{{name}} discharging',
              },
              {
                expr: named(series('solar_battery_charging_current_amperes')),
                legend: '{{name}} charging',
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
          24,
          table(
            {
              title: 'Cycle of the last 24 hours',
              description:
                'The lowest and the highest level of each battery in the 24 hours to the end of the range.',
            },
            [
              { expr: named(`min_over_time(${SOC}[24h])`), legend: '' },
              { expr: named(`max_over_time(${SOC}[24h])`), legend: '' },
            ],
            [
              MERGED,
              columns({
                name: 'Device',
                'Value #A': 'Lowest',
                'Value #B': 'Highest',
                instance: 'Exporter',
              }),
            ],
            { Lowest: numbers(UNITS.percent, 0), Highest: numbers(UNITS.percent, 0) },
          ),
        ],
      ],
    },
  ],
};
