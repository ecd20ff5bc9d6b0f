import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasProgram } from '../../support/programs.ts';
import {
  documentedOverrides,
  readRulesFile,
  RULES_FILE,
  RULES_FOLDER,
  testFileNames,
} from '../../prometheus/rule-files.ts';
import { copyOfRules, promtool } from './promtool.ts';
import { allCasesSeldom, casesIn, onlyCase, onlyRulesFor, type RuleCase } from './rule-cases.ts';

/** The cases, by name, that were seen to pass by the rules as they are. */
const passing = new Set<string>();

/** Expects that cases pass by the rules as they are, each with those alone that it asks about. */
function expectPass(cases: readonly RuleCase[]): void {
  const directory = copyOfRules();
  const rules = readRulesFile(RULES_FILE);
  const files = cases.map((ruleCase, index) => {
    const [rulesFile, testFile] = [`rules-${index}.yml`, `case-${index}.test.yml`];
    const one = onlyCase(ruleCase, rulesFile);
    writeFileSync(join(directory, testFile), one);
    writeFileSync(join(directory, rulesFile), onlyRulesFor(one, rules));
    return testFile;
  });
  // One process for all: starting it takes as long as a short case.
  expect(promtool(directory, 'test', 'rules', ...files)).toMatchObject({ status: 0 });
  for (const { caseName } of cases) passing.add(caseName);
}

const RESTS =
  'at the charge where it rests every night a battery is not critical, and below it as soon as any other';
const NULL_VOLTAGE =
  'a voltage that is null from now on is an outage, unless it is null now and then, or the device is in line mode';

