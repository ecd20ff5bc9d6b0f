import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { OPTIONS } from '../../../src/config/options.ts';
import { hasProgram } from '../../support/programs.ts';
import { temporaryDirectory } from '../../support/prometheus.ts';
import { readText, readYaml } from '../../stack/repository.ts';
import { CHART, helm, refusal } from './chart.ts';
import { FULL_VALUES } from './values.ts';

const SECRET = { credentials: { existingSecret: 'solar' } };

describe.skipIf(!hasProgram('helm'))('Helm refuses', () => {
  test.each([
    {
      what: 'two exporters',
      values: { ...SECRET, replicas: 2 },
      why: "at '/replicas': value must be 1",
    },
    {
      what: 'a value that the chart does not know',
      values: { ...SECRET, replicaCount: 2 },
      why: "'replicaCount' not allowed",
    },
    {
      what: 'a credential that is none',
      values: { credentials: { existingSecret: 'a', keys: ['user'] } },
      why: "at '/credentials/keys/0'",
    },
    {
      what: 'no credentials',
      values: {},
      why: 'credentials are missing: name credentials.existingSecret, or give',
    },
    {
      what: 'credentials in two places',
      values: { credentials: { existingSecret: 'a', password: 'b' } },
      why: 'password stands beside existingSecret',
    },
    {
      what: 'a secret in the configuration',
      values: { ...SECRET, config: { 'access-token': 'x' } },
      why: 'access-token would be readable in a ConfigMap',
    },
    {
      what: 'a secret of one of several accounts',
      values: { ...SECRET, config: { accounts: [{ password: 'x' }] } },
      why: 'password would be readable in a ConfigMap',
    },
    {
      what: 'every value twice',
      values: { ...SECRET, serviceMonitor: { enabled: true }, scrapeConfig: { enabled: true } },
      why: 'would store everything twice',
    },
  ])('$what', ({ values, why }) => {
    expect(refusal(values)).toContain(why);
  });
});

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: { readonly enum?: readonly string[] };
}

describe('the schema of the values', () => {
  const schema = readYaml(`${CHART}/values.schema.json`) as Schema;
  const values = readYaml(`${CHART}/values.yaml`) as Readonly<Record<string, object>>;

  test('has a row for every value, and no other', () => {
    const own = Object.entries(schema.properties ?? {}).filter(([name]) => name !== 'global');
    expect(own.map(([name]) => name)).toEqual(Object.keys(values));
    for (const [name, { properties }] of own)
      if (properties !== undefined)
        expect(Object.keys(properties), name).toEqual(Object.keys(values[name] ?? {}));
  });

  test('knows every credential that is an option', () => {
    const credentials = schema.properties?.['credentials']?.properties ?? {};
    const secrets = OPTIONS.filter(({ secret }) => secret === true).map(({ flag }) => flag);
    const kebab = (name: string) =>
      name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const expected = new Set(['account', 'app-id', ...secrets]);
    expect(new Set(credentials['keys']?.items?.enum)).toEqual(expected);
    const [, , ...given] = Object.keys(credentials);
    expect(new Set(given.map(kebab))).toEqual(expected);
  });
});

describe.skipIf(!hasProgram('helm'))('the chart', () => {
  test('has no fault that helm lint would find', () => {
    const { status, stdout } = helm(['lint', '--strict', CHART, '--values', '-'], FULL_VALUES);
    expect(stdout).toContain('1 chart(s) linted, 0 chart(s) failed');
    expect(status).toBe(0);
  });

  test('is packaged with the alerts and the dashboard themselves, not with links to them', () => {
    const folder = temporaryDirectory();
    expect(helm(['package', CHART, '--destination', folder]).status).toBe(0);
    const [archive = ''] = readdirSync(folder);
    for (const [inside, path] of [
      ['files/solar.yml', 'prometheus/rules/solar.yml'],
      ['files/solar.json', 'grafana/dashboards/solar.json'],
    ] as const) {
      const options = ['-xzOf', join(folder, archive), `solar-exporter/${inside}`];
      expect(execFileSync('tar', options, { encoding: 'utf8' })).toBe(readText(path));
    }
  });
});
