import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { startExporterFor, startService } from '../doors/house.ts';
import { eventually } from '../support/eventually.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { hasProgram } from '../support/programs.ts';
import { startPrometheus, temporaryDirectory } from '../support/prometheus.ts';
import { testRules } from '../support/promtool.ts';
import { ALL_QUERIES, type Substitutes, substitute } from '../unit/grafana/dashboard-queries.ts';

interface Case {
  readonly when: string;
  /** Series by their labels, in promtool's notation, one value a minute. */
  readonly series: Readonly<Record<string, string>>;
  readonly query: string;
  readonly atMinute: number;
  /** What it answers, by the one label that a panel shows; to a thousandth, for sums of decimals. */
  readonly answers: Readonly<Record<string, number>>;
}

const device = (name: string, changes = ''): string =>
  `${name}{job="solar", instance="a:9877", station_id="s", device_id="1"${changes}}`;

const station = (name: string, id: string, changes = ''): string =>
  `${name}{job="solar", instance="a:9877", station_id="${id}"${changes}}`;

const LIFETIME = device('solar_device_pv_energy_lifetime_kwh');
const REPORTS = { [device('solar_device_reporting')]: '1x180' };
/** Three stations are up: of 1 all is known, of 2 no consumption, of 3 no import. */
const MONTH = {
  ...Object.fromEntries(['1', '2', '3'].map((id) => [station('solar_up', id), '1x60'])),
  [station('solar_month_consumption_kwh', '1')]: '100x60',
  [station('solar_month_grid_import_kwh', '1')]: '20x60',
  [station('solar_month_consumption_kwh', '2')]: '0x60',
  [station('solar_month_quantity_assumed', '2', ', quantity="consumption"')]: '1x60',
  [station('solar_month_grid_import_kwh', '2')]: '50x60',
  [station('solar_month_consumption_kwh', '3')]: '70x60',
  [station('solar_month_grid_import_kwh', '3')]: '0x60',
  [station('solar_month_quantity_assumed', '3', ', quantity="grid_import"')]: '1x60',
};
/** The day of the station began half an hour before the first value, and a device feeds in. */
const PRICE = station('solar_tariff_price', 's', ', direction="feed_in", currency="EUR"');
const FED_IN = {
  [station('solar_up', 's')]: '1x300',
  [station('solar_month_start_timestamp_seconds', 's')]: '-174600x300',
  [station('solar_energy_today_kwh', 's', ', flow="grid_feed_in"')]: '20x300',
};
const counter = (flow: string): string =>
  device('solar_device_energy_kwh_total', `, flow="${flow}"`);
const RISEN = 'In this range A';