describe.skipIf(!hasProgram('promtool'))('promtool', () => {
  test('has nothing to say against the rules', () => {
    const { status, output } = promtool(RULES_FOLDER, 'check', 'rules', '--lint=all', RULES_FILE);
    expect(output).toContain('SUCCESS');
    expect(status).toBe(0);
  });

  test.each(testFileNames())('finds that the rules do what %s says', (name) => {
    expectPass(casesIn(name));
  });

  test.each(testFileNames())('can evaluate every rule in all that happens in %s', (name) => {
    const directory = copyOfRules();
    writeFileSync(join(directory, name), allCasesSeldom(name));
    expect(promtool(directory, 'test', 'rules', name)).toMatchObject({ status: 0 });
  });

  test.each([
    {
      broken: 'the age of a reading is forgotten',
      what: /\n\s+< on \(job, instance, account, station_id, device_id\) solar:reading_age_limit:seconds/,
      by: ' >= 0',
      noticedBy: 'solar.battery.test.yml',
      noticedIn:
        '5 % whose reading is three hours old says nothing, although the value is on the page',
    },
    {
      broken: 'the cadence of a logger is forgotten',
      what: /clamp_max\(last_over_time\(solar_device_reading_max_age_seconds.*\n\s+or /,
      by: '',
      noticedBy: 'solar.device.test.yml',
      noticedIn:
        'a logger that reports every half hour is neither stale nor silent, and a dead one is told',
    },
    {
      broken: 'the last success of the readings is forgotten',
      what: /and on \(job, instance, account, station_id, device_id\) \(\n\s+solar:reading_age_limit[^]*?\n {12}\)\n/,
      by: '\n',
      noticedBy: 'solar.battery.test.yml',
      noticedIn: 'without a time, a device counts while it reports and the readings are refreshed',
    },
    {
      broken: 'a battery is believed without a fresh reading',
      what: 'last_over_time(solar_battery_soc_ratio[5m])\n            and on (job, instance, account, station_id, device_id) solar:reading_fresh:bool',
      by: 'last_over_time(solar_battery_soc_ratio[5m])',
      noticedBy: 'solar.battery.test.yml',
      noticedIn:
        '5 % whose reading is three hours old says nothing, although the value is on the page',
    },
    {
      broken: 'a battery is believed that never had a charge',
      what: '(max_over_time(solar_battery_soc_ratio[1h])) == 0)',
      by: '(max_over_time(solar_battery_soc_ratio[1h])) < 0)',
      noticedBy: 'solar.battery.test.yml',
      noticedIn:
        'a device without a battery says 0 % whatever its voltage, a battery that cut itself off did not always',
    },
    {
      broken: 'a single reading may plunge',
      what: /unless on \(account, station_id, device_id\) solar:battery_plunge:bool\n/g,
      by: '\n',
      noticedBy: 'solar.battery.test.yml',
      noticedIn: 'one misread 0 % does not fire, however long its reading stays on the page',
    },
    {
      broken: 'every reading may plunge within five minutes',
      what: /\n\s+or \(\n\s+\(max_over_time\(solar:battery_soc_fresh:ratio\[[^]*?60\)\n\s+\)/g,
      by: '',
      noticedBy: 'solar.battery.test.yml',
      noticedIn: 'one misread 0 % does not fire, however long its reading stays on the page',
    },
    {
      broken: 'a battery may not rest',
      what: /unless on \(account, station_id, device_id\) solar:battery_at_rest:bool\n/g,
      by: '\n',
      noticedBy: 'solar.battery.test.yml',
      noticedIn: RESTS,
    },
    {
      broken: 'a battery rests while it discharges',
      what: '(last_over_time(solar_battery_power_watts[5m])) > 100)',
      by: '(last_over_time(solar_battery_power_watts[5m])) > 1e9)',
      noticedBy: 'solar.battery.test.yml',
      noticedIn: RESTS,
    },
    {
      broken: 'a battery rests without a grid',
      what: /\n\s+unless on \(account, station_id, device_id\) solar:grid_lost:bool/g,
      by: '',
      noticedBy: 'solar.battery.test.yml',
      noticedIn: RESTS,
    },
    {
      broken: 'every setting says where a battery rests',
      what: /,setting=~"[^"]*"/,
      by: '',
      noticedBy: 'solar.battery.test.yml',
      noticedIn: 'a setting that does not say where the charge ends teaches nothing',
    },
    {
      broken: 'a grid is missed that was never there',
      what: /and on \(account, station_id, device_id\) \(last_over_time\(solar:(grid_present|line_mode):ratio\[1h\]\) > 0.25\)\n/g,
      by: '\n',
      noticedBy: 'solar.week.test.yml',
      noticedIn:
        'a site that never had a grid, one with a generator, and one that is not heard, are silent',
    },
    {
      broken: 'a voltage is missed that is seldom known',
      what: '(last_over_time(solar:grid_voltage_known:ratio[1h]) > 0.8)',
      by: '(last_over_time(solar:grid_voltage_known:ratio[1h]) > 0)',
      noticedBy: 'solar.week.test.yml',
      noticedIn: NULL_VOLTAGE,
    },
    {
      broken: 'an outage without a voltage is forgotten with time',
      what: 'last_over_time(solar:grid_lost:bool[20m])',
      by: '(last_over_time(solar:grid_lost:bool[20m]) > 1)',
      noticedBy: 'solar.week.test.yml',
      noticedIn: NULL_VOLTAGE,
    },
    {
      broken: 'panels may not sleep at night',
      what: /unless on \(account, station_id, device_id\) solar:device_asleep:bool/g,
      by: '',
      noticedBy: 'solar.week.test.yml',
      noticedIn:
        'panels alone may sleep all night, but not for days; a battery may not, and not in the sun',
    },
    {
      broken: 'a device is missed whose exporter cannot read the lists',
      what: /unless on \(job, instance, account\) \(last_over_time\(solar_collector_success\{.*\n/,
      by: '\n',
      noticedBy: 'solar.device.test.yml',
      noticedIn:
        'no device is missing while its exporter is down, cannot read the lists, or is no target any more',
    },
    {
      broken: 'one device stands for all with its id',
      what: /\(account, station_id, device_id\)/g,
      by: '(station_id, device_id)',
      noticedBy: 'solar.accounts.test.yml',
      noticedIn:
        'of two devices with one id, the one that is low is low, and the text names its account',
    },
    {
      broken: 'a name is looked up in every account',
      what: /account=%q,(.*?) \$labels\.account/g,
      by: '$1',
      noticedBy: 'solar.accounts.test.yml',
      noticedIn:
        'of two devices with one id, the one that is low is low, and the text names its account',
    },
    {
      broken: 'one session speaks for all of its exporter',
      what: /on \(job, instance, account\) solar_session_info/g,
      by: 'on (job, instance) solar_session_info',
      noticedBy: 'solar.accounts.test.yml',
      noticedIn: 'the session of one account does not speak for that of another',
    },
    {
      broken: 'the account without a name is missed',
      what: /unless on \(job, instance\) last_over_time\(solar_up.*\n/,
      by: '\n',
      noticedBy: 'solar.accounts.test.yml',
      noticedIn:
        'no device is missing because its account got a name, or because its account was taken away',
    },
    {
      broken: 'an account that was taken away is missed',
      what: 'and on (job, instance, account) (',
      by: 'and on (job, instance) (',
      noticedBy: 'solar.accounts.test.yml',
      noticedIn:
        'no device is missing because its account got a name, or because its account was taken away',
    },
  ])('fails when $broken', ({ what, by, noticedBy, noticedIn }) => {
    const rules = readRulesFile(RULES_FILE);
    const broken = rules.replace(what, by);
    expect(broken).not.toBe(rules);
    const directory = copyOfRules();
    writeFileSync(join(directory, RULES_FILE), broken);
    // Broken in its meaning only.
    expect(promtool(directory, 'check', 'rules', RULES_FILE)).toMatchObject({ status: 0 });
    const ruleCase = { fileName: noticedBy, caseName: noticedIn };
    // What fails has to fail by what is broken, and not by what is left out.
    if (!passing.has(noticedIn)) expectPass([ruleCase]);
    const one = onlyCase(ruleCase, RULES_FILE);
    writeFileSync(join(directory, 'one.test.yml'), one);
    writeFileSync(join(directory, RULES_FILE), onlyRulesFor(one, broken));
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
