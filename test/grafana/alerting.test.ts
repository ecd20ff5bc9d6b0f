import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { grafanaAnnotation } from '../../grafana/alerting/annotation.ts';
import { grafanaRules, type ProvisionedRules } from '../../grafana/alerting/rules.ts';
import { readAlertRules, readInhibitRules } from '../../grafana/alerting/source.ts';
import { parseDurationMs } from '../../src/config/duration.ts';
import { readRules } from '../prometheus/rule-files.ts';
import { fileText } from './dashboard-json.ts';
import { parseQuery } from './promql.ts';

const ALERTS = readAlertRules();
const FILE = parse(fileText('grafana/provisioning/alerting/solar.yml')) as ProvisionedRules;
const [GROUP] = FILE.groups;
const RULES = GROUP?.rules ?? [];

const text = z.string().min(1);
const duration = z.string().regex(/^\d+[smh]$/);
/** Texts that Grafana takes for a variable of the environment where they have a dollar sign. */
const plainText = text.regex(/^[^$]+$/);
const range = z.strictObject({ from: z.int().min(0), to: z.literal(0) });
const expressionSource = z.strictObject({
  type: z.literal('__expr__'),
  uid: z.literal('__expr__'),
});
const expressionQuery = {
  datasourceUid: z.literal('__expr__'),
  relativeTimeRange: range,
};

/** As Grafana's provisioning reads a file (its AlertRuleGroupV1 and AlertRuleV1), and what it asks of the values. */
const provisioningSchema = z.strictObject({
  apiVersion: z.literal(1),
  groups: z.array(
    z.strictObject({
      orgId: z.literal(1),
      name: text,
      folder: text,
      interval: duration,
      rules: z.array(
        z.strictObject({
          uid: z.string().regex(/^[a-zA-Z0-9_-]{1,40}$/),
          title: plainText.max(190),
          condition: z.literal('C'),
          data: z.tuple([
            z.strictObject({
              refId: z.literal('A'),
              datasourceUid: text,
              relativeTimeRange: range,
              model: z.strictObject({
                refId: z.literal('A'),
                expr: text,
                instant: z.literal(true),
                range: z.literal(false),
              }),
            }),
            z.strictObject({
              refId: z.literal('B'),
              ...expressionQuery,
              model: z.strictObject({
                refId: z.literal('B'),
                type: z.literal('math'),
                expression: z.string().startsWith('is_number($A)'),
                datasource: expressionSource,
              }),
            }),
            z.strictObject({
              refId: z.literal('C'),
              ...expressionQuery,
              model: z.strictObject({
                refId: z.literal('C'),
                type: z.literal('threshold'),
                expression: z.literal('B'),
                conditions: z.tuple([
                  z.strictObject({
                    evaluator: z.strictObject({
                      type: z.literal('gt'),
                      params: z.tuple([z.literal(0)]),
                    }),
                  }),
                ]),
                datasource: expressionSource,
              }),
            }),
          ]),
          noDataState: z.enum(['OK', 'Alerting', 'NoData', 'KeepLast']),
          execErrState: z.enum(['OK', 'Alerting', 'Error', 'KeepLast']),
          for: duration,
          keepFiringFor: duration.optional(),
          missing_series_evals_to_resolve: z.int().min(1),
          labels: z.record(text, plainText),
          annotations: z.record(text, plainText),
        }),
      ),
    }),
  ),
});

const expressionOf = (rule: (typeof RULES)[number]): string =>
  (rule.data[0]?.model as { expr: string }).expr;

describe('the alerts of Grafana', () => {
  test('are as Grafana reads them from a file', () => {
    expect(provisioningSchema.parse(FILE)).toEqual(FILE);
    expect(new Set(RULES.map(({ uid }) => uid)).size).toBe(RULES.length);
    expect(new Set(RULES.map(({ title }) => title)).size).toBe(RULES.length);
  });

  test('are those of Prometheus, one for one, with their durations and labels', () => {
    expect(
      RULES.map((rule) => ({
        alert: rule.title.split(' ')[0],
        for: rule.for,
        keep_firing_for: rule.keepFiringFor,
        labels: rule.labels,
        annotations: Object.keys(rule.annotations),
      })),
    ).toEqual(
      ALERTS.map((rule) => ({
        alert: rule.alert,
        for: rule.for,
        keep_firing_for: rule.keep_firing_for,
        labels: rule.labels,
        annotations: Object.keys(rule.annotations),
      })),
    );
  });

  test('ask the Prometheus that is provisioned', () => {
    const { datasources } = parse(fileText('grafana/provisioning/datasources/prometheus.yml')) as {
      readonly datasources: readonly [{ readonly uid: string }];
    };
    for (const { data } of RULES) expect(data[0]?.datasourceUid).toBe(datasources[0].uid);
  });

  test.each(RULES)('$title asks in PromQL for what Prometheus scrapes and records', (rule) => {
    const { errors, selectors } = parseQuery(expressionOf(rule));
    expect(errors).toEqual([]);
    const recorded = readRules().flatMap(({ record }) => record ?? []);
    for (const { metric } of selectors)
      if (metric.startsWith('solar:')) expect(recorded).toContain(metric);
  });

  test('are asked no more often than any of them may wait', () => {
    const everyMs = parseDurationMs(GROUP?.interval ?? '') ?? Infinity;
    for (const rule of RULES) expect(parseDurationMs(rule.for)).toBeGreaterThan(everyMs);
  });

  test('say that nothing is watched when Prometheus cannot be asked, and say it once', () => {
    const loud = RULES.filter(({ execErrState }) => execErrState === 'Alerting');
    expect(loud.map(({ title }) => title)).toEqual(['SolarExporterDown']);
  });

  test('keep back what Alertmanager keeps back', () => {
    const kept = RULES.flatMap((rule) =>
      [...expressionOf(rule).matchAll(/^unless on \((.*)\) ALERTS\{.*alertname="(\w+)"\}$/gm)].map(
        ([, labels, source]) => `${source} → ${rule.title}: ${labels}`,
      ),
    );
    const wanted = readInhibitRules().flatMap(
      ({ source_matchers: [source], target_matchers: [target], equal }) =>
        (/"(.*)"/.exec(target)?.[1] ?? '')
          .split('|')
          .map((name) => `${/"(.*)"/.exec(source)?.[1]} → ${name}: ${equal.join(', ')}`),
    );
    expect([...kept].sort()).toEqual([...wanted].sort());
  });

  test('fail to be made where a text looks up what Grafana cannot', () => {
    expect(() => grafanaAnnotation('{{ query "up" | first | value }}')).toThrow(RangeError);
    expect(() => grafanaAnnotation('{{ $externalLabels.x }}')).toThrow(RangeError);
  });

  test('are made without a name where a text has none', () => {
    const [rule] = grafanaRules(
      ALERTS.filter(({ alert }) => alert === 'SolarConfigReloadFailed'),
      [],
    ).groups[0]?.rules ?? [expect.fail('no rule')];
    expect(rule && expressionOf(rule)).toBe(
      'last_over_time(solar_config_last_reload_successful[5m]) == 0',
    );
  });
});
