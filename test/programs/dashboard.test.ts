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

/** What a query answers at a minute: its labels and its value, or nothing. */
type Case = readonly [
  when: string,
  series: Series,
  query: string,
  atMinute: number,
  ...answers: readonly Answer[],
];

const TARGET = 'job="solar", instance="a:9877"';
const device = (name: string, more = ''): string =>
  `${name}{${TARGET}, station_id="s", device_id="1"${more}}`;
const station = (name: string, more = '', id = 's'): string =>
  `${name}{${TARGET}, station_id="${id}"${more}}`;
/** The same series of another exporter. */
const other = (series: string): string => series.replace('a:9877', 'b:9877');

const NAMES = 'name="Roof", station="Home"';
const INFO = { [device('solar_device_info', `, ${NAMES}`)]: '1x400' };
const ROOF = device('', `, ${NAMES}`);
const HOUSE = station('solar_station_info', ', name="Home"');
const SOC = device('solar_battery_soc_ratio');
const STATION_SOC = station('solar_station_battery_soc_ratio');
const LISTED = device('solar_device_listed');
const FAMILY = device('solar_device_dialect_info', ', family="unknown", source="history"');
const firing = (alert: string, severity: string, more: string): string =>
  `ALERTS{alertname="${alert}", alertstate="firing", severity="${severity}", station_id="s"${more}}`;
const LOW_ALERT = firing('SolarBatteryCritical', 'critical', ', device_id="1"');
const GONE_ALERT = firing('SolarDeviceMissing', 'critical', ', device_id="2"');

/** A house in which all is well. */
const WELL: Series = {
  ...INFO,
  [`up{${TARGET}}`]: '1x400',
  [station('solar_up')]: '1x400',
  [station('solar_collector_success', ', collector="readings"')]: '1x400',
  [device('solar_device_reporting')]: '1x400',
  [LISTED]: '1x400',
  [SOC]: '0.5x400',
};
const ALL_IS_WELL = 'Is all well?: all is well';
const LOW = 'Is all well?: {{name}}, {{station}}: battery low';
const LEVEL_LOW = 'Battery level: {{name}}, {{station}}';

const power = (flow: string, id = 's'): string =>
  station('solar_station_power_watts', `, flow="${flow}"`, id);
const today = (flow: string, id = 's', source = 'service'): string =>
  station('solar_station_energy_today_kwh', `, flow="${flow}", source="${source}"`, id);
const month = (flow: string, id = 's'): string =>
  station('solar_energy_month_kwh', `, flow="${flow}"`, id);
const TWO_STATIONS: Series = {
  [station('solar_station_devices', '', '1')]: '1x60',
  [station('solar_station_devices', '', '2')]: '1x60',
};

/** Midnight is at minute 0, or at minute 120; most of the energy comes while the price is low. */
const PRICE = station('solar_tariff_price_per_kwh', ', direction="feed_in", currency="EUR"');
const DAY_START = station('solar_day_start_timestamp_seconds');
const FED_IN: Series = {
  [power('load')]: '500x300',
  [power('grid_import')]: '0x300',
  [power('grid_feed_in')]: '9000x59 1000x240',
  [today('grid_feed_in')]: '20x300',
  [DAY_START]: '0x300',
};
const DEARER = '0.1x59 0.2x240';
const EARNED = 'Money: {{currency}} earned today';
const EARNED_TYPED = 'Money: $currency earned today';
const SAVED_MONTH = 'Money: $currency saved this month';
const EURO = '{currency="EUR"}';
const HOUR = 'Energy by the hour: house';

