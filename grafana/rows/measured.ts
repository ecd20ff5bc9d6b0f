import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { STATES } from '../colours.ts';
import type { Row } from '../layout.ts';
import { named } from '../names.ts';
import { texts } from '../panel.ts';
import { states } from '../panels.ts';
import { series } from '../series.ts';
import { DASHED_LINE, lines } from '../time-series.ts';
import { type Unit, UNITS } from '../units.ts';

/**
 * Quantities that only some devices measure. Grafana renders a row that repeats over an empty variable
 * once, so the row cannot vanish where no device measures them: it is folded instead.
 */
export const measuredRow: Row = {
  title: 'What only some inverters measure',
  isCollapsed: true,
  strips: [
    {
      height: 7,
      panels: [
        [12, string('Power of the strings', UNITS.watts, 0, 'solar_pv_string_power_watts')],
        [12, string('Voltage of the strings', UNITS.volts, 1, 'solar_pv_string_voltage_volts')],
      ],
    },
    {
      height: 7,
      panels: [
        [12, string('Current of the strings', UNITS.amperes, 1, 'solar_pv_string_current_amperes')],
        [
          12,
          lines(
            {
              title: 'Temperatures',
              description: 'Every sensor of every inverter and of every battery that has one.',
              unit: UNITS.celsius,
              decimals: 0,
            },
            [
              {
                expr: named(series('solar_device_temperature_celsius')),
                legend: '{{name}} {{sensor}}',
              },
              {
                expr: named(series('solar_battery_temperature_celsius')),
                legend: '{{name}} battery',
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
          12,
          gridAndOutput(
            'Voltages',
            UNITS.volts,
            0,
            'solar_grid_voltage_volts',
            'solar_ac_output_voltage_volts',
          ),
        ],
        [
          12,
          gridAndOutput(
            'Frequencies',
            UNITS.hertz,
            2,
            'solar_grid_frequency_hertz',
            'solar_ac_output_frequency_hertz',
          ),
        ],
      ],
    },
    {
      height: 7,
      panels: [
        [
          12,
          lines(
            {
              title: 'Battery health',
              description: 'What is left of the capacity of each battery that reports it.',
              unit: UNITS.percent,
              decimals: 0,
              max: 1,
            },
            [{ expr: named(series('solar_battery_soh_ratio')), legend: '{{name}}' }],
          ),
        ],
        [
          12,
          states(
            {
              title: 'Working mode',
              description:
                'In which mode each inverter that says so worked; a code instead of a word is one that nobody has named.',
              unit: UNITS.count,
              mappings: texts({ '1': ['in this mode', STATES.good] }),
            },
            [
              {
                expr: named(`${series('solar_device_working_mode')} == 1`),
                legend: '{{name}}: {{mode}}',
              },
            ],
          ),
        ],
      ],
    },
  ],
};

function string(title: string, unit: Unit, decimals: number, metric: string): Panel {
  const description = 'Each PV string that a device measures by itself.';
  return lines({ title, description, unit, decimals }, [
    { expr: named(series(metric)), legend: '{{name}} string {{string}}' },
  ]);
}

function gridAndOutput(
  title: string,
  unit: Unit,
  decimals: number,
  gridMetric: string,
  outputMetric: string,
): Panel {
  const description =
    'Of the grid at each inverter, and dashed of its AC output; of the first phase.';
  return lines({ title, description, unit, decimals }, [
    { expr: named(series(gridMetric)), legend: '{{name}} grid' },
    { expr: named(series(outputMetric)), legend: '{{name}} output', properties: DASHED_LINE },
  ]);
}
