import { describe, expect, test } from 'vitest';
import { labelList, series } from '../../../grafana/series.ts';
import { CATALOGUE } from '../../../src/metrics/definitions.ts';
import { ALL_QUERIES, legendLabels, substitute } from './dashboard-queries.ts';
import { parseQuery } from './promql.ts';

/** What Prometheus itself adds, what several accounts have, and what a histogram has. */
const GENERAL_LABELS = ['job', 'instance', 'account', 'le'];

/** What tells series apart that two accounts of one exporter may have alike. */
const IDENTITY = ['instance', 'station_id', 'device_id'];

/** Metrics that no panel shows, each with the reason. */
const UNUSED: Readonly<Record<string, string>> = {
  solar_log_lines_dropped_total:
    'says something about the log, and is looked up by whoever misses a line there',
  solar_series_dropped_total: 'has an alert of its own, whose label says which limit it is',
  solar_interface_grid_power_watts:
    'follows a rule of the service that counts a discharging battery as import; the panels show what a meter shows',
  solar_device_energy_gap_seconds_total:
    'says what the energy counters lack, and is looked up by whoever compares them with a meter',
  solar_device_reading_interval_seconds: 'a figure for alerts, which go by it',
  solar_device_reading_max_age_seconds: 'a figure for alerts, which go by it',
  solar_month_battery_charged_kwh: 'the same figure as solar_energy_month_kwh, which is shown',
  solar_month_battery_discharged_kwh: 'the same figure as solar_energy_month_kwh, which is shown',
};

const PARSED = ALL_QUERIES.map((query) => ({
  ...query,
  ...parseQuery(substitute(query.expression)),
}));

function definitionOf(metric: string) {
  const base = metric.replace(/_(?:bucket|sum|count)$/, '');
  return CATALOGUE.find(
    ({ name, type }) => name === metric || (type === 'histogram' && name === base),
  );
}

describe('the queries of the dashboard', () => {
  test.each(PARSED)('$name is PromQL', ({ errors }) => {
    expect(errors).toEqual([]);
  });

  test.each(PARSED)('$name asks for metrics of the catalogue by labels they have', (query) => {
    expect(query.selectors).not.toEqual([]);
    for (const { metric, matchers } of query.selectors) {
      const definition = definitionOf(metric);
      expect(definition, metric).toBeDefined();
      for (const { label } of matchers)
        expect([...GENERAL_LABELS, ...(definition?.labelNames ?? [])]).toContain(label);
    }
  });

  test.each(PARSED)('$name groups, matches and names by labels that exist', (query) => {
    const known = new Set([
      ...GENERAL_LABELS,
      ...query.selectors.flatMap(({ metric }) => definitionOf(metric)?.labelNames ?? []),
      ...query.madeLabels,
    ]);
    for (const label of [...query.clauseLabels, ...legendLabels(query.legend)])
      expect(known).toContain(label);
  });

  test.each(PARSED)('$name tells accounts apart where it groups or matches', ({ groupings }) => {
    for (const labels of groupings)
      if (IDENTITY.some((label) => labels.includes(label))) expect(labels).toContain('account');
  });

  test('no query turns what is absent into a number', () => {
    for (const { name, expression } of ALL_QUERIES)
      expect(expression, name).not.toMatch(/\b(?:vector|absent|absent_over_time)\s*\(/);
  });

  test('no query joins a label into itself, which VictoriaMetrics gets wrong', () => {
    const joins = ALL_QUERIES.flatMap(({ expression }) => [
      ...expression.matchAll(/"(\w+)", ", ", "(\w+)", "(\w+)"\)/g),
    ]);
    expect(joins.length).toBeGreaterThan(20);
    for (const [, into, ...parts] of joins) expect(parts).not.toContain(into);
  });

  test('every query has a name of its own', () => {
    const names = ALL_QUERIES.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  test('every metric of the catalogue is shown, or is left out for a reason', () => {
    const shown = new Set(
      PARSED.flatMap(({ selectors }) => selectors.map(({ metric }) => definitionOf(metric)?.name)),
    );
    const notShown = CATALOGUE.map(({ name }) => name).filter((name) => !shown.has(name));
    expect(notShown.sort()).toEqual(Object.keys(UNUSED).sort());
  });
});

describe('the check of queries', () => {
  test.each(['rate(solar_up[5m', 'sum by (job solar_up', 'solar_up{job=~"a"', 'solar_up * on'])(
    'notices that %s is no PromQL',
    (broken) => {
      expect(parseQuery(broken).errors).not.toEqual([]);
    },
  );

  test('sees metrics, labels, clauses and functions', () => {
    const query =
      'sum by (mode) (rate(a_total{job=~"x"}[5m])) * on () group_left (made) count_values("made", b)';
    expect(parseQuery(query)).toEqual({
      errors: [],
      selectors: [
        {
          metric: 'a_total',
          matchers: [{ label: 'job', operator: '=~', value: 'x' }],
          functions: ['rate'],
          range: '5m',
        },
        { metric: 'b', matchers: [], functions: [], range: '' },
      ],
      clauseLabels: ['mode', 'made'],
      groupings: [['mode'], []],
      madeLabels: ['made'],
    });
  });

  test('notices a variable that does not exist', () => {
    expect(() => substitute('solar_up{job=~"$jobb"}')).toThrow('no variable jobb');
  });
});

describe('writing a query', () => {
  test('refuses a metric that the catalogue does not have', () => {
    expect(() => series('solar_pv_power')).toThrow('no metric solar_pv_power');
  });

  test('refuses the bare name of a histogram, which no series has', () => {
    expect(() => series('solar_api_request_duration_seconds')).toThrow('no metric');
  });

  test('refuses a label that the metric does not have', () => {
    expect(() => series('solar_pv_power_watts', { name: '="roof"' })).toThrow('no label name');
  });

  test('refuses a clause with a label that no metric has', () => {
    expect(() => labelList('job', 'site')).toThrow('no label site');
  });
});
