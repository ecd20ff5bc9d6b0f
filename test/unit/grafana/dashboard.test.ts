import { describe, expect, test } from 'vitest';
import { buildDashboard } from '../../../grafana/dashboard.ts';
import { CATALOGUE } from '../../../src/metrics/definitions.ts';
import { ALL_QUERIES, DASHBOARD, PANELS, substitute } from '../../support/dashboard.ts';
import { LOW_RATIO } from '../../../src/status/problems.ts';
import { ALERTS } from '../../support/rules.ts';
import { parseQuery } from '../../support/promql.ts';
import { readYaml } from '../../support/repository.ts';

/** The labels of what is no metric of the exporter. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  up: [],
  ALERTS: ['alertname', 'alertstate', 'severity', 'station_id', 'device_id'],
  'solar:price_today:per_kwh': ['station_id', 'direction', 'currency'],
  // Several metrics at once, by their names.
  '': ['__name__', 'station_id', 'flow'],
};

/** What Prometheus itself adds, and what a histogram has. */
const GENERAL_LABELS = ['job', 'instance', 'le'];

type Reasons = Readonly<Record<string, RegExp>>;

/** Metrics that no panel shows, by the reason. */
const UNUSED: Reasons = {
  'the same figures, which are shown by flow': /^solar_month_\w+_kwh$/,
  'the totals of the station are shown': /^solar_(load_power_watts|energy_today_kwh)$/,
  'its part in the net of the grid is shown': /^solar_grid_feed_in_power_watts$/,
  'the recording rules ask for it': /^solar_day_start_timestamp_seconds$/,
  'above 1 it says little: own shares are shown':
    /^solar_month_(solar_ratio|quantity_assumed_info)$/,
  'has an alert of its own': /^solar_(stations_unread|series_dropped_total|token_renewals_total)$/,
  'a figure for alerts, which go by it': /^solar_device_reading_(interval|max_age)_seconds$/,
  'only the owner knows what its keys mean': /^solar_device_field$/,
  'the exporter says it as a problem': /^solar_session_replaced_total$/,
  'counts a discharging battery as import': /^solar_interface_grid_power_watts$/,
  'for meters and long times, as is what it lacks': /^solar_device_energy_(kwh|gap_seconds)_total$/,
  'for whoever wonders why a round is slow':
    /^solar_(log_lines_dropped_total|api_request_duration_seconds|collector_(duration|last_success_timestamp)_seconds)$/,
};

/** Expects one of these reasons for each, and each reason for one of them. */
function expectReasons(reasons: Reasons, all: readonly { readonly name: string }[]): void {
  const known = Object.values(reasons);
  expect(all.filter(({ name }) => !known.some((one) => one.test(name)))).toEqual([]);
  expect(known.filter((one) => !all.some(({ name }) => one.test(name)))).toEqual([]);
}

const PARSED = ALL_QUERIES.map((query) => ({
  ...query,
  ...parseQuery(substitute(query.expression)),
}));

function labelsOf(metric: string): readonly string[] | undefined {
  return CATALOGUE.find(({ name }) => name === metric)?.labelNames ?? OTHERS[metric];
}

test('the file is what `npm run dashboard` writes, at an address that stays', () => {
  expect(DASHBOARD).toEqual(JSON.parse(JSON.stringify(buildDashboard())));
  expect(DASHBOARD).toMatchObject({ uid: 'solar-exporter', editable: true, __inputs: [] });
  // Grafana gives its own.
  expect(DASHBOARD).not.toHaveProperty('id');
  expect(readYaml('grafana/provisioning/dashboards/solar.yml')).toMatchObject({
    providers: [{ allowUiUpdates: true, options: { path: '/var/lib/grafana/dashboards' } }],
  });
});

