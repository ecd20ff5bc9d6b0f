import { StackingMode } from '@grafana/grafana-foundation-sdk/common';
import { COLOURS } from '../colours.ts';
import { named, perDevice } from '../expressions.ts';
import type { Row } from '../layout.ts';
import { lines, stackedAreas } from '../panels.ts';
import { labelList, series } from '../series.ts';

const NET_WATTS = series('solar_grid_power_watts');
const IMPORT_WATTS = series('solar_grid_import_power_watts');
const SAME_DEVICE = labelList('job', 'instance', 'account', 'station_id', 'device_id');
const BATTERY_WATTS = perDevice(series('solar_battery_power_watts'));

/** Takes a series out of the stack and draws it as a dashed line. */
export const DASHED_LINE = [
  { id: 'custom.fillOpacity', value: 0 },
  { id: 'custom.lineStyle', value: { fill: 'dash', dash: [8, 8] } },
];

/** Where the power comes from and where it goes, over time. */
export const powerRow: Row = {
  title: 'Power',
  strips: [
    {
      height: 11,
      panels: [
        [
          24,
          stackedAreas(
            {
              title: 'Sources and uses',
              description:
                'Above zero where the power comes from, below zero where it goes, all selected devices together; on the right how full each battery is. A gap is a time of which nothing is known, and a device without a value is not in the sum.',
              unit: 'watt',
            },
            [
              {
                expr: total(series('solar_pv_power_watts')),
                legend: 'PV',
                colour: COLOURS.solar,
              },
              {
                expr: `sum(clamp_min(${BATTERY_WATTS}, 0))`,
                legend: 'battery discharging',
                colour: COLOURS.battery,
              },
              {
                expr: total(IMPORT_WATTS),
                legend: 'grid import',
                colour: COLOURS.grid,
              },
              {
                expr: `-${total(series('solar_load_power_watts'))}`,
                legend: 'load',
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
                expr: named(series('solar_battery_soc_ratio')),
                legend: '{{name}} state of charge',
                colour: COLOURS.battery,
                properties: [
                  ...DASHED_LINE,
                  { id: 'unit', value: 'percentunit' },
                  { id: 'min', value: 0 },
                  { id: 'max', value: 1 },
                  { id: 'custom.axisPlacement', value: 'right' },
                  { id: 'custom.stacking', value: { mode: StackingMode.None, group: 'charge' } },
                ],
              },
            ],
            'power',
          ),
        ],
      ],
    },
    {
      height: 8,
      panels: [
        [
          8,
          lines(
            {
              title: 'PV by device',
              description: 'What the panels of each device give.',
              unit: 'watt',
              min: 0,
            },
            [
              {
                expr: named(series('solar_pv_power_watts')),
                legend: '{{name}}',
                colour: COLOURS.solar,
                isShaded: true,
              },
            ],
          ),
        ],
        [
          8,
          lines(
            {
              title: 'Grid by device',
              description:
                'Above zero what comes from the grid, below zero what goes into it. Of a device that does not say what it feeds in, only the import is known.',
              unit: 'watt',
            },
            [
              {
                expr: named(NET_WATTS),
                legend: '{{name}}',
                colour: COLOURS.grid,
                isShaded: true,
              },
              {
                expr: named(`${IMPORT_WATTS} unless on ${SAME_DEVICE} ${NET_WATTS}`),
                legend: '{{name}} import',
                colour: COLOURS.grid,
                isShaded: true,
              },
            ],
          ),
        ],
        [
          8,
          lines(
            {
              title: 'AC output by device',
              description:
                'What each inverter puts out, and dashed what it is rated for, where the service says so.',
              unit: 'watt',
              min: 0,
            },
            [
              {
                expr: named(series('solar_ac_output_power_watts')),
                legend: '{{name}}',
                colour: COLOURS.output,
                isShaded: true,
              },
              {
                expr: named(series('solar_device_rated_power_watts')),
                legend: '{{name}} rated',
                colour: COLOURS.output,
                isShaded: true,
                properties: DASHED_LINE,
              },
            ],
          ),
        ],
      ],
    },
  ],
};

function total(expression: string): string {
  return `sum(${perDevice(expression)})`;
}
