import { parseDocument, type YAMLMap, type YAMLSeq } from 'yaml';
import { readRulesFile } from '../../prometheus/rule-files.ts';

/*
 * promtool evaluates every rule at every step of every case, for days of some. These make files of the same
 * cases that take less. As documents, because "0x180" is 181 times 0 to promtool, and a number to whoever
 * reads YAML.
 */

/** How many times as seldom as promtool should, {@link allCasesSeldom} has the rules evaluated. */
const AS_SELDOM = 10;
const MINUTES_OF: Readonly<Record<string, number>> = { m: 1, h: 60, d: 24 * 60 };

/** One case of one of promtool's test files. */
export interface RuleCase {
  readonly fileName: string;
  readonly caseName: string;
}

/** Every case of one of promtool's test files. */
export function casesIn(fileName: string): readonly RuleCase[] {
  return casesOf(parseDocument(readRulesFile(fileName))).items.map((item) => ({
    fileName,
    caseName: String(item.get('name')),
  }));
}

/** Returns the content of a test file with one case alone, of the rules in this file. */
export function onlyCase({ fileName, caseName }: RuleCase, rulesFile: string): string {
  const file = parseDocument(readRulesFile(fileName));
  const cases = casesOf(file);
  cases.items = cases.items.filter((item) => item.get('name') === caseName);
  if (cases.items.length !== 1) throw new Error(`${fileName} has to have one case "${caseName}"`);
  file.set('rule_files', [rulesFile]);
  return String(file);
}

/**
 * Returns the rules that a test asks about, and those that they are made of; all rules if it asks about alerts
 * whose names it does not say.
 */
export function onlyRulesFor(test: string, rules: string): string {
  if (/\bALERTS(?:_FOR_STATE)?\b(?!\{[^}]*alertname="\w+")/.test(test)) return rules;
  const file = parseDocument(rules);
  const groups = (file.get('groups') as YAMLSeq<YAMLMap>).items;
  const textOf = new Map(
    groups
      .flatMap((group) => (group.get('rules') as YAMLSeq<YAMLMap>).items)
      .map((rule) => [nameOf(rule), String(rule.get('expr'))]),
  );
  const needed = new Set<string>();
  const add = (text: string): void => {
    for (const [name] of text.matchAll(/\b(?:Solar\w+|solar:[\w:]+)/g))
      if (!needed.has(name)) {
        needed.add(name);
        add(textOf.get(name) ?? '');
      }
  };
  add(test);
  for (const group of groups) {
    const all = group.get('rules') as YAMLSeq<YAMLMap>;
    all.items = all.items.filter((rule) => needed.has(nameOf(rule)));
  }
  return String(file);
}

/**
 * Returns the content of a test file that expects nothing of its cases but that every rule can be evaluated,
 * a tenth as often: no two series where there may be one.
 */
export function allCasesSeldom(fileName: string): string {
  const file = parseDocument(readRulesFile(fileName));
  const everyMinutes = minutesIn(file.get('evaluation_interval'));
  file.set('evaluation_interval', `${everyMinutes * AS_SELDOM}m`);
  for (const item of casesOf(file).items) {
    const ends = (['promql_expr_test', 'alert_rule_test'] as const)
      .flatMap((key) => (item.get(key) as YAMLSeq<YAMLMap> | undefined)?.items ?? [])
      .map((expectation) => minutesIn(expectation.get('eval_time')));
    item.delete('alert_rule_test');
    item.set('promql_expr_test', [
      { expr: 'vector(0) > 0', eval_time: `${Math.max(...ends)}m`, exp_samples: [] },
    ]);
  }
  return String(file);
}

function casesOf(file: ReturnType<typeof parseDocument>): YAMLSeq<YAMLMap> {
  return file.get('tests') as YAMLSeq<YAMLMap>;
}

function nameOf(rule: YAMLMap): string {
  return String(rule.get('alert') ?? rule.get('record'));
}

function minutesIn(duration: unknown): number {
  const [, count, unit = ''] = /^(\d+)([mhd])$/.exec(String(duration)) ?? [];
  const minutes = Number(count) * (MINUTES_OF[unit] ?? NaN);
  if (Number.isNaN(minutes)) throw new Error(`no duration: ${String(duration)}`);
  return minutes;
}