/** Answers are to a thousandth, for sums of decimals. */
const CASES: readonly Case[] = [
  ['all is well', WELL, ALL_IS_WELL, 60, ['{}', 1]],
  ['Prometheus knows nothing', {}, 'Is all well?: no data: does Prometheus scrape?', 60, ['{}', 1]],
  [
    'the exporter is down',
    { ...WELL, [`up{${TARGET}}`]: '0x400' },
    'Is all well?: exporter unreachable: {{instance}}',
    60,
    [`up{${TARGET}}`, 0],
  ],
  ['the exporter is down: all', { ...WELL, [`up{${TARGET}}`]: '0x400' }, ALL_IS_WELL, 60],
  ['a device is gone from the list', { ...WELL, [LISTED]: '0x400' }, ALL_IS_WELL, 60],
  [
    'a device is gone from the list: which',
    { ...WELL, [LISTED]: '0x400' },
    'Is all well?: {{name}}, {{station}}: gone from the list',
    60,
    [ROOF, 0],
  ],
  ['a family is unknown', { ...WELL, [FAMILY]: '1x400' }, ALL_IS_WELL, 60],
  ['a battery is at 10 %', { ...WELL, [SOC]: '0.1x400' }, ALL_IS_WELL, 60],
  ['a battery is at 10 %: which', { ...WELL, [SOC]: '0.1x400' }, LOW, 60, [ROOF, 0.1]],
  ['a battery has run empty', { ...WELL, [SOC]: '0.5x30 0x300' }, LOW, 200, [ROOF, 0]],
  ['there is no battery', { ...WELL, [SOC]: '0x400' }, ALL_IS_WELL, 60, ['{}', 1]],
  ['there is no battery: its level', { ...WELL, [SOC]: '0x400' }, LEVEL_LOW, 60],
  ['there is no battery: its line', { [STATION_SOC]: '0x60' }, 'Power: battery level', 30],
  ['an alert fires', { ...WELL, [LOW_ALERT]: '1x400' }, ALL_IS_WELL, 60],
  [
    'an alert fires: of which device',
    { ...WELL, [LOW_ALERT]: '1x400' },
    'Is all well?: {{name}}, {{station}}: {{alertname}} {{alarm}}',
    60,
    [LOW_ALERT.replace('ALERTS', '').replace('}', `, ${NAMES}}`), 1],
  ],
  [
    'a device without a record is missing',
    { ...WELL, [GONE_ALERT]: '1x400' },
    'Is all well?: {{alertname}} {{device_id}} {{collector}} {{instance}}',
    60,
    [GONE_ALERT.replace('ALERTS', ''), 1],
  ],
  [
    'two exporters see one station',
    { [power('pv')]: '400x60', [other(power('pv'))]: '400x60', [power('pv', '2')]: '100x60' },
    'PV: generating',
    30,
    ['{}', 500],
  ],
  [
    'a service that is away has taken its names with it',
    { [station('solar_up')]: '0x60' },
    'Is all well?: cannot be read: {{station_id}}',
    30,
    [station(''), 0],
  ],
  [
    'one device of two cannot be read',
    { [station('solar_up')]: '0x60', [HOUSE]: '1x60', [power('pv')]: '400x60' },
    'Is all well?: cannot be read: {{name}}',
    30,
  ],
  [
    'two stations have one name',
    {
      ...{ [HOUSE]: '1x60', [station('solar_station_info', ', name="Home"', 't')]: '1x60' },
      ...{ [today('load')]: '8x60', [today('grid_import')]: '4x60' },
      ...{ [today('load', 't')]: '8x60', [today('grid_import', 't')]: '2x60' },
    },
    'Own share today: {{name}} self-sufficient',
    30,
    ['{station_id="s", name="Home"}', 0.5],
    ['{station_id="t", name="Home"}', 0.75],
  ],
  [
    'yesterday was the best day',
    { [station('solar_energy_yesterday_kwh', ', flow="pv"')]: '20x119 30x100' },
    'Generated today: best of 30 days',
    200,
    ['{}', 30],
  ],
  [
    'a station does not say what it drew yesterday',
    { ...TWO_STATIONS, [station('solar_energy_yesterday_kwh', ', flow="load"', '1')]: '5x60' },
    'Consumed today: stations missing then',
    30,
    ['{}', 1],
  ],
  ['the day has no start', {}, 'Generated today: today', 30],
  [
    'a station does not say what it drew',
    { ...TWO_STATIONS, [today('load', '1')]: '5x60' },
    'Consumed today: stations missing',
    30,
    ['{}', 1],
  ],
  [
    'no station is missing from a sum',
    { ...TWO_STATIONS, [today('load', '1')]: '5x60', [today('load', '2')]: '5x60' },
    'Consumed today: stations missing',
    30,
  ],
  [
    'a month is of one station of two',
    { ...TWO_STATIONS, [month('pv', '1')]: '5x60' },
    'Energy in kWh F',
    30,
    ['{flow="pv"}', 1],
  ],
  [
    'the price doubles after most was fed in',
    { ...FED_IN, [PRICE]: DEARER },
    EARNED,
    119,
    [EURO, 2.2],
  ],
  [
    'yesterday was dear',
    { ...FED_IN, [PRICE]: '5x119 0.2x180', [DAY_START]: '-86400x119 7200x180' },
    EARNED,
    200,
    [EURO, 4],
  ],
  [
    'two exporters know the price',
    { ...FED_IN, [PRICE]: '0.1x300', [other(PRICE)]: '0.1x300' },
    EARNED,
    119,
    [EURO, 2],
  ],
  ['no file has prices', FED_IN, EARNED_TYPED, 119, ['{}', 1.6]],
  ['a file has prices: what is typed', { ...FED_IN, [PRICE]: DEARER }, EARNED_TYPED, 119],
  [
    'a month lacks what one station drew',
    {
      [month('load', '1')]: '100x60',
      [month('grid_import', '1')]: '20x60',
      [month('grid_import', '2')]: '50x60',
    },
    SAVED_MONTH,
    30,
    ['{}', 24],
  ],
  [
    'Prometheus was away for half an hour',
    { [power('load')]: '3000x110 _x30 3000x200' },
    HOUR,
    150,
    ['{}', -3],
  ],
  [
    'a battery charges',
    { [STATION_SOC]: '0.4+0.004x60' },
    'Battery: full at',
    50,
    ['{}', 9_000_000],
  ],
  [
    'the grid is gone',
    { ...INFO, [device('solar_grid_voltage_volts')]: '0x60' },
    'annotation Grid outages',
    30,
    [ROOF, 1],
  ],
  [
    'the grid is there',
    { ...INFO, [device('solar_grid_voltage_volts')]: '230x60' },
    'annotation Grid outages',
    30,
  ],
  [
    'a device is silent',
    { ...INFO, [device('solar_device_reporting')]: '0x60' },
    'annotation Silent devices',
    30,
    [ROOF, 1],
  ],
];

