import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../src/config/config.ts';
import { hasProgram } from '../../support/programs.ts';
import type { DeploymentSpec, Manifest } from '../../stack/manifests.ts';
import { onlyOf, render } from './chart.ts';
import { FULL_VALUES } from './values.ts';

interface WithData {
  readonly data?: Readonly<Record<string, string>>;
}

/** The files that the pod sees, and its environment, of objects that the chart made. */
function insideThePod(
  objects: readonly Manifest[],
  existing: Readonly<Record<string, string>> = {},
) {
  const deployment = objects.find(({ kind }) => kind === 'Deployment');
  const { template } = deployment?.spec as DeploymentSpec;
  const [container] = template.spec.containers;
  const secret = objects.find(({ kind }) => kind === 'Secret')?.stringData ?? existing;
  const map = objects.find(({ kind }) => kind === 'ConfigMap') as (Manifest & WithData) | undefined;
  const env = container.env.map(({ name, value, valueFrom }) => [
    name,
    value ?? secret[valueFrom?.secretKeyRef.key ?? ''],
  ]);
  const { secret: mounted } = template.spec.volumes.find(({ name }) => name === 'secrets') ?? {};
  const shown = mounted?.items?.map(({ path }) => path) ?? Object.keys(secret);
  const readFile = (path: string): string => {
    const [, folder, name = ''] = /^\/(secrets|config)\/(.+)$/.exec(path) ?? [];
    const text = folder === 'config' ? map?.data?.[name] : shown.includes(name) && secret[name];
    if (typeof text !== 'string') throw new Error(`nothing is mounted at ${path}`);
    return text;
  };
  return { flags: {}, env: Object.fromEntries(env) as Record<string, string>, readFile };
}

describe.skipIf(!hasProgram('helm'))('the exporter in the pod of the chart', () => {
  test('accepts what the values say', async () => {
    const objects = render({ ...FULL_VALUES, dashboard: {}, web: {} });
    const { config, warnings } = await parseConfig(insideThePod(objects));
    expect(warnings).toEqual([]);
    expect(config.account).toBe('you@example.org');
    expect(config.password?.reveal()).toBe(FULL_VALUES.credentials.password);
    expect(config.appSecretEncrypted?.reveal()).toBe('made-up');
    expect(config).toMatchObject({ timeZone: 'Europe/Berlin', stateDir: '/state/solar-exporter' });
  });

  test('finds the files of several accounts in the existing Secret', async () => {
    const objects = render({
      credentials: { existingSecret: 'solar', keys: ['app-id', 'app-secret'] },
      config: {
        accounts: [{ name: 'roof', account: 'you@example.org', 'password-file': '/secrets/roof' }],
      },
    });
    const existing = { 'app-id': 'made-up', 'app-secret': 'made-up', roof: 'of the roof' };
    const { config } = await parseConfig(insideThePod(objects, existing));
    const [account] = config.accounts;
    expect(account?.password?.reveal()).toBe('of the roof');
  });

  test('runs the demo with no credential at all', () => {
    const objects = render({ demo: true });
    expect(objects.map(({ kind }) => kind)).not.toContain('Secret');
    const { env } = insideThePod(objects);
    expect(Object.keys(env)).toEqual(['SOLAR_STATE_DIR']);
    expect(onlyOf('Deployment', { demo: true }).spec).toMatchObject({
      template: { spec: { containers: [{ args: ['demo'] }] } },
    });
  });

  test.each([
    { what: 'the configuration', change: { config: { station: ['1'] } } },
    {
      what: 'a password',
      change: { credentials: { ...FULL_VALUES.credentials, password: 'new' } },
    },
  ])('starts anew with $what that changes', ({ change }) => {
    const annotations = (values: object) =>
      (onlyOf('Deployment', values).spec as { template: { metadata: { annotations: object } } })
        .template.metadata.annotations;
    expect(annotations({ ...FULL_VALUES, ...change })).not.toEqual(annotations(FULL_VALUES));
  });
});
