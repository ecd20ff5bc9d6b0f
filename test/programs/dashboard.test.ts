import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { startExporterFor, startService } from '../doors/house.ts';
import { eventually } from '../support/eventually.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { hasProgram } from '../support/programs.ts';
import { startPrometheus, temporaryDirectory } from '../support/prometheus.ts';
import { testRules } from '../support/rules.ts';
import { ALL_QUERIES, substitute } from '../unit/grafana/dashboard-queries.ts';

/** A query, the minute at which it is asked, and the labels of its answer. */
type Question = readonly [query: string, atMinute: number, labels: string];

/** Series by their labels, in promtool's notation, one value a minute; and the answer, which may be none. */
type Case = readonly [
  when: string,
  series: Readonly<Record<string, string>>,
  question: Question,
  answer: number | undefined,
];

const device = (name: string, changes = ''): string =>
  `${name}{job="solar", instance="a:9877", station_id="s", device_id="1"${changes}}`;

const station = (name: string, id: string, changes = ''): string =>
  `${name}{job="solar", instance="a:9877", station_id="${id}"${changes}}`;

/** The same series of another exporter. */
const other = (series: string): string => series.replace('a:9877', 'b:9877');

const PV_POWER = device('solar_pv_power_watts');
const LIFETIME = device('solar_device_pv_energy_lifetime_kwh');
const REPORTING = device('solar_device_reporting');
const REPORTS = { [REPORTING]: '1x180' };
const GRID_VOLTAGE = device('solar_grid_voltage_volts');
const ALARM = device('solar_device_alarm_firing', ', alarm="x", level="warning"');
const IMPORT = device('solar_grid_import_power_watts');
const FEED_IN = device('solar_grid_feed_in_power_watts');
const LOAD_COUNTER = device('solar_device_energy_kwh_total', ', flow="load"');
const MONTH_START = station('solar_month_start_timestamp_seconds', 's');
const NAMED = device('', ', name="1"');

const ofMonth = (flow: string, id: string): string => station(`solar_month_${flow}_kwh`, id);
const assumed = (flow: string, id: string): string =>
  station('solar_month_quantity_assumed_info', id, `, quantity="${flow}"`);
const yesterday = (flow: string, id: string): string =>
  station('solar_energy_yesterday_kwh', id, `, flow="${flow}"`);

/** Three stations are up: of 1 all is known, of 2 no consumption, of 3 no import. */
const MONTH = {
  ...Object.fromEntries(['1', '2', '3'].map((id) => [station('solar_up', id), '1x60'])),
  [ofMonth('consumption', '1')]: '100x60',
  [ofMonth('grid_import', '1')]: '20x60',
  [ofMonth('consumption', '2')]: '0x60',
  [assumed('consumption', '2')]: '1x60',
  [ofMonth('grid_import', '2')]: '50x60',
  [ofMonth('consumption', '3')]: '70x60',
  [ofMonth('grid_import', '3')]: '0x60',
  [assumed('grid_import', '3')]: '1x60',
};
const UNMETERED = {
  ...MONTH,
  [yesterday('load', '1')]: '100x60',
  [other(yesterday('load', '1'))]: '100x60',
  [yesterday('grid_import', '2')]: '50x60',
  [yesterday('load', '3')]: '70x60',
};
const TWO_ACCOUNTS = Object.fromEntries(
  ['roof', 'annex'].flatMap((account) => [
    [device('solar_pv_power_watts', `, account="${account}"`), '400x60'],
    [device('solar_device_reporting', `, account="${account}"`), '1x60'],
  ]),
);
/** The day of the station began half an hour before the first value, and a device feeds in. */
const PRICE = station('solar_tariff_price_per_kwh', 's', ', direction="feed_in", currency="EUR"');
const FED_IN = {
  [station('solar_up', 's')]: '1x300',
  [MONTH_START]: '-174600x300',
  [station('solar_energy_today_kwh', 's', ', flow="grid_feed_in"')]: '20x300',
};
const DEARER = '0.1x59 0.2x60';
/** Midnight is at minute 120, and the service has no figure of the day. */
const counted = (values: string) => ({
  ...REPORTS,
  [station('solar_up', 's')]: '1x400',
  [MONTH_START]: '-165600x400',
  [LOAD_COUNTER]: values,
});
const AWAY = { ...counted('100+0.1x130 stale'), [other(LOAD_COUNTER)]: '_x190 119+0.1x200' };
const MOVED = { [LIFETIME]: '1000x60 1002x30 stale', [other(LIFETIME)]: '_x95 1002x30 1005x60' };
const TRICKLE = {
  ...{ [IMPORT]: '0x60', [other(IMPORT)]: '0x60', [REPORTING]: '1x60' },
  ...{ [FEED_IN]: '15x60', [other(FEED_IN)]: '15x60' },
};
const NAMELESS = { [PV_POWER]: '500x60', [device('solar_device_info', ', name=""')]: '1x60' };
const NEW_MONTH = {
  [MONTH_START]: '1782856800x60',
  [station('solar_station_info', 's', ', name="Roof", time_zone="UTC"')]: '1x60',
};
const risen = (values: string) => ({ ...REPORTS, [LIFETIME]: values });
const fedIn = (watts: string, more = {}) => ({
  ...FED_IN,
  ...{ [FEED_IN]: watts, [PRICE]: DEARER, ...more },
});