describe('the queries', () => {
  test.each(PARSED)('$name asks for what there is and was chosen, in few words', (query) => {
    const { errors, selectors, clauseLabels, madeLabels, legend, expression } = query;
    expect(errors).toEqual([]);
    // What a person can read.
    expect(expression.length).toBeLessThanOrEqual(300);
    const known = new Set([...GENERAL_LABELS, ...madeLabels]);
    for (const { metric, matchers } of selectors) {
      const labels = labelsOf(metric);
      expect(labels, metric).toBeDefined();
      for (const label of labels ?? []) known.add(label);
      for (const { label } of matchers)
        expect([...GENERAL_LABELS, ...(labels ?? [])]).toContain(label);
    }
    const inLegend = [...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
    for (const label of [...clauseLabels, ...inLegend]) expect([...known]).toContain(label);
    const [first] = selectors;
    const filtered = (first?.matchers ?? []).map(({ label }) => label);
    const isAlert = first?.metric === 'ALERTS';
    if (!isAlert) expect(filtered).toContain('job');
    if (!isAlert && !/^absent/.test(first?.functions.join() ?? ''))
      expect(filtered).toContain('instance');
    if (labelsOf(first?.metric ?? '')?.includes('station_id'))
      expect(filtered).toContain('station_id');
  });

  test('show every metric of the catalogue, or leave it out for a reason', () => {
    const asked = PARSED.flatMap(({ selectors }) => selectors.map(({ metric }) => metric));
    const hidden = CATALOGUE.filter(({ name }) => !asked.includes(name));
    expectReasons(UNUSED, hidden);
  });
});

test('the panels stand beside and below each other', () => {
  for (const panels of [DASHBOARD.panels, ...DASHBOARD.panels.map((row) => row.panels ?? [])]) {
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    for (const { gridPos } of panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
  }
  const [first] = [...PANELS].sort(
    (a, b) => a.gridPos.y - b.gridPos.y || a.gridPos.x - b.gridPos.x,
  );
  expect(first?.title).toBe('Is all well?');
  const rows = DASHBOARD.panels.filter(({ type }) => type === 'row');
  const ids = [...rows, ...PANELS].map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

test.each(PANELS)('"$title" says what it shows, also where there is nothing', (panel) => {
  const { type, description, datasource, targets, timeFrom, fieldConfig } = panel;
  const { unit, decimals, min, max, noValue } = fieldConfig.defaults;
  expect(description).toMatch(/^[A-Z].*\.$/s);
  expect(noValue).toMatch(/^\w.{8,}$/);
  expect(datasource).toEqual({ type: 'prometheus', uid: '${datasource}' });
  const isOverTime = /^(timeseries|state-timeline)$/.test(type);
  for (const target of targets) expect(target).toMatchObject({ datasource, instant: !isOverTime });
  // The end of Grafana's own range "Today" is in the future.
  if (!isOverTime) expect(timeFrom).toBe('1h');
  // Grafana would read the texts of a table as numbers, and draw no line between 0 and 100 % without decimals.
  expect(unit === undefined).toBe(type === 'table');
  if (unit === 'percentunit') expect({ min, max }).toEqual({ min: 0, max: 1 });
  if (unit === 'percentunit' && isOverTime) expect(decimals).toBeUndefined();
  // A device has its colour by its name.
  if (type === 'timeseries')
    expect(fieldConfig.defaults).toMatchObject({ color: { mode: 'palette-classic-by-name' } });
});

test('every alert that is no problem keeps "all is well" away', () => {
  const asked = (legend: string): RegExp[] => {
    const { expression = '' } = ALL_QUERIES.find(({ name }) => name.endsWith(legend)) ?? {};
    const names = [...expression.matchAll(/alertname=~"([^"]+)"/g)].map(([, one = '']) => one);
    return names.map((one) => new RegExp(`^(${one})$`));
  };
  const [beside, well] = [['({{severity}})', '{{instance}} ({{severity}})'], [': all is well']].map(
    (legends) => legends.flatMap(asked),
  );
  // The exporter says the same of the house by itself, and `up` says it of the exporter.
  const said = /^Solar(BatteryBmsSilent|Device.+|ReadingStale|InverterAlarm|CollectorFailing)$/;
  const others = /^Solar(ReauthenticationRequired|ExporterDown)$/;
  for (const alert of ALERTS) {
    const isSaid = said.test(alert) || others.test(alert);
    for (const patterns of [beside, well])
      expect(
        patterns?.some((one) => one.test(alert)),
        alert,
      ).toBe(!isSaid);
  }
});

test('the colours of a battery change where the words of the exporter do', () => {
  const panel = PANELS.find(({ title }) => title === 'Battery level');
  const { steps } = panel?.fieldConfig.defaults.thresholds ?? { steps: [] };
  expect(steps.map(({ value }) => value)).toEqual([null, 0, LOW_RATIO / 2, LOW_RATIO]);
});

test('a station is chosen by its name and filters by its id', () => {
  const result = 'solar_station_info{job="solar",name="On the roof",station_id="17"} 1 17829000';
  const { regex = '' } = DASHBOARD.templating.list.find(({ name }) => name === 'station') ?? {};
  const [, pattern = '', flags = ''] = /^\/(.*)\/(\w*)$/.exec(regex) ?? [];
  const found = [...result.matchAll(new RegExp(pattern, flags))].map(({ groups }) => groups);
  expect(found).toMatchObject([{ text: 'On the roof' }, { value: '17' }]);
});
