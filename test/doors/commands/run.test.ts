import { describe, expect, test } from 'vitest';
import { OPTIONS } from '../../../src/config/options.ts';
import type { Fault } from '../../../src/simulator/simulator.ts';
import { FakeProcess, startProcess } from './fake-process.ts';

const TOKEN = { SOLAR_ACCESS_TOKEN: 'a-token' };

describe('a run', () => {
  test.each([
    ...['serve', 'check', 'devices', 'readings', 'settings get 1', 'settings set 1 a=b --yes'],
    ...['history --from=2025-01-01', 'config --check'],
  ])('of %s needs credentials', async (command) => {
    const { status, complaints } = await new FakeProcess().run(...command.split(' '));
    expect(status).toBe(2);
    expect(complaints).toMatch(/^solar-exporter: no credentials: give SOLAR_ACCOUNT/);
  });

  test('lists every problem of the configuration, each on a line of its own', async () => {
    const shell = new FakeProcess();
    shell.env = { SOLAR_TIME_ZONE: 'Mars/Olympus', ...TOKEN };
    const { status, complaints } = await shell.run('--cache.max-age=soon', '--cash.max-age=1h');
    expect(status).toBe(2);
    const lines = complaints.trimEnd().split('\n');
    expect(lines).toHaveLength(3);
    expect(lines.every((line) => line.startsWith('solar-exporter: '))).toBe(true);
  });

  test.each<{ code: string; fault: Fault }>([
    { code: 'SERVICE_UNREACHABLE', fault: { kind: 'refuse' } },
    { code: 'SERVICE_SERVER_ERROR', fault: { kind: 'status', status: 500 } },
    { code: 'SERVICE_REQUEST_REJECTED', fault: { kind: 'status', status: 404 } },
    { code: 'SERVICE_AUTH_REJECTED', fault: { kind: 'status', status: 401 } },
    { code: 'SERVICE_RATE_LIMITED', fault: { kind: 'status', status: 429 } },
    { code: 'SERVICE_API_REFUSED', fault: { kind: 'envelope', code: 20_101, message: 'no' } },
    { code: 'SERVICE_PAYLOAD_INVALID', fault: { kind: 'html' } },
    { code: 'SERVICE_TIMEOUT', fault: { kind: 'hang' } },
  ])('that fails with $code ends with 1, the code and a remedy', async ({ code, fault }) => {
    const { shell, simulator } = await startProcess();
    simulator.setFault('stations', fault);
    const flags = fault.kind === 'hang' ? ['--request.timeout=300ms'] : [];
    const { status, out, complaints } = await shell.run('devices', ...flags);
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(complaints).toMatch(new RegExp(`^solar-exporter: ${code}: [^\\n]+\\n  → [^\\n]+\\n$`));
  });

  test('that fails because of a bug prints the stack', async () => {
    const { shell } = await startProcess();
    shell.newNonce = () => {
      throw new TypeError('a bug');
    };
    const { status, complaints } = await shell.run('readings', '1');
    expect(status).toBe(1);
    expect(complaints).toMatch(/^solar-exporter: UNEXPECTED: TypeError: a bug\n +at /);
  });

  test('warns of variables that look mistyped, and goes on', async () => {
    const { shell } = await startProcess();
    shell.env = { ...shell.env, SOLAR_STATIONS: '1' };
    const { status, complaints } = await shell.run('check');
    expect(status).toBe(0);
    expect(complaints).toBe(
      'solar-exporter: SOLAR_STATIONS: unknown environment variable, ignored; did you mean SOLAR_STATION?\n',
    );
  });

  test.each([
    { argv: ['check'], options: ['error', undefined] },
    { argv: ['check', '--log.level=debug'], options: ['debug', undefined] },
    { argv: ['check', '--log.format=json'], options: ['error', 'json'] },
  ])('of $argv logs no more than it is asked to', async ({ argv, options }) => {
    const { shell } = await startProcess();
    await shell.run(...argv);
    expect(shell.logOptions).toEqual(options);
  });
});

