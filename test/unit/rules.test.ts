import { describe, expect, test } from 'vitest';
import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { OPTION_BY_FLAG } from '../../src/config/options.ts';
import { CATALOGUE } from '../../src/metrics/definitions.ts';
import { readText, readYaml, repositoryPath } from '../support/repository.ts';
import { parseQuery } from '../support/promql.ts';
import {
  ALERT_RULES,
  ALERTS,
  documentedOverrides,
  readAlertExpectations,
  type Rule,
  RULE_GROUPS,
  RULES,
  RULES_FILE,
} from '../support/rules.ts';

const RUNBOOK = 'https://github.com/solar-exporter/solar-exporter/blob/main/docs/alerts.md#';
const EXPECTATIONS = readAlertExpectations();
/** What Prometheus adds to every series that it scrapes. */
const TARGET_LABELS = ['job', 'instance'];
const DEVICE_LABELS = ['station_id', 'device_id'];
/** Which labels each metric has that a rule may ask for. */
const LABELS_OF = new Map<string, readonly string[]>([
  ['up', TARGET_LABELS],
  ...CATALOGUE.map(({ name, labelNames }) => [name, [...labelNames, ...TARGET_LABELS]] as const),
  ...RULES.flatMap(({ record }) =>
    record === undefined
      ? []
      : ([
          // What an owner may record; it is the record itself where there is nothing to set.
          [record.replace(/(threshold|rest):\w+$/, '$1:override'), DEVICE_LABELS],
          [record, [...DEVICE_LABELS, ...TARGET_LABELS]],
        ] as const),
  ),
]);

/** The queries by which an annotation looks something up, made PromQL: whatever is put in becomes "1". */
function queriesOf({ annotations = {} }: Rule): readonly string[] {
  return Object.values(annotations).flatMap((text) =>
    [...text.matchAll(/printf "((?:[^"\\]|\\.)*)" [^|}]*\| query/g)].map(([, format = '']) =>
      format.replaceAll('%q', '"1"').replaceAll('\\"', '"'),
    ),
  );
}

describe('the alert rules', () => {
  test.each(ALERT_RULES)('$alert ($labels.severity) says what a person needs', (rule) => {
    expect(rule.labels?.['severity']).toMatch(/^(critical|warning|info)$/);
    expect(Object.keys(rule.labels ?? {})).toEqual(['severity']);
    expect(rule.annotations).toEqual({
      summary: expect.stringMatching(/\S/) as string,
      description: expect.stringMatching(/\S/) as string,
      // What to do, as it fits on the screen of a phone.
      action: expect.stringMatching(/^[A-Z].{15,95}\.$/) as string,
      runbook_url: RUNBOOK + (rule.alert ?? '').toLowerCase(),
    });
    expect(rule.for).toMatch(/^\d+m$/);
  });

  test.each(ALERT_RULES.filter(({ expr }) => expr.includes('device_id')))(
    '$alert ($labels.severity) names its device',
    (rule) => {
      expect(rule.annotations?.['summary']).toContain('solar_device_info{device_id=%q');
      expect(rule.annotations?.['summary']).toContain('{{ else }}{{ $labels.device_id }}{{ end }}');
    },
  );

  test.each(RULES)('$alert$record asks only for metrics and labels that there are', (rule) => {
    const queries = [rule.expr, ...queriesOf(rule)];
    for (const { errors, selectors, clauseLabels } of queries.map(parseQuery)) {
      expect(errors).toEqual([]);
      expect(selectors).not.toEqual([]);
      const known = new Set(selectors.flatMap(({ metric }) => LABELS_OF.get(metric) ?? []));
      for (const { metric, matchers } of selectors) {
        expect([...LABELS_OF.keys()]).toContain(metric);
        for (const { label } of matchers) expect(LABELS_OF.get(metric)).toContain(label);
      }
      for (const label of clauseLabels) expect([...known]).toContain(label);
    }
  });

  test.each(ALERTS)('%s has a case in which it fires and one in which it is silent', (alert) => {
    const expected = EXPECTATIONS.filter(({ alertname }) => alertname === alert).map(
      ({ exp_alerts: alerts }) => alerts.length > 0,
    );
    expect(expected).toContain(true);
    expect(expected).toContain(false);
  });

  test.each(RULE_GROUPS)(
    'record before they are asked for, so that no alert lags behind',
    (...rules) => {
      const recordedHere = rules.flatMap(({ record }) => record ?? []);
      const recorded = new Set<string>();
      for (const { expr, record } of rules) {
        for (const { metric } of parseQuery(expr).selectors)
          // A rule may ask for its own last value, and for what another group learns in its own time.
          if (recordedHere.includes(metric) && metric !== record)
            expect([...recorded]).toContain(metric);
        if (record !== undefined) recorded.add(record);
      }
    },
  );

  test('bridge the time until what another group records is recorded again', () => {
    for (const rules of RULE_GROUPS) {
      const recordedHere = rules.flatMap(({ record }) => record ?? []);
      for (const { expr } of rules)
        for (const [metric] of expr.matchAll(/solar:\w+:(?!override)\w+(?!\w)(?!\[)/g))
          expect(recordedHere).toContain(metric);
    }
  });

  test('can be overridden by the names that their head says', () => {
    const names = [...documentedOverrides().matchAll(/record: (\S+)/g)].map(([, name]) => name);
    expect(names).toHaveLength(3);
    for (const name of names) expect([...LABELS_OF.keys()]).toContain(name);
  });
});

test('the folder of the rules holds rule files only', () => {
  expect(readdirSync(repositoryPath('prometheus/rules'))).toEqual([basename(RULES_FILE)]);
});

test.each([
  { file: 'prometheus/prometheus.yml', host: 'exporter' },
  { file: 'prometheus/scrape.example.yml', host: 'localhost' },
])('$file scrapes where the exporter is by default, as the rules expect it', ({ file, host }) => {
  const defaultOf = (flag: string) => OPTION_BY_FLAG.get(flag)?.default;
  expect(defaultOf('web.telemetry-path')).toBe('/metrics');
  expect(readYaml(file)).toMatchObject({
    scrape_configs: [
      {
        job_name: 'solar',
        static_configs: [{ targets: [`${host}${defaultOf('web.listen-address')}`] }],
      },
    ],
  });
  const jobs = readText(RULES_FILE).matchAll(/\bjob="(\w+)"/g);
  expect(new Set([...jobs].map(([, job]) => job))).toEqual(new Set(['solar']));
});
