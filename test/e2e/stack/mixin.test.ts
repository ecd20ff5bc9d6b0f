import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { readRuleGroups, type Rule } from '../../prometheus/rule-files.ts';
import { readText, repositoryPath } from '../../stack/repository.ts';
import { hasProgram } from '../../support/programs.ts';

const MIXIN = repositoryPath('examples/mixin/mixin.libsonnet');

interface Groups {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
}

/** What an expression about the mixin comes to. */
function evaluated(expression: string): unknown {
  const { stdout, stderr } = spawnSync(
    'jsonnet',
    ['--exec', `local mixin = import '${MIXIN}'; ${expression}`],
    { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

describe.skipIf(!hasProgram('jsonnet'))('the mixin', () => {
  const rules = readRuleGroups().flat();

  test('has every alert and every recording rule, in their order', () => {
    const alerts = evaluated('mixin.prometheusAlerts') as Groups;
    const records = evaluated('mixin.prometheusRules') as Groups;
    const rulesOf = ({ groups }: Groups) => groups.flatMap((group) => group.rules);
    expect(rulesOf(alerts)).toEqual(rules.filter(({ alert }) => alert !== undefined));
    expect(rulesOf(records)).toEqual(rules.filter(({ record }) => record !== undefined));
    const names = [...alerts.groups, ...records.groups].map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  test('keeps how often a group is evaluated', () => {
    expect(evaluated('mixin.prometheusRules.groups[0].interval')).toBe('15m');
  });

  test('has the dashboard', () => {
    expect(evaluated('mixin.grafanaDashboards')).toEqual({
      'solar.json': JSON.parse(readText('grafana/dashboards/solar.json')) as unknown,
    });
  });

  test('takes another name of the job, and other groups beside its own', () => {
    const other = evaluated(
      `(mixin { _config+:: { job: 'pv' } } + { prometheusAlerts+:: { groups+: [{ name: 'x', rules: [] }] } }).prometheusAlerts`,
    ) as Groups;
    expect(JSON.stringify(other)).toContain(String.raw`job=\"pv\"`);
    expect(JSON.stringify(other)).not.toContain(String.raw`job=\"solar\"`);
    expect(other.groups.at(-1)?.name).toBe('x');
  });

  test('shows nothing by itself, as mixins do', () => {
    expect(evaluated('mixin')).toEqual({});
  });

  test.skipIf(!hasProgram('jsonnetfmt'))('is formatted as jsonnet wants it', () => {
    expect(spawnSync('jsonnetfmt', ['--test', MIXIN]).status).toBe(0);
  });
});
