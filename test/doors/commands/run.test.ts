import { describe, expect, test } from 'vitest';
import type { ConfigRow } from '../../../src/config/config.ts';
import { OPTIONS } from '../../../src/config/options.ts';
import { done, FakeProcess, refused, startProcess, startScriptedProcess } from './fake-process.ts';

const TOKEN = { SOLAR_ACCESS_TOKEN: 'a-token' };

describe('a run', () => {
  test.each([
    'serve',
    'check',
    'devices',
    'readings',
    'settings get 1',
    'settings set 1 a=b --yes',
    'history --from=2025-01-01',
    'config --check',
  ])('of %s needs credentials', async (command) => {
    const { status, complaints } = await new FakeProcess().run(...command.split(' '));
    expect(status).toBe(2);
    expect(complaints).toMatch(/^solar-exporter: no credentials: set SOLAR_ACCOUNT, /);
  });

  test('that fails ends with 1, the code and a remedy', async () => {
    const stations = { envelope: { code: 20_101, message: 'no' } };
    const { shell } = await startScriptedProcess({ stations });
    const { status, out, complaints } = await shell.run('devices');
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(complaints).toMatch(/^solar-exporter: SERVICE_API_REFUSED: [^\n]+\n  → [^\n]+\n$/);
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

  test('refuses variables that look mistyped, whatever the command', async () => {
    const shell = new FakeProcess();
    shell.env = { ...TOKEN, SOLAR_STATIONS: '1' };
    for (const command of ['check', 'demo'])
      expect(await shell.run(command)).toEqual(
        refused('SOLAR_STATIONS: unknown variable; did you mean SOLAR_STATION?'),
      );
  });

  test('logs no more than it is asked to', async () => {
    const shell = new FakeProcess();
    for (const [flags, options] of [
      [[], ['error', undefined]],
      [
        ['--log.level=debug', '--log.format=json'],
        ['debug', 'json'],
      ],
    ] as const) {
      await shell.run('config', ...flags);
      expect(shell.logOptions).toEqual(options);
    }
  });
});

describe('config', () => {
  test('prints what differs, with --all everything, secrets hidden', async () => {
    const shell = new FakeProcess();
    shell.env = {
      SOLAR_CACHE_MAX_AGE: '20m',
      SOLAR_CONFIG_FILE: 'exporter.yaml',
      SOLAR_ACCOUNT: 'planted',
      SOLAR_APP_SECRET_FILE: 'secret',
    };
    shell.files = { 'exporter.yaml': 'cache: {readings-ttl: 90s}\n', secret: 'planted\n' };
    const flags = ['--scrape.timeout=5s', '--log.level=info'];
    const changed = [
      ['account', '[secret]', 'environment'],
      ['app-secret', '[secret]', 'environment'],
      ['cache.readings-ttl', '1m30s', 'file'],
      ['cache.max-age', '20m', 'environment'],
      ['scrape.timeout', '5s', 'flag'],
      ['config.file', 'exporter.yaml', 'environment'],
    ];
    const { status, out, complaints } = await shell.run('config', ...flags);
    expect({ status, complaints }).toEqual({ status: 0, complaints: '' });
    const rows = out.split('\n').map((line) => line.split(/ {2,}/));
    const rest = OPTIONS.length - changed.length;
    expect(rows).toEqual([
      ['option', 'value', 'from'],
      ...changed,
      [`${rest} options have their default; config --all prints them, too.`],
      [''],
    ]);
    const optionsOf = async (...more: readonly string[]) =>
      (JSON.parse((await shell.run('config', '--json', ...more)).out) as { options: ConfigRow[] })
        .options;
    expect(await optionsOf()).toHaveLength(changed.length - 1);
    const all = await optionsOf('--all');
    expect(all.map(({ option }) => option)).toEqual(OPTIONS.map(({ flag }) => flag));
    expect(all).toContainEqual({ option: 'log.level', value: 'info', from: 'default' });
    expect(all).toContainEqual({ option: 'state.dir', from: 'default' });
  });

  test.each([
    [{ SOLAR_DIALECT_FILE: 'my.yml' }, '--dialect.file: "my.yml": entry 1: unit: "kWh" is not'],
    [{ SOLAR_TARIFF_FILE: 'my.yml' }, '--tariff.file: "my.yml": line 1: '],
    [{ SOLAR_WEB_CONFIG_FILE: 'my.yml' }, '--web.config.file: "my.yml": '],
    [{ SOLAR_APP_SECRET_ENCRYPTED: 'AAAA' }, '[secret] does not decrypt with this SOLAR_APP_ID'],
  ])('refuses what the exporter would refuse, and prints no more: %j', async (env, says) => {
    const shell = new FakeProcess();
    const account = { SOLAR_ACCOUNT: 'me', SOLAR_PASSWORD: 'secret', SOLAR_APP_ID: 'id' };
    shell.env = { ...TOKEN, ...account, ...env };
    shell.files = { 'my.yml': '- {key: pvPower, quantity: pv_power, unit: kWh}' };
    for (const flags of [[], ['--check']]) {
      const { status, out, complaints } = await shell.run('config', ...flags);
      expect({ status, out }).toEqual({ status: 2, out: '' });
      expect(complaints).toContain(says);
    }
  });

  test('--check says that all of it is valid, files included', async () => {
    const shell = new FakeProcess();
    shell.env = { ...TOKEN, SOLAR_BASE_URL: 'http://portal.example.org' };
    shell.files = { 'web.yml': 'basic_auth_users:' };
    expect(await shell.run('config', '--check', '--web.config.file=web.yml')).toEqual({
      ...done('The configuration is valid.\n'),
      complaints:
        'solar-exporter: base-url: http:// sends the log-in and the tokens for everybody on the way to read; use https://\n',
    });
    shell.env = TOKEN;
    const { out } = await shell.run('config', '--check', '--json');
    expect(JSON.parse(out)).toEqual({ valid: true, warnings: [] });
  });
});
