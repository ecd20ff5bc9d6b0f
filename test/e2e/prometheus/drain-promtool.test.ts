import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { expectedAlerts } from '../../../src/commands/drain.ts';
import { RULES_FILE, RULES_FOLDER } from '../../prometheus/rule-files.ts';
import { hasProgram } from '../../support/programs.ts';
import { temporaryDirectory } from '../../support/prometheus.ts';
import {
  MINUTE_MS,
  type PageSample,
  SECOND_MS,
  type ScrapedPage,
  startBoth,
} from '../../doors/house.ts';

const SCRAPE_MS = 15 * SECOND_MS;
const WATCHED_MS = 16 * MINUTE_MS;

/** Writes a sample as promtool names a series. */
function seriesName({ name, labels }: PageSample): string {
  const all = { job: 'solar', instance: 'demo', ...labels };
  const pairs = Object.entries(all).map(([label, value]) => `${label}=${JSON.stringify(value)}`);
  return `${name}{${pairs.join(', ')}}`;
}

/** Turns pages into series of promtool, whose time begins at 0. */
function inputSeries(pages: readonly ScrapedPage[], beginMs: number): readonly object[] {
  const series = new Map<string, string[]>();
  for (const [index, page] of pages.entries())
    for (const sample of page.samples) {
      // Thousands of series of the program itself say nothing of a battery.
      if (!/^(solar_|up)/.test(sample.name) || sample.name.endsWith('_bucket')) continue;
      const name = seriesName(sample);
      const values = series.get(name) ?? new Array<string>(pages.length).fill('_');
      const isInstant = sample.name.endsWith('_timestamp_seconds');
      values[index] = String(isInstant ? sample.value - beginMs / 1000 : sample.value);
      series.set(name, values);
    }
  return [...series].map(([name, values]) => ({ series: name, values: values.join(' ') }));
}

describe.skipIf(!hasProgram('promtool'))('promtool', () => {
  test('finds that a draining demo brings the alerts when it says so, and none before', async () => {
    const { simulator, clock, keepScraping, deviceId, stationId } = await startBoth({
      now: '2026-11-22T10:00:00Z',
      simulator: { drain: true, sampleIntervalMs: 2 * SECOND_MS },
      flags: { 'cache.readings-ttl': '2s', 'cache.devices-ttl': '2s', 'cache.summary-ttl': '2s' },
    });
    const beginMs = clock.nowMs();
    const expected = expectedAlerts(simulator, beginMs);
    expect(expected.map(({ name }) => name)).toEqual(['SolarBatteryLow', 'SolarBatteryCritical']);
    const pages: ScrapedPage[] = [];
    await keepScraping(WATCHED_MS, SCRAPE_MS, (page) => pages.push(page));

    const firing = { station_id: stationId, device_id: deviceId };
    const severity = { SolarBatteryLow: 'warning', SolarBatteryCritical: 'critical' };
    const queries = expected.flatMap(({ name, inMinutes }) => [
      // When it is promised, and not two minutes before.
      ...[inMinutes, inMinutes - 2].map((minutes) => ({
        expr: `count by (alertname, severity, station_id, device_id) (ALERTS{alertname="${name}", alertstate="firing"})`,
        eval_time: `${minutes}m`,
        exp_samples:
          minutes === inMinutes
            ? [
                {
                  labels: seriesName({
                    name: '',
                    labels: {
                      alertname: name,
                      severity: severity[name as keyof typeof severity],
                      ...firing,
                    },
                    value: 1,
                  }).replace(/job="solar", instance="demo", /, ''),
                  value: 1,
                },
              ]
            : [],
      })),
    ]);
    const file = join(temporaryDirectory(), 'drain.test.yml');
    const content = {
      rule_files: [join(RULES_FOLDER, RULES_FILE)],
      evaluation_interval: '15s',
      tests: [
        {
          interval: '15s',
          input_series: inputSeries(pages, beginMs),
          promql_expr_test: queries,
        },
      ],
    };
    // JSON is YAML.
    writeFileSync(file, JSON.stringify(content));
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], {
      encoding: 'utf8',
    });
    expect(stdout + stderr).toContain('SUCCESS');
    expect(status).toBe(0);
  });
});
