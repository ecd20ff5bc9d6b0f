import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { STATES } from '../colours.ts';
import { deviceCount, perDevice } from '../expressions.ts';
import { exporterNamed } from '../names.ts';
import { steps } from '../panel.ts';
import { sentences } from '../panels.ts';
import { series } from '../series.ts';
import { UNITS } from '../units.ts';

const ALARMS = `count(${perDevice(series('solar_device_alarm_firing'), 'alarm', 'level')})`;
const ALARM_LISTS = `min(${series('solar_collector_success', { collector: '="alarms"', station_id: '=~"$station"' })})`;
const REPORTING = `sum(${perDevice(series('solar_device_reporting'))})`;
const OLDEST_MINUTES = `floor(max(time() - ${perDevice(series('solar_reading_timestamp_seconds'))}) / 60)`;

/** Whether all is well, in sentences. */
export const condition: Panel = sentences(
  {
    title: 'Is all well?',
    description:
      "Whether every selected device has a reading that is young enough to show, how old the oldest of them is, and whether alarms fire: it says none only while their list could be read. The last line opens the exporter's own page at the address that Prometheus scrapes, which your browser has to reach as well.",
    unit: UNITS.count,
    thresholds: steps(
      { colour: STATES.good },
      { from: 15, colour: STATES.attention },
      { from: 60, colour: STATES.bad },
    ),
  },
  [
    {
      expr: `${REPORTING} >= ${deviceCount()}`,
      legend: 'all devices report',
      colour: STATES.good,
    },
    {
      expr: `count_values("missing", (${deviceCount()} - ${REPORTING}) > 0)`,
      legend: 'silent devices: {{missing}}',
      colour: STATES.attention,
    },
    {
      // The number is text as well, because the sentence is what shows.
      expr: `${OLDEST_MINUTES} * on () group_left (minutes) count_values("minutes", ${OLDEST_MINUTES})`,
      legend: 'oldest reading: {{minutes}} min',
    },
    {
      expr: `(${ALARM_LISTS} == 1) unless on () ${ALARMS}`,
      legend: 'no alarms',
      colour: STATES.good,
    },
    {
      expr: `count_values("alarms", ${ALARMS})`,
      legend: 'alarms firing: {{alarms}}',
      colour: STATES.bad,
    },
    {
      expr: `count_values("stations", count(${series('solar_up', { station_id: '=~"$station"' })} == 0))`,
      legend: 'unreadable stations: {{stations}}',
      colour: STATES.bad,
    },
    {
      expr: exporterNamed(`${series('solar_reauthentication_required')} == 1`),
      legend: 'credentials refused: {{exporter}}',
      colour: STATES.bad,
    },
    {
      expr: `max(${series('solar_simulated')})`,
      legend: 'simulated',
      colour: STATES.attention,
    },
    {
      expr: series('solar_exporter_build_info'),
      legend: 'page of {{instance}}',
      colour: STATES.notice,
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
  ],
);
