import { describe, expect, test } from 'vitest';
import { OPTIONS } from '../../src/config/options.ts';
import { FakeProcess } from './command-harness.ts';

describe('config', () => {
  test('prints every option with its value and where that came from', async () => {
    const shell = new FakeProcess();
    shell.env = { SOLAR_CACHE_MAX_AGE: '20m', SOLAR_CONFIG_FILE: 'exporter.yaml' };
    shell.files = { 'exporter.yaml': 'cache:\n  readings-ttl: 90s\n' };
    const { status, out, complaints } = await shell.run('config', '--scrape.timeout=5s');
    expect({ status, complaints }).toEqual({ status: 0, complaints: '' });
    expect(out.split('\n').map((line) => line.split(' ')[0])).toEqual([
      'option',
      ...OPTIONS.map(({ flag }) => flag),
      '',
    ]);
    expect(out).toMatch(/^cache\.max-age +20m +environment$/m);
    expect(out).toMatch(/^cache\.readings-ttl +1m30s +file$/m);
    expect(out).toMatch(/^scrape\.timeout +5s +flag$/m);
    expect(out).toMatch(/^cache\.summary-ttl +15m +default$/m);
  });

  test('needs no credentials', async () => {
    expect((await new FakeProcess().run('config')).status).toBe(0);
  });

  test('shows secrets and the account as [secret]', async () => {
    const shell = new FakeProcess();
    shell.env = {
      SOLAR_ACCOUNT: 'planted.account@example.org',
      SOLAR_PASSWORD: 'planted-password',
      SOLAR_ACCESS_TOKEN: 'planted-access',
      SOLAR_REFRESH_TOKEN: 'planted-refresh',
      SOLAR_APP_SECRET_FILE: 'app-secret',
    };
    shell.files = { 'app-secret': 'planted-app-secret\n' };
    const { status, out } = await shell.run('config');
    expect(status).toBe(0);
    expect(out).not.toContain('planted');
    for (const flag of ['account', 'password', 'access-token', 'refresh-token', 'app-secret'])
      expect(out).toMatch(new RegExp(`^${flag} +\\[secret\\] +environment$`, 'm'));
  });

  test('with something wrong lists it and prints no configuration', async () => {
    const shell = new FakeProcess();
    shell.env = { SOLAR_CACHE_MAX_AGE: 'soon' };
    const { status, out, complaints } = await shell.run('config', '--config.file=nowhere.yaml');
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(complaints).toContain('SOLAR_CACHE_MAX_AGE');
    expect(complaints).toContain('cannot read "nowhere.yaml": ENOENT');
  });
});

test('config refuses a dialect file that the exporter would refuse', async () => {
  const shell = new FakeProcess();
  shell.files = { 'dialect.yml': '- {key: pvPower, quantity: pv_power, unit: kWh}' };
  const { status, complaints } = await shell.run('config', '--dialect.file=dialect.yml');
  expect(status).toBe(2);
  expect(complaints).toContain(
    '--dialect.file: "dialect.yml": entry 1: unit: "kWh" is not accepted; accepted for pv_power: W, kW, MW, mW',
  );
});

test('config refuses a tariff file that the exporter would refuse', async () => {
  const shell = new FakeProcess();
  shell.files = { 'tariff.yml': 'currency: EUR\nimport:\n  - prices: 0.3 EUR' };
  const { status, complaints } = await shell.run('config', '--tariff.file=tariff.yml');
  expect(status).toBe(2);
  expect(complaints).toContain(
    '--tariff.file: "tariff.yml": line 3: price: "0.3 EUR" is not a price; accepted: a number such as 0.32',
  );
});

describe('config --check', () => {
  const CREDENTIALS = { SOLAR_ACCESS_TOKEN: 'a-token' };

  test('says that all of it is valid, files included', async () => {
    const shell = new FakeProcess();
    shell.env = { ...CREDENTIALS, SOLAR_BASE_URL: 'http://portal.example.org' };
    shell.files = { 'web.yml': 'http_server_config: {headers: {X-Frame-Options: deny}}' };
    expect(await shell.run('config', '--check', '--web.config.file=web.yml')).toEqual({
      status: 0,
      out: 'The configuration is valid.\n',
      complaints:
        'solar-exporter: base-url: http:// sends the log-in and the tokens for everybody on the way to read; use https://\n',
    });
  });

  test.each([
    {
      what: 'nothing to log in with',
      env: {},
      said: 'no credentials: give SOLAR_ACCOUNT and SOLAR_PASSWORD',
    },
    {
      what: 'a web configuration that is not there',
      env: { ...CREDENTIALS, SOLAR_WEB_CONFIG_FILE: 'none.yml' },
      said: '--web.config.file: "none.yml": cannot be read (ENOENT); accepted: a readable YAML file',
    },
    {
      what: 'a web configuration with a mistake',
      env: { ...CREDENTIALS, SOLAR_WEB_CONFIG_FILE: 'web.yml' },
      said: '--web.config.file: "web.yml": tls_server_confg: ',
    },
    {
      what: 'an application secret of another application',
      env: {
        SOLAR_ACCOUNT: 'me',
        SOLAR_PASSWORD: 'secret',
        SOLAR_APP_ID: 'id',
        SOLAR_APP_SECRET_ENCRYPTED: 'AAAA',
      },
      said: 'SOLAR_APP_SECRET_ENCRYPTED: [secret] does not decrypt with this SOLAR_APP_ID',
    },
    {
      what: 'an option with a mistake',
      env: { ...CREDENTIALS, SOLAR_WEB_MAX_REQUESTS: 'many' },
      said: 'SOLAR_WEB_MAX_REQUESTS: "many" is not a count; accepted: a whole number of at least 0',
    },
  ])('refuses $what', async ({ env, said }) => {
    const shell = new FakeProcess();
    shell.env = env;
    shell.files = { 'web.yml': 'tls_server_confg: {}' };
    const { status, out, complaints } = await shell.run('config', '--check');
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(complaints).toContain(said);
  });

  test('belongs to config', async () => {
    const { status, complaints } = await new FakeProcess().run('devices', '--check');
    expect(status).toBe(2);
    expect(complaints).toContain('--check belongs to config; devices does not take it');
  });
});
