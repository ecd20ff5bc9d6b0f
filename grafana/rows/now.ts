import { BigValueTextMode } from '@grafana/grafana-foundation-sdk/common';
import { STATES } from '../colours.ts';
import { deviceCount, exporterNamed, named, perDevice } from '../expressions.ts';
import type { Row } from '../layout.ts';
import { steps, texts } from '../panel.ts';
import { remarkedStat, stat } from '../panels.ts';
import { labelList, series } from '../series.ts';
import { flowStrip } from './flow.ts';

const ALARMS = `count(max by ${labelList('account', 'station_id', 'device_id', 'alarm', 'level')} (${series('solar_device_alarm_firing')}))`;

/** The energy flow of this moment, from left to right, and how complete it is. */
export const nowRow: Row = {
  title: 'Now',
  strips: [
    flowStrip,
    {
      height: 4,
      panels: [
        [
          6,
          remarkedStat(
            {
              title: 'Devices',
              description:
                'How many of the selected devices have a reading that is young enough to show. The others are missing from every sum on this page.',
              unit: 'none',
            },
            [
              { expr: reporting('>='), legend: 'of {{all}} report', colour: STATES.good },
              { expr: reporting('<'), legend: 'of {{all}} report', colour: STATES.attention },
            ],
          ),
        ],
        [
          6,
          remarkedStat(
            {
              title: 'Oldest reading',
              description:
                'How long ago the device that was heard of least recently was measured. The portal has a new reading about every 5 minutes; values older than 15 minutes are withdrawn.',
              unit: 's',
              thresholds: steps(
                { colour: STATES.good },
                { from: 900, colour: STATES.attention },
                { from: 3600, colour: STATES.bad },
              ),
            },
            [
              {
                expr: named(`topk(1, time() - ${series('solar_reading_timestamp_seconds')})`),
                legend: '{{name}}',
              },
            ],
          ),
        ],
        [
          6,
          stat(
            {
              title: 'Alarms',
              description:
                'How many alarms fire on the selected devices. It says none only while the list of alarms could be read.',
              unit: 'none',
              mappings: texts({ '0': ['none', STATES.good] }),
              thresholds: steps({ colour: STATES.good }, { from: 1, colour: STATES.bad }),
            },
            [
              {
                expr: `${ALARMS} or (min(${series('solar_collector_success', { collector: '="alarms"', station_id: '=~"$station"' })}) == 1) - 1`,
                legend: 'alarms',
              },
            ],
          ),
        ],
        [
          6,
          stat(
            {
              title: 'Status page',
              description:
                "Opens the exporter's own page at the address that Prometheus scrapes, which your browser has to reach as well. An exporter of a simulated service says so in orange.",
              unit: 'none',
            },
            [
              {
                expr: series('solar_exporter_build_info'),
                legend: '{{instance}}',
                properties: [
                  {
                    id: 'links',
                    value: [
                      {
                        title: 'Status page of ${__field.labels.instance}',
                        url: 'http://${__field.labels.instance}/',
                        targetBlank: true,
                      },
                    ],
                  },
                ],
              },
              {
                expr: exporterNamed(series('solar_simulated')),
                legend: 'simulated: {{exporter}}',
                colour: STATES.attention,
              },
            ],
            BigValueTextMode.Name,
          ),
        ],
      ],
    },
  ],
};

/** How many devices report, if that number compares so with the number of devices. */
function reporting(comparison: '>=' | '<'): string {
  const reporting = `sum(${perDevice(series('solar_device_reporting'))})`;
  return `(${reporting} ${comparison} ${deviceCount()}) * on () group_left (all) count_values("all", ${deviceCount()})`;
}
