import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { hasProgram } from '../../support/programs.ts';
import { temporaryDirectory } from '../../support/prometheus.ts';
import {
  documentedOverrides,
  readRulesFile,
  RULES_FILE,
  RULES_FOLDER,
  testFileNames,
} from '../../prometheus/rule-files.ts';

function promtool(
  directory: string,
  ...arguments_: readonly string[]
): { readonly status: number | null; readonly output: string } {
  const { status, stdout, stderr } = spawnSync('promtool', arguments_, {
    cwd: directory,
    encoding: 'utf8',
    // It is short-lived: collecting garbage less often saves a quarter of its time.
    env: { ...process.env, GOGC: '400' },
  });
  return { status, output: stdout + stderr };
}

/** A copy of the rules and their tests that may be broken. */
function copyOfRules(): string {
  const directory = temporaryDirectory();
  cpSync(RULES_FOLDER, directory, { recursive: true });
  return directory;
}

/** The content of one of promtool's test files with one case alone: the others would take most of the time. */
function onlyCase(fileName: string, caseName: string): object {
  const file = parse(readRulesFile(fileName)) as { tests: readonly { readonly name: string }[] };
  const tests = file.tests.filter(({ name }) => name === caseName);
  expect(tests).toHaveLength(1);
  return { ...file, tests };
}

describe.skipIf(!hasProgram('promtool'))('promtool', () => {
  test('has nothing to say against the rules', () => {
    const { status, output } = promtool(RULES_FOLDER, 'check', 'rules', '--lint=all', RULES_FILE);
    expect(output).toContain('SUCCESS');
    expect(status).toBe(0);
  });

  test.each(testFileNames())('finds that the rules do what %s says', (name) => {
    expect(promtool(RULES_FOLDER, 'test', 'rules', name)).toMatchObject({ status: 0 });
  });

  test.each([
    {
      broken: 'the age of a reading is forgotten',
      what: '(abs(time() - last_over_time(solar_reading_timestamp_seconds[5m])) < 20 * 60) + 1',
      by: 'last_over_time(solar_reading_timestamp_seconds[5m]) + 1',
      noticedBy: 'solar.battery.test.yml',
      noticedIn:
        '5 % whose reading is three hours old says nothing, although the value is on the page',
    },
    {
      broken: 'the last success of the readings is forgotten',
      what: /and on \(job, instance, station_id\)\s+\(time\(\) - .*\)\n/,
      by: '\n',
      noticedBy: 'solar.battery.test.yml',
      noticedIn: 'without a time, a device counts while it reports and the readings are refreshed',
    },
    {
      broken: 'a battery is believed without a fresh reading',
      what: 'last_over_time(solar_battery_soc_ratio[5m])\n            and on (job, instance, station_id, device_id) solar:reading_fresh:bool',
      by: 'last_over_time(solar_battery_soc_ratio[5m])',
      noticedBy: 'solar.battery.test.yml',
      noticedIn:
        '5 % whose reading is three hours old says nothing, although the value is on the page',
    },
    {
      broken: 'a single reading may plunge',
      what: /unless \(max_over_time\(solar:battery_soc_fresh:ratio\[6m\]\).*\n/g,
      by: '\n',
      noticedBy: 'solar.battery.test.yml',
      noticedIn: 'one misread 0 % does not fire, however long its reading stays on the page',
    },
    {
      broken: 'a grid is missed that was never there',
      what: /and \(max by \(station_id, device_id\) \(avg_over_time\(.*\n/g,
      by: '\n',
      noticedBy: 'solar.week.test.yml',
      noticedIn:
        'a site that never had a grid, one with a generator, and one that is not heard, are silent',
    },
    {
      broken: 'panels may not sleep at night',
      what: /unless solar:device_asleep:pv_watts/g,
      by: '',
      noticedBy: 'solar.device.test.yml',
      noticedIn:
        'panels alone may sleep all night, but not all day; a battery may not, and not in the sun',
    },
  ])('fails when $broken', ({ what, by, noticedBy, noticedIn }) => {
    const directory = copyOfRules();
    const file = join(directory, RULES_FILE);
    const rules = readFileSync(file, 'utf8');
    const broken = rules.replace(what, by);
    expect(broken).not.toBe(rules);
    writeFileSync(file, broken);
    // Broken in its meaning only.
    expect(promtool(directory, 'check', 'rules', RULES_FILE).status).toBe(0);
    const oneCase = JSON.stringify(onlyCase(noticedBy, noticedIn));
    writeFileSync(join(directory, 'one.test.yml'), oneCase);
    const { status, output } = promtool(directory, 'test', 'rules', 'one.test.yml');
    expect(output).toContain('FAILED');
    expect(status).not.toBe(0);
  });

  test("lets an owner's file set thresholds, as the head of the rules shows it", () => {
    const directory = copyOfRules();
    writeFileSync(join(directory, 'mine.yml'), documentedOverrides());
    writeFileSync(join(directory, 'mine.test.yml'), OVERRIDE_TEST);
    expect(promtool(directory, 'check', 'rules', '--lint=all', 'mine.yml').status).toBe(0);
    expect(promtool(directory, 'test', 'rules', 'mine.test.yml')).toMatchObject({ status: 0 });
  });
});

const OTHER = '{station_id="1",device_id="11"}';
const NAMED = '{station_id="1",device_id="353417800001000017"}';

/** JSON is YAML. */
const OVERRIDE_TEST = JSON.stringify({
  rule_files: [RULES_FILE, 'mine.yml'],
  group_eval_order: ['my-solar-thresholds', 'solar-devices'],
  tests: [
    {
      interval: '1m',
      input_series: [OTHER, NAMED].flatMap((labels) => [
        { series: `solar_reading_timestamp_seconds${labels}`, values: '0+60x10' },
        { series: `solar_battery_soc_ratio${labels}`, values: '0.4x10' },
      ]),
      promql_expr_test: [
        { expr: 'solar:battery_low_threshold:ratio', eval_time: '5m', exp_samples: thresholds() },
        {
          // 40 % is low for the one, and not for the other.
          expr: 'count by (device_id) (ALERTS{alertname="SolarBatteryLow"})',
          eval_time: '5m',
          exp_samples: [{ labels: '{device_id="353417800001000017"}', value: 1 }],
        },
        {
          expr: 'min(solar:battery_runtime_threshold:seconds)',
          eval_time: '5m',
          exp_samples: [{ labels: '{}', value: 7200 }],
        },
      ],
    },
  ],
});

function thresholds(): readonly object[] {
  return [
    { labels: `solar:battery_low_threshold:ratio${OTHER}`, value: 0.35 },
    { labels: `solar:battery_low_threshold:ratio${NAMED}`, value: 0.5 },
  ];
}
