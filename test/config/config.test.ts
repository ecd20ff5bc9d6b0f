import { describe, expect, test } from 'vitest';
import { type ConfigSources, parseConfig } from '../../src/config/config.ts';
import { ConfigError } from '../../src/base/errors.ts';
import { SERVICE_PATHS } from '../support/service-paths.ts';

const NOTHING: ConfigSources = {
  flags: {},
  env: {},
  readFile: () => {
    throw new Error('no file is read');
  },
};

async function problemsOf(
  sources: Partial<ConfigSources>,
  credentials = false,
): Promise<readonly string[]> {
  const error: unknown = await parseConfig({ ...NOTHING, ...sources }, { credentials }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error === undefined) return [];
  expect(error).toBeInstanceOf(ConfigError);
  return (error as ConfigError).problems;
}

describe('parseConfig', () => {
  test('without any source, everything has its default', async () => {
    const { config, warnings } = await parseConfig(NOTHING, { credentials: false });
    expect(warnings).toEqual([]);
    expect(config).toEqual({
      baseUrl: 'https://solar.siseli.com',
      authUrl: 'https://solar.siseli.com',
      stationIds: [],
      accounts: [],
      paths: SERVICE_PATHS,
      collect: { settings: false, alarms: true, energy: true, process: false },
      cache: {
        readingsTtlMs: 'auto',
        summaryTtlMs: 900_000,
        devicesTtlMs: 3_600_000,
        settingsTtlMs: 3_600_000,
        alarmsTtlMs: 120_000,
        maxAgeMs: 'auto',
      },
      scrapeTimeoutMs: 9500,
      limit: { series: 500_000 },
      request: { timeoutMs: 30_000, concurrency: 8 },
      web: {
        listenAddress: { port: 9877 },
        telemetryPath: '/metrics',
        allowedHosts: [],
        maxRequests: 40,
        isLifecycleEnabled: false,
      },
      log: { level: 'info' },
      history: { format: 'openmetrics', labels: new Map(), intervalMs: 60_000 },
      simulator: {
        family: 'classic',
        seed: 1,
        stations: 1,
        devices: 1,
        latencyMs: 0,
        tokenLifetimeMs: 7_200_000,
        errorRate: 0,
        omitTotal: false,
        nullReadings: 0,
        portal: undefined,
        settingsCached: false,
        drain: false,
        listenAddress: { host: '127.0.0.1', port: 9878 },
      },
    });
  });

  test('the configuration is frozen, all the way down', async () => {
    const { config } = await parseConfig(
      { ...NOTHING, flags: { station: '1' } },
      { credentials: false },
    );
    const groups: unknown[] = [config, ...Object.values<unknown>({ ...config })];
    for (const group of groups) expect(Object.isFrozen(group)).toBe(true);
    expect(Object.isFrozen(config.web.listenAddress)).toBe(true);
  });

  test('login goes to the base URL unless it has a URL of its own', async () => {
    const flags = { 'base-url': 'http://base.example/' };
    const both = { ...flags, 'auth-url': 'http://auth.example' };
    const needs = { credentials: false };
    const same = await parseConfig({ ...NOTHING, flags }, needs);
    const separate = await parseConfig({ ...NOTHING, flags: both }, needs);
    expect(same.config.authUrl).toBe('http://base.example');
    expect(separate.config.authUrl).toBe('http://auth.example');
  });

  test('warns of a maximum age that the service cannot keep up with', async () => {
    const flags = { 'cache.max-age': '4m' };
    const { warnings } = await parseConfig({ ...NOTHING, flags }, { credentials: false });
    expect(warnings).toEqual([
      'cache.max-age: 4m is less than the five minutes between two readings of a device: its values come and go',
    ]);
  });

  test('names every problem at once', async () => {
    const problems = await problemsOf(
      {
        flags: {
          'cache.readings-ttl': '60',
          'cache.reading-ttl': '60s',
          password: 'hunter2',
          'config.file': 'solar.yaml',
        },
        env: { SOLAR_TIME_ZONE: 'Europe', SOLAR_PASSWORD: 'x', SOLAR_PASSWORD_FILE: '/run/x' },
        readFile: () => 'log.level: loud\nlog.lvel: info\n',
      },
      true,
    );
    expect(problems).toEqual([
      '--cache.reading-ttl: unknown option; did you mean --cache.readings-ttl?',
      '--password: secrets are not taken from the command line; use SOLAR_PASSWORD or SOLAR_PASSWORD_FILE',
      'log.lvel in solar.yaml: unknown key; did you mean log.level?',
      'SOLAR_PASSWORD and SOLAR_PASSWORD_FILE: give only one of the two',
      'SOLAR_TIME_ZONE: "Europe" is not a time zone; accepted: an IANA name such as Europe/Kyiv',
      '--cache.readings-ttl: "60" is not a duration; accepted: auto, or a positive length such as 500ms, 30s, 15m, 1h30m',
      'log.level in solar.yaml: "loud" is not a choice; accepted: one of fatal, error, warn, info, debug, trace, silent',
      'SOLAR_PASSWORD is given without an account: set SOLAR_ACCOUNT',
    ]);
  });
});

