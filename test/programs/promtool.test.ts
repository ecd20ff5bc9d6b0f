import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { expectedAlerts } from '../../src/commands/drain.ts';
import { rewriting, startProxy } from '../support/proxy.ts';
import { hasProgram } from '../support/programs.ts';
import { temporaryDirectory } from '../support/prometheus.ts';
import { repositoryPath } from '../support/repository.ts';
import {
  checkMetrics,
  documentedOverrides,
  promtool,
  RULES_FILE,
  testRules,
} from '../support/rules.ts';
import {
  MINUTE_MS,
  type PageSample,
  SECOND_MS,
  type ScrapedPage,
  startBoth,
  startExporterFor,
  startService,
  SteeredClock,
} from '../doors/house.ts';

const NOW = '2024-01-02T04:00:00Z';
const RULES = repositoryPath(RULES_FILE);
const OPTIONAL = { 'collect.process': 'true', 'collect.settings': 'true' };
const CLEAN = { status: 0, output: '' };
const HOSTILE = 'a "quoted" \\ name\n# TYPE solar_up counter\nsolar_up{x="y"} 9\r\u0000{}=,🌞';

describe.skipIf(!hasProgram('promtool'))('promtool has nothing to say against', () => {
  test('the rules, and finds that they tell accounts apart', () => {
    expect(promtool(['check', 'rules', '--lint=all', RULES])).toMatchObject({ status: 0 });
    // The other cases take a minute: test/long/rules.test.ts runs all of them.
    expect(testRules('solar.accounts.test.yml')).toMatchObject({ status: 0 });
  });

  test.each(['prometheus', 'scrape.example', 'scrape.fleet.example', 'scrape.shards.example'])(
    'prometheus/%s.yml',
    (name) => {
      const path = repositoryPath(`prometheus/${name}.yml`);
      expect(promtool(['check', 'config', path])).toMatchObject({ status: 0 });
    },
  );

  test.each([
    { of: 'a healthy exporter', flags: {} },
    { of: 'one with everything optional', flags: OPTIONAL },
  ])('the page of $of, before and after its service goes down', async ({ flags }) => {
    const { simulator, scrape, scrapeAfter } = await startBoth({ now: NOW, flags });
    const page = await scrape();
    expect(page.value('solar_up')).toBe(1);
    expect(checkMetrics(page.text)).toEqual(CLEAN);
    await simulator.stop();
    expect(checkMetrics((await scrapeAfter(2 * MINUTE_MS)).text)).toEqual(CLEAN);
    expect(checkMetrics((await scrapeAfter(24 * 60 * MINUTE_MS)).text)).toEqual(CLEAN);
  });

  test('the page of one whose stations, devices and settings have hostile names', async () => {
    const clock = new SteeredClock(NOW);
    const { simulator, serviceUrl } = await startService({}, clock);
    const proxyUrl = await startProxy(
      serviceUrl,
      rewriting((body) =>
        ['Station 1', 'Inverter 1', 'Self-Use', 'backupModeEnabled'].reduce(
          (renamed, name) => renamed.replaceAll(JSON.stringify(name), JSON.stringify(HOSTILE)),
          body,
        ),
      ),
    );
    const { scrape } = await startExporterFor(simulator, proxyUrl, clock, { flags: OPTIONAL });
    const page = await scrape();
    const shown = (metric: string, label: string) =>
      page.all(metric).map(({ labels }) => labels[label]);
    expect(shown('solar_station_info', 'name')).toEqual([HOSTILE]);
    expect(shown('solar_device_info', 'name')).toEqual([HOSTILE]);
    expect(shown('solar_device_setting_info', 'value')).toContain(HOSTILE);
    expect(shown('solar_device_setting_enabled', 'setting')).toContain(HOSTILE);
    expect(checkMetrics(page.text)).toEqual(CLEAN);
  });
});

