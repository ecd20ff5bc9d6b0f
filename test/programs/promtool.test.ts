import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
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
import { MINUTE_MS, startBoth } from '../doors/house.ts';

const NOW = '2024-01-02T04:00:00Z';
const RULES = repositoryPath(RULES_FILE);
const OPTIONAL = { 'collect.process': 'true', 'collect.settings': 'true' };
const CLEAN = { status: 0, output: '' };

describe.skipIf(!hasProgram('promtool'))('promtool has nothing to say against', () => {
  // The cases of the rules take minutes: test/long/rules.test.ts runs all of them.
  test('the rules and the configurations', () => {
    expect(promtool(['check', 'rules', '--lint=all', RULES])).toMatchObject({ status: 0 });
    const names = ['prometheus', 'scrape.example', 'scrape.fleet.example', 'scrape.shards.example'];
    const paths = names.map((name) => repositoryPath(`prometheus/${name}.yml`));
    expect(promtool(['check', 'config', ...paths])).toMatchObject({ status: 0 });
  });

  test('a page with everything optional, and as its service goes down', async () => {
    const { simulator, scrape, scrapeAfter } = await startBoth({ now: NOW, flags: OPTIONAL });
    const page = await scrape();
    expect(page.value('solar_up')).toBe(1);
    expect(checkMetrics(page.text)).toEqual(CLEAN);
    await simulator.stop();
    expect(checkMetrics((await scrapeAfter(2 * MINUTE_MS)).text)).toEqual(CLEAN);
    expect(checkMetrics((await scrapeAfter(24 * 60 * MINUTE_MS)).text)).toEqual(CLEAN);
  });
});

test.skipIf(!hasProgram('promtool'))(
  "promtool finds that an owner's file sets thresholds, as the head of the rules shows it",
  () => {
    const directory = temporaryDirectory();
    const thresholds = join(directory, 'mine.yml');
    writeFileSync(thresholds, documentedOverrides());
    expect(promtool(['check', 'rules', '--lint=all', thresholds])).toMatchObject({ status: 0 });
    const NAMED = '353417800001000017';
    const [other, named] = ['11', NAMED].map((id) => `{station_id="1",device_id="${id}"}`);
    const input_series = [other, named].flatMap((labels) => [
      { series: `solar_reading_timestamp_seconds${labels}`, values: '0+60x10' },
      { series: `solar_battery_soc_ratio${labels}`, values: '0.4x10' },
    ]);
    const asked = (expr: string, ...exp_samples: readonly object[]) => ({
      expr,
      eval_time: '5m',
      exp_samples,
    });
    const threshold = 'solar:battery_low_threshold:ratio';
    const promql_expr_test = [
      asked(
        threshold,
        { labels: `${threshold}${other}`, value: 0.35 },
        { labels: `${threshold}${named}`, value: 0.5 },
      ),
      // 40 % is low for the one, and not for the other.
      asked('count by (device_id) (ALERTS{alertname="SolarBatteryLow"})', {
        labels: `{device_id="${NAMED}"}`,
        value: 1,
      }),
      asked('min(solar:battery_runtime_threshold:seconds)', { labels: '{}', value: 7200 }),
    ];
    const file = join(directory, 'one.test.yml');
    // JSON is YAML.
    const content = {
      rule_files: [RULES, thresholds],
      evaluation_interval: '1m',
      group_eval_order: ['my-solar-thresholds', 'solar-devices'],
      tests: [{ interval: '1m', input_series, promql_expr_test }],
    };
    writeFileSync(file, JSON.stringify(content));
    expect(testRules(file)).toMatchObject({ status: 0 });
  },
);
