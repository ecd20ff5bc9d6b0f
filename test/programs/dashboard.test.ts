import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { startExporterFor, startService } from '../doors/house.ts';
import { ALL_QUERIES, substitute } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { hasProgram } from '../support/programs.ts';
import { startPrometheus, temporaryDirectory } from '../support/prometheus.ts';
import { repositoryPath } from '../support/repository.ts';
import { RULES_FILE, testRules } from '../support/rules.ts';

/** Series by their labels, in promtool's notation, one value a minute. */
type Series = Readonly<Record<string, string>>;

type Answer = readonly [labels: string, value: number];

/** What queries answer at a minute. */
type Case = readonly [
  when: string,
  series: Series,
  atMinute: number,
  asked: Readonly<Record<string, readonly Answer[]>>,
];

const TARGET = 'job="solar", instance="a:9877"';
const device = (name: string, more = ''): string =>
  `${name}{${TARGET}, station_id="s", device_id="1"${more}}`;
const station = (name: string, more = '', id = 's'): string =>
  `${name}{${TARGET}, station_id="${id}"${more}}`;

const NAMES = 'name="Roof", station="Home"';
const INFO = { [device('solar_device_info', `, ${NAMES}`)]: '1x400' };
const ROOF = device('', `, ${NAMES}`);
const [UP, AT_T] = [station('solar_up'), station('solar_up', '', 't')];
const GRID = device('solar_grid_voltage_volts');
const HOUSE = station('solar_station_info', ', name="Home"');
const HOUSE_T = station('solar_station_info', ', name="Home"', 't');
const SOC = device('solar_battery_soc_ratio');
const STATION_SOC = station('solar_station_battery_soc_ratio');
const LISTED = device('solar_device_listed');
const FAMILY = device('solar_device_dialect_info', ', family="unknown", source="history"');
const firing = (alert: string, severity: string, more: string): string =>
  `ALERTS{alertname="${alert}", alertstate="firing", severity="${severity}", station_id="s"${more}}`;
const LOW_ALERT = firing('SolarBatteryCritical', 'critical', ', device_id="1"');
const GONE_ALERT = firing('SolarDeviceMissing', 'critical', ', device_id="2"');

const WELL: Series = {
  ...INFO,
  [`up{${TARGET}}`]: '1x400',
  [UP]: '1x400',
  [station('solar_collector_success', ', collector="readings"')]: '1x400',
  [device('solar_device_reporting')]: '1x400',
  [LISTED]: '1x400',
  [SOC]: '0.5x400',
};
const ALL_IS_WELL = 'Is all well?: all is well';
const NAMED = '{{name}}, {{station}}';
const LOW = `Is all well?: ${NAMED}: battery low`;
const ONE: Answer = ['{}', 1];

const byFlow =
  (metric: string, more = '') =>
  (flow: string, id = 's'): string =>
    station(metric, `, flow="${flow}"${more}`, id);
