import { describe, expect, test } from 'vitest';
import { labelList, series } from '../../../grafana/series.ts';
import { CATALOGUE } from '../../../src/metrics/definitions.ts';
import { DASHBOARD } from './dashboard-json.ts';
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
  solar_stations_unread: 'has an alert of its own, and is 0 but for a while after a start',
  solar_series_dropped_total: 'has an alert of its own, whose label says which limit it is',
  solar_interface_grid_power_watts:
    'follows a rule of the service that counts a discharging battery as import; the panels show what a meter shows',
  solar_device_energy_gap_seconds_total:
    'says what the energy counters lack, and is looked up by whoever compares them with a meter',
  solar_device_reading_interval_seconds: 'a figure for alerts, which go by it',
  solar_device_reading_max_age_seconds: 'a figure for alerts, which go by it',
  solar_station_power_watts: 'is for panels that are still to be built on the totals',
  solar_station_battery_soc_ratio: 'is for panels that are still to be built on the totals',
  solar_station_devices_missing: 'is for panels that are still to be built on the totals',
  solar_station_energy_today_kwh: 'is for panels that are still to be built on the totals',
  solar_day_start_timestamp_seconds: 'is for panels that are still to be built on the totals',
  solar_month_battery_charged_kwh: 'the same figure as solar_energy_month_kwh, which is shown',
  solar_month_battery_discharged_kwh: 'the same figure as solar_energy_month_kwh, which is shown',
};

/** Metrics that also have series without a station, which a filter would hide. */
const ALSO_WITHOUT_STATION = /^solar_(up|collector_\w+)$/;

/** Metrics of the program, whatever accounts it has. */
const OF_THE_PROGRAM = ['solar_config_last_reload_successful', 'solar_exporter_build_info'];

/** As Grafana writes the results of `query_result`, with labels in the order of Prometheus. */
const RESULT =
  'solar_device_info{device_id="353417800001000017",instance="a:9877",job="solar",model="H5",name="Inverter on the roof",serial="S1",station_id="353417800001000007"} 1 1782900000000';

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
  test.each(PARSED)('$name is PromQL, and asks for metrics by labels that they have', (query) => {
    expect(query.errors).toEqual([]);
    expect(query.selectors).not.toEqual([]);
    for (const { metric, matchers } of query.selectors) {
      const definition = definitionOf(metric);
      expect(definition, metric).toBeDefined();
      for (const { label } of matchers)
        expect([...GENERAL_LABELS, ...(definition?.labelNames ?? [])]).toContain(label);
    }
  });

  test.each(PARSED)('$name groups by labels that exist, and tells accounts apart', (query) => {
    const known = new Set([
      ...GENERAL_LABELS,
      ...query.selectors.flatMap(({ metric }) => definitionOf(metric)?.labelNames ?? []),
      ...query.madeLabels,
    ]);
    for (const label of [...query.clauseLabels, ...legendLabels(query.legend)])
      expect(known).toContain(label);
    for (const labels of query.groupings)
      if (IDENTITY.some((label) => labels.includes(label))) expect(labels).toContain('account');
  });

  test.each(PARSED.filter(({ name }) => !name.startsWith('variable ')))(
    '$name is filtered by what the person has chosen',
    ({ selectors }) => {
      for (const { metric, matchers } of selectors) {
        const filtered = matchers.map(({ label }) => label);
        expect(filtered).toEqual(expect.arrayContaining(['job', 'instance']));
        if (!OF_THE_PROGRAM.includes(metric)) expect(filtered).toContain('account');
        if (ALSO_WITHOUT_STATION.test(metric)) continue;
        const own = definitionOf(metric)?.labelNames ?? [];
        for (const label of ['station_id', 'device_id'])
          expect(filtered.includes(label), `${metric} ${label}`).toBe(own.includes(label));
      }
    },
  );

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

  test('every metric of the catalogue is shown, or is left out for a reason', () => {
    const shown = new Set(
      PARSED.flatMap(({ selectors }) => selectors.map(({ metric }) => definitionOf(metric)?.name)),
    );
    const notShown = CATALOGUE.map(({ name }) => name).filter((name) => !shown.has(name));
    expect(notShown.sort()).toEqual(Object.keys(UNUSED).sort());
  });
});

describe('the variables', () => {
  test('stand in the order in which people choose', () => {
    expect(DASHBOARD.templating.list.map(({ name }) => name)).toEqual([
      ...['datasource', 'job', 'instance', 'account', 'station', 'device'],
      ...['tariff', 'feed_in_price', 'currency', 'low_soc'],
    ]);
    for (const { name, multi, allValue, refresh } of DASHBOARD.templating.list.slice(1, 6))
      expect({ name, multi, allValue, refresh }).toEqual({
        name,
        multi: true,
        // An exporter of one account has no such label, which `.+` would not fit.
        allValue: name === 'account' ? '.*' : '.+',
        // They follow the time range.
        refresh: 2,
      });
  });

  test.each([
    ['device', '353417800001000017'],
    ['station', '353417800001000007'],
  ])('%s is chosen by its name and filters by its id', (name, id) => {
    const { regex = '' } = DASHBOARD.templating.list.find((one) => one.name === name) ?? {};
    const [, pattern = '', flags = ''] = /^\/(.*)\/(\w*)$/.exec(regex) ?? [];
    const groups = [...RESULT.matchAll(new RegExp(pattern, flags))].map(({ groups: g }) => g);
    expect(groups.find((found) => found?.['value'] !== undefined)?.['value']).toBe(id);
    expect(groups.find((found) => found?.['text'] !== undefined)?.['text']).toBe(
      'Inverter on the roof',
    );
  });
});

test.each(['rate(solar_up[5m', 'sum by (job solar_up', 'solar_up{job=~"a"'])(
  'the check of queries notices that %s is no PromQL',
  (broken) => {
    expect(parseQuery(broken).errors).not.toEqual([]);
  },
);

describe('writing a query', () => {
  test.each([
    ['no metric solar_pv_power', () => series('solar_pv_power')],
    // No series has the bare name of a histogram.
    ['no metric', () => series('solar_api_request_duration_seconds')],
    ['no label name', () => series('solar_pv_power_watts', { name: '="roof"' })],
    ['no label site', () => labelList('job', 'site')],
  ])('refuses what does not exist: %s', (why, what) => {
    expect(what).toThrow(why);
  });
});
