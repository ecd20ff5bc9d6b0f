import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { queryNamed } from '../support/dashboard.ts';
import { hasProgram } from '../support/programs.ts';
import { temporaryDirectory } from '../support/prometheus.ts';
import { repositoryPath } from '../support/repository.ts';
import { judge, RULES_FILE, testRules } from '../support/rules.ts';

/** Series by their labels, in promtool's notation, one value a minute. */
type Series = Readonly<Record<string, string>>;

type Answer = readonly [labels: string, value: number];

/** What queries answer at a minute. */
type Asked = readonly [atMinute: number, answers: Readonly<Record<string, readonly Answer[]>>];

/** A case that asks at one minute, and one that asks at several. */
type Row = readonly [when: string, series: Series, ...asked: Asked];
type Case = readonly [when: string, series: Series, asked: readonly Asked[]];

const TARGET = 'job="solar", instance="a:9877"';
const device = (name: string, more = ''): string =>
  `${name}{${TARGET}, station_id="s", device_id="1"${more}}`;
const station = (name: string, more = '', id = 's'): string =>
  `${name}{${TARGET}, station_id="${id}"${more}}`;

const IS_UP = `up{${TARGET}}`;
const AWAY: Answer = [`{${TARGET}}`, 0];
const DOWN = 'Is all well?: exporter unreachable: {{instance}}';
const NAMES = 'name="Roof", station="Home"';
const INFO = { [device('solar_device_info', `, ${NAMES}`)]: '1x400' };
const ROOF = device('', `, ${NAMES}`);
const UP = station('solar_up');
const GRID = device('solar_grid_voltage_volts');
const HOUSE = station('solar_station_info', ', name="Home"');
const HOUSE_T = station('solar_station_info', ', name="Home"', 't');
const SOC = device('solar_battery_soc_ratio');
const BATTERY = device('solar_device_battery_info', ', bms="false"');
const STATION_SOC = station('solar_station_battery_soc_ratio');
const NAMED = '{{name}}, {{station}}';
const firing = (alert: string, severity: string, more: string): string =>
  `ALERTS{alertname="${alert}", alertstate="firing", severity="${severity}"${more}}`;
const ON_DEVICE = ', station_id="s", device_id="1"';
const LOW_ALERT = firing('SolarBatteryLow', 'warning', ON_DEVICE);
const TOKEN_ALERT = firing('SolarTokenExpiring', 'warning', ', instance="a:9877"');
const SILENT_ALERT = firing('SolarDeviceNotReporting', 'warning', ON_DEVICE);

const problem = (level: string, words: string, of = ''): string =>
  `solar_problem_info{${TARGET}${of}, level="${level}", problem="${words}"}`;
const said = (level: string, words: string, of = ''): Answer => [
  problem(level, words, of).replace('solar_problem_info', ''),
  1,
];

const WELL: Series = { ...INFO, [IS_UP]: '1x400', [UP]: '1x400', [HOUSE]: '1x400' };
const ALL_WELL = 'Is all well?: all is well';
const OF_DEVICE = 'Is all well?: {{name}}, {{station}}: {{problem}}';
const OF_STATION = 'Is all well?: {{name}}: {{problem}}';
const NAMELESS = 'Is all well?: {{problem}} {{station_id}} {{device_id}}';
const OF_BATTERY = 'Is all well?: {{name}}, {{station}}: {{alertname}} ({{severity}})';
const OF_EXPORTER = 'Is all well?: {{alertname}} {{instance}} ({{severity}})';
const ONE: Answer = ['{}', 1];

const byFlow =
  (metric: string, more = '') =>
  (flow: string, id = 's'): string =>
    station(metric, `, flow="${flow}"${more}`, id);
const power = byFlow('solar_station_power_watts');
const today = byFlow('solar_station_energy_today_kwh', ', source="service"');
const yesterday = byFlow('solar_energy_yesterday_kwh');
const month = byFlow('solar_energy_month_kwh');

const FED_IN: Series = {
  [power('load')]: '500x360',
  [power('grid_import')]: '0x360',
  [power('grid_feed_in')]: '9000x119 1000x240',
  [today('grid_feed_in')]: '20x360',
};
const EARNED_TYPED = 'Money: $currency earned today';

