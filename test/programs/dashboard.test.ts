import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { startExporterFor, startService } from '../doors/house.ts';
import { ALL_QUERIES, substitute } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { hasProgram } from '../support/programs.ts';
import { startPrometheus } from '../support/prometheus.ts';
import { judge, type Question } from '../support/rules.ts';

/** Series by their labels, in promtool's notation, one value a minute. */
type Series = Readonly<Record<string, string>>;

type Answer = readonly [labels: string, value: number];

/** What queries answer at a minute. */
type Asked = readonly [atMinute: number, answers: Readonly<Record<string, readonly Answer[]>>];

type Case = readonly [when: string, series: Series, ...asked: Asked];

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

/** Midnight is at minute 0; most of the energy comes while the price is low. */
const PRICE = station('solar_tariff_price_per_kwh', ', direction="feed_in", currency="EUR"');
const FED_IN: Series = {
  [power('load')]: '500x300',
  [power('grid_import')]: '0x300',
  [power('grid_feed_in')]: '9000x59 1000x240',
  [today('grid_feed_in')]: '20x300',
  [station('solar_day_start_timestamp_seconds')]: '0x300',
};
const EARNED_TYPED = 'Money: $currency earned today';

const CASES: readonly Case[] = [
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
  [
    'the price doubles after most was fed in',
    { ...FED_IN, [PRICE]: '0.1x59 0.2x240' },
    119,
    { 'Money: {{currency}} earned today': [['{currency="EUR"}', 2.2]], [EARNED_TYPED]: [] },
  ],
  ['no file has prices', FED_IN, 119, { [EARNED_TYPED]: [['{}', 1.6]] }],
  [
    'Prometheus was away for half an hour',
    { [power('load')]: '3000x110 _x30 3000x200' },
    150,
    { 'Energy by the hour: house': [['{}', -3]], 'Energy by the hour A': [['{}', 0]] },
  ],
  ['it charges', { [STATION_SOC]: '0.4+0.004x60' }, 50, { 'Battery: full at': [['{}', 9e6]] }],
  ['the grid is gone', { ...INFO, [GRID]: '0x60' }, 30, { 'annotation Grid outages': [[ROOF, 1]] }],
];

/** Expects what queries answer at some minutes, of series with a value at every interval. */
function expectAnswers(series: Series, asked: readonly Asked[], interval = '1m'): void {
  const questions = asked.flatMap(([atMinute, answered]) =>
    Object.entries(answered).map(([query, answers]): Question => {
      const samples = answers.map(([labels, value]) => ({ labels, value }));
      // Chosen by their ids, so that what has no station counts only where it is meant to.
      return [`round(${queryNamed(query, { station: '[st12]' })}, 0.001)`, atMinute, ...samples];
    }),
  );
  // Only money needs the rules, which take long.
  const judged = judge(Object.entries(series), questions, { interval, hasRules: PRICE in series });
  expect(judged).toMatchObject({ status: 0 });
}

describe.skipIf(!hasProgram('promtool'))('a panel shows what is true when', () => {
  test.each(CASES)('%s', (_, series, ...asked) => expectAnswers(series, [asked]));

  test('of four silent devices, it names three and says how many there are', () => {
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

  test.each([-1, 0, 1])('clocks have changed by %i h since a dull day', (hours) => {
    // Of the last day, the service is silent.
    const series = { [today('pv')]: '30x47 5x47 20x47', [yesterday('pv')]: '_x48 30x47 5x40' };
    const asked = [30, 5, 20].map((kwh, day): Asked => {
      return [
        ((day + 1) * 24 + hours) * 60,
        { 'The last 31 days: {{flow}}': [['{flow="pv"}', kwh]] },
      ];
    });
    expectAnswers(series, asked, '30m');
  });

  // Auckland, Shanghai, Kolkata, Berlin, Los Angeles and Honolulu; where clocks change, also of the other half of the year.
  test.each([
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
  ])('a month ends at the midnight %d h from UTC, with clocks of %d h now', (east, nowEast) => {
    const endsAt = (31 * 24 - east) * 60;
    // Its last figure is there for as long as that of an import.
    const series = { [month('pv')]: `299x${endsAt / 30 - 2} 300 0+0.01x60` };
    const asked = [-1, 0, 1].map((days): Asked => {
      const answers = days === 0 ? ([['{flow="pv"}', 300]] as const) : [];
      const atMinute = (31 * 24 - nowEast + days * 24) * 60;
      return [atMinute, { 'The last 12 months: {{flow}}': answers }];
    });
    expectAnswers(series, asked, '30m');
  });
});

/** All queries of that name: one for each level of a problem. */
function queryNamed(wanted: string, values: Readonly<Record<string, string>> = {}): string {
  const queries = ALL_QUERIES.filter(({ name }) => name === wanted);
  if (queries.length === 0) throw new RangeError(`no query ${wanted}`);
  return queries.map(({ expression }) => substitute(expression, values)).join(' or ');
}

describe.skipIf(!hasProgram('prometheus'))('a real Prometheus', () => {
  test('answers every query of the dashboard, and counts no device twice', async () => {
    // The machine's clock, because a real Prometheus goes by it.
    const clock = Object.assign(new FakeClock(), systemClock);
    const options = { stations: 2, devicesPerStation: 2, startAtHour: 12 };
    const { simulator, serviceUrl, deviceId } = await startService(options, clock);
    simulator.setOffline(deviceId, 0);
    // Both know the same devices, as two of them behind one Prometheus may.
    const exporters = [
      await startExporterFor(simulator, serviceUrl, clock),
      await startExporterFor(simulator, serviceUrl, clock),
    ];
    // The first fetch may take longer than the half second that such a short interval leaves.
    for (const { scrape } of exporters) await scrape();
    const targets = exporters.map(({ url }) => new URL(url).host);
    const prometheus = await startPrometheus(
      JSON.stringify({
        global: { scrape_interval: '1s', scrape_timeout: '1s' },
        scrape_configs: [{ job_name: 'solar', static_configs: [{ targets }] }],
      }),
    );
    const ask = (name: string) =>
      prometheus.query(queryNamed(name, { __interval: '5s', __rate_interval: '5s' }));

    // All of it again, when a scrape came too late for its second.
    await eventually(async () => {
      const power = await prometheus.query('max by (device_id) (solar_pv_power_watts)');
      expect(power).toHaveLength(3);
      const total = power.reduce((sum, { value }) => sum + value, 0);
      expect(total).toBeGreaterThan(0);
      expect(await ask('PV: generating')).toEqual([{ metric: {}, value: total }]);
      expect(await ask('PV: devices missing')).toEqual([{ metric: {}, value: 1 }]);
      // Of both exporters.
      const silent = { metric: { problem: 'silent', device_id: deviceId }, value: 1 };
      expect(await ask(OF_DEVICE)).toMatchObject([silent, silent]);
      expect(await ask(ALL_WELL)).toEqual([]);
      // A join that finds two partners for one series is an error, and the panel would show nothing.
      for (const { name } of ALL_QUERIES)
        await expect(ask(name), name).resolves.toBeInstanceOf(Array);
    });
  });
});
