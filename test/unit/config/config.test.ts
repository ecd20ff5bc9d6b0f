import { describe, expect, test } from 'vitest';
import { describeConfig } from '../../../src/config/config.ts';
import { OPTION_BY_FLAG, OPTIONS } from '../../../src/config/options.ts';
import { SERVICE_PATHS } from '../../support/service-paths.ts';
import { type Given, parse, valueOf } from './parse.ts';

const LONG_ID = '12345678901234567890';
const HAS_LONG_ID = { stationIds: expect.arrayContaining([LONG_ID]) as unknown };
const BASE_URL = 'http://base.example';

describe('a configuration', () => {
  test('has the default of everything without any source', async () => {
    const { config, warnings, origins } = await parse();
    expect(warnings).toEqual([]);
    const described = describeConfig(config, origins);
    expect(described).toEqual(
      OPTIONS.map(({ flag: option, default: text }) => {
        // The log-in goes where the data are.
        const value = option === 'auth-url' ? 'https://solar.siseli.com' : text;
        return { option, value, from: 'default' };
      }),
    );
    expect(config.paths).toEqual(SERVICE_PATHS);
    expect(config.simulator).toMatchObject({ drain: false, portal: undefined });
  });

  test('is frozen, all the way down', async () => {
    const { config } = await parse({ flags: { station: '1' } });
    const groups: unknown[] = [config, config.web.listenAddress, ...Object.values({ ...config })];
    for (const group of groups) expect(Object.isFrozen(group)).toBe(true);
  });

  test.each<[text: string, file: string, read: object]>([
    ['keys nested at every dot', 'web: {config: {file: /w}}', { web: { configFile: '/w' } }],
    [
      'flat and nested keys',
      'request.rate: 4\nrequest: {concurrency: 3}',
      { request: { ratePerSecond: 4, concurrency: 3 } },
    ],
    ['YAML words for yes', 'collect: { settings: on }', { collect: { settings: true } }],
    ['an empty file', '', { web: { telemetryPath: '/metrics' } }],
    ['an empty mapping', '{}', { stationIds: [] }],
    ['a mark of the order of bytes', '\uFEFF{}', { stationIds: [] }],
    ['every digit of a long id', `station: ${LONG_ID}`, HAS_LONG_ID],
    ['every digit of a long id in a list', `station:\n  - ${LONG_ID}\n  - "1"`, HAS_LONG_ID],
  ])('reads %s', async (_text, file, read) => {
    expect((await parse({ file })).config).toMatchObject(read);
  });

  test.each<[text: string, flags: NonNullable<Given['flags']>, read: object]>([
    [
      'switches',
      { 'collect.settings': true, 'collect.alarms': false },
      { collect: { settings: true, alarms: false, energy: true } },
    ],
    ['numbers', { 'request.concurrency': 4 }, { request: { concurrency: 4 } }],
    ['large numbers', { 'simulator.seed': 7n }, { simulator: { seed: 7 } }],
    ['repeated flags', { station: ['1', 2, '1, 3'] }, { stationIds: ['1', '2', '3'] }],
    ['flags that are left out', { 'log.level': undefined }, { log: { level: 'info' } }],
    ['a URL, also for the log-in', { 'base-url': `${BASE_URL}/` }, { authUrl: BASE_URL }],
    [
      'another URL for the log-in',
      { 'base-url': `${BASE_URL}/`, 'auth-url': 'http://auth.example' },
      { baseUrl: BASE_URL, authUrl: 'http://auth.example' },
    ],
  ])('reads %s', async (_text, flags, read) => {
    expect((await parse({ flags })).config).toMatchObject(read);
  });

  test.each<[text: string, entries: readonly unknown[]]>([
    ['- {key: pvPower, part: 007}\n- null', [{ key: 'pvPower', part: '007' }, 'null']],
    ['', []],
    ['[]', []],
  ])('reads the dialect file %j, whose scalars all stay text', async (text, entries) => {
    const { config } = await parse({ flags: { 'dialect.file': '/d' }, files: { '/d': text } });
    expect(config.dialect).toMatchObject({ file: { path: '/d' }, entries });
  });
});

