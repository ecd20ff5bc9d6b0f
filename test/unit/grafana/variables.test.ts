import { describe, expect, test } from 'vitest';
import { CATALOGUE } from '../../../src/metrics/definitions.ts';
import { DASHBOARD } from './dashboard-json.ts';
import { ALL_QUERIES, substitute } from './dashboard-queries.ts';
import { parseQuery } from './promql.ts';

const VARIABLES = DASHBOARD.templating.list;

/** As Grafana writes the results of `query_result`, with labels in the order of Prometheus. */
const DEVICE_RESULT =
  'solar_device_info{device_id="353417800001000017",instance="a:9877",job="solar",model="H5",name="Inverter on the roof",serial="S1",station_id="353417800001000007"} 1 1782900000000';

/** Metrics that also have series without a station, which a filter would hide. */
const WITHOUT_STATION_FILTER = [
  'solar_up',
  'solar_collector_success',
  'solar_collector_duration_seconds',
  'solar_collector_last_success_timestamp_seconds',
];

/** Metrics of the program, whatever accounts it has. */
const WITHOUT_ACCOUNT_FILTER = ['solar_config_last_reload_successful', 'solar_exporter_build_info'];

describe('the variables', () => {
  test('stand in the order in which people choose', () => {
    expect(VARIABLES.map(({ name, label }) => [name, label])).toEqual([
      ['datasource', 'Data source'],
      ['job', 'Job'],
      ['instance', 'Instance'],
      ['account', 'Account'],
      ['station', 'Station'],
      ['device', 'Device'],
      ['tariff', 'Tariff'],
      ['feed_in_price', 'Feed-in price'],
      ['currency', 'Currency'],
      ['low_soc', 'Low battery %'],
    ]);
  });

  test('list what the choices before them leave', () => {
    const queries = VARIABLES.map(({ query }) => (typeof query === 'string' ? query : query.query));
    expect(queries.slice(1, 6)).toEqual([
      'label_values(solar_exporter_build_info, job)',
      'label_values(solar_up{job=~"$job"}, instance)',
      'label_values(solar_up{job=~"$job", instance=~"$instance"}, account)',
      'query_result(solar_station_info{job=~"$job", instance=~"$instance", account=~"$account"})',
      'query_result(solar_device_info{job=~"$job", instance=~"$instance", account=~"$account", station_id=~"$station"})',
    ]);
  });

  test('begin with the job of the examples, and with everything of it', () => {
    const all = { text: ['All'], value: ['$__all'] };
    expect(VARIABLES.slice(1, 6).map(({ current }) => current)).toEqual([
      { text: ['solar'], value: ['solar'] },
      all,
      all,
      all,
      all,
    ]);
    for (const { name, allValue, multi } of VARIABLES.slice(1, 6))
      expect({ allValue, multi }, name).toEqual({
        // An exporter of one account has no such label, which `.+` would not fit.
        allValue: name === 'account' ? '.*' : '.+',
        multi: true,
      });
  });

  test.each([
    ['tariff', '0.30'],
    ['feed_in_price', '0.08'],
    ['currency', 'EUR'],
    ['low_soc', '20'],
  ])('%s is a box with something in it', (name, value) => {
    expect(VARIABLES.find((variable) => variable.name === name)).toMatchObject({
      type: 'textbox',
      query: value,
      current: { text: value, value },
    });
  });

  test.each([
    ['device', '353417800001000017'],
    ['station', '353417800001000007'],
  ])('%s is chosen by its name and filters by its id', (name, id) => {
    const regex = VARIABLES.find((variable) => variable.name === name)?.regex ?? '';
    const [, pattern = '', flags = ''] = /^\/(.*)\/(\w*)$/.exec(regex) ?? [];
    const groups = [...DEVICE_RESULT.matchAll(new RegExp(pattern, flags))].map(
      (match) => match.groups ?? {},
    );
    expect(groups.find(({ value }) => value !== undefined)?.['value']).toBe(id);
    expect(groups.find(({ text }) => text !== undefined)?.['text']).toBe('Inverter on the roof');
  });

  test('of station and device filter every metric that has them', () => {
    for (const { name, expression } of ALL_QUERIES.filter(
      ({ name }) => !name.startsWith('variable'),
    ))
      for (const { metric, matchers } of parseQuery(substitute(expression)).selectors) {
        const labelNames = CATALOGUE.find((other) => other.name === metric)?.labelNames ?? [];
        // Filtered or not, both have their place.
        if (WITHOUT_STATION_FILTER.includes(metric)) continue;
        const wanted = ['station_id', 'device_id'].filter((label) => labelNames.includes(label));
        const filtered = matchers.map(({ label }) => label);
        expect(
          filtered.filter((label) => /^(station|device)_id$/.test(label)),
          name,
        ).toEqual(wanted);
      }
  });

  test('of the account filters every metric but those of the program', () => {
    const queries = ALL_QUERIES.filter(({ name }) => !name.startsWith('variable'));
    for (const { name, expression } of queries)
      for (const { metric, matchers } of parseQuery(substitute(expression)).selectors)
        expect(
          matchers.some(({ label }) => label === 'account'),
          `${metric} in ${name}`,
        ).toBe(!WITHOUT_ACCOUNT_FILTER.includes(metric));
  });
});
