import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { DASHBOARD, fileText, PANELS } from './dashboard-json.ts';
import { ALL_QUERIES, PANEL_QUERIES, substitute } from './dashboard-queries.ts';
import { parseQuery } from './promql.ts';

/** Rates over something else than the rate interval, against `target-rate-interval`. */
const OTHER_INTERVALS: Readonly<Record<string, string>> = {
  'Token renewals A': 'counts what happened in the time of each bar',
};

/** The panels whose counters are in no rate, against `target-counter-agg`. */
const EXACT_COUNTERS: Readonly<Record<string, string>> = {
  'Generated today':
    'is what was counted since midnight, a length of time that PromQL does not know',
  'Consumed today': 'as that',
  'Own share today': 'as that',
  'Money today': 'as that',
  'Energy in kWh': 'as that',
  'Energy by the hour':
    'is the difference of two instants: increase would guess beyond values that are five minutes apart',
};

const RATES = ['rate', 'irate', 'increase'];
const PARSED = PANEL_QUERIES.map(({ name, expression }) => ({
  name,
  selectors: parseQuery(substitute(expression, { rateInterval: '77s' })).selectors,
}));

function variable(name: string) {
  const found = DASHBOARD.templating.list.find((other) => other.name === name);
  if (found === undefined) throw new RangeError(`no variable ${name}`);
  return found;
}

/** The rules of Grafana's dashboard linter, by their names there; it has no package for Node.js. */
describe('the rules of dashboard-linter', () => {
  test('template-datasource: one data source variable, named and labelled as everywhere', () => {
    const sources = DASHBOARD.templating.list.filter(({ type }) => type === 'datasource');
    expect(sources).toMatchObject([
      { name: 'datasource', label: 'Data source', query: 'prometheus' },
    ]);
  });

  test.each([
    ['template-job', 'job', 'Job'],
    ['template-instance', 'instance', 'Instance'],
  ])('%s: the variable %s lets people choose several, or all that have one', (_, name, label) => {
    expect(variable(name)).toMatchObject({
      type: 'query',
      label,
      datasource: { uid: '${datasource}' },
      multi: true,
      includeAll: true,
      allValue: '.+',
    });
  });

  test('template-label-promql: the lists of variables are made by PromQL', () => {
    const lists = ALL_QUERIES.filter(({ name }) => name.startsWith('variable '));
    expect(lists).toHaveLength(5);
    for (const { expression } of lists)
      expect(parseQuery(substitute(expression)).errors).toEqual([]);
  });

  test('template-on-time-change-reload: lists follow the time range', () => {
    for (const { type, refresh } of DASHBOARD.templating.list)
      if (type === 'query') expect(refresh).toBe(2);
  });

  test.each(PANELS)('panel-datasource: "$title" uses the chosen data source', (panel) => {
    const chosen = { type: 'prometheus', uid: '${datasource}' };
    expect(panel.datasource).toEqual(chosen);
    for (const target of panel.targets ?? []) expect(target.datasource).toEqual(chosen);
  });

  test.each(PANELS)(
    'panel-title-description: "$title" says what it shows',
    ({ title, description }) => {
      expect(title).toMatch(/^[A-Z]/);
      expect(description).toMatch(/^[A-Z].*\.$/s);
      // One or two sentences: more is not read.
      expect(description?.split(/\.\s+(?=[A-Z])/).length).toBeLessThanOrEqual(2);
    },
  );

  // Its list has no unit that stays as it is, and a table's would be that of its texts: test/grafana/units.test.ts.
  test.each(PANELS)('panel-units: "$title" has a unit, unless it is a table', (panel) => {
    const { type, fieldConfig } = panel;
    expect(fieldConfig?.defaults.unit === undefined).toBe(type === 'table');
  });

  test.each(PANELS)('panel-no-targets: "$title" asks something', ({ targets }) => {
    expect(targets?.length).toBeGreaterThan(0);
  });

  test('target-logql and target-logql-auto: nothing asks for logs', () => {
    const types = PANELS.flatMap(({ targets = [] }) =>
      targets.map(({ datasource }) => datasource.type),
    );
    expect(new Set(types)).toEqual(new Set(['prometheus']));
  });

  test('target-promql: every query is PromQL', () => {
    for (const { name, expression } of ALL_QUERIES)
      expect(parseQuery(substitute(expression)).errors, name).toEqual([]);
  });

  test('target-rate-interval: rates use the rate interval, or something else for a reason', () => {
    const others = PARSED.filter(({ selectors }) =>
      selectors.some(
        ({ functions, range }) => functions.some((name) => RATES.includes(name)) && range !== '77s',
      ),
    );
    expect(others.map(({ name }) => name)).toEqual(Object.keys(OTHER_INTERVALS));
  });

  test.each(['job', 'instance'])('target-%s: every selector filters by it', (label) => {
    for (const { name, expression } of [...ALL_QUERIES].filter(({ name }) => !isList(name)))
      for (const { metric, matchers } of parseQuery(
        substitute(expression, { job: 'the-job', instance: 'the-instance' }),
      ).selectors)
        expect(matchers, `${metric} in ${name}`).toContainEqual({
          label,
          operator: '=~',
          value: `the-${label}`,
        });
  });

  test('target-counter-agg: counters are shown as rates', () => {
    const bare = PARSED.filter(({ selectors }) =>
      selectors.some(
        ({ metric, functions }) =>
          /_(?:total|bucket|sum|count)$/.test(metric) &&
          !functions.some((name) => RATES.includes(name)),
      ),
    );
    const panels = new Set(bare.map(({ name }) => name.slice(0, -2)));
    expect([...panels].sort()).toEqual(Object.keys(EXACT_COUNTERS).sort());
  });

  test('are left only where the file for the linter says so', () => {
    const { exclusions } = parse(fileText('grafana/dashboards/.lint')) as {
      readonly exclusions: Readonly<
        Record<string, { readonly entries?: readonly { readonly panel: string }[] }>
      >;
    };
    const excluded = (rule: string) => exclusions[rule]?.entries?.map(({ panel }) => panel);
    expect(Object.keys(exclusions)).toEqual([
      'panel-units',
      'target-counter-agg',
      'target-rate-interval',
    ]);
    expect(excluded('target-counter-agg')).toEqual(Object.keys(EXACT_COUNTERS));
    expect(excluded('target-rate-interval')).toEqual(
      Object.keys(OTHER_INTERVALS).map((query) => query.slice(0, -2)),
    );
  });

  test('uneditable-dashboard: what a file provides is changed in the file', () => {
    expect(DASHBOARD['editable']).toBe(false);
  });
});

function isList(name: string): boolean {
  return name.startsWith('variable ');
}