/** The shown range is two hours; each series has one value a minute. */
const CASES: readonly Case[] = [
  {
    when: 'two accounts know the same ids',
    series: Object.fromEntries(
      ['roof', 'annex'].flatMap((account) => [
        [device('solar_pv_power_watts', `, account="${account}"`), '400x60'],
        [device('solar_device_reporting', `, account="${account}"`), '1x60'],
      ]),
    ),
    query: 'Sun A',
    atMinute: 10,
    answers: { '{}': 800 },
  },
  {
    when: 'a device corrects its lifetime figure by -0.1 kWh',
    series: { ...REPORTS, [LIFETIME]: '1000x60 1004.5x30 1004.4x30 1005.9x60' },
    query: RISEN,
    atMinute: 150,
    answers: { '{}': 5.9 },
  },
  {
    when: 'the lifetime figure of a device is misread as 0 for a while',
    series: { ...REPORTS, [LIFETIME]: '1000x60 0x30 1002x90' },
    query: RISEN,
    atMinute: 150,
    answers: { '{}': 2 },
  },
  {
    when: 'a device is replaced, and its lifetime begins again',
    series: { ...REPORTS, [LIFETIME]: '1000x90 0.2x30 1.9x60' },
    query: RISEN,
    atMinute: 150,
    answers: { '{}': 1.7 },
  },
  {
    when: 'a device is first seen within the range',
    series: { ...REPORTS, [LIFETIME]: '_x60 1000x60 1003.4x60' },
    query: RISEN,
    atMinute: 150,
    answers: { '{}': 3.4 },
  },
  {
    when: 'the exporter moved to another address meanwhile',
    series: {
      ...REPORTS,
      [LIFETIME]: '1000x60 1002x30 stale',
      [LIFETIME.replace('a:9877', 'b:9877')]: '_x95 1002x30 1005x60',
    },
    query: RISEN,
    atMinute: 150,
    answers: { '{}': 5 },
  },
  {
    when: 'what a house drew, or what it imported, only counts as 0',
    series: MONTH,
    query: 'Month: money A',
    atMinute: 30,
    // By the tariff of 0.3: of the first station alone.
    answers: { '{currency="EUR"}': 24 },
  },
  {
    when: 'what a house drew, or what it imported, only counts as 0',
    series: MONTH,
    query: 'Month: own share A',
    atMinute: 30,
    answers: { '{}': 0.8 },
  },
  {
    when: 'the service does not say what a house drew, and two exporters ask about another',
    series: {
      ...MONTH,
      [station('solar_energy_yesterday_kwh', '1', ', flow="load"')]: '100x60',
      [station('solar_energy_yesterday_kwh', '1', ', flow="load"').replace('a:9877', 'b:9877')]:
        '100x60',
      [station('solar_energy_yesterday_kwh', '2', ', flow="grid_import"')]: '50x60',
      [station('solar_energy_yesterday_kwh', '3', ', flow="load"')]: '70x60',
    },
    query: 'Consumed today B',
    atMinute: 30,
    answers: { '{coverage=", without 1 of the stations"}': 170 },
  },
  {
    when: 'the device list is lost and the readings are not',
    series: {
      [device('solar_pv_power_watts')]: '3000x60',
      [device('solar_device_reporting')]: '1x60',
    },
    query: 'Sun A',
    atMinute: 30,
    answers: { '{}': 3000 },
  },
  {
    when: 'the price of what is fed in doubles after an hour, and two exporters say so',
    series: {
      ...FED_IN,
      [device('solar_grid_feed_in_power_watts')]: '6000x300',
      [PRICE]: '0.1x59 0.2x60',
      [PRICE.replace('a:9877', 'b:9877')]: '0.1x59 0.2x60',
    },
    query: 'Money today B',
    atMinute: 119,
    // Twelve steps of five minutes at each price: 20 kWh at 15 cents.
    answers: { '{currency="EUR"}': 3 },
  },
  {
    when: 'most is fed in while the price is low',
    series: {
      ...FED_IN,
      [device('solar_grid_feed_in_power_watts')]: '9000x59 1000x60',
      [PRICE]: '0.1x59 0.2x60',
    },
    query: 'Money today B',
    atMinute: 119,
    answers: { '{currency="EUR"}': 2.2 },
  },
  {
    when: 'no file has prices, and the device does not say its power',
    series: FED_IN,
    query: 'Money today B',
    atMinute: 119,
    answers: { '{currency="EUR"}': 1.6 },
  },
  {
    when: 'the service has no figure of the day, and a counter began the day before',
    series: {
      ...REPORTS,
      [station('solar_up', 's')]: '1x400',
      // Midnight is at minute 120.
      [station('solar_month_start_timestamp_seconds', 's')]: '-165600x400',
      [counter('load')]: '100+0.1x400',
    },
    query: 'Consumed today A',
    atMinute: 300,
    answers: { '{}': 18 },
  },
  {
    when: 'the exporter was away for an hour after midnight, and came back at another address',
    series: {
      ...REPORTS,
      [station('solar_up', 's')]: '1x400',
      [station('solar_month_start_timestamp_seconds', 's')]: '-165600x400',
      [counter('load')]: '100+0.1x130 stale',
      [counter('load').replace('a:9877', 'b:9877')]: '_x190 119+0.1x200',
    },
    query: 'Consumed today A',
    atMinute: 300,
    answers: { '{}': 18 },
  },
  {
    when: 'a counter began anew since midnight',
    series: {
      ...REPORTS,
      [station('solar_up', 's')]: '1x400',
      [station('solar_month_start_timestamp_seconds', 's')]: '-165600x400',
      [counter('load')]: '100+0.1x180 0+0.1x200',
    },
    query: 'Consumed today A',
    atMinute: 300,
    answers: { '{}': 11.9 },
  },
  {
    when: 'Prometheus was away for half of an hour',
    series: { [counter('load')]: '100+0.1x110 _x30 114+0.1x200' },
    query: 'Energy by the hour D',
    atMinute: 180,
    answers: { '{}': -6.9 },
  },
  {
    when: 'a month began at 1,782,856,800 s',
    series: {
      [station('solar_month_start_timestamp_seconds', 's')]: '1782856800x60',
      [station('solar_station_info', 's', ', name="Roof", time_zone="UTC"')]: '1x60',
    },
    query: 'Stations this month, in kWh B',
    atMinute: 10,
    answers: { [station('', 's', ', name="Roof"')]: 1_782_856_800_000 },
  },
  {
    when: 'the grid is gone',
    series: { [device('solar_grid_voltage_volts')]: '0x60' },
    query: 'annotation Grid outages',
    atMinute: 10,
    answers: { [device('', ', name="1"')]: 1 },
  },
  {
    when: 'the grid is there',
    series: { [device('solar_grid_voltage_volts')]: '230x60' },
    query: 'annotation Grid outages',
    atMinute: 10,
    answers: {},
  },
  {
    when: 'a device is silent',
    series: { [device('solar_device_reporting')]: '0x60' },
    query: 'annotation Silent devices',
    atMinute: 10,
    answers: { [device('', ', name="1"')]: 1 },
  },
  {
    when: 'a device reports',
    series: { [device('solar_device_reporting')]: '1x60' },
    query: 'annotation Silent devices',
    atMinute: 10,
    answers: {},
  },
  {
    when: 'two exporters see one alarm',
    series: {
      [device('solar_device_alarm_firing', ', alarm="x", level="warning"')]: '1x60',
      'solar_device_alarm_firing{job="solar", instance="b:9877", station_id="s", device_id="1", alarm="x", level="warning"}':
        '1x60',
    },
    query: 'Is all well? E',
    atMinute: 10,
    answers: { '{alarms="1"}': 1 },
  },
  {
    when: 'two exporters see a trickle into the grid',
    series: {
      [device('solar_grid_import_power_watts')]: '0x60',
      [device('solar_grid_feed_in_power_watts')]: '15x60',
      'solar_grid_import_power_watts{job="solar", instance="b:9877", station_id="s", device_id="1"}':
        '0x60',
      'solar_grid_feed_in_power_watts{job="solar", instance="b:9877", station_id="s", device_id="1"}':
        '15x60',
      [device('solar_device_reporting')]: '1x60',
    },
    query: 'Grid C',
    atMinute: 10,
    answers: { '{}': 0 },
  },
  {
    when: 'the device has no name',
    series: {
      [device('solar_pv_power_watts')]: '500x60',
      [device('solar_device_info', ', name=""')]: '1x60',
    },
    query: 'Sun, by device A',
    atMinute: 10,
    answers: { [device('', ', name="1"')]: 500 },
  },
];

