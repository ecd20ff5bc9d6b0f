import { type Colour, COLOURS } from '../colours.ts';
import { named } from '../expressions.ts';
import type { Row } from '../layout.ts';
import { lines } from '../panels.ts';
import { series } from '../series.ts';
import { DASHED_LINE } from './power.ts';

type Panel = readonly [width: number, panel: ReturnType<typeof lines>];

/**
 * Quantities that only some devices measure. Grafana renders a row that repeats over an empty variable
 * once, so the row cannot vanish where no device measures them: it is collapsed instead.
 */
export const qualityRow: Row = {
  title: 'Strings, grid quality and temperatures, where devices measure them',
  isCollapsed: true,
  strips: [
    {
      height: 7,
      panels: [
        string('Power of the strings', 'watt', 'solar_pv_string_power_watts'),
        string('Voltage of the strings', 'volt', 'solar_pv_string_voltage_volts'),
        string('Current of the strings', 'amp', 'solar_pv_string_current_amperes'),
      ],
    },
    {
      height: 7,
      panels: [
        gridAndOutput(
          'Voltages',
          'volt',
          'solar_grid_voltage_volts',
          'solar_ac_output_voltage_volts',
        ),
        gridAndOutput(
          'Frequencies',
          'hertz',
          'solar_grid_frequency_hertz',
          'solar_ac_output_frequency_hertz',
        ),
        [
          8,
          lines(
            {
              title: 'Temperatures',
              description: 'Every sensor of every inverter that has one.',
              unit: 'celsius',
            },
            [
              {
                expr: named(series('solar_device_temperature_celsius')),
                legend: '{{name}} {{sensor}}',
              },
            ],
          ),
        ],
      ],
    },
  ],
};

function string(title: string, unit: string, metric: string): Panel {
  const about = { title, description: 'Each PV string that a device measures by itself.', unit };
  const query = { expr: named(series(metric)), legend: '{{name}} string {{string}}' };
  return [8, lines(about, [{ ...query, colour: COLOURS.solar, isShaded: true }])];
}

function gridAndOutput(
  title: string,
  unit: string,
  gridMetric: string,
  outputMetric: string,
): Panel {
  const query = (metric: string, what: string, colour: Colour) => ({
    expr: named(series(metric)),
    legend: `{{name}} ${what}`,
    colour,
    isShaded: true,
  });
  return [
    8,
    lines(
      {
        title,
        description:
          'Of the grid at each inverter, and dashed of its AC output; of the first phase.',
        unit,
      },
      [
        query(gridMetric, 'grid', COLOURS.grid),
        { ...query(outputMetric, 'output', COLOURS.output), properties: DASHED_LINE },
      ],
    ),
  ];
}
