import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasProgram } from '../../support/programs.ts';
import { temporaryDirectory } from '../../support/prometheus.ts';
import { ALL_QUERIES, substitute } from '../../grafana/dashboard-queries.ts';

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

const LIFETIME = device('solar_device_pv_energy_lifetime_kwh');
const REPORTS = { [device('solar_device_reporting')]: '1x180' };
const station = (name: string, id: string, changes = ''): string =>
  `${name}{job="solar", instance="a:9877", station_id="${id}"${changes}}`;
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
/** A device feeds in 6 kW for two hours. */
const FED_IN = {
  [station('solar_up', 's')]: '1x120',
  [device('solar_device_reporting')]: '1x120',
  [device('solar_grid_feed_in_power_watts')]: '6000x120',
};
const PRICE = station('solar_tariff_price', 's', ', direction="feed_in", currency="EUR"');
const RISEN = 'PV in the range shown A';

/** The shown range is two hours; each series has one value a minute. */
const CASES: readonly Case[] = [
  {
    when: 'a device corrects its lifetime figure by -0.1 kWh',
    series: { ...REPORTS, [LIFETIME]: '1000x60 1004.5x30 1004.4x30 1005.9x60' },
    query: RISEN,
    atMinute: 150,
    answers: { '{coverage="all devices"}': 5.9 },
  },
  {
    when: 'a device only corrects its lifetime figure',
    series: { ...REPORTS, [LIFETIME]: '1000x60 999.9x120' },
    query: RISEN,
    atMinute: 150,
    answers: { '{coverage="all devices"}': 0 },
  },
  {
    when: 'the lifetime figure of a device is misread as 0 for a while',
    series: { ...REPORTS, [LIFETIME]: '1000x60 0x30 1002x90' },
    query: RISEN,
    atMinute: 150,
    answers: { '{coverage="all devices"}': 2 },
  },
  {
    when: 'a device is replaced, and its lifetime begins again',
    series: { ...REPORTS, [LIFETIME]: '1000x90 0.2x30 1.9x60' },
    query: RISEN,
    atMinute: 150,
    answers: { '{coverage="all devices"}': 1.7 },
  },
  {
    when: 'a device is first seen within the range',
    series: { ...REPORTS, [LIFETIME]: '_x60 1000x60 1003.4x60' },
    query: RISEN,
    atMinute: 150,
    answers: { '{coverage="all devices"}': 3.4 },
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
    answers: { '{coverage="all devices"}': 5 },
  },
  {
    when: 'what a house drew, or what it imported, only counts as 0',
    series: MONTH,
    query: 'Saved this month A',
    atMinute: 30,
    // By the tariff of 0.3: of the first station alone.
    answers: { '{coverage="without 2 of the stations"}': 24 },
  },
  {
    when: 'what a house drew, or what it imported, only counts as 0',
    series: MONTH,
    query: 'Self-sufficiency this month A',
    atMinute: 30,
    answers: { '{}': 0.8 },
  },
  {
    when: 'the service does not say what a house drew, and two exporters ask about another',
    series: {
      ...MONTH,
      [station('solar_energy_month_kwh', '1', ', flow="load"')]: '100x60',
      [station('solar_energy_month_kwh', '1', ', flow="load"').replace('a:9877', 'b:9877')]:
        '100x60',
      [station('solar_energy_month_kwh', '2', ', flow="grid_import"')]: '50x60',
      [station('solar_energy_month_kwh', '3', ', flow="load"')]: '70x60',
    },
    query: 'Consumed C',
    atMinute: 30,
    answers: { '{coverage="without 1 of the stations"}': 170 },
  },
  {
    when: 'the device list is lost and the readings are not',
    series: {
      [device('solar_pv_power_watts')]: '3000x60',
      [device('solar_device_reporting')]: '1x60',
    },
    query: 'PV A',
    atMinute: 30,
    answers: { '{coverage="all devices"}': 3000 },
  },
  {
    when: 'a device has left, but was there for part of the day',
    series: {
      [device('solar_pv_power_watts')]: '6000x60 _x60',
      [device('solar_device_info', ', name="Roof"')]: '1x120',
      [device('solar_device_reporting')]: '1x60 0x60',
    },
    query: 'Readings: generated today A',
    atMinute: 119,
    // Five minutes longer than it was there: Prometheus looks that far back.
    answers: { '{coverage="known for 55 % of the time"}': 6.6 },
  },
  {
    when: 'the price of what is fed in doubles after an hour, and two exporters say so',
    series: {
      ...FED_IN,
      [PRICE]: '0.1x59 0.2x60',
      [PRICE.replace('a:9877', 'b:9877')]: '0.1x59 0.2x60',
    },
    query: 'Earned today A',
    atMinute: 119,
    // Six kilowatts for an hour at each price.
    answers: { '{coverage="known for 100 % of the time"}': 1.8 },
  },
  {
    when: 'no file has prices',
    series: FED_IN,
    query: 'Earned today A',
    atMinute: 119,
    answers: { '{coverage="known for 100 % of the time"}': 0.96 },
  },
  {
    when: 'the exporter moved to another address at noon',
    series: {
      [device('solar_pv_power_watts')]: '6000x59 stale',
      'solar_pv_power_watts{job="solar", instance="b:9877", station_id="s", device_id="1"}':
        '_x60 6000x59',
      [device('solar_device_reporting')]: '1x120',
    },
    query: 'Readings: generated today A',
    atMinute: 119,
    answers: { '{coverage="known for 100 % of the time"}': 12 },
  },
  {
    when: 'two exporters see one alarm',
    series: {
      [device('solar_device_alarm_firing', ', alarm="x", level="warning"')]: '1x60',
      'solar_device_alarm_firing{job="solar", instance="b:9877", station_id="s", device_id="1", alarm="x", level="warning"}':
        '1x60',
    },
    query: 'Alarms A',
    atMinute: 10,
    answers: { '{}': 1 },
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
    answers: { '{coverage="all devices"}': 0 },
  },
  {
    when: 'the device has no name',
    series: {
      [device('solar_pv_power_watts')]: '500x60',
      [device('solar_device_info', ', name=""')]: '1x60',
    },
    query: 'PV by device A',
    atMinute: 10,
    answers: { [device('', ', name="1"')]: 500 },
  },
];

describe.skipIf(!hasProgram('promtool'))('a panel shows what is true when', () => {
  test.each(CASES)('$when: $query', ({ series, query, atMinute, answers }) => {
    const file = join(temporaryDirectory(), 'dashboard.test.yml');
    const { expression = '' } = ALL_QUERIES.find(({ name }) => name === query) ?? {};
    // JSON is YAML.
    writeFileSync(
      file,
      JSON.stringify({
        tests: [
          {
            interval: '1m',
            input_series: Object.entries(series).map(([name, values]) => ({
              series: name,
              values,
            })),
            promql_expr_test: [
              {
                expr: `round(${substitute(expression, { range: '2h' })}, 0.001)`,
                eval_time: `${atMinute}m`,
                exp_samples: Object.entries(answers).map(([labels, value]) => ({ labels, value })),
              },
            ],
          },
        ],
      }),
    );
    const { stdout, stderr, status } = spawnSync('promtool', ['test', 'rules', file], {
      encoding: 'utf8',
    });
    expect(stdout + stderr).toContain('SUCCESS');
    expect(status).toBe(0);
  });
});
