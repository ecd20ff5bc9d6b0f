import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { describeConfig } from '../../../src/config/config.ts';
import { OPTIONS, type OptionDefinition } from '../../../src/config/options.ts';
import { SERVICE_PATHS } from '../../support/service-paths.ts';
import { type Given, parse } from './parse.ts';

describe('a configuration', () => {
  test('has the default of everything without any source', async () => {
    const { config, warnings } = await parse();
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

  test('is frozen, all the way down', async () => {
    const { config } = await parse({ flags: { station: '1' } });
    const groups: unknown[] = [config, config.web.listenAddress, ...Object.values({ ...config })];
    for (const group of groups) expect(Object.isFrozen(group)).toBe(true);
  });

  test('needs credentials unless the command says otherwise', async () => {
    await expect(parse({ credentials: true })).rejects.toThrow(/^no credentials: /);
  });

  test.each<Given & { text: string; read: object }>([
    {
      text: 'keys that are flat with dots, or nested',
      file: 'cache.readings-ttl: 30s\ncache:\n  max-age: 20m\nrequest.concurrency: 4\n',
      read: { cache: { readingsTtlMs: 30_000, maxAgeMs: 1_200_000 }, request: { concurrency: 4 } },
    },
    {
      text: 'YAML words for yes',
      file: 'collect: { settings: on }',
      read: { collect: { settings: true } },
    },
    { text: 'an empty file', file: '', read: { web: { telemetryPath: '/metrics' } } },
    { text: 'a comment', file: '# only a comment\n', read: { stationIds: [] } },
    { text: 'an empty mapping', file: '{}', read: { stationIds: [] } },
    { text: 'a mark of the order of bytes', file: '\uFEFF{}', read: { stationIds: [] } },
    ...[
      '12345678901234567890',
      '[12345678901234567890]',
      '\n  - 12345678901234567890\n  - "1"',
    ].map((id) => ({
      text: `every digit of a long id in ${JSON.stringify(id)}`,
      file: `station: ${id}`,
      read: { stationIds: expect.arrayContaining(['12345678901234567890']) as unknown },
    })),
    {
      text: 'numbers, switches and repeated flags as the parser delivers them',
      flags: {
        ...{ 'collect.settings': true, 'collect.alarms': false, 'request.concurrency': 4 },
        ...{ 'simulator.seed': 7n, station: ['1', 2, '1, 3'], 'log.level': undefined },
      },
      read: {
        collect: { settings: true, alarms: false },
        request: { concurrency: 4 },
        simulator: { seed: 7 },
        stationIds: ['1', '2', '3'],
        log: { level: 'info' },
      },
    },
    {
      text: 'a base URL, to which the log-in goes as well',
      flags: { 'base-url': 'http://base.example/' },
      read: { authUrl: 'http://base.example' },
    },
    {
      text: 'another URL for the log-in',
      flags: { 'base-url': 'http://base.example/', 'auth-url': 'http://auth.example' },
      read: { baseUrl: 'http://base.example', authUrl: 'http://auth.example' },
    },
    {
      text: 'a dialect file, whose scalars all stay text',
      flags: { 'dialect.file': '/d' },
      files: { '/d': '- {key: pvPower, part: 007}\n- null' },
      read: {
        dialect: {
          file: { path: '/d' },
          entries: [{ key: 'pvPower', part: '007' }, 'null'],
        },
      },
    },
    ...['', '# nothing yet\n', '[]'].map((text) => ({
      text: `a dialect file of ${JSON.stringify(text)}`,
      flags: { 'dialect.file': '/d' },
      files: { '/d': text },
      read: { dialect: { entries: [] } },
    })),
  ])('reads $text', async ({ read, ...given }) => {
    expect((await parse(given)).config).toMatchObject(read);
  });
});

describe('a warning', () => {
  const AGE =
    'cache.max-age: 4m is less than the five minutes between two readings of a device: its values come and go';
  const READABLE =
    'http:// sends the log-in and the tokens for everybody on the way to read; use https://';
  const unknown = (typed: string, meant: string) =>
    `${typed}: unknown environment variable, ignored; did you mean ${meant}?`;

  test.each<Given & { of: string; says: readonly string[] }>([
    { of: 'a short age', flags: { 'cache.max-age': '4m' }, says: [AGE] },
    { of: 'six minutes', flags: { 'cache.max-age': '6m' }, says: [] },
    {
      of: 'an open address, once where both are the same',
      flags: { 'base-url': 'http://a.example' },
      says: [`base-url: ${READABLE}`],
    },
    {
      of: 'an open address of the log-in',
      flags: { 'auth-url': 'http://a.example' },
      says: [`auth-url: ${READABLE}`],
    },
    {
      of: 'an open address of an account',
      file: 'accounts: [{name: roof, base-url: "http://a.example"}]',
      says: [`account roof: base-url: ${READABLE}`],
    },
    ...['http://localhost:1', 'http://127.8.9.1', 'http://[::1]'].map((url) => ({
      of: url,
      flags: { 'base-url': url },
      says: [],
    })),
    ...[
      ['SOLAR_CACHE_READING_TTL', 'SOLAR_CACHE_READINGS_TTL'],
      ['SOLAR_PASSWORD_FIL', 'SOLAR_PASSWORD_FILE'],
      ['SOLAR_TIMEZONE', 'SOLAR_TIME_ZONE'],
    ].map(([typed = '', meant = '']) => ({
      of: typed,
      env: { [typed]: 'x' },
      says: [unknown(typed, meant)],
    })),
    {
      of: 'empty variables, which count as unset',
      env: { SOLAR_TIMEZONE: '', SOLAR_ACOUNT: undefined },
      says: [],
    },
    ...[
      ...['SOLAR_EXPORTER_SERVICE_HOST', 'SOLAR_EXPORTER_ACCOUNT', 'SOLAR_SIMULATOR_SERVICE_HOST'],
      ...['SOLAR_PORT_9877_TCP_ADDR', 'SOLAR_REVISION', 'SOLAR_SOMETHING_ELSE_ENTIRELY', 'ACCOUNT'],
    ].map((name) => ({ of: name, env: { [name]: 'x' }, says: [] })),
  ])('is given of $of as it should be', async ({ says, ...given }) => {
    expect((await parse(given)).warnings).toEqual(says);
  });
});

/** Three values that differ from each other and from the default, as `config` would show them. */
const SAMPLES: Readonly<Record<string, readonly [string, string, string]>> = {
  textFile: ['/flag.yaml', '/environment.yaml', '/file.yaml'],
  path: ['/flag.yaml', '/environment.yaml', '/file.yaml'],
  url: ['https://flag.example', 'https://environment.example', 'https://file.example'],
  duration: ['11s', '12s', '13s'],
  durationOrAuto: ['11m', '12m', '13m'],
  timeout: ['11s', '12s', '13s'],
  timeoutOrZero: ['11s', '12s', '13s'],
  boolean: ['true', 'false', 'true'],
  count: ['11', '12', '13'],
  ratio: ['0.11', '0.12', '0.13'],
  positive: ['11', '12', '13'],
  list: ['f1,f2', 'e1', 'y1,y2'],
  hosts: ['f.example,.g.example', 'e.example', 'y.example,z.example'],
  interval: ['11s', '12s', '13s'],
  labels: ['job=flag', 'job=environment,instance=', 'job=file'],
  moment: ['2026-01-01', '2026-01-02 12:30', '2026-01-03T12:30:00+02:00'],
  timeZone: ['Europe/Kyiv', 'Asia/Manila', 'UTC'],
  endpointPath: ['/flag', '/environment', '/file'],
  address: ['flag:1', 'environment:2', '[::1]:3'],
};

function samplesOf({ kind, choices }: OptionDefinition): readonly [string, string, string] {
  if (choices === undefined) return SAMPLES[kind] ?? ['flag', 'environment', 'file'];
  const [first = '', second = '', third = first] = choices;
  return [first, second, third];
}

describe('where a value comes from', () => {
  test.each(OPTIONS.filter(({ fileKey, secret }) => fileKey !== false && secret !== true))(
    '$flag: the flag beats the environment beats the file beats the default',
    async (option) => {
      const { flag, env: name } = option;
      const [fromFlag, fromEnv, fromFile] = samplesOf(option);
      const shown = async (given: { flag?: string; env?: string; file?: string }) => {
        // Files that options name are empty.
        const files = Object.fromEntries(SAMPLES['path']?.map((path) => [path, '']) ?? []);
        const { config, origins } = await parse({
          flags: { [flag]: given.flag },
          env: { [name]: given.env },
          ...(given.file !== undefined && { file: `${flag}: "${given.file}"\n` }),
          files,
        });
        const row = describeConfig(config, origins).find((one) => one.flag === flag);
        return [row?.value, row?.origin];
      };
      const show = (value: string): string => (option.redacted === true ? '[secret]' : value);
      const [flagged, env, file] = [{ flag: fromFlag }, { env: fromEnv }, { file: fromFile }];
      expect(await shown({ ...flagged, ...env, ...file })).toEqual([show(fromFlag), 'flag']);
      expect(await shown({ ...flagged, env: 'refused if read' })).toEqual([show(fromFlag), 'flag']);
      expect(await shown({ ...env, ...file })).toEqual([show(fromEnv), 'environment']);
      // Compose files pass an unset variable as an empty one.
      expect(await shown({ env: '', ...file })).toEqual([show(fromFile), 'file']);
      expect((await shown({ env: '' }))[1]).toBe('default');
    },
  );

  test.each(OPTIONS.filter(({ secret }) => secret === true))(
    '$flag: the environment beats the file, and either may name a file',
    async ({ flag, env: name }) => {
      const read = async (env: Readonly<Record<string, string>>, file = `${flag}: from-file\n`) => {
        const { config, origins } = await parse({ env, file, files: { '/run/x': 'secret\r\n' } });
        const { password, accessToken, refreshToken, appSecret, appSecretEncrypted } = config;
        const secret = password ?? accessToken ?? refreshToken ?? appSecret ?? appSecretEncrypted;
        return [secret?.reveal(), origins.get(flag)];
      };
      expect(await read({ [name]: 'typed' })).toEqual(['typed', 'environment']);
      expect(await read({ [`${name}_FILE`]: '/run/x' })).toEqual(['secret', 'environment']);
      expect(await read({ [name]: '', [`${name}_FILE`]: '' })).toEqual(['from-file', 'file']);
      expect(await read({}, `${flag}-file: /run/x`)).toEqual(['secret', 'file']);
    },
  );

  test('the configuration file itself: the flag beats the environment', async () => {
    const { config } = await parse({
      flags: { 'config.file': '/flag.yaml' },
      env: { SOLAR_CONFIG_FILE: '/environment.yaml' },
      files: { '/flag.yaml': '' },
    });
    expect(config.configFile).toBe('/flag.yaml');
  });
});

test('a configuration is described with values as typed, secrets hidden, and nothing where nothing is set', async () => {
  const { config } = await parse({
    flags: { account: 'someone@example.com', station: ['1', '2,3'] },
    env: { SOLAR_ACCESS_TOKEN: 'hunter2' },
  });
  const rows = new Map(describeConfig(config, new Map()).map((row) => [row.flag, row]));
  expect([...rows.keys()]).toEqual(OPTIONS.map(({ flag }) => flag));
  expect(rows.get('account')).toMatchObject({ env: 'SOLAR_ACCOUNT', origin: 'default' });
  const values = Object.fromEntries([...rows].map(([flag, { value }]) => [flag, value]));
  expect(values).toMatchObject({
    account: '[secret]',
    'access-token': '[secret]',
    password: '',
    station: '1,2,3',
    'auth-url': 'https://solar.siseli.com',
    'scrape.timeout': '9.5s',
    'cache.readings-ttl': 'auto',
    'cache.alarms-ttl': '2m',
    'simulator.latency': '0s',
    'web.listen-address': ':9877',
    'simulator.listen-address': '127.0.0.1:9878',
    'collect.alarms': 'true',
    'log.format': '',
  });
});

test('secrets never show in a configuration, however it is printed', async () => {
  const secrets = OPTIONS.filter(({ secret }) => secret === true);
  const variables = secrets.filter(({ flag }) => flag !== 'app-secret-encrypted');
  const env = Object.fromEntries(variables.map((option) => [option.env, 'hunter2']));
  const { config, origins } = await parse({ env });
  expect(config.password?.reveal()).toBe('hunter2');
  const printed = [
    JSON.stringify(config),
    inspect(config, { depth: Infinity, showHidden: true }),
    JSON.stringify(describeConfig(config, origins)),
  ];
  expect(printed.join('\n')).not.toContain('hunter2');
});

test('no two options share a name, and none looks like what Kubernetes injects', () => {
  const names = OPTIONS.flatMap(({ flag, env, secret }) => [
    ...[flag, env],
    ...(secret === true ? [`${env}_FILE`] : []),
  ]);
  expect(new Set(names).size).toBe(names.length);
  for (const { env } of OPTIONS) expect(env).not.toMatch(/_(?:SERVICE|PORT)(?:_|$)/);
});