describe('a warning', () => {
  const READABLE = 'http:// sends the log-in and the tokens for everybody on the way to read';

  test.each<[of: string, given: Given, says: readonly string[]]>([
    ['a short age', { flags: { 'cache.max-age': '4m' } }, ['cache.max-age: 4m is less than']],
    ['six minutes', { flags: { 'cache.max-age': '6m' } }, []],
    ['an open address, once', { flags: { 'base-url': BASE_URL } }, [`base-url: ${READABLE}`]],
    ['an open log-in', { flags: { 'auth-url': BASE_URL } }, [`auth-url: ${READABLE}`]],
    ['this machine', { flags: { 'base-url': 'http://localhost:1' } }, []],
    ['its IPv4 address', { flags: { 'base-url': 'http://127.8.9.1' } }, []],
    ['its IPv6 address', { flags: { 'base-url': 'http://[::1]' } }, []],
    ['empty variables', { env: { SOLAR_TIMEZONE: '', SOLAR_ACOUNT: undefined } }, []],
    [
      'what serve does not use',
      { lasting: 'serve', env: { SOLAR_INTERVAL: '30s' }, file: 'drain: on' },
      [
        'SOLAR_INTERVAL: serve does not use it, only history',
        'drain in solar.yaml: serve does not use it, only simulate and demo',
      ],
    ],
    ['what demo uses', { lasting: 'demo', env: { SOLAR_FAMILY: 'pi30', SOLAR_STATION: '1' } }, []],
    ['what a command that ends may ignore', { env: { SOLAR_INTERVAL: '30s' } }, []],
  ])('is given of %s as it should be', async (_of, given, says) => {
    const { warnings } = await parse(given);
    expect(warnings.toSorted()).toEqual(
      says.map((text) => expect.stringContaining(text) as unknown),
    );
  });
});

test('the environment may have what nobody typed', async () => {
  const names = [
    'SOLAR_EXPORTER_SERVICE_HOST',
    'SOLAR_SERVICE_HOST',
    'SOLAR_WEB_SERVICE_PORT',
    'SOLAR_SERVICE_PORT_HTTP',
    'SOLAR_PORT_9877_TCP',
    'SOLAR_PORT_9877_TCP_ADDR',
    'SOLAR_WEB_PORT_53_UDP_PROTO',
    'SOLAR_X_Y_PORT_1_SCTP_PORT',
    'SOLAR_REVISION',
    'ACCOUNT',
  ];
  const env = Object.fromEntries(names.map((name) => [name, 'x']));
  const { warnings } = await parse({ env: { ...env, SOLAR_WEB_PORT: 'tcp://10.0.0.7:9877' } });
  expect(warnings).toEqual([]);
});

describe('where a value comes from', () => {
  test.each([
    ['cache.max-age', '11m', '12m', '13m'],
    ['collect.settings', 'true', 'false', 'true'],
    ['station', 'f1,f2', 'e1', 'y1,y2'],
    ['log.level', 'debug', 'warn', 'error'],
    ['dialect.file', '/flag.yaml', '/environment.yaml', '/file.yaml'],
    ['web.listen-address', 'flag:1', 'environment:2', '[::1]:3'],
    // Nobody is shown.
    ['account', 'f', 'e', 'y'],
  ])('%s: the flag beats the environment beats the file beats the default', async (...row) => {
    const [flag, fromFlag, fromEnv, fromFile] = row;
    const { env: name = '', redacted } = OPTION_BY_FLAG.get(flag) ?? {};
    const shown = async (given: { flag?: string; env?: string; file?: string }) => {
      const { config, origins } = await parse({
        flags: { [flag]: given.flag },
        env: { [name]: given.env },
        ...(given.file !== undefined && { file: `${flag}: "${given.file}"\n` }),
        // Files that options name are empty.
        files: { [fromFlag]: '', [fromEnv]: '', [fromFile]: '' },
      });
      const found = describeConfig(config, origins).find(({ option }) => option === flag);
      return [found?.value, found?.from];
    };
    const show = (value: string): string => (redacted === true ? '[secret]' : value);
    const [flagged, env, file] = [{ flag: fromFlag }, { env: fromEnv }, { file: fromFile }];
    expect(await shown({ ...flagged, ...env, ...file })).toEqual([show(fromFlag), 'flag']);
    expect(await shown({ ...flagged, env: 'refused if read' })).toEqual([show(fromFlag), 'flag']);
    expect(await shown({ ...env, ...file })).toEqual([show(fromEnv), 'environment']);
    // Compose files pass an unset variable as an empty one.
    expect(await shown({ env: '', ...file })).toEqual([show(fromFile), 'file']);
    expect((await shown({ env: '' }))[1]).toBe('default');
  });

  test.each(OPTIONS.filter(({ secret }) => secret === true))(
    '$flag: the environment beats the file, and either may name a file',
    async ({ flag, env: name }) => {
      const read = async (env: Readonly<Record<string, string>>, file = `${flag}: from-file\n`) => {
        const { config, origins } = await parse({ env, file, files: { '/run/x': 'secret\r\n' } });
        return [valueOf(config, flag), origins.get(flag)];
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

test('no two options share a name or look like what Kubernetes injects', () => {
  const names = OPTIONS.flatMap(({ flag, env, secret }) => [
    flag,
    env,
    ...(secret === true ? [`${env}_FILE`] : []),
  ]);
  expect(new Set(names).size).toBe(names.length);
  for (const { env } of OPTIONS) expect(env).not.toMatch(/_(?:SERVICE|PORT)(?:_|$)/);
});
