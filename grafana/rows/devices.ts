import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { STATES } from '../colours.ts';
import { DEVICE_OF_EXPORTER } from '../expressions.ts';
import type { Row } from '../layout.ts';
import { named } from '../names.ts';
import { texts } from '../panel.ts';
import { states } from '../panels.ts';
import { series } from '../series.ts';
import { DASHED_LINE, lines } from '../time-series.ts';
import { UNITS } from '../units.ts';

const NET_WATTS = series('solar_grid_power_watts');
const IMPORT_WATTS = series('solar_grid_import_power_watts');

const WATTS = { unit: UNITS.watts, decimals: 0 };

const contact: Panel = states(
  {
    title: 'Contact with the devices',
    description:
      'Whether each device has a reading that is young enough to show, whether the service calls it online, whether the device list has it, and whether the BMS of its battery answers: without one, its charge is a guess.',
    unit: UNITS.count,
    mappings: texts({ '0': ['no', STATES.bad], '1': ['yes', STATES.good] }),
  },
  [
    { expr: named(series('solar_device_reporting')), legend: '{{name}} reports' },
    { expr: named(series('solar_device_online')), legend: '{{name}} is online' },
    { expr: named(series('solar_device_listed')), legend: '{{name}} is listed' },
    { expr: named(series('solar_battery_bms_connected')), legend: '{{name}} hears its BMS' },
  ],
);

/** What each device does. */
export const devicesRow: Row = {
  title: 'Devices, one by one',
  isCollapsed: true,
  strips: [
    {
      height: 8,
      panels: [
        [
          12,
          lines(
            {
              title: 'Sun, by device',
              description: 'What the panels of each device give.',
              min: 0,
              ...WATTS,
            },
            [{ expr: named(series('solar_pv_power_watts')), legend: '{{name}}' }],
          ),
        ],
        [
          12,
          lines(
            {
              title: 'AC output, by device',
              description:
                'What each inverter puts out, and dashed what it is rated for, where the service says so.',
              min: 0,
              ...WATTS,
            },
            [
              { expr: named(series('solar_ac_output_power_watts')), legend: '{{name}}' },
              {
                expr: named(series('solar_device_rated_power_watts')),
                legend: '{{name}} rated',
                properties: DASHED_LINE,
              },
            ],
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
              title: 'Grid, by device',
              description:
                'Above zero what comes from the grid, below zero what goes into it. Of a device that does not say what it feeds in, only the import is known.',
              ...WATTS,
            },
            [
              { expr: named(NET_WATTS), legend: '{{name}}' },
              {
                expr: named(`${IMPORT_WATTS} unless on ${DEVICE_OF_EXPORTER} ${NET_WATTS}`),
                legend: '{{name}} import',
              },
            ],
          ),
        ],
        [12, contact],
      ],
    },
  ],
};
