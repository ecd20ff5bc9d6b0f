import { describe, expect, test } from 'vitest';
import { CATALOGUE } from '../../src/metrics/definitions.ts';
import { hasProgram } from '../support/programs.ts';
import { parseQuery } from '../support/promql.ts';
import { readText } from '../support/repository.ts';
import { judge, type Question } from '../support/rules.ts';

/** The questions of the page, each with its query. */
const QUESTIONS = readText('docs/queries.md')
  .split(/^## /m)
  .slice(1)
  .map((part) => {
    const [question = ''] = part.split('\n');
    const [, query = ''] = /```promql\n([^]*?)```/.exec(part) ?? [];
    return { question, query };
  });

const TARGET = 'job="solar", instance="a:9877"';
const of = (name: string, labels = ''): string => `${name}{${TARGET}, station_id="s"${labels}}`;
const flow = (name: string, which: string, source = ''): string =>
  of(name, `, flow="${which}"${source && `, source="${source}"`}`);
const today = (which: string, source: string): string =>
  flow('solar_station_energy_today_kwh', which, source);

/** What Prometheus recorded of two hours, a value a minute. */
const RECORDED: Readonly<Record<string, string>> = {
  [today('pv', 'service')]: '0+0.1x120',
  [today('load', 'service')]: '6x120',
  [today('grid_import', 'counter')]: '2x120',
  [today('grid_feed_in', 'counter')]: '5x120',
  [flow('solar_energy_yesterday_kwh', 'pv')]: '20x120',
  [flow('solar_energy_yesterday_kwh', 'load')]: '10x120',
  [flow('solar_energy_yesterday_kwh', 'grid_import')]: '2x120',
  [flow('solar_energy_month_kwh', 'pv')]: '300x120',
  [of('solar_battery_soc_ratio', ', device_id="1"')]: '0.5x59 0.15 0.4x60',
  [flow('solar_station_power_watts', 'pv')]: '500x30 4200 1000x89',
  [of('solar_reading_timestamp_seconds', ', device_id="1"')]: '0+60x115 6900x5',
};

const labels = (more = ''): string => `{${TARGET}, station_id="s"${more}}`;

/** What each question is answered at the end of the two hours, in the order of the page. */
const ANSWERS: readonly (readonly (readonly [labels: string, value: number])[])[] = [
  [
    [today('pv', 'service'), 12],
    [today('load', 'service'), 6],
    [today('grid_import', 'counter'), 2],
    [today('grid_feed_in', 'counter'), 5],
  ],
  [[today('pv', 'service'), 12]],
  [[flow('solar_energy_yesterday_kwh', 'pv'), 20]],
  [[flow('solar_energy_month_kwh', 'pv'), 300]],
  [[labels(), 0.8]],
  [[labels(', device_id="1"'), 0.15]],
  [[labels(), 0.3 * 4 + 0.08 * 5]],
  [[labels(', flow="pv"'), 4200]],
  [[labels(', flow="pv"'), 1]],
  [['{station_id="s"}', 300]],
];

test('the page asks ten questions, of metrics that there are', () => {
  expect(QUESTIONS).toHaveLength(ANSWERS.length);
  const names = CATALOGUE.map(({ name }) => name as string);
  for (const { question, query } of QUESTIONS) {
    const { errors, selectors } = parseQuery(query);
    expect(errors, question).toEqual([]);
    for (const { metric } of selectors) expect(names).toContain(metric);
  }
});

describe.skipIf(!hasProgram('promtool'))('a recorded Prometheus answers', () => {
  test('each question of the page', () => {
    const asked = QUESTIONS.map(({ query }, index): Question => {
      // Rounding leaves the name out.
      const samples = (ANSWERS[index] ?? []).map(([series, value]) => ({
        labels: series.replace(/^\w+/, ''),
        value,
      }));
      return [`round(${query}, 0.001)`, 120, ...samples];
    });
    const { status, output } = judge(Object.entries(RECORDED), asked);
    expect(status, output).toBe(0);
  });

  test('nothing where the two flows are divided without ignoring their label', () => {
    const { query = '' } = QUESTIONS.find(({ question }) => /self-sufficient/.test(question)) ?? {};
    expect(query).toContain('ignoring (flow) ');
    const asked = judge(Object.entries(RECORDED), [[query.replace('ignoring (flow) ', ''), 120]]);
    expect(asked).toMatchObject({ status: 0 });
  });
});
