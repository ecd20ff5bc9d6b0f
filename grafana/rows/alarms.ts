import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { type Colour, STATES } from '../colours.ts';
import { columns, MERGED } from '../columns.ts';
import { DEVICE_OF_EXPORTER } from '../expressions.ts';
import type { Row } from '../layout.ts';
import { named } from '../names.ts';
import { type Query, steps, texts } from '../panel.ts';
import { states, table } from '../panels.ts';
import { labelList, series } from '../series.ts';
import { UNITS } from '../units.ts';

const firingAlarms: Panel = states(
  {
    title: 'Firing alarms',
    description:
      'Every alarm that fired in the range shown: critical ones red, warnings orange, others blue. Nothing here means that none fired, as long as the list of alarms could be read.',
    unit: UNITS.count,
  },
  [
    firing('="critical"', STATES.bad),
    firing('="warning"', STATES.attention),
    firing('!~"critical|warning"', STATES.notice),
  ],
);

const switches: Panel = states(
  {
    title: 'Switches',
    description:
      'Settings that are on or off; only with the option --collect.settings of the exporter.',
    unit: UNITS.count,
    mappings: texts({ '0': ['off', STATES.off], '1': ['on', STATES.notice] }),
  },
  [{ expr: named(series('solar_device_setting_enabled')), legend: '{{name}}: {{setting}}' }],
);

const settings: Panel = table(
  {
    title: 'Settings',
    description:
      'Settings that are a number, a text or a choice, each in its unit; only with the option --collect.settings of the exporter.',
  },
  [
    { expr: named(asText(series('solar_device_setting_value'))), legend: '' },
    { expr: named(series('solar_device_setting_info')), legend: '' },
  ],
  [
    MERGED,
    columns(
      {
        name: 'Device',
        setting: 'Setting',
        value: 'Value',
        unit: 'Unit',
      },
      'Value #A',
      'Value #B',
      'instance',
    ),
  ],
);

/** The alarms of the devices, and their settings. */
export const alarmsRow: Row = {
  title: 'Alarms and settings',
  isCollapsed: true,
  strips: [
    { height: 7, panels: [[24, firingAlarms]] },
    { height: 8, panels: [[24, switches]] },
    { height: 10, panels: [[24, settings]] },
  ],
};

/** Always 1, with the value in the label `value`, so that it stands in one column with texts. */
function asText(expression: string): string {
  const [, identity = ''] = /^\((.+)\)$/.exec(DEVICE_OF_EXPORTER) ?? [];
  return `count_values by (${identity}, ${labelList('setting', 'unit').slice(1, -1)}) ("value", ${expression})`;
}

function firing(level: string, colour: Colour): Query {
  return {
    expr: named(series('solar_device_alarm_firing', { level })),
    legend: '{{name}}: {{alarm}} ({{level}})',
    properties: [
      { id: 'mappings', value: texts({ '1': ['firing', colour] }) },
      { id: 'thresholds', value: steps({ colour }).build() },
    ],
  };
}
