import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { grafanaRules, type ProvisionedRule } from '../../../grafana/alerting/rules.ts';
import {
  type InhibitRule,
  readAlertRules,
  readInhibitRules,
} from '../../../grafana/alerting/source.ts';
import {
  readRulesFile,
  type Rule,
  RULES_FILE,
  testFileNames,
} from '../../prometheus/rule-files.ts';
import { hasProgram } from '../../support/programs.ts';
import { temporaryDirectory } from '../../support/prometheus.ts';
import { promtool } from '../prometheus/promtool.ts';
import { casesIn, onlyCase, onlyRulesFor } from '../prometheus/rule-cases.ts';

/** An alert of Grafana as Prometheus has it: what Grafana shows of the query A is the value there. */
function asPrometheusHasIt(rule: ProvisionedRule): Rule {
  const annotations = Object.entries(rule.annotations).map(([name, text]) => [
    name,
    text.replaceAll('.Values.A.Value', '.Value'),
  ]);
  return {
    alert: rule.title.split(' ')[0] ?? '',
    expr: (rule.data[0]?.model as { expr: string }).expr,
    for: rule.for,
    ...(rule.keepFiringFor === undefined ? {} : { keep_firing_for: rule.keepFiringFor }),
    // The names are labels in Grafana alone; an empty label is none.
    labels: { ...rule.labels, device: '', station: '' },
    annotations: Object.fromEntries(annotations) as Record<string, string>,
  };
}

/** The rules of Prometheus, with the alerts of Grafana in the place of theirs. */
function rulesWith(inhibitRules: readonly InhibitRule[]): string {
  const alerts = grafanaRules(readAlertRules(), inhibitRules).groups.flatMap(({ rules }) => rules);
  const left = alerts.map(asPrometheusHasIt);
  const { groups } = parse(readRulesFile(RULES_FILE)) as {
    readonly groups: readonly { readonly rules: readonly Rule[] }[];
  };
  const replaced = groups.map((group) => ({
    ...group,
    rules: group.rules.map((rule) => (rule.alert === undefined ? rule : left.shift())),
  }));
  // JSON is YAML.
  return JSON.stringify({ groups: replaced });
}

describe.skipIf(!hasProgram('promtool'))('the alerts of Grafana', () => {
  test('fire and say, word by word, what those of Prometheus do', () => {
    const directory = temporaryDirectory();
    const rules = rulesWith([]);
    const files = testFileNames()
      .flatMap(casesIn)
      .map((ruleCase, index) => {
        const [rulesFile, testFile] = [`rules-${index}.yml`, `case-${index}.test.yml`];
        const one = onlyCase(ruleCase, rulesFile);
        // What takes hours to show, and is no text, comes of the recording rules: they are the same.
        if (!one.includes('exp_annotations')) return [];
        writeFileSync(join(directory, testFile), one);
        writeFileSync(join(directory, rulesFile), onlyRulesFor(one, rules));
        return [testFile];
      })
      .flat();
    expect(files.length).toBeGreaterThan(15);
    expect(promtool(directory, 'test', 'rules', ...files)).toMatchObject({ status: 0 });
  });

  test('say nothing of a battery that is low while it is nearly empty', () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, RULES_FILE), rulesWith(readInhibitRules()));
    const series = (name: string, values: string) => ({
      series: `${name}{job="solar",instance="a",station_id="1",device_id="11"}`,
      values,
    });
    const firing = {
      expr: 'count by (alertname) (ALERTS{alertstate="firing",alertname=~"SolarBattery.*"})',
      eval_time: '30m',
      exp_samples: [{ labels: '{alertname="SolarBatteryCritical"}', value: 1 }],
    };
    const case_ = {
      interval: '1m',
      input_series: [
        series('solar_reading_timestamp_seconds', '0+60x60'),
        series('solar_battery_soc_ratio', '0.05x60'),
      ],
      promql_expr_test: [firing],
    };
    writeFileSync(
      join(directory, 'low.test.yml'),
      JSON.stringify({ rule_files: [RULES_FILE], evaluation_interval: '1m', tests: [case_] }),
    );
    expect(promtool(directory, 'test', 'rules', 'low.test.yml')).toMatchObject({ status: 0 });
  });
});