describe.skipIf(!hasProgram('promtool'))('a panel shows what is true when', () => {
  const named = CASES.map((one) => [one[0], one] as const);

  test.each(named)('%s', (_, [, series, query, atMinute, ...answers]) => {
    const file = join(temporaryDirectory(), 'dashboard.test.yml');
    const input_series = Object.entries(series).map(([name, values]) => ({ series: name, values }));
    const expr = queryNamed(query);
    const exp_samples = answers.map(([labels, value]) => ({ labels, value }));
    const asked = {
      // To a thousandth, for sums of decimals; a name of a metric would be gone by that.
      expr: answers[0]?.[0].startsWith('up{') === true ? expr : `round(${expr}, 0.001)`,
      eval_time: `${atMinute}m`,
      exp_samples,
    };
    // JSON is YAML.
    const tests = [{ interval: '1m', input_series, promql_expr_test: [asked] }];
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

/** The sun shines there whenever the test runs, and no day begins or ends meanwhile. */
function zoneOfMidday(nowMs: number): string {
  const hoursEast = 12 - new Date(nowMs).getUTCHours();
  // The names count westwards.
  return hoursEast > 0 ? `Etc/GMT-${hoursEast}` : `Etc/GMT+${-hoursEast}`;
}

describe.skipIf(!hasProgram('prometheus'))('a real Prometheus', () => {
  test('answers every query of the dashboard, and counts no device of two exporters twice', async () => {
    // The machine's clock, because a real Prometheus goes by it.
    const clock = Object.assign(new FakeClock(), systemClock);
    const timeZone = zoneOfMidday(clock.nowMs());
    const size = { stations: 2, devicesPerStation: 2 };
    const { simulator, serviceUrl, deviceId } = await startService({ ...size, timeZone }, clock);
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
      expect(await ask('Sun: generating')).toEqual([{ metric: {}, value: total }]);
      expect(await ask('Sun: devices missing')).toEqual([{ metric: {}, value: 1 }]);
      expect(await ask('Is all well?: {{name}}, {{station}}: silent')).toHaveLength(2);
      expect(await ask('Is all well?: all is well')).toEqual([]);
      // A join that finds two partners for one series is an error, and the panel would show nothing.
      for (const { name } of ALL_QUERIES)
        await expect(ask(name), name).resolves.toBeInstanceOf(Array);
    });
  });
});