describe.skipIf(!hasProgram('promtool'))('promtool finds', () => {
  test("that an owner's file sets thresholds, as the head of the rules shows it", () => {
    const thresholds = join(temporaryDirectory(), 'mine.yml');
    writeFileSync(thresholds, documentedOverrides());
    expect(promtool(['check', 'rules', '--lint=all', thresholds])).toMatchObject({ status: 0 });
    const [other, named] = ['11', '353417800001000017'].map(
      (id) => `{station_id="1",device_id="${id}"}`,
    ) as [string, string];
    const series = [other, named].flatMap((labels) => [
      { series: `solar_reading_timestamp_seconds${labels}`, values: '0+60x10' },
      { series: `solar_battery_soc_ratio${labels}`, values: '0.4x10' },
    ]);
    const asked = [
      {
        expr: 'solar:battery_low_threshold:ratio',
        exp_samples: [
          { labels: `solar:battery_low_threshold:ratio${other}`, value: 0.35 },
          { labels: `solar:battery_low_threshold:ratio${named}`, value: 0.5 },
        ],
      },
      {
        // 40 % is low for the one, and not for the other.
        expr: 'count by (device_id) (ALERTS{alertname="SolarBatteryLow"})',
        exp_samples: [{ labels: '{device_id="353417800001000017"}', value: 1 }],
      },
      {
        expr: 'min(solar:battery_runtime_threshold:seconds)',
        exp_samples: [{ labels: '{}', value: 7200 }],
      },
    ].map((row) => ({ ...row, eval_time: '5m' }));
    const file = ruleTest([RULES, thresholds], '1m', series, asked, [
      'my-solar-thresholds',
      'solar-devices',
    ]);
    expect(testRules(file)).toMatchObject({ status: 0 });
  });

  test('that a draining demo brings the alerts when it says so, and none before', async () => {
    const { simulator, clock, keepScraping, deviceId } = await startBoth({
      now: '2026-11-22T10:00:00Z',
      simulator: { drain: true, sampleIntervalMs: 2 * SECOND_MS },
      flags: { 'cache.readings-ttl': '2s', 'cache.devices-ttl': '2s', 'cache.summary-ttl': '2s' },
    });
    const beginMs = clock.nowMs();
    const expected = expectedAlerts(simulator, beginMs);
    expect(expected.map(({ name }) => name)).toEqual(['SolarBatteryLow', 'SolarBatteryCritical']);
    const pages: ScrapedPage[] = [];
    await keepScraping(16 * MINUTE_MS, 15 * SECOND_MS, (page) => pages.push(page));

    const asked = expected.flatMap(({ name, inMinutes }) => {
      const expr = `count by (device_id) (ALERTS{alertname="${name}", alertstate="firing"})`;
      const firing = [{ labels: `{device_id="${deviceId}"}`, value: 1 }];
      // When it is promised, and not two minutes before.
      return [
        { expr, eval_time: `${inMinutes}m`, exp_samples: firing },
        { expr, eval_time: `${inMinutes - 2}m`, exp_samples: [] },
      ];
    });
    const file = ruleTest([RULES], '15s', inputSeries(pages, beginMs), asked);
    expect(testRules(file)).toMatchObject({ status: 0 });
  });
});

/** Writes a test file of promtool with one case. JSON is YAML. */
function ruleTest(
  rule_files: readonly string[],
  interval: string,
  input_series: readonly object[],
  promql_expr_test: readonly object[],
  group_eval_order: readonly string[] = [],
): string {
  const file = join(temporaryDirectory(), 'one.test.yml');
  const tests = [{ interval, input_series, promql_expr_test }];
  writeFileSync(
    file,
    JSON.stringify({ rule_files, evaluation_interval: interval, group_eval_order, tests }),
  );
  return file;
}

/** Turns pages into series of promtool, whose time begins at 0. */
function inputSeries(pages: readonly ScrapedPage[], beginMs: number): readonly object[] {
  const series = new Map<string, string[]>();
  for (const [index, page] of pages.entries())
    for (const sample of page.samples) {
      // Thousands of series of the program itself say nothing of a battery.
      if (!sample.name.startsWith('solar_') || sample.name.endsWith('_bucket')) continue;
      const name = seriesName(sample);
      const values = series.get(name) ?? new Array<string>(pages.length).fill('_');
      const isInstant = sample.name.endsWith('_timestamp_seconds');
      values[index] = String(isInstant ? sample.value - beginMs / 1000 : sample.value);
      series.set(name, values);
    }
  return [...series].map(([name, values]) => ({ series: name, values: values.join(' ') }));
}

/** Writes a sample as promtool names a series. */
function seriesName({ name, labels }: PageSample): string {
  const pairs = Object.entries({ job: 'solar', instance: 'demo', ...labels });
  return `${name}{${pairs.map(([label, value]) => `${label}=${JSON.stringify(value)}`).join(', ')}}`;
}
