import { describe, expect, test } from 'vitest';
import { FAMILIES, type Family } from '../../../src/simulator/simulator.ts';
import { eventually } from '../../support/eventually.ts';
import { hasProgram } from '../../support/programs.ts';
import { type RunningPrometheus, startPrometheus } from '../../support/prometheus.ts';
import {
  ALL_QUERIES,
  legendLabels,
  type NamedQuery,
  substitute,
} from '../../unit/grafana/dashboard-queries.ts';
import {
  ALTERNATIVES,
  EITHER,
  LACKING,
  NEVER,
  OPTIONAL_LABELS,
  reasonOfAbsence,
} from './optional-queries.ts';
import { parseQuery } from '../../unit/grafana/promql.ts';
import { startFamily } from './real-stations.ts';

/** A minute of a real dashboard is a second here. */
const SHORT = { job: 'solar', range: '30s', interval: '5s', rateInterval: '5s' };

/** An exporter of one device. */
interface Station {
  readonly family: Family;
  readonly url: string;
  readonly instance: string;
}

/** What came of one query for one family. */
interface Answer {
  readonly query: string;
  readonly family: Family;
  readonly isEmpty: boolean;
  readonly missingLabels: readonly string[];
}

async function ask(
  prometheus: RunningPrometheus,
  { name, expression, legend }: NamedQuery,
  family: Family,
  instance: string,
): Promise<Answer> {
  const filter = instance.replaceAll('.', '\\\\.');
  const samples = await prometheus.query(substitute(expression, { ...SHORT, instance: filter }));
  return {
    query: name,
    family,
    isEmpty: samples.length === 0,
    missingLabels: legendLabels(legend).filter(
      (label) =>
        !OPTIONAL_LABELS.includes(label) &&
        samples.some(({ metric }) => metric[label] === undefined),
    ),
  };
}

/** What the figures of the month are without. */
const LEFT_OUT = / unless on \([^)]*\) solar_month_quantity_assumed\{[^}]*\}/g;

/** What stands in where the service has no figure of the day. */
const TODAY = ['solar_energy_today_kwh', 'solar_device_energy_kwh_total'];

/** Whether a query asks for something that the family does not have; after `unless` it need not. */
function mayBeEmpty({ name, expression }: NamedQuery, family: Family): boolean {
  if (name in NEVER) return true;
  const [needed = ''] = expression.replaceAll(LEFT_OUT, '').split(' unless ');
  const { selectors } = parseQuery(substitute(needed));
  const metrics = new Set(selectors.map(({ metric }) => metric));
  const isEitherEnough = TODAY.every((metric) => metrics.has(metric));
  return selectors.some(({ metric, matchers }) => {
    const flow = matchers.find(({ label }) => label === 'flow')?.value;
    const isAbsent = (one: string) => reasonOfAbsence(one, family, flow) !== undefined;
    if (isEitherEnough && TODAY.includes(metric)) return TODAY.every(isAbsent);
    // A price without them counts every hour alike.
    if (metrics.has('solar_tariff_price') && metric.endsWith('_watts')) return false;
    return isAbsent(metric);
  });
}

describe.skipIf(!hasProgram('prometheus'))('with a real Prometheus', () => {
  test('every query answers for every family, except where the table says why not', async () => {
    const stations: Station[] = [];
    for (const family of FAMILIES) stations.push({ family, ...(await startFamily(family)) });
    const prometheus = await startPrometheus({ exporterUrls: stations.map(({ url }) => url) });
    // All of it again, when a scrape came too late for its second.
    await eventually(() => expectAnswers(prometheus, stations));
  });
});

async function expectAnswers(
  prometheus: RunningPrometheus,
  stations: readonly Station[],
): Promise<void> {
  // Two values of each: rates and integrals have something to work with.
  const rates = await prometheus.query('rate(solar_api_requests_total[5s])');
  const seen = new Set(rates.map(({ metric }) => metric['instance']));
  expect(seen.size).toBe(FAMILIES.length);

  const alternatives = [...ALTERNATIVES.flat(), ...Object.keys(EITHER)];
  const surprises: string[] = [];
  for (const query of ALL_QUERIES)
    for (const answer of await Promise.all(
      stations.map(({ family, instance }) => ask(prometheus, query, family, instance)),
    )) {
      const { family, isEmpty, missingLabels } = answer;
      if (missingLabels.length > 0)
        surprises.push(`${query.name} of ${family} lacks ${missingLabels.join()}`);
      if (!alternatives.includes(query.name) && isEmpty !== mayBeEmpty(query, family))
        surprises.push(`${query.name} of ${family} is ${isEmpty ? 'empty' : 'not empty'}`);
    }
  expect(surprises).toEqual([]);

  for (const names of ALTERNATIVES)
    for (const { family, instance } of stations) {
      const queries = ALL_QUERIES.filter(({ name }) => names.includes(name));
      const answers = await Promise.all(
        queries.map((query) => ask(prometheus, query, family, instance)),
      );
      const isAbsent = queries.every((query) => mayBeEmpty(query, family));
      expect(
        answers.some(({ isEmpty }) => !isEmpty),
        `${names.join()} of ${family}`,
      ).toBe(!isAbsent);
    }
}

describe('the table of what may be empty', () => {
  test.each([...Object.keys(NEVER), ...Object.keys(EITHER), ...ALTERNATIVES.flat()])(
    'names the query %s',
    (name) => {
      expect(ALL_QUERIES.map((query) => query.name)).toContain(name);
    },
  );

  test.each(LACKING.flatMap(({ metrics }) => metrics))(
    'names %s once, which is asked for',
    (metric) => {
      expect(LACKING.filter(({ metrics }) => metrics.includes(metric))).toHaveLength(1);
      expect(ALL_QUERIES.some(({ expression }) => expression.includes(`${metric}{`))).toBe(true);
    },
  );
});
