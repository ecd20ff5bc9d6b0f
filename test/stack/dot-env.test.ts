import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { OPTIONS } from '../../src/config/options.ts';
import { containerEnvironment, interpolate, readCompose } from './compose.ts';
import { readAssignments, readText } from './repository.ts';

const COMPOSE = readText('compose.yaml');
const INTERPOLATIONS = [...COMPOSE.matchAll(/\$\{(\w+)(:[-+])?([^}]*)\}/g)].map(
  ([, name = '', operator, word = '']) => ({ name, operator, word }),
);
const SECRETS = OPTIONS.filter(({ secret }) => secret === true);
const { services, secrets } = readCompose();
const exporter = services['exporter'] ?? {};
const offered = readAssignments('.env.example');

describe('.env.example', () => {
  test.each([...offered.keys()])('offers %s, which something reads', (name) => {
    const read = [
      ...OPTIONS.map(({ env }) => env),
      ...SECRETS.map(({ env }) => `${env}_FILE`),
      ...INTERPOLATIONS.map((interpolation) => interpolation.name),
    ];
    expect(read).toContain(name);
  });

  test('holds no account, id or secret', () => {
    for (const [name, value] of offered)
      if (name.startsWith('SOLAR_')) expect(value, name).toBe('');
  });

  test('explains every block of variables', () => {
    const blocks = readText('.env.example').split('\n\n');
    for (const block of blocks.filter((text) => /^\w+=/m.test(text)))
      expect(block).toMatch(/^# .+[.:]$/m);
  });

  test('says the defaults that compose.yaml has', () => {
    for (const { name, operator, word } of INTERPOLATIONS)
      if (operator === ':-' && !/^SOLAR_|_FILE$/.test(name)) expect(offered.get(name)).toBe(word);
  });
});

test('compose.yaml asks for nothing without a default, or that .env.example does not explain', () => {
  expect(INTERPOLATIONS.length).toBeGreaterThan(0);
  for (const { name, operator } of INTERPOLATIONS) {
    expect(operator, name).toMatch(/^:[-+]$/);
    expect(offered.has(name), name).toBe(true);
  }
});

test.each(SECRETS)('the secret $flag may come from a file of the computer', ({ flag, env }) => {
  const variable = `${env}_FILE`;
  expect(exporter.secrets).toContain(flag);
  expect(interpolate(secrets[flag]?.file ?? '', { [variable]: '/home/x' })).toBe('/home/x');
  expect(containerEnvironment(exporter, { [variable]: '/home/x' })[variable]).toBe(
    `/run/secrets/${flag}`,
  );
});

describe('the exporter in its container', () => {
  const readFile = (path: string): string => {
    if (path.startsWith('/run/secrets/')) return `secret of ${path}\n`;
    throw new Error(`the container has no ${path}`);
  };

  test('runs the demo on all interfaces while there is no .env', async () => {
    expect(exporter.command?.map((word) => interpolate(word, {}))).toEqual(['demo']);
    const { config } = await parseConfig(
      { flags: {}, env: containerEnvironment(exporter), readFile },
      { credentials: false },
    );
    expect(config.web).toMatchObject({ listenAddress: { port: 9877 }, telemetryPath: '/metrics' });
    expect(config.stateDir).toBe('/var/lib/solar-exporter');
    expect(config.password).toBeUndefined();
  });

  test('logs in with what .env says', async () => {
    const dotEnv = {
      ...Object.fromEntries(offered),
      EXPORTER_COMMAND: 'serve',
      SOLAR_ACCOUNT: 'you@example.org',
      SOLAR_PASSWORD_FILE: '/home/you/.solar/password',
      SOLAR_APP_ID: 'made-up',
      SOLAR_APP_SECRET_FILE: '/home/you/.solar/app-secret',
    };
    expect(exporter.command?.map((word) => interpolate(word, dotEnv))).toEqual(['serve']);
    const { config } = await parseConfig({
      flags: {},
      env: containerEnvironment(exporter, dotEnv),
      readFile,
    });
    expect(config).toMatchObject({ account: 'you@example.org', appId: 'made-up' });
    expect(config.password?.reveal()).toBe('secret of /run/secrets/password');
    expect(config.appSecret?.reveal()).toBe('secret of /run/secrets/app-secret');
  });
});
