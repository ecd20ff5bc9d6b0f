import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { hasProgram } from '../support/programs.ts';
import { parseDocuments, readText, readYaml, repositoryPath } from '../support/repository.ts';

/** An object for the cluster, as far as the tests look. */
interface Rendered {
  readonly kind: string;
  readonly spec?: unknown;
  readonly data?: Readonly<Record<string, string>>;
  readonly stringData?: Readonly<Record<string, string>>;
}

interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef: { readonly key: string } };
}

/** A pod of one container, and how it is replaced. */
interface Pod {
  readonly template: {
    readonly spec: { readonly containers: readonly [{ readonly env: readonly Variable[] }] };
  };
}

const CHART = repositoryPath('deploy/helm/solar-exporter');
const SECRET = { credentials: { existingSecret: 'solar' } };
const GIVEN = {
  credentials: {
    account: 'you@example.org',
    appId: 'made-up',
    password: 'with "quotes": {{ .Values }} # and \\',
    appSecret: 'made-up',
  },
  config: { 'time-zone': 'Europe/Berlin', request: { rate: 0.5 } },
  files: { 'prices.yml': 'currency: EUR\n' },
};
const EVERYTHING = {
  ...GIVEN,
  persistence: { enabled: true },
  serviceMonitor: { enabled: true },
  prometheusRule: { enabled: true },
  dashboard: { enabled: true },
};

function helm(words: readonly string[], values: object) {
  const input = JSON.stringify(values);
  return spawnSync('helm', [...words, '--values', '-'], { input, encoding: 'utf8' });
}

/** What Helm would send to the cluster. */
function render(values: object): readonly Rendered[] {
  const { status, stdout, stderr } = helm(['template', 'solar-exporter', CHART], values);
  expect(status, stderr).toBe(0);
  return parseDocuments(stdout) as readonly Rendered[];
}

describe.skipIf(!hasProgram('helm'))('the chart', () => {
  test('has no fault that helm lint would find', () => {
    expect(helm(['lint', '--strict', CHART], EVERYTHING)).toMatchObject({ status: 0 });
  });

  const config = (changes: object) => ({ ...SECRET, config: changes });

  test.each<[why: string, values: object]>([
    ["at '/replicas': value must be 1", { ...SECRET, replicas: 2 }],
    ["'replicaCount' not allowed", { ...SECRET, replicaCount: 2 }],
    ['credentials are missing', {}],
    ['stands beside existingSecret', { credentials: { existingSecret: 'a', password: 'b' } }],
    ['access-token would be readable', config({ 'access-token': 'x' })],
    ['password would be readable', config({ password: 'x' })],
    [
      'would store everything twice',
      { ...SECRET, serviceMonitor: { enabled: true }, scrapeConfig: { enabled: true } },
    ],
  ])('refuses values: %s', (why, values) => {
    expect(helm(['template', 'solar-exporter', CHART], values).stderr).toContain(why);
  });

  test('gives the one exporter of its pod a configuration that it accepts', async () => {
    const objects = render(GIVEN);
    const of = (kind: string) => objects.find((object) => object.kind === kind);
    const { template, ...deployment } = of('Deployment')?.spec as Pod;
    expect(deployment).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
    expect(template.spec).toMatchObject({ automountServiceAccountToken: false });
    const files = { ...of('Secret')?.stringData, ...of('ConfigMap')?.data };
    const { config, warnings } = await parseConfig({
      flags: {},
      env: Object.fromEntries(
        template.spec.containers[0].env.map(({ name, value, valueFrom }) => [
          name,
          value ?? files[valueFrom?.secretKeyRef.key ?? ''],
        ]),
      ),
      readFile: (path) => files[path.split('/').at(-1) ?? ''] ?? expect.fail(`no ${path}`),
    });
    expect(files['prices.yml']).toBe('currency: EUR\n');
    expect(warnings).toEqual([]);
    expect(config).toMatchObject({ account: 'you@example.org', timeZone: 'Europe/Berlin' });
    expect(config.password?.reveal()).toBe(GIVEN.credentials.password);
  });

  test('brings the alerts and the dashboard of the stack', () => {
    const objects = render(EVERYTHING);
    const rules = objects.find(({ kind }) => kind === 'PrometheusRule');
    expect(rules?.spec).toEqual(readYaml('prometheus/rules/solar.yml'));
    const dashboard = objects.find(({ data }) => data?.['solar.json'] !== undefined);
    expect(JSON.parse(dashboard?.data?.['solar.json'] ?? '')).toEqual(
      JSON.parse(readText('grafana/dashboards/solar.json')),
    );
    // kubectl writes an object into an annotation of it, and the annotations may have 256 KiB together.
    expect(JSON.stringify(dashboard).length).toBeLessThan(252 * 1024);
  });
});
