import { type Colour, STATES } from '../colours.ts';
import { columns } from '../columns.ts';
import { named } from '../expressions.ts';
import type { Row } from '../layout.ts';
import { type Query, steps, texts } from '../panel.ts';
import { states, table } from '../panels.ts';
import { series } from '../series.ts';

/** The alarms of the devices, their working modes and their settings. */
export const alarmsRow: Row = {
  title: 'Alarms and settings',
  strips: [
    {
      height: 7,
      panels: [
        [
          12,
          states(
            {
              title: 'Firing alarms',
              description:
                'Every alarm that fired in the range shown: critical ones red, warnings orange, others blue. Nothing here means that none fired, as long as the list of alarms could be read.',
              unit: 'none',
            },
            [
              firing('="critical"', STATES.bad),
              firing('="warning"', STATES.attention),
              firing('!~"critical|warning"', STATES.notice),
            ],
          ),
        ],
        [
          12,
          states(
            {
              title: 'Working mode',
              description:
                'In which mode each inverter that says so worked; a code instead of a word is one that nobody has named.',
              unit: 'none',
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
    {
      height: 7,
      panels: [
        [
          12,
          states(
            {
              title: 'Contact with the devices',
              description:
                'Whether each device has a reading that is young enough to show, whether the service calls it online, and whether the device list has it.',
              unit: 'none',
              mappings: texts({ '0': ['no', STATES.bad], '1': ['yes', STATES.good] }),
            },
            [
              { expr: named(series('solar_device_reporting')), legend: '{{name}} reports' },
              { expr: named(series('solar_device_online')), legend: '{{name}} is online' },
              { expr: named(series('solar_device_listed')), legend: '{{name}} is listed' },
            ],
          ),
        ],
        [
          12,
          states(
            {
              title: 'Switches',
              description:
                'Settings that are on or off; only with the option --collect.settings of the exporter.',
              unit: 'none',
              mappings: texts({ '0': ['off', STATES.off], '1': ['on', STATES.notice] }),
            },
            [
              {
                expr: named(series('solar_device_setting_enabled')),
                legend: '{{name}}: {{setting}}',
              },
            ],
          ),
        ],
      ],
    },
    {
      height: 9,
      panels: [
        [
          12,
          table(
            {
              title: 'Settings',
              description:
                'Settings that are a text or a choice; only with the option --collect.settings of the exporter.',
              unit: 'none',
            },
            [{ expr: named(series('solar_device_setting_info')), legend: '' }],
            [columns({ name: 'Device', setting: 'Setting', value: 'Value', instance: 'Exporter' })],
          ),
        ],
        [
          12,
          table(
            {
              title: 'Settings that are numbers',
              description:
                'Limits, currents and voltages that are set, each in its unit; only with the option --collect.settings of the exporter.',
              unit: 'none',
            },
            [{ expr: named(series('solar_device_setting_value')), legend: '' }],
            [
              columns({
                name: 'Device',
                setting: 'Setting',
                Value: 'Value',
                unit: 'Unit',
                instance: 'Exporter',
              }),
            ],
          ),
        ],
      ],
    },
  ],
};

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
