import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** An alert as the rules of Prometheus have it. */
export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly keep_firing_for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** What Alertmanager keeps back while another alert fires. */
export interface InhibitRule {
  /** Such as `alertname="A"` and `alertname=~"B|C"`. */
  readonly source_matchers: readonly [string];
  readonly target_matchers: readonly [string];
  readonly equal: readonly string[];
}

/** The groups of a rule file of Prometheus. */
export interface RuleFile {
  readonly groups: readonly {
    readonly rules: readonly (AlertRule | { readonly record: string })[];
  }[];
}

/** Reads the rules; paths begin at the root of the repository. */
export function readRuleFile(path = 'prometheus/rules/solar.yml'): RuleFile {
  return parse(readFileSync(path, 'utf8')) as RuleFile;
}

/** Reads the alerts, in their order. */
export function readAlertRules(): readonly AlertRule[] {
  return readRuleFile()
    .groups.flatMap(({ rules }) => rules)
    .filter((rule) => 'alert' in rule);
}

export function readInhibitRules(path = 'prometheus/alertmanager.yml'): readonly InhibitRule[] {
  const { inhibit_rules: rules } = parse(readFileSync(path, 'utf8')) as {
    readonly inhibit_rules: readonly InhibitRule[];
  };
  return rules;
}