const ROWS: readonly Row[] = [
  ['all is well', WELL, 60, { [ALL_WELL]: [ONE], [OF_DEVICE]: [], [OF_EXPORTER]: [] }],
  ['Prometheus knows nothing', {}, 60, { 'Is all well?: no data: does Prometheus scrape?': [ONE] }],
  ['an exporter is down', { ...WELL, [IS_UP]: '0x60' }, 60, { [DOWN]: [AWAY], [ALL_WELL]: [] }],
  ['nothing was read yet', { [IS_UP]: '1x60' }, 60, { [ALL_WELL]: [] }],
  [
    'a device, a station, and one without a name have problems',
    {
      ...WELL,
      [problem('critical', 'battery nearly empty', ON_DEVICE)]: '1x60',
      [problem('critical', 'cannot be read', ', station_id="s"')]: '1x60',
      [problem('critical', 'cannot be read', ', station_id="t"')]: '1x60',
    },
    60,
    {
      [OF_DEVICE]: [said('critical', 'battery nearly empty', `${ON_DEVICE}, ${NAMES}`)],
      [OF_STATION]: [said('critical', 'cannot be read', ', station_id="s", name="Home"')],
      [NAMELESS]: [said('critical', 'cannot be read', ', station_id="t"')],
    },
  ],
  [
    'the account has a problem',
    { ...WELL, [problem('critical', 'credentials refused')]: '1x60' },
    60,
    { [NAMELESS]: [said('critical', 'credentials refused')], [ALL_WELL]: [] },
  ],
  [
    'an owner has set a limit of 35 %, and a token ends',
    { ...WELL, [LOW_ALERT]: '1x60', [TOKEN_ALERT]: '1x60' },
    60,
    {
      [OF_BATTERY]: [[LOW_ALERT.replace('ALERTS', '').replace('}', `, ${NAMES}}`), 1]],
      [OF_EXPORTER]: [[TOKEN_ALERT.replace('ALERTS', ''), 1]],
      [ALL_WELL]: [],
    },
  ],
  [
    'an alert says what the exporter says as well, or what has passed',
    {
      ...WELL,
      [LOW_ALERT]: '1x60',
      [SILENT_ALERT]: '1x60',
      [problem('warning', 'battery low', ON_DEVICE)]: '1x60',
    },
    60,
    { [OF_BATTERY]: [], [OF_EXPORTER]: [], [ALL_WELL]: [] },
  ],
  ['an alert lasts for a while', { ...WELL, [SILENT_ALERT]: '1x60' }, 60, { [ALL_WELL]: [ONE] }],
  [
    'a battery was empty at the start',
    { ...WELL, [SOC]: '0x9', [BATTERY]: '1x9' },
    6,
    { [`Battery level: ${NAMED}`]: [[ROOF, 0]] },
  ],
  ['there is no battery', { ...WELL, [SOC]: '0x60' }, 60, { [`Battery level: ${NAMED}`]: [] }],
  [
    'two stations have one name',
    {
      [HOUSE]: '1x60',
      [HOUSE_T]: '1x60',
      [today('load')]: '8x60',
      [today('grid_import')]: '4x60',
      [today('load', 't')]: '8x60',
      [today('grid_import', 't')]: '2x60',
    },
    30,
    {
      'Own share today: {{name}} self-sufficient': [
        ['{station_id="s", name="Home"}', 0.5],
        ['{station_id="t", name="Home"}', 0.75],
      ],
    },
  ],
  [
    'yesterday was the best day',
    { [yesterday('pv')]: '20x119 30x100' },
    200,
    { 'Energy in kWh G': [['{flow="pv"}', 30]] },
  ],
  [
    'a station does not say what it drew, nor in the month what it sold',
    {
      // The service is away for the second.
      [station('solar_up', '', '1')]: '1x60',
      [station('solar_up', '', '2')]: '0x60',
      [today('load', '1')]: '5x60',
      [today('pv', '1')]: '5x60',
      [today('pv', '2')]: '5x60',
      [month('load', '1')]: '100x60',
      [month('grid_feed_in', '1')]: '5x60',
      [month('grid_import', '1')]: '20x60',
      [month('grid_import', '2')]: '50x60',
    },
    30,
    {
      'Energy in kWh H': [['{flow="load"}', 1]],
      'Energy in kWh J': [
        ['{flow="load"}', 1],
        ['{flow="grid_feed_in"}', 1],
      ],
      'Money: stations without feed-in': [ONE],
      'Money: $currency saved this month': [['{}', 24]],
    },
  ],
  ['no file has prices', FED_IN, 179, { [EARNED_TYPED]: [['{}', 1.6]] }],
  [
    'Prometheus was away for half an hour',
    { [power('load')]: '3000x110 _x30 3000x200' },
    150,
    { 'Energy by the hour: house': [['{}', -3]], 'Energy by the hour A': [['{}', 0]] },
  ],
  ['it charges', { [STATION_SOC]: '0.4+0.004x60' }, 50, { 'Battery: full at': [['{}', 9e6]] }],
  ['the grid is gone', { ...INFO, [GRID]: '0x60' }, 30, { 'annotation Grid outages': [[ROOF, 1]] }],
];

