import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

export const RULES_FOLDER = fileURLToPath(new URL('../../prometheus/rules/', import.meta.url));
/** Where promtool's tests of the rules lie: out of reach of whoever loads all of the rules' folder. */
export const RULE_TESTS_FOLDER = fileURLToPath(new URL('../prometheus/', import.meta.url));
export const RULES_FILE = 'solar.yml';

/** Every alert that the rules promise. */
export const ALERTS = [
  'SolarBatteryLow',
  'SolarBatteryCritical',
  'SolarBatteryRuntimeShort',
  'SolarDeviceNotReporting',
  'SolarReadingStale',
  'SolarDeviceMissing',
  'SolarGridOutage',
  'SolarInverterAlarm',
  'SolarExporterDown',
  'SolarCollectorFailing',
  'SolarReauthenticationRequired',
  'SolarTokenExpiring',
  'SolarLoginBlocked',
  'SolarRequestBudgetUsedUp',
  'SolarConfigReloadFailed',
  'SolarSeriesDropped',
] as const;

/** One rule, either an alert or a recording. */
export interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly for?: string;
  readonly keep_firing_for?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** What promtool expects of one alert at one instant. */
export interface AlertExpectation {
  readonly alertname: string;
  readonly exp_alerts: readonly unknown[];
}

/** Reads the rule file. */
export function readRulesFile(): string {
  return readFileSync(RULES_FOLDER + RULES_FILE, 'utf8');
}

/** The rules of each group, which Prometheus evaluates one after the other. */
export function readRuleGroups(): readonly (readonly Rule[])[] {
  const { groups } = parse(readRulesFile()) as {
    readonly groups: readonly { readonly rules: readonly Rule[] }[];
  };
  return groups.map(({ rules }) => rules);
}

/** All rules of the rule file, in its order. */
export function readRules(): readonly Rule[] {
  return readRuleGroups().flat();
}

/** The names of promtool's test files. */
export function testFileNames(): readonly string[] {
  return readdirSync(RULE_TESTS_FOLDER).filter((name) => name.endsWith('.test.yml'));
}

/** All that promtool's test files expect of alerts by their names. */
export function readAlertExpectations(): readonly AlertExpectation[] {
  return testFileNames().flatMap((name) => {
    const { tests } = parse(readFileSync(RULE_TESTS_FOLDER + name, 'utf8')) as {
      readonly tests: readonly { readonly alert_rule_test?: readonly AlertExpectation[] }[];
    };
    return tests.flatMap(({ alert_rule_test: expectations = [] }) => expectations);
  });
}

/** The rule file of an owner that the head of the rule file shows, without its comment signs. */
export function documentedOverrides(): string {
  const [, example = ''] = /^# (groups:\n(?:#.*\n)+)/m.exec(readRulesFile()) ?? [];
  return example.replaceAll(/^# ?/gm, '');
}