describe('config', () => {
  test('prints every option with its value and where that came from, secrets and accounts hidden', async () => {
    const shell = new FakeProcess();
    const hidden = ['account', 'password', 'access-token', 'refresh-token', 'app-secret'];
    shell.env = {
      ...{ SOLAR_CACHE_MAX_AGE: '20m', SOLAR_CONFIG_FILE: 'exporter.yaml' },
      ...{ SOLAR_ACCOUNT: 'planted', SOLAR_PASSWORD: 'planted', SOLAR_ACCESS_TOKEN: 'planted' },
      ...{ SOLAR_REFRESH_TOKEN: 'planted', SOLAR_APP_SECRET_FILE: 'secret' },
    };
    shell.files = { 'exporter.yaml': 'cache: {readings-ttl: 90s}\n', secret: 'planted\n' };
    const { status, out, complaints } = await shell.run('config', '--scrape.timeout=5s');
    expect({ status, complaints }).toEqual({ status: 0, complaints: '' });
    const rows = out.split('\n').map((line) => line.split(/ {2,}/));
    expect(rows.map(([flag]) => flag)).toEqual(['option', ...OPTIONS.map(({ flag }) => flag), '']);
    for (const row of [
      ['cache.max-age', '20m', 'environment'],
      ['cache.readings-ttl', '1m30s', 'file'],
      ['scrape.timeout', '5s', 'flag'],
      ['cache.summary-ttl', '15m', 'default'],
      ...hidden.map((flag) => [flag, '[secret]', 'environment']),
    ])
      expect(rows).toContainEqual(row);
    expect(out).not.toContain('planted');
  });

  test.each([
    { files: {}, flag: '--config.file=none.yml', says: 'cannot read "none.yml": ENOENT' },
    {
      files: { 'mine.yml': '- {key: pvPower, quantity: pv_power, unit: kWh}' },
      flag: '--dialect.file=mine.yml',
      says: '--dialect.file: "mine.yml": entry 1: unit: "kWh" is not accepted; accepted for pv_power: W, kW, MW, mW',
    },
    {
      files: { 'mine.yml': 'currency: EUR\nimport:\n  - prices: 0.3 EUR' },
      flag: '--tariff.file=mine.yml',
      says: '--tariff.file: "mine.yml": line 3: price: "0.3 EUR" is not a price; accepted: a number such as 0.32',
    },
  ])('refuses what the exporter would refuse, and prints nothing else: $says', async (row) => {
    const shell = new FakeProcess();
    shell.files = row.files;
    const { status, out, complaints } = await shell.run('config', row.flag);
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(complaints).toContain(row.says);
  });

  test('--check says that all of it is valid, files included', async () => {
    const shell = new FakeProcess();
    shell.env = { ...TOKEN, SOLAR_BASE_URL: 'http://portal.example.org' };
    shell.files = { 'web.yml': 'http_server_config: {headers: {X-Frame-Options: deny}}' };
    expect(await shell.run('config', '--check', '--web.config.file=web.yml')).toEqual({
      status: 0,
      out: 'The configuration is valid.\n',
      complaints:
        'solar-exporter: base-url: http:// sends the log-in and the tokens for everybody on the way to read; use https://\n',
    });
    shell.env = TOKEN;
    const { out } = await shell.run('config', '--check', '--json');
    expect(JSON.parse(out)).toEqual({ valid: true, warnings: [] });
  });

  test.each([
    {
      env: { ...TOKEN, SOLAR_WEB_CONFIG_FILE: 'none.yml' },
      says: '--web.config.file: "none.yml": cannot be read (ENOENT); accepted: a readable YAML file',
    },
    {
      env: { ...TOKEN, SOLAR_WEB_CONFIG_FILE: 'web.yml' },
      says: '--web.config.file: "web.yml": tls_server_confg: ',
    },
    {
      env: {
        ...{ SOLAR_ACCOUNT: 'me', SOLAR_PASSWORD: 'secret', SOLAR_APP_ID: 'id' },
        SOLAR_APP_SECRET_ENCRYPTED: 'AAAA',
      },
      says: 'SOLAR_APP_SECRET_ENCRYPTED: [secret] does not decrypt with this SOLAR_APP_ID',
    },
    {
      env: { ...TOKEN, SOLAR_WEB_MAX_REQUESTS: 'many' },
      says: 'SOLAR_WEB_MAX_REQUESTS: "many" is not a count; accepted: a whole number of at least 0',
    },
  ])('--check refuses: $says', async ({ env, says }) => {
    const shell = new FakeProcess();
    shell.env = env;
    shell.files = { 'web.yml': 'tls_server_confg: {}' };
    const { status, out, complaints } = await shell.run('config', '--check');
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(complaints).toContain(says);
  });
});