/** A value every half hour, and clocks that have changed since a dull day; on the last day the service is silent. */
const CLOCKS = [-1, 0, 1].map((hours): Case => [
  `clocks have changed by ${hours} h since a dull day`,
  { [today('pv')]: '30x47 5x47 20x47', [yesterday('pv')]: '_x48 30x47 5x40' },
  [30, 5, 20].map((kwh, day) => [
    ((day + 1) * 24 + hours) * 60,
    { 'The last 31 days: {{flow}}': [['{flow="pv"}', kwh]] },
  ]),
]);

/** Auckland, Shanghai, Kolkata, Berlin, Los Angeles and Honolulu; where clocks change, also of the other half of the year. */
const MONTHS = [
  [13, 13],
  [13, 12],
  [12, 13],
  [8, 8],
  [5.5, 5.5],
  [2, 1],
  [1, 2],
  [-7, -8],
  [-8, -7],
  [-10, -10],
].map(([east = NaN, nowEast = NaN]): Case => {
  const endsAt = (31 * 24 - east) * 60;
  return [
    `a month ends at the midnight ${east} h from UTC, with clocks of ${nowEast} h now`,
    // Its last figure is there for as long as that of an import.
    { [month('pv')]: `299x${endsAt / 30 - 2} 300 0+0.01x60` },
    [-1, 0, 1].map((days) => [
      (31 * 24 - nowEast + days * 24) * 60,
      { 'The last 12 months: {{flow}}': days === 0 ? [['{flow="pv"}', 300]] : [] },
    ]),
  ];
});

/** Only money needs the rules, which take long. Midnight is at minute 60; most of the energy comes while the price is low. */
const PRICED: readonly Row[] = [
  [
    'the price doubles after most was fed in',
    {
      ...FED_IN,
      [station('solar_day_start_timestamp_seconds')]: '-82800x59 3600x300',
      [station('solar_tariff_price_per_kwh', ', direction="feed_in", currency="EUR"')]:
        '5x59 0.1x59 0.2x240',
    },
    179,
    { 'Money: {{currency}} earned today': [['{currency="EUR"}', 2.2]], [EARNED_TYPED]: [] },
  ],
];

/** Writes cases whose series have a value at every interval as a test file of promtool. */
function testFileOf(cases: readonly Case[], interval: string, rule_files: readonly string[] = []) {
  const tests = cases.map(([name, series, asked]) => ({
    name,
    interval,
    input_series: Object.entries(series).map(([one, values]) => ({ series: one, values })),
    promql_expr_test: asked.flatMap(([atMinute, answered]) =>
      Object.entries(answered).map(([query, answers]) => ({
        // Chosen by their ids, so that what has no station counts only where it is meant to.
        expr: `round(${queryNamed(query, { station: '[st12]' })}, 0.001)`,
        eval_time: `${atMinute}m`,
        exp_samples: answers.map(([labels, value]) => ({ labels, value })),
      })),
    ),
  }));
  const file = join(temporaryDirectory(), 'cases.test.yml');
  // JSON is YAML.
  writeFileSync(file, JSON.stringify({ rule_files, evaluation_interval: interval, tests }));
  return file;
}

const once = ([when, series, ...asked]: Row): Case => [when, series, [asked]];

describe.skipIf(!hasProgram('promtool'))('a panel shows', () => {
  test('what is true, whatever Prometheus knows', () => {
    const { status, output } = testRules(
      testFileOf(ROWS.map(once), '1m'),
      testFileOf([...CLOCKS, ...MONTHS], '30m'),
      testFileOf(PRICED.map(once), '1m', [repositoryPath(RULES_FILE)]),
    );
    expect(status, output).toBe(0);
  });

  test('three of four silent devices, and how many there are', () => {
    const series = ['2', '3', '4', '5'].flatMap((id) => {
      const of = `station_id="s", device_id="${id}"`;
      const silent = problem('warning', 'silent', `, ${of}`);
      return [[silent, '1x9'] as const, [`solar_device_info{${TARGET}, ${of}}`, '1x9'] as const];
    });
    const inAll = queryNamed('Is all well?: {{all}} problems in all');
    const judged = judge(series, [
      [`count(${queryNamed(OF_DEVICE)})`, 9, { labels: '{}', value: 3 }],
      [inAll, 9, { labels: '{all="4"}', value: 1 }],
    ]);
    expect(judged).toMatchObject({ status: 0 });
  });
});
