import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ScrapedPage } from './page.ts';
import { temporaryDirectory } from './prometheus.ts';
import { readText, readYaml, repositoryPath } from './repository.ts';

export const RULES_FILE = 'prometheus/rules/solar.yml';
/** Where promtool's tests of the rules lie: out of reach of whoever loads all of the rules' folder. */
const TESTS_FOLDER = 'test/prometheus';

/** One rule, either an alert or a recording. */
export interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** What promtool expects of one alert at one instant. */
interface AlertExpectation {
  readonly alertname: string;
  readonly exp_alerts: readonly unknown[];
}

/** The rules of each group, which Prometheus evaluates one after the other. */
export const RULE_GROUPS: readonly (readonly Rule[])[] = (
  readYaml(RULES_FILE) as { readonly groups: readonly { readonly rules: readonly Rule[] }[] }
).groups.map(({ rules }) => rules);

/** All rules, in their order. */
export const RULES = RULE_GROUPS.flat();
export const ALERT_RULES = RULES.filter(({ alert }) => alert !== undefined);
/** The names of all alerts, each once. */
export const ALERTS = [...new Set(ALERT_RULES.flatMap(({ alert = '' }) => alert))];

/** The names of promtool's test files. */
export const RULE_TESTS = readdirSync(repositoryPath(TESTS_FOLDER)).filter((name) =>
  name.endsWith('.test.yml'),
);

/** All that promtool's test files expect of alerts by their names. */
export function readAlertExpectations(): readonly AlertExpectation[] {
  return RULE_TESTS.flatMap((name) => {
    const { tests } = readYaml(`${TESTS_FOLDER}/${name}`) as {
      readonly tests: readonly { readonly alert_rule_test?: readonly AlertExpectation[] }[];
    };
    return tests.flatMap(({ alert_rule_test: expectations = [] }) => expectations);
  });
}

/** The rule file of an owner that the head of the rule file shows, without its comment signs. */
export function documentedOverrides(): string {
  const [, example = ''] = /^# (groups:\n(?:#.*\n)+)/m.exec(readText(RULES_FILE)) ?? [];
  return example.replaceAll(/^# ?/gm, '');
}

/** Runs promtool where its tests of the rules lie; returns what it printed, and its exit status. */
export function promtool(arguments_: readonly string[], input = '') {
  const { status, stdout, stderr } = spawnSync('promtool', arguments_, {
    cwd: repositoryPath(TESTS_FOLDER),
    encoding: 'utf8',
    input,
    // It is short-lived: collecting garbage less often saves a quarter of its time.
    env: { ...process.env, GOGC: '400' },
  });
  return { status, output: stdout + stderr };
}

/** Lets promtool run test files of rules. */
export function testRules(...files: readonly string[]) {
  return promtool(['test', 'rules', ...files]);
}

/** What an expression gives so many minutes after the first value. */
export type Question = readonly [
  expr: string,
  minute: number,
  ...{ readonly labels: string; readonly value: number }[],
];

/** Lets promtool judge what expressions give of these series, which have a value at each interval. */
export function judge(
  series: Iterable<readonly [name: string, values: string]>,
  questions: readonly Question[],
  { interval = '1m', hasRules = false } = {},
) {
  const file = join(temporaryDirectory(), 'asked.test.yml');
  const input_series = Array.from(series, ([name, values]) => ({ series: name, values }));
  const promql_expr_test = questions.map(([expr, minute, ...exp_samples]) => {
    return { expr, eval_time: `${minute}m`, exp_samples };
  });
  const tests = [{ interval, input_series, promql_expr_test }];
  const rule_files = hasRules ? [repositoryPath(RULES_FILE)] : [];
  writeFileSync(file, JSON.stringify({ rule_files, evaluation_interval: interval, tests }));
  return testRules(file);
}

/** Stores what Prometheus would of scrapes at equal steps, as far as the rules read it, and lets promtool judge it. */
export function recordScrapes(startMs: number, stepMinutes: number) {
  const stored = new Map<string, string[]>();
  const read = new Set(['solar_up', ...RULES.flatMap(({ expr }) => expr.match(/\w+/g) ?? [])]);
  return {
    /** Stores what a target answered at a step; times count from the first one. */
    store: (instance: string, { status, samples }: ScrapedPage, step: number) => {
      const up = { name: 'up', labels: {}, value: status === 200 ? 1 : 0 };
      for (const { name, labels, value } of [up, ...samples].filter((one) => read.has(one.name))) {
        const pairs = Object.entries({ ...labels, job: 'solar', instance });
        const series = `${name}{${pairs.map(([label, of]) => `${label}=${JSON.stringify(of)}`).join()}}`;
        const sinceStart = name.endsWith('_timestamp_seconds') ? value - startMs / 1000 : value;
        const values = stored.get(series) ?? [];
        stored.set(series, values);
        while (values.length < step) values.push('_');
        values[step] = String(sinceStart);
      }
    },
    judge: (questions: readonly Question[]) =>
      judge(
        Array.from(stored, ([name, values]) => [name, values.join(' ')] as const),
        questions,
        { interval: `${stepMinutes}m`, hasRules: true },
      ),
  };
}

/** Lets promtool judge a page. */
export function checkMetrics(page: string) {
  return promtool(['check', 'metrics'], page);
}
