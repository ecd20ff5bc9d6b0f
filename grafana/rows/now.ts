import { StackingMode } from '@grafana/grafana-foundation-sdk/common';
import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { COLOURS, STATES } from '../colours.ts';
import { perDevice } from '../expressions.ts';
import type { Row } from '../layout.ts';
import { named } from '../names.ts';
import { bars } from '../panels.ts';
import { series } from '../series.ts';
import { DASHED_LINE, stackedAreas } from '../time-series.ts';
import { UNITS } from '../units.ts';
import { condition } from './condition.ts';
import { flowStrip } from './flow.ts';

const BATTERY_WATTS = perDevice(series('solar_battery_power_watts'));
const SOC = series('solar_battery_soc_ratio');

// Thresholds are fixed numbers, so the limit that a person types chooses between two queries.
const LOW = '$low_soc / 100';

const power: Panel = stackedAreas(
  {
    title: 'Power',
    description:
      'Above zero where the power comes from, below zero where it goes, all selected devices together; dashed, and on the right, how full the batteries are on average. A gap is a time of which nothing is known, and a device without a value is not in the sum.',
    unit: UNITS.watts,
    decimals: 0,
  },
  [
    { expr: total(series('solar_pv_power_watts')), legend: 'sun', colour: COLOURS.solar },
    {
      expr: `sum(clamp_min(${BATTERY_WATTS}, 0))`,
      legend: 'battery discharging',
      colour: COLOURS.battery,
    },
    {
      expr: total(series('solar_grid_import_power_watts')),
      legend: 'grid import',
      colour: COLOURS.grid,
    },
    {
      expr: `-${total(series('solar_load_power_watts'))}`,
      legend: 'house',
      colour: COLOURS.house,
    },
    {
      expr: `sum(clamp_max(${BATTERY_WATTS}, 0))`,
      legend: 'battery charging',
      colour: COLOURS.battery,
    },
    {
      expr: `-${total(series('solar_grid_feed_in_power_watts'))}`,
      legend: 'feed-in',
      colour: COLOURS.grid,
    },
    {
      expr: `avg(${perDevice(SOC)})`,
      legend: 'battery level',
      colour: STATES.off,
      properties: [
        ...DASHED_LINE,
        { id: 'unit', value: UNITS.percent },
        { id: 'decimals', value: 0 },
        { id: 'min', value: 0 },
        { id: 'max', value: 1 },
        { id: 'custom.axisPlacement', value: 'right' },
        { id: 'custom.stacking', value: { mode: StackingMode.None, group: 'level' } },
      ],
    },
  ],
  'power',
);

const batteryLevel: Panel = bars(
  {
    title: 'Battery level',
    description:
      'How full each battery is; red up to the limit in "Low battery %", green above it.',
    unit: UNITS.percent,
    decimals: 0,
    min: 0,
    max: 1,
  },
  [
    { expr: named(`${SOC} > ${LOW}`), legend: '{{name}}', colour: COLOURS.battery },
    { expr: named(`${SOC} <= ${LOW}`), legend: '{{name}}', colour: STATES.bad },
  ],
);

/** How the roof is at this moment, and over the day. */
export const nowRow: Row = {
  title: 'Now',
  strips: [
    flowStrip,
    {
      height: 13,
      panels: [
        [18, power],
        [
          6,
          [
            [6, batteryLevel],
            [7, condition],
          ],
        ],
      ],
    },
  ],
};

function total(expression: string): string {
  return `sum(${perDevice(expression)})`;
}
