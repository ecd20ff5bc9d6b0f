import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { parseDurationMs } from '../../src/config/duration.ts';
import { OPTIONS } from '../../src/config/options.ts';
import { readAssignments, readText, readYaml, repositoryPath } from '../support/repository.ts';

interface Service {
  readonly image?: string;
  readonly build?: string;
  readonly user?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly secrets?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly labels?: Readonly<Record<string, string>>;
  readonly mem_limit?: string;
}

type Variables = Readonly<Record<string, string>>;

const TEXT = readText('compose.yaml');
const { services, secrets, volumes } = readYaml('compose.yaml') as {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly volumes: Readonly<Record<string, { readonly name: string }>>;
};
const { exporter = {}, grafana = {} } = services;
const OFFERED = readAssignments('.env.example');
/** Those of the exporter: other commands run outside of the stack. */
const SECRETS = OPTIONS.filter(({ secret, commands }) => secret === true && commands === undefined);
/** The variables that compose.yaml asks for, each with what follows its name. */
const ASKED = [...TEXT.matchAll(/\$\{(\w+)(:[-+])?([^}]*)\}/g)].map(
  ([, name = '', operator, word = '']) => ({ name, operator, word }),
);

/** Replaces `${NAME:-default}` and `${NAME:+replacement}` as Compose does. */
function interpolate(text: string, variables: Variables = {}): string {
  return text.replaceAll(
    /\$\{(\w+):([-+])([^}]*)\}/g,
    (_, name: string, operator: string, word: string) => {
      const value = variables[name] ?? '';
      if (operator === '-') return value === '' ? word : value;
      return value === '' ? '' : word;
    },
  );
}

/** The environment of the exporter's container when `.env` says this. */
function environmentOf(dotEnv: Variables): Variables {
  const own = Object.entries(exporter.environment ?? {});
  return { ...dotEnv, ...Object.fromEntries(own.map(([k, v]) => [k, interpolate(v, dotEnv)])) };
}

/** Where the folders of the repository are mounted in a container. */
function mountsOf({ volumes: mounted = [] }: Service): readonly (readonly [string, string])[] {
  return mounted
    .map((volume) => interpolate(volume))
    .filter((volume) => volume.startsWith('.'))
    .map((volume) => volume.split(':'))
    .map(([source = '', target = '']) => [source, target]);
}

describe.each(Object.entries(services))('the service %s', (_, service) => {
  test('has an exact version or is built here, and may do only what it needs', () => {
    if (service.build === undefined) expect(service.image).toMatch(/^[\w/]+:v?\d+\.\d+\.\d+$/);
    else expect(service.build).toBe('.');
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      pids_limit: 512,
      memswap_limit: service.mem_limit,
    });
    expect(service.user).toMatch(/^[1-9]\d*:\d+$/);
    expect(service.mem_limit).toMatch(/^(256m|512m|1g|2g)$/);
    for (const name of ['privileged', 'cap_add', 'depends_on'])
      expect(service).not.toHaveProperty(name);
  });

  test('is reached from this computer only, where its health check asks', () => {
    const [port = '', ...others] = service.ports ?? [];
    expect(others).toEqual([]);
    expect(interpolate(port)).toMatch(/^127\.0\.0\.1:(\d+):\1$/);
    if (service.build === undefined)
      expect(service.healthcheck?.test.at(-1)).toContain(`http://127.0.0.1:${port.slice(-4)}/`);
    else expect(readText('Dockerfile')).toMatch(/^HEALTHCHECK /m);
  });

  test('mounts what exists, and is made anew for a real station', () => {
    for (const [source] of mountsOf(service)) expect(existsSync(repositoryPath(source))).toBe(true);
    for (const volume of service.volumes ?? [])
      if (!interpolate(volume).startsWith('.'))
        expect(volumes).toHaveProperty(volume.split(':')[0] ?? '');
    const labels = JSON.stringify(service.labels);
    expect(interpolate(labels, { EXPORTER_COMMAND: 'serve' })).not.toBe(interpolate(labels));
  });
});