const ALL = '{}';
const EURO = '{currency="EUR"}';
const SUN: Question = ['Sun A', 10, ALL];
const SUN_BY_DEVICE: Question = ['Sun, by device A', 10, NAMED];
const RISEN: Question = ['In this range A', 150, ALL];
const MONEY_OF_MONTH: Question = ['Month: money A', 30, EURO];
const SHARE_OF_MONTH: Question = ['Month: own share A', 30, ALL];
const CONSUMED_METERED: Question = ['Consumed today A', 300, ALL];
const CONSUMED: Question = ['Consumed today B', 30, '{coverage=", without 1 of the stations"}'];
const MONEY: Question = ['Money today B', 119, EURO];
const BY_HOUR: Question = ['Energy by the hour D', 180, ALL];
const MONTHS: Question = ['Stations this month, in kWh B', 10, station('', 's', ', name="Roof"')];
const OUTAGES: Question = ['annotation Grid outages', 10, NAMED];
const SILENT: Question = ['annotation Silent devices', 10, NAMED];
const ALARMS: Question = ['Is all well? E', 10, '{alarms="1"}'];
const GRID: Question = ['Grid C', 10, ALL];

/** The shown range is two hours; answers are to a thousandth, for sums of decimals. */
const CASES: readonly Case[] = [
  ['two accounts know the same ids', TWO_ACCOUNTS, SUN, 800],
  [
    'the device list is lost, the readings not',
    { [PV_POWER]: '3e3x60', [REPORTING]: '1x60' },
    SUN,
    3000,
  ],
  ['a device has no name', NAMELESS, SUN_BY_DEVICE, 500],
  ['a lifetime is corrected', risen('1000x60 1004.5x30 1004.4x30 1005.9x60'), RISEN, 5.9],
  ['a lifetime is misread as 0', risen('1000x60 0x30 1002x90'), RISEN, 2],
  [
    'a device is replaced, and its lifetime begins again',
    risen('1000x90 0.2x30 1.9x60'),
    RISEN,
    1.7,
  ],
  ['a device is first seen within the range', risen('_x60 1000x60 1003.4x60'), RISEN, 3.4],
  ['the exporter moved to another address', { ...REPORTS, ...MOVED }, RISEN, 5],
  // By the tariff of 0.3: of the first station alone.
  ['what a house drew only counts as 0: its money', MONTH, MONEY_OF_MONTH, 24],
  ['what a house drew only counts as 0: its own share', MONTH, SHARE_OF_MONTH, 0.8],
  ['the service does not say what a house drew', UNMETERED, CONSUMED, 170],
  // Twelve steps of five minutes at each price: 20 kWh at 15 cents.
  ['two say that the price doubles', fedIn('6000x300', { [other(PRICE)]: DEARER }), MONEY, 3],
  ['most is fed in while the price is low', fedIn('9000x59 1000x60'), MONEY, 2.2],
  ['no file has prices, and no device its power', FED_IN, MONEY, 1.6],
  ['a counter began the day before', counted('100+0.1x400'), CONSUMED_METERED, 18],
  ['the exporter was away after midnight, and moved', AWAY, CONSUMED_METERED, 18],
  ['a counter began anew since midnight', counted('100+0.1x180 0+0.1x200'), CONSUMED_METERED, 11.9],
  ['Prometheus was away', { [LOAD_COUNTER]: '100+0.1x110 _x30 114+0.1x200' }, BY_HOUR, -6.9],
  ['a month began', NEW_MONTH, MONTHS, 1_782_856_800_000],
  ['the grid is gone', { [GRID_VOLTAGE]: '0x60' }, OUTAGES, 1],
  ['the grid is there', { [GRID_VOLTAGE]: '230x60' }, OUTAGES, undefined],
  ['a device is silent', { [REPORTING]: '0x60' }, SILENT, 1],
  ['a device reports', { [REPORTING]: '1x60' }, SILENT, undefined],
  ['two exporters see one alarm', { [ALARM]: '1x60', [other(ALARM)]: '1x60' }, ALARMS, 1],
  ['two exporters see a trickle into the grid', TRICKLE, GRID, 0],
];

describe.skipIf(!hasProgram('promtool'))('a panel shows what is true when', () => {
  test.each(CASES)('%s', (_, series, [query, atMinute, labels], value) => {
    const file = join(temporaryDirectory(), 'dashboard.test.yml');
    const input_series = Object.entries(series).map(([name, values]) => ({ series: name, values }));
    const asked = {
      expr: `round(${queryNamed(query, { __range: '2h' })}, 0.001)`,
      eval_time: `${atMinute}m`,
      exp_samples: value === undefined ? [] : [{ labels, value }],
    };
    // JSON is YAML.
    const tests = [{ interval: '1m', input_series, promql_expr_test: [asked] }];
    writeFileSync(file, JSON.stringify({ tests }));
    expect(testRules(file)).toMatchObject({ status: 0 });
  });
});

function queryNamed(wanted: string, values: Readonly<Record<string, string>>): string {
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
      prometheus.query(
        queryNamed(name, { __range: '30s', __interval: '5s', __rate_interval: '5s' }),
      );

    // All of it again, when a scrape came too late for its second.
    await eventually(async () => {
      const power = await prometheus.query('max by (device_id) (solar_pv_power_watts)');
      expect(power).toHaveLength(3);
      const total = power.reduce((sum, { value }) => sum + value, 0);
      expect(total).toBeGreaterThan(0);
      expect(await ask('Sun A')).toEqual([
        { metric: { coverage: ', without 1 of the devices' }, value: total },
      ]);
      expect(await ask('Is all well? B')).toEqual([{ metric: { missing: '1' }, value: 1 }]);
      // Each station calls its devices so.
      const names = await ask('Sun, by device A');
      expect(new Set(names.map(({ metric }) => metric['name']))).toEqual(
        new Set(['Station 1, Inverter 2', 'Station 2, Inverter 1', 'Station 2, Inverter 2']),
      );
      // A join that finds two partners for one series is an error, and the panel would show nothing.
      for (const { name } of ALL_QUERIES)
        await expect(ask(name), name).resolves.toBeInstanceOf(Array);
    });
  });
});
