import { describe, expect, test } from 'vitest';
import { describeConfig, parseConfig } from '../../src/config/config.ts';
import { envName, OPTIONS, type OptionDefinition } from '../../src/config/options.ts';

/** Three values that differ from each other and from the default, as `config` would show them. */
const SAMPLES: Readonly<Record<OptionDefinition['kind'], readonly [string, string, string]>> = {
  accountName: ['flag', 'environment', 'file'],
  string: ['from-flag', 'from-environment', 'from-file'],
  secret: ['from-flag', 'from-environment', 'from-file'],
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
  choice: ['', '', ''],
};

function samplesOf({ kind, choices }: OptionDefinition): readonly [string, string, string] {
  if (choices === undefined) return SAMPLES[kind];
  const [first = '', second = '', third = first] = choices;
  return [first, second, third];
}

async function shown(
  { flag }: OptionDefinition,
  given: { flag?: string; env?: string; file?: string },
): Promise<readonly [value: string, origin: string]> {
  const { config, origins } = await parseConfig(
    {
      flags: {
        ...(given.file === undefined ? {} : { 'config.file': '/etc/solar.yaml' }),
        [flag]: given.flag,
      },
      env: { [envName(flag)]: given.env },
      // Files that options name are empty.
      readFile: (path) => (path === '/etc/solar.yaml' ? `${flag}: "${given.file ?? ''}"\n` : ''),
    },
    { credentials: false },
  );
  const row = describeConfig(config, origins).find((candidate) => candidate.flag === flag);
  return [row?.value ?? 'no row', row?.origin ?? 'no row'];
}

const IN_FILE = OPTIONS.filter(({ fileKey }) => fileKey !== false);

describe('where a value comes from', () => {
  test.each(IN_FILE.filter(({ secret }) => secret !== true))(
    '$flag: the flag beats the environment beats the file beats the default',
    async (option) => {
      const [flag, env, file] = samplesOf(option);
      const show = (value: string): string => (option.redacted === true ? '[secret]' : value);
      expect(await shown(option, { flag, env, file })).toEqual([show(flag), 'flag']);
      expect(await shown(option, { flag, env: 'refused if read', file })).toEqual([
        show(flag),
        'flag',
      ]);
      expect(await shown(option, { env, file })).toEqual([show(env), 'environment']);
      expect(await shown(option, { file })).toEqual([show(file), 'file']);
      // Compose files pass an unset variable as an empty one.
      expect(await shown(option, { env: '', file })).toEqual([show(file), 'file']);
      expect((await shown(option, { env: '' }))[1]).toBe('default');
    },
  );

  test.each(OPTIONS.filter(({ secret }) => secret === true))(
    '$flag: the environment beats the file',
    async ({ flag, env }) => {
      const parse = async (variables: Record<string, string>) => {
        const sources = {
          flags: { 'config.file': '/etc/solar.yaml' },
          env: variables,
          readFile: (path: string) =>
            path === '/etc/solar.yaml' ? `${flag}: from-file\n` : 'from-secret-file\n',
        };
        const { config, origins } = await parseConfig(sources, { credentials: false });
        const { password, accessToken, refreshToken, appSecret, appSecretEncrypted } = config;
        const secret = password ?? accessToken ?? refreshToken ?? appSecret ?? appSecretEncrypted;
        return [secret?.reveal(), origins.get(flag)];
      };
      expect(await parse({ [env]: 'typed' })).toEqual(['typed', 'environment']);
      expect(await parse({ [`${env}_FILE`]: '/run/x' })).toEqual([
        'from-secret-file',
        'environment',
      ]);
      expect(await parse({ [env]: '', [`${env}_FILE`]: '' })).toEqual(['from-file', 'file']);
    },
  );

  test('the configuration file itself: the flag beats the environment', async () => {
    const read: string[] = [];
    const { config } = await parseConfig(
      {
        flags: { 'config.file': '/flag.yaml' },
        env: { SOLAR_CONFIG_FILE: '/environment.yaml' },
        readFile: (path) => {
          read.push(path);
          return '';
        },
      },
      { credentials: false },
    );
    expect(read).toEqual(['/flag.yaml']);
    expect(config.configFile).toBe('/flag.yaml');
  });
});

describe('describeConfig', () => {
  test('shows defaults as typed, secrets hidden, and nothing where nothing is set', async () => {
    const { config } = await parseConfig({
      flags: { account: 'someone@example.com', station: ['1', '2,3'] },
      env: { SOLAR_ACCESS_TOKEN: 'hunter2' },
      readFile: () => '',
    });
    const rows = new Map(describeConfig(config, new Map()).map((row) => [row.flag, row]));
    expect([...rows.keys()]).toEqual(OPTIONS.map(({ flag }) => flag));
    expect(rows.get('account')).toEqual({
      flag: 'account',
      env: 'SOLAR_ACCOUNT',
      value: '[secret]',
      origin: 'default',
    });
    const valueOf = (flag: string) => rows.get(flag)?.value;
    expect(valueOf('access-token')).toBe('[secret]');
    expect(valueOf('password')).toBe('');
    expect(valueOf('station')).toBe('1,2,3');
    expect(valueOf('auth-url')).toBe('https://solar.siseli.com');
    expect(valueOf('scrape.timeout')).toBe('9.5s');
    expect(valueOf('cache.readings-ttl')).toBe('auto');
    expect(valueOf('cache.alarms-ttl')).toBe('2m');
    expect(valueOf('simulator.latency')).toBe('0s');
    expect(valueOf('web.listen-address')).toBe(':9877');
    expect(valueOf('simulator.listen-address')).toBe('127.0.0.1:9878');
    expect(valueOf('collect.alarms')).toBe('true');
    expect(valueOf('log.format')).toBe('');
  });
});
