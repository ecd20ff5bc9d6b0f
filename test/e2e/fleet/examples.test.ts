import { describe, expect, test } from 'vitest';
import { readText } from '../../stack/repository.ts';
import { eventually } from '../../support/eventually.ts';
import { hasProgram } from '../../support/programs.ts';
import { startConfigured } from '../../support/prometheus.ts';
import { startFakeFleet } from '../stack/fake-fleet.ts';
import {
  addedByOperator,
  ALLOY,
  alloyRules,
  OPERATOR,
  operatorRules,
  PROMETHEUS,
  type RelabelRule,
  scrapeRules,
  VMAGENT,
} from './example-jobs.ts';

const FLEET = 'prometheus/scrape.fleet.example.yml';
const STATIONS = Array.from({ length: 40 }, (_, index) => String(353_417_800_001 + index));

interface StationTarget {
  readonly instance: string;
  readonly url: URL;
}

/** What a real Prometheus makes of the stations by the rules of each job: its targets, by job. */
async function targetsBy(
  jobs: Readonly<Record<string, readonly RelabelRule[]>>,
  { account = '', count }: { readonly account?: string; readonly count: number },
): Promise<(job: string) => readonly StationTarget[]> {
  const { host } = await startFakeFleet(STATIONS, account);
  const scrape_configs = Object.entries(jobs).map(([job_name, relabel_configs]) => ({
    job_name,
    metrics_path: '/probe',
    scrape_interval: '1h',
    http_sd_configs: [{ url: `http://${host}/sd`, refresh_interval: '1s' }],
    relabel_configs,
  }));
  // Nothing answers at port 1, and nothing has to: what counts is where it would ask.
  const configuration = JSON.stringify({ scrape_configs })
    .replaceAll(/(?:solar-exporter|localhost):9877/g, '127.0.0.1:1')
    .replaceAll('solar-exporter-$1:9877', '127.0.0.1$1:1');
  const prometheus = await startConfigured(configuration);
  const targets = await eventually(async () => {
    const active = await prometheus.targets();
    expect(active).toHaveLength(count);
    return active;
  });
  return (job) =>
    targets
      .filter(({ scrapePool }) => scrapePool === job)
      .map(({ scrapeUrl, labels: { instance = '' } }) => ({ instance, url: new URL(scrapeUrl) }));
}

/** Without what deals the stations out to servers, which only one job has. */
function withoutServers(rules: readonly RelabelRule[]): readonly RelabelRule[] {
  return rules.filter((rule) => !JSON.stringify(rule).includes('__tmp_server'));
}

describe.skipIf(!hasProgram('prometheus'))('by the rules of every example, Prometheus', () => {
  const jobs = {
    [FLEET]: scrapeRules(FLEET),
    [PROMETHEUS]: withoutServers(scrapeRules(PROMETHEUS)),
    [VMAGENT]: scrapeRules(VMAGENT),
    [OPERATOR]: operatorRules(),
    [ALLOY]: alloyRules(),
  };
  const count = STATIONS.length * Object.keys(jobs).length;

  test.each([
    { account: '', instanceOf: (id: string) => id },
    { account: 'home', instanceOf: (id: string) => `home/${id}` },
  ])('asks for each station once; account: $account', async ({ account, instanceOf }) => {
    const found = await targetsBy(jobs, { account, count });
    for (const job of Object.keys(jobs)) {
      const targets = found(job);
      const asked = targets.map(({ url: { pathname, searchParams } }) => ({
        pathname,
        ...Object.fromEntries(searchParams),
      }));
      const expected = STATIONS.map((target) => ({
        pathname: '/probe',
        target,
        ...(account !== '' && { account }),
      }));
      expect(new Set(asked), job).toEqual(new Set(expected));
      expect(new Set(targets.map(({ instance }) => instance)), job).toEqual(
        new Set(STATIONS.map(instanceOf)),
      );
    }
  });
});

describe.skipIf(!hasProgram('prometheus'))('the stations of three exporters', () => {
  test('have the same exporter for Prometheus and for Alloy, whichever server asks', async () => {
    const rules = scrapeRules(PROMETHEUS);
    const second = JSON.parse(
      JSON.stringify(rules).replace('"regex":"0"', '"regex":"1"'),
    ) as readonly RelabelRule[];
    const found = await targetsBy(
      { first: rules, second, alloy: alloyRules() },
      { count: 2 * STATIONS.length },
    );
    const [first, other, alloy] = ['first', 'second', 'alloy'].map(
      (job) => new Set(found(job).map(({ url }) => url.href)),
    );
    expect(first?.size).toBeGreaterThan(STATIONS.length / 4);
    expect(other?.size).toBeGreaterThan(STATIONS.length / 4);
    expect(new Set([...(first ?? []), ...(other ?? [])])).toEqual(alloy);
    const hosts = found('alloy').map(({ url }) => url.hostname);
    expect(new Set(hosts)).toEqual(new Set(['127.0.0.10', '127.0.0.11', '127.0.0.12']));
  });
});

describe.skipIf(!hasProgram('prometheus'))('the example for the operator', () => {
  test('spreads the stations over two shards, which they would not without __tmp_hash', async () => {
    const rules = operatorRules();
    const unmarked = rules.filter((rule) => rule['target_label'] !== '__tmp_hash');
    expect(unmarked).toHaveLength(rules.length - 1);
    const found = await targetsBy(
      {
        first: [...rules, ...addedByOperator(0)],
        second: [...rules, ...addedByOperator(1)],
        unmarked0: [...unmarked, ...addedByOperator(0)],
        unmarked1: [...unmarked, ...addedByOperator(1)],
      },
      { count: 2 * STATIONS.length },
    );
    const instances = (job: string) => found(job).map(({ instance }) => instance);
    expect([...instances('first'), ...instances('second')].toSorted()).toEqual(STATIONS);
    expect(instances('first').length).toBeGreaterThan(STATIONS.length / 4);
    expect(instances('second').length).toBeGreaterThan(STATIONS.length / 4);
    const sizes = [instances('unmarked0').length, instances('unmarked1').length];
    expect(new Set(sizes)).toEqual(new Set([0, STATIONS.length]));
  });
});

test('the example for the operator has no rule that switches its sharding off', () => {
  expect(operatorRules().map((rule) => rule['action'])).not.toContain('hashmod');
});

test.each([FLEET, PROMETHEUS, VMAGENT, OPERATOR, ALLOY])(
  '%s asks the exporters themselves at /metrics/self, and never at /metrics',
  (path) => {
    const paths = [...readText(path).matchAll(/metrics_?[pP]ath\s*[:=]\s*"?(\/[\w/]*)/g)];
    expect(paths.map(([, asked]) => asked)).toEqual(['/probe', '/metrics/self']);
  },
);