describe.skipIf(!hasProgram('promtool'))('a panel shows what is true when', () => {
  test.each(CASES)('$when: $query', ({ series, query, atMinute, answers }) => {
    const file = join(temporaryDirectory(), 'dashboard.test.yml');
    const input_series = Object.entries(series).map(([name, values]) => ({ series: name, values }));
    const promql_expr_test = [
      {
        expr: `round(${queryNamed(query, { range: '2h' })}, 0.001)`,
        eval_time: `${atMinute}m`,
        exp_samples: Object.entries(answers).map(([labels, value]) => ({ labels, value })),
      },
    ];
    // JSON is YAML.
    const tests = [{ interval: '1m', input_series, promql_expr_test }];
    writeFileSync(file, JSON.stringify({ tests }));
    expect(testRules(file)).toMatchObject({ status: 0 });
  });
});

function queryNamed(wanted: string, substitutes: Substitutes): string {
  const query = ALL_QUERIES.find(({ name }) => name === wanted);
  if (query === undefined) throw new RangeError(`no query ${wanted}`);
  return substitute(query.expression, substitutes);
}

/** The machine's clock, because a real Prometheus goes by it. */
class RealClock extends FakeClock {
  override nowMs(): number {
    return systemClock.nowMs();
  }

  override sleep(durationMs: number): Promise<void> {
    return systemClock.sleep(durationMs);
  }
}

/** The sun shines there whenever the test runs, and no day begins or ends meanwhile. */
function zoneOfMidday(nowMs: number): string {
  const hoursEast = 12 - new Date(nowMs).getUTCHours();
  // The names count westwards.
  return hoursEast > 0 ? `Etc/GMT-${hoursEast}` : `Etc/GMT+${-hoursEast}`;
}

describe.skipIf(!hasProgram('prometheus'))('a real Prometheus', () => {
  test('answers every query of the dashboard, and counts no device of two exporters twice', async () => {
    const clock = new RealClock();
    const { simulator, serviceUrl, deviceId } = await startService(
      { stations: 2, devicesPerStation: 2, timeZone: zoneOfMidday(clock.nowMs()) },
      clock,
    );
    simulator.setOffline(deviceId, 0);
    // Both know the same devices, as two of them behind one Prometheus may.
    const exporters = [
      await startExporterFor(simulator, serviceUrl, clock),
      await startExporterFor(simulator, serviceUrl, clock),
    ];
    // The first fetch may take longer than the half second that such a short interval leaves.
    for (const { scrape } of exporters) await scrape();
    const prometheus = await startPrometheus({ exporterUrls: exporters.map(({ url }) => url) });
    const ask = (name: string) =>
      prometheus.query(queryNamed(name, { range: '30s', interval: '5s', rateInterval: '5s' }));

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
