import { cellWords, ID, mappingsOf, type Panel, type Query, STATES } from '../panel.ts';
import { DEVICE, E, named, S } from '../promql.ts';

const FROM_NOW = { unit: 'dateTimeFromNow', ...ID };
// As texts, so that they stand in one column with the other settings.
const NUMBERS = `count_values by (instance, station_id, device_id, setting, unit) ("value", solar_device_setting_value{${S}})`;
const FINE = ['fine', STATES.good] as const;

/** The alarms of the devices, and their settings. */
export const alarmPanels: readonly Panel[] = [
  {
    kind: 'states',
    title: 'Firing alarms',
    about:
      'Every alarm that fired in the range shown: critical ones red, warnings orange, others blue. Nothing here means that none fired, as long as the list of alarms could be read.',
    size: [24, 7],
    none: 'no alarm is known in this range',
    queries: [
      firing('="critical"', STATES.bad),
      firing('="warning"', STATES.attention),
      firing('!~"critical|warning"', STATES.notice),
    ],
  },
  {
    kind: 'table',
    title: 'Settings',
    about:
      'The settings of each device, those with a number in their unit; only with the option --collect.settings of the exporter.',
    size: [24, 10],
    none: 'not known; needs --collect.settings',
    queries: [
      [named(NUMBERS)],
      [named(`solar_device_setting_info{${S}}`)],
      [said('on', 1)],
      [said('off', 0)],
    ],
    columns: [
      ['name', 'Device'],
      ['station', 'Station'],
      ['setting', 'Setting', ID],
      ['value', 'Value'],
      ['unit', 'Unit'],
    ],
  },
];

/** How the exporter itself is doing. */
export const exporterPanels: readonly Panel[] = [
  {
    kind: 'table',
    title: 'Exporters',
    about:
      'How each exporter keeps its session alive, whether only new credentials can help, when its token expires (it is renewed five minutes earlier), until when it attempts no log-in because the service refused one, which version runs, and whether the configuration last asked for is at work.',
    size: [24, 6],
    queries: [
      [
        `solar_reauthentication_required{${E}} * on (instance) group_left (mode) solar_session_info`,
      ],
      [`1000 * solar_token_expiry_timestamp_seconds{${E}}`],
      [`1000 * solar_login_blocked_until_timestamp_seconds{${E}}`],
      [`solar_exporter_build_info{${E}} + 0`],
      [`solar_config_last_reload_successful{${E}} + 0`],
    ],
    columns: [
      ['instance', 'Exporter', ID],
      ['mode', 'Kept alive by', ID],
      ['Value #A', 'Session', cellWords({ '0': FINE, '1': ['needs credentials', STATES.bad] })],
      ['Value #B', 'Token expires', FROM_NOW],
      ['Value #C', 'Log-in blocked until', FROM_NOW],
      ['version', 'Version'],
      ['revision', 'Revision'],
      ['node_version', 'Node.js'],
      ['Value #E', 'Configuration', cellWords({ '0': ['reload refused', STATES.bad], '1': FINE })],
    ],
  },
  {
    kind: 'columns',
    title: 'Requests to the service',
    about:
      'Requests per minute: green what was answered, red what was not, by the code of the error.',
    size: [12, 8],
    unit: 'suffix:/min',
    min: 0,
    interval: '5m',
    maxDataPoints: 100,
    queries: [
      [
        `60 * sum(rate(solar_api_requests_total{${E}, outcome="ok"}[$__rate_interval]))`,
        'ok',
        STATES.good,
      ],
      [
        `60 * sum by (outcome) (rate(solar_api_requests_total{${E}, outcome!="ok"}[$__rate_interval]))`,
        '{{outcome}}',
        { color: { mode: 'shades', fixedColor: STATES.bad } },
      ],
    ],
  },
  {
    kind: 'states',
    title: 'Stations and collectors over time',
    about:
      'Whether the readings of each station could be refreshed, without an id as long as no station is known, and whether the last round of each collector succeeded for all it asked about.',
    size: [12, 8],
    words: { '0': ['failed', STATES.bad], '1': ['ok', STATES.good] },
    queries: [
      [`solar_up{${S}}`, '{{instance}} {{station_id}}'],
      [
        `min by (instance, collector) (solar_collector_success{${S}})`,
        '{{instance}} {{collector}}',
      ],
    ],
  },
];

/** A switch as a text, beside the values of the other settings. */
function said(word: string, value: number): string {
  const set = named(`(solar_device_setting_enabled{${S}} == bool ${value} == 1)`);
  return `label_replace(${set}, "value", "${word}", "", "")`;
}

function firing(level: string, colour: string): Query {
  return [
    named(`solar_device_alarm_firing{${S}, level${level}}`),
    `${DEVICE}: {{alarm}} ({{level}})`,
    { mappings: mappingsOf({ '1': ['firing', colour] }) },
  ];
}