const power = byFlow('solar_station_power_watts');
const today = byFlow('solar_station_energy_today_kwh', ', source="service"');
const yesterday = byFlow('solar_energy_yesterday_kwh');
const month = byFlow('solar_energy_month_kwh');
const TWO_STATIONS: Series = {
  [station('solar_station_devices', '', '1')]: '1x60',
  [station('solar_station_devices', '', '2')]: '1x60',
};

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
  ['all is well', WELL, 60, { [ALL_IS_WELL]: [ONE] }],
  ['Prometheus knows nothing', {}, 60, { 'Is all well?: no data: does Prometheus scrape?': [ONE] }],
  [
    'the exporter is down',
    { ...WELL, [`up{${TARGET}}`]: '0x400' },
    60,
    { 'Is all well?: exporter unreachable: {{instance}}': [[`{${TARGET}}`, 0]], [ALL_IS_WELL]: [] },
  ],
  [
    'a device is gone from the list',
    { ...WELL, [LISTED]: '0x400' },
    60,
    { [`Is all well?: ${NAMED}: gone from the list`]: [[ROOF, 0]], [ALL_IS_WELL]: [] },
  ],
  ['a family is unknown', { ...WELL, [FAMILY]: '1x400' }, 60, { [ALL_IS_WELL]: [] }],
  [
    'a battery is low',
    { ...WELL, [SOC]: '0.1x400' },
    60,
    { [LOW]: [[ROOF, 0.1]], [ALL_IS_WELL]: [] },
  ],
  ['a battery has run empty', { ...WELL, [SOC]: '0.5x30 0x300' }, 200, { [LOW]: [[ROOF, 0]] }],
  [
    'there is no battery',
    { ...WELL, [SOC]: '0x400', [STATION_SOC]: '0x400' },
    60,
    { [ALL_IS_WELL]: [ONE], [`Battery level: ${NAMED}`]: [], 'Power: battery level': [] },
  ],
  [
    'alerts fire, one of them of a device without a record',
    { ...WELL, [LOW_ALERT]: '1x400', [GONE_ALERT]: '1x400' },
    60,
    {
      [`Is all well?: ${NAMED}: {{alertname}} {{alarm}}`]: [
        [LOW_ALERT.replace('ALERTS', '').replace('}', `, ${NAMES}}`), 1],
      ],
      'Is all well?: {{alertname}} {{device_id}} {{collector}} {{instance}}': [
        [GONE_ALERT.replace('ALERTS', ''), 1],
      ],
      [ALL_IS_WELL]: [],
    },
  ],
  [
    'two exporters see one station',
    {
      [power('pv')]: '400x60',
      [power('pv').replace('a:9877', 'b:9877')]: '400x60',
      [power('pv', '2')]: '100x60',
    },
    30,
    { 'PV: generating': [['{}', 500]] },
  ],
  [
    'a service is away with its names, or one device of two at another station',
    { [UP]: '0x60', [AT_T]: '0x60', [HOUSE_T]: '1x60', [power('pv', 't')]: '400x60' },
    30,
    {
      'Is all well?: {{station_id}}: cannot be read': [[station(''), 0]],
      'Is all well?: {{name}}: cannot be read': [],
    },
  ],
  [
    'two stations have one name',
    {
      ...{ [HOUSE]: '1x60', [HOUSE_T]: '1x60' },
      ...{ [today('load')]: '8x60', [today('grid_import')]: '4x60' },
      ...{ [today('load', 't')]: '8x60', [today('grid_import', 't')]: '2x60' },
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
    { 'Generated today: best of 30 days': [['{}', 30]] },
  ],
  [
    'a day was imported',
    { [station('solar_energy_today_kwh', ', flow="pv"')]: '_x100 20' },
    120,
    { 'The last 31 days: PV': [['{}', 20]] },
  ],
  ['the day has no start', {}, 30, { 'Generated today: today': [] }],
  [
    'a station does not say what it drew, nor in the month what it bought',
    {
      ...{ ...TWO_STATIONS, [today('load', '1')]: '5x60' },
      ...{ [today('pv', '1')]: '5x60', [today('pv', '2')]: '5x60' },
      ...{ [yesterday('load', '1')]: '5x60', [month('grid_import', '1')]: '5x60' },
    },
    30,
    {
      'Generated today: stations missing': [],
      'Consumed today: stations missing': [ONE],
      'Consumed today: stations missing then': [ONE],
      'Energy in kWh F': [['{flow="grid_import"}', 1]],
      'Money: stations without import': [ONE],
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
    'a month lacks what one station drew',
    {
      [month('load', '1')]: '100x60',
      [month('grid_import', '1')]: '20x60',
      [month('grid_import', '2')]: '50x60',
    },
    30,
    { 'Money: $currency saved this month': [['{}', 24]] },
  ],
  [
    'Prometheus was away for half an hour',
    { [power('load')]: '3000x110 _x30 3000x200' },
    150,
    { 'Energy by the hour: house': [['{}', -3]] },
  ],
  [
    'a battery charges',
    { [STATION_SOC]: '0.4+0.004x60' },
    50,
    { 'Battery: full at': [['{}', 9_000_000]] },
  ],
  ['the grid is gone', { ...INFO, [GRID]: '0x60' }, 30, { 'annotation Grid outages': [[ROOF, 1]] }],
];

describe.skipIf(!hasProgram('promtool'))('a panel shows what is true when', () => {
  test.each(CASES)('%s', (_, series, atMinute, asked) => {
    const file = join(temporaryDirectory(), 'dashboard.test.yml');
    const input_series = Object.entries(series).map(([name, values]) => ({ series: name, values }));
    const promql_expr_test = Object.entries(asked).map(([query, answers]) => ({
      expr: `round(${queryNamed(query)}, 0.001)`,
      eval_time: `${atMinute}m`,
      exp_samples: answers.map(([labels, value]) => ({ labels, value })),
    }));
    const tests = [{ interval: '1m', input_series, promql_expr_test }];
    const rule_files = [repositoryPath(RULES_FILE)];
    writeFileSync(file, JSON.stringify({ rule_files, evaluation_interval: '1m', tests }));
    expect(testRules(file)).toMatchObject({ status: 0 });
  });
});

function queryNamed(wanted: string, values: Readonly<Record<string, string>> = {}): string {
  const query = ALL_QUERIES.find(({ name }) => name === wanted);
  if (query === undefined) throw new RangeError(`no query ${wanted}`);
  return substitute(query.expression, values);
}

describe.skipIf(!hasProgram('prometheus'))('a real Prometheus', () => {
  test('answers every query of the dashboard, and counts no device of two exporters twice', async () => {
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
      expect(await ask('Is all well?: {{name}}, {{station}}: silent')).toHaveLength(2);
      expect(await ask('Is all well?: all is well')).toEqual([]);
      // A join that finds two partners for one series is an error, and the panel would show nothing.
      for (const { name } of ALL_QUERIES)
        await expect(ask(name), name).resolves.toBeInstanceOf(Array);
    });
  });
});