describe('the stack', () => {
  test('opens to the network by one line, but not who silences alerts', () => {
    const open = Object.entries(services).filter(([, { ports = [] }]) =>
      interpolate(ports[0] ?? '', { BIND_ADDRESS: '0.0.0.0' }).startsWith('0.0.0.0:'),
    );
    expect(open.map(([name]) => name)).toEqual(['exporter', 'prometheus', 'grafana']);
  });

  test('keeps what the demo stores from the history of a real station', () => {
    const namesFor = (variables: Variables) =>
      Object.values(volumes).map(({ name }) => interpolate(name, variables));
    const ofTheDemo = namesFor({});
    expect(new Set([...ofTheDemo, ...namesFor({ EXPORTER_COMMAND: 'serve' })]).size).toBe(8);
    for (const path of ['compose.yaml', 'docs/operations.md']) {
      const [, names = ''] = /docker volume rm (.*)/.exec(readText(path)) ?? [];
      expect(names.split(' ').sort(), path).toEqual([...ofTheDemo].sort());
    }
  });

  test('connects its services by the names and ports that they have', () => {
    const file = readYaml('prometheus/prometheus.yml') as {
      readonly global: { readonly scrape_interval: string };
    };
    const [source] = (
      readYaml('grafana/provisioning/datasources/prometheus.yml') as {
        datasources: readonly [{ url: string; jsonData: { timeInterval: string } }];
      }
    ).datasources;
    const asked = [...JSON.stringify(file).matchAll(/"targets":\["([^"]+)"\]/g)];
    expect(asked).toHaveLength(2);
    const targets = asked.map(([, target = '']) => target);
    for (const address of [...targets, source.url.replace('http://', '')]) {
      const [name = '', port = ''] = address.split(':');
      expect(services[name]?.ports?.[0], address).toMatch(new RegExp(`:${port}$`));
    }
    expect(parseDurationMs(source.jsonData.timeInterval)).toBeGreaterThanOrEqual(
      parseDurationMs(file.global.scrape_interval) ?? Infinity,
    );
  });

  test('shows the dashboard first', () => {
    const path = grafana.environment?.['GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH'] ?? '';
    const [source = '', target = ''] =
      mountsOf(grafana).find(([, mounted]) => path.startsWith(`${mounted}/`)) ?? [];
    expect(readText(path.replace(target, source))).toContain('"title"');
  });

  test('gives the exporter the user of its image, and enough memory', () => {
    expect(readText('Dockerfile')).toContain(`USER ${exporter.user}\n`);
    expect(exporter.mem_limit).toBe('512m');
    expect(readText('deploy/systemd/solar-exporter.service')).toContain('\nMemoryMax=512M\n');
    expect(readText('deploy/helm/solar-exporter/values.yaml')).toContain('memory: 512Mi');
  });
});

describe('.env.example', () => {
  test('offers what something reads, and nothing filled in', () => {
    const read = [
      ...OPTIONS.map(({ env }) => env),
      ...SECRETS.map(({ env }) => `${env}_FILE`),
      ...ASKED.map(({ name }) => name),
    ];
    for (const [name, value] of OFFERED) {
      expect(read).toContain(name);
      if (name.startsWith('SOLAR_')) expect(value, name).toBe('');
    }
  });

  test('has every variable that compose.yaml asks for, with its default', () => {
    for (const { name, operator, word } of ASKED) {
      expect(operator, name).toMatch(/^:[-+]$/);
      expect(OFFERED.has(name), name).toBe(true);
      if (operator === ':-' && !/^SOLAR_|_FILE$/.test(name)) expect(OFFERED.get(name)).toBe(word);
    }
  });

  test.each(SECRETS)('lets $flag come from a file of the computer', ({ flag, env }) => {
    const dotEnv = { [`${env}_FILE`]: '/home/x' };
    expect(exporter.secrets).toContain(flag);
    expect(interpolate(secrets[flag]?.file ?? '', dotEnv)).toBe('/home/x');
    expect(environmentOf(dotEnv)[`${env}_FILE`]).toBe(`/run/secrets/${flag}`);
  });
});

test('each way to install has variables for files of the user', () => {
  const folder = '/etc/solar-exporter';
  const seen = (exporter.volumes ?? []).map((each) => interpolate(each, { EXPORTER_FILES: '/x' }));
  expect(seen).toContain(`/x:${folder}:ro`);
  const forDocker = readAssignments('deploy/docker/solar.env.example');
  for (const names of [
    OFFERED,
    forDocker,
    readAssignments('deploy/systemd/solar-exporter.env.example'),
  ])
    for (const option of ['CONFIG', 'TARIFF', 'DIALECT'])
      expect([...names.keys()]).toContain(`SOLAR_${option}_FILE`);
  const known = OPTIONS.map(({ env }) => env);
  for (const [name, value] of forDocker) {
    expect(known).toContain(name);
    expect(value).toBe('');
  }
  // Docker reads the lines as they are.
  expect(readText('deploy/docker/solar.env.example')).not.toMatch(/^export|['"]$/m);
});

describe('the exporter in its container', () => {
  const read = async (dotEnv: Variables, credentials: boolean) => {
    const command = exporter.command?.map((word) => interpolate(word, dotEnv));
    const readFile = (path: string): string => `secret-of-${path}\n`;
    const { config } = await parseConfig(
      { flags: {}, env: environmentOf(dotEnv), readFile },
      { credentials },
    );
    return { command, config };
  };

  test('runs the demo on all interfaces while there is no .env', async () => {
    const { command, config } = await read({}, false);
    expect(command).toEqual(['demo']);
    expect(config.web).toMatchObject({ listenAddress: { port: 9877 }, telemetryPath: '/metrics' });
    expect(config).toMatchObject({ stateDir: '/var/lib/solar-exporter', password: undefined });
  });

  test('logs in with what .env says', async () => {
    const { command, config } = await read(
      {
        ...Object.fromEntries(OFFERED),
        EXPORTER_COMMAND: 'serve',
        SOLAR_ACCOUNT: 'you@example.org',
        SOLAR_PASSWORD_FILE: '/home/you/.solar/password',
        SOLAR_APP_ID: 'made-up',
        SOLAR_APP_SECRET_FILE: '/home/you/.solar/app-secret',
      },
      true,
    );
    expect(command).toEqual(['serve']);
    expect(config).toMatchObject({ account: 'you@example.org', appId: 'made-up' });
    expect(config.password?.reveal()).toBe('secret-of-/run/secrets/password');
    expect(config.appSecret?.reveal()).toBe('secret-of-/run/secrets/app-secret');
  });
});