describe('what flags may be', () => {
  test.each([
    [
      'unknown and unlike any',
      { verbose: true },
      '--verbose: unknown option; solar-exporter --help-all lists them',
    ],
    [
      'near another option',
      { 'web.configfile': '/x' },
      '--web.configfile: unknown option; did you mean --web.config.file?',
    ],
    [
      'no name at all',
      { 'a b\n': 'x' },
      '--"a b\\n": unknown option; solar-exporter --help-all lists them',
    ],
    [
      'a mistyped secret',
      { pasword: 'hunter2' },
      '--pasword: unknown option; did you mean SOLAR_PASSWORD or SOLAR_PASSWORD_FILE?',
    ],
    [
      'a file with a secret',
      { 'app-secret-file': '/x' },
      '--app-secret-file: secrets are not taken from the command line; use SOLAR_APP_SECRET or SOLAR_APP_SECRET_FILE',
    ],
    ['given twice', { 'log.level': ['info', 'warn'] }, '--log.level: takes one value, not several'],
    ['without their value', { 'log.level': true }, '--log.level: takes a value'],
    ['a nested object', { station: { id: '1' } }, '--station: takes a value'],
    ['a list of anything else', { station: ['1', {}] }, '--station: takes a list of ids'],
    [
      'a blank file name',
      { 'config.file': ' ' },
      '--config.file: " " is not a text; accepted: one line that is not blank',
    ],
  ])('refuses what is %s', async (_when, flags, problem) => {
    expect(await problemsOf({ flags })).toEqual([problem]);
  });

  test('numbers, switches and repeated station ids are taken as the parser delivers them', async () => {
    const { config } = await parseConfig(
      {
        ...NOTHING,
        flags: {
          'collect.settings': true,
          'collect.alarms': false,
          'request.concurrency': 4,
          'simulator.seed': 7n,
          station: ['1', 2, '1, 3'],
          'log.level': undefined,
        },
      },
      { credentials: false },
    );
    expect(config.collect).toEqual({
      settings: true,
      alarms: false,
      energy: true,
      process: false,
    });
    expect(config.request.concurrency).toBe(4);
    expect(config.simulator.seed).toBe(7);
    expect(config.stationIds).toEqual(['1', '2', '3']);
  });

  test('a long value is cut and escaped', async () => {
    const text = `\n${'x'.repeat(100)}`;
    expect(await problemsOf({ flags: { 'collect.alarms': text } })).toEqual([
      `--collect.alarms: "\\n${'x'.repeat(59)}…" is not a yes or no; accepted: true or false`,
    ]);
  });
});

describe('unknown environment variables', () => {
  const warningsFor = async (env: Record<string, string | undefined>) =>
    (await parseConfig({ ...NOTHING, env }, { credentials: false })).warnings;

  test.each([
    ['SOLAR_CACHE_READING_TTL', 'SOLAR_CACHE_READINGS_TTL'],
    ['SOLAR_PASSWORD_FIL', 'SOLAR_PASSWORD_FILE'],
    ['SOLAR_TIMEZONE', 'SOLAR_TIME_ZONE'],
  ])('%s gives a warning that names %s', async (typed, meant) => {
    expect(await warningsFor({ [typed]: 'x' })).toEqual([
      `${typed}: unknown environment variable, ignored; did you mean ${meant}?`,
    ]);
  });

  test.each([
    'SOLAR_EXPORTER_SERVICE_HOST',
    'SOLAR_EXPORTER_ACCOUNT',
    'SOLAR_SIMULATOR_SERVICE_HOST',
    'SOLAR_PORT_9877_TCP_ADDR',
    'SOLAR_REVISION',
    'SOLAR_SOMETHING_ELSE_ENTIRELY',
    'ACCOUNT',
  ])('%s gives no warning', async (name) => {
    expect(await warningsFor({ [name]: 'x' })).toEqual([]);
  });

  test('an empty one counts as unset', async () => {
    expect(await warningsFor({ SOLAR_TIMEZONE: '', SOLAR_ACOUNT: undefined })).toEqual([]);
  });
});

