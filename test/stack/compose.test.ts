import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { bindMounts, interpolate, readCompose } from './compose.ts';
import { readText, repositoryPath } from './repository.ts';

const { services, volumes } = readCompose();
const SERVICES = Object.entries(services);

describe.each(SERVICES)('the service %s', (_, service) => {
  test('has an exact version, or is built here', () => {
    if (service.build !== undefined) expect(service.build).toBe('.');
    else expect(service.image).toMatch(/^[\w/]+:v?\d+\.\d+\.\d+$/);
  });

  test('is reached from this computer only', () => {
    expect(service.ports).toHaveLength(1);
    for (const port of service.ports ?? [])
      expect(interpolate(port, {})).toMatch(/^127\.0\.0\.1:(\d+):\1$/);
  });

  test('is made anew when the station of the demo gives way to a real one', () => {
    const labelsOf = (env: Readonly<Record<string, string>>) =>
      interpolate(JSON.stringify(service.labels), env);
    expect(labelsOf({ EXPORTER_COMMAND: 'serve' })).not.toBe(labelsOf({}));
  });

  test('may do nothing that it does not need', () => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
    expect(service.user).toMatch(/^[1-9]\d*:\d+$/);
    expect(service).not.toHaveProperty('privileged');
    expect(service).not.toHaveProperty('cap_add');
  });

  test('may take so many processes and so much memory, and swaps nothing', () => {
    expect(service.pids_limit).toBe(512);
    expect(service.mem_limit).toMatch(/^(256m|512m|1g|2g)$/);
    expect(service.memswap_limit).toBe(service.mem_limit);
  });

  test('has a health check that asks itself', () => {
    if (service.build !== undefined) expect(readText('Dockerfile')).toMatch(/^HEALTHCHECK /m);
    else expect(service.healthcheck?.test.at(-1)).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\S+$/);
  });

  test('mounts only what exists', () => {
    for (const [source] of bindMounts(service))
      expect(existsSync(repositoryPath(source)), source).toBe(true);
    for (const volume of service.volumes ?? [])
      if (!volume.startsWith('.')) expect(volumes).toHaveProperty(volume.split(':')[0] ?? '');
  });

  test('waits for no other', () => {
    expect(service).not.toHaveProperty('depends_on');
  });
});

test('the exporter runs as the user of its image', () => {
  expect(readText('Dockerfile')).toContain(`USER ${services['exporter']?.user}\n`);
});

test('the exporter may take as much memory in every example', () => {
  expect(services['exporter']?.mem_limit).toBe('512m');
  expect(readText('deploy/systemd/solar-exporter.service')).toContain('\nMemoryMax=512M\n');
  expect(readText('deploy/kubernetes/deployment.yaml')).toContain('limits: { memory: 512Mi }');
});

test('every published port is the one that the service listens on', () => {
  const healthPort = (name: string) =>
    /:(\d+)\//.exec(services[name]?.healthcheck?.test.at(-1) ?? '')?.[1];
  for (const [name, { ports, build }] of SERVICES)
    if (build === undefined) expect(ports?.[0]?.split(':').at(-1)).toBe(healthPort(name));
});

test('what is written survives in a volume of its own', () => {
  const written = SERVICES.flatMap(([, service]) => service.volumes ?? []).filter(
    (volume) => !volume.endsWith(':ro'),
  );
  expect(written.map((volume) => volume.split(':')[0])).toEqual(Object.keys(volumes));
});

test('one line opens the stack to the network, and keeps silences for this computer', () => {
  const env = { BIND_ADDRESS: '0.0.0.0' };
  const reached = SERVICES.map(([name, { ports }]) => [
    name,
    interpolate(ports?.[0] ?? '', env).replace(/:\d+:\d+$/, ''),
  ]);
  expect(Object.fromEntries(reached)).toEqual({
    exporter: '0.0.0.0',
    prometheus: '0.0.0.0',
    alertmanager: '127.0.0.1',
    grafana: '0.0.0.0',
  });
});

describe('Alertmanager', () => {
  const { command = [], secrets, environment = {} } = services['alertmanager'] ?? {};
  const configOf = (env: Readonly<Record<string, string>>) =>
    interpolate(command[0] ?? '', env).replace('--config.file=/etc/alertmanager/', 'prometheus/');

  test('reads the file that .env names, with its template and its secret beside it', () => {
    expect(configOf({})).toBe('prometheus/alertmanager.yml');
    for (const name of ['email', 'telegram', 'ntfy']) {
      const file = configOf({ ALERTMANAGER_CONFIG: `alertmanager.${name}.yml` });
      expect(readText(file)).toContain('/run/secrets/alertmanager');
      expect(readText('.env.example')).toContain(`alertmanager.${name}.yml`);
    }
    expect(bindMounts(services['alertmanager'] ?? {})).toEqual([
      ['./prometheus', '/etc/alertmanager'],
    ]);
    expect(secrets).toEqual(['alertmanager']);
  });

  test('tells times as the station has them', () => {
    expect(interpolate(environment['TZ'] ?? '', {})).toBe('UTC');
    expect(interpolate(environment['TZ'] ?? '', { SOLAR_TIME_ZONE: 'Asia/Tokyo' })).toBe(
      'Asia/Tokyo',
    );
  });
});

describe('the volumes', () => {
  const namesFor = (env: Readonly<Record<string, string>>) =>
    Object.values(volumes).map(({ name }) => interpolate(name, env));
  const ofTheDemo = namesFor({});

  test('of the demo are none of a real station, so that their values cannot mix', () => {
    const ofAStation = namesFor({ EXPORTER_COMMAND: 'serve', SOLAR_ACCOUNT: 'you@example.org' });
    expect(new Set([...ofTheDemo, ...ofAStation]).size).toBe(8);
    expect(namesFor({ EXPORTER_COMMAND: 'demo' })).toEqual(ofTheDemo);
  });

  test.each(['compose.yaml', 'docs/operations.md'])(
    'of the demo are dropped by the command in %s',
    (path) => {
      const [, names = ''] = /docker volume rm (.*)/.exec(readText(path)) ?? [];
      expect(names.split(' ').sort()).toEqual([...ofTheDemo].sort());
    },
  );
});

test('Grafana asks nobody outside, and nobody can change it', () => {
  const { environment = {} } = services['grafana'] ?? {};
  const asking = Object.entries(environment).filter(([name]) => /ANALYTICS|NEWS/.test(name));
  expect(asking).toHaveLength(5);
  expect(new Set(asking.map(([, value]) => value))).toEqual(new Set(['false']));
  expect(environment).toMatchObject({
    GF_AUTH_ANONYMOUS_ORG_ROLE: 'Viewer',
    GF_SECURITY_DISABLE_INITIAL_ADMIN_CREATION: 'true',
    GF_SECURITY_DISABLE_GRAVATAR: 'true',
  });
});