describe('credentials', () => {
  const ACCOUNT = { SOLAR_ACCOUNT: 'someone', SOLAR_PASSWORD: 'hunter2' };
  const SIGNATURE = { SOLAR_APP_ID: 'app', SOLAR_APP_SECRET: 'signing' };

  test.each([
    ['account, password and signature', { ...ACCOUNT, ...SIGNATURE }],
    [
      'an encrypted application secret',
      { ...ACCOUNT, SOLAR_APP_ID: 'app', SOLAR_APP_SECRET_ENCRYPTED: 'c2VjcmV0' },
    ],
    ['both tokens', { SOLAR_ACCESS_TOKEN: 'a', SOLAR_REFRESH_TOKEN: 'r' }],
    ['an access token alone', { SOLAR_ACCESS_TOKEN: 'a' }],
    ['an access token, and an account that cannot log in', { SOLAR_ACCESS_TOKEN: 'a', ...ACCOUNT }],
    ['an access token and half an account', { SOLAR_ACCESS_TOKEN: 'a', SOLAR_ACCOUNT: 'someone' }],
  ])('are enough with %s', async (_what, env) => {
    expect(await problemsOf({ env }, true)).toEqual([]);
  });

  test.each([
    [
      'nothing',
      {},
      'no credentials: give SOLAR_ACCOUNT and SOLAR_PASSWORD (with SOLAR_APP_ID and SOLAR_APP_SECRET or SOLAR_APP_SECRET_ENCRYPTED, which sign the login), or SOLAR_ACCESS_TOKEN and SOLAR_REFRESH_TOKEN, or SOLAR_ACCESS_TOKEN alone',
    ],
    [
      'no password',
      { SOLAR_ACCOUNT: 'someone', SOLAR_REFRESH_TOKEN: 'r' },
      'SOLAR_ACCOUNT is given without a password: set SOLAR_PASSWORD or SOLAR_PASSWORD_FILE',
    ],
    [
      'no account',
      { SOLAR_PASSWORD: 'hunter2' },
      'SOLAR_PASSWORD is given without an account: set SOLAR_ACCOUNT',
    ],
    [
      'no signature',
      ACCOUNT,
      'login with an account needs SOLAR_APP_ID and SOLAR_APP_SECRET or SOLAR_APP_SECRET_ENCRYPTED for its signature',
    ],
    [
      'no application id',
      { ...ACCOUNT, SOLAR_REFRESH_TOKEN: 'r', SOLAR_APP_SECRET: 'signing' },
      'login with an account needs SOLAR_APP_ID for its signature',
    ],
    [
      'no application secret',
      { ...ACCOUNT, SOLAR_APP_ID: 'app' },
      'login with an account needs SOLAR_APP_SECRET or SOLAR_APP_SECRET_ENCRYPTED for its signature',
    ],
    [
      'a refresh token alone',
      { SOLAR_REFRESH_TOKEN: 'r' },
      'SOLAR_REFRESH_TOKEN is given without an access token: set SOLAR_ACCESS_TOKEN or SOLAR_ACCESS_TOKEN_FILE',
    ],
  ])('are not enough with %s', async (_what, env, problem) => {
    expect(await problemsOf({ env }, true)).toEqual([problem]);
  });

  test('are needed unless the command says otherwise', async () => {
    await expect(parseConfig(NOTHING)).rejects.toThrow(/^no credentials: /);
  });

  test('an unusable value is not also reported as missing', async () => {
    expect(
      await problemsOf({ env: { ...ACCOUNT, ...SIGNATURE, SOLAR_ACCOUNT: ' ' } }, true),
    ).toEqual(['SOLAR_ACCOUNT: its value is not a text; accepted: one line that is not blank']);
  });
});
