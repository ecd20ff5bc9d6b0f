import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { ConfigError } from '../../../src/base/errors.ts';
import { type Given, parse, problemsOf } from './parse.ts';

const ONE_OF_LEVELS = 'accepted: one of fatal, error, warn, info, debug, trace, silent';
const NO_MAPPING = 'solar.yaml: not a mapping; accepted: lines such as cache.readings-ttl: 60s';
const NO_TEXT = 'is not a text; accepted: one line that is not blank';
const BY_ENVIRONMENT = 'secrets are not taken from the command line; use';
const SIGNED = { SOLAR_APP_ID: 'app', SOLAR_APP_SECRET: 'signing' };
const ACCOUNT = { SOLAR_ACCOUNT: 'someone', SOLAR_PASSWORD: 'hunter2' };

const FLAGS: readonly (readonly [flags: Record<string, unknown>, says: string])[] = [
  [{ verbose: true }, '--verbose: unknown option; solar-exporter --help-all lists them'],
  [{ 'web.configfile': '/x' }, '--web.configfile: unknown option; did you mean --web.config.file?'],
  [
    { CACHE_SUMMARY_TTL: '1m' },
    '--CACHE_SUMMARY_TTL: unknown option; did you mean --cache.summary-ttl?',
  ],
  // So short that anything would be near, and a letter longer than a short one.
  [{ x: '1' }, '--x: unknown option; solar-exporter --help-all lists them'],
  [{ too: '1' }, '--too: unknown option; did you mean --to?'],
  [
    { ['x'.repeat(1_000_000)]: '1' },
    `--"${'x'.repeat(60)}…": unknown option; solar-exporter --help-all lists them`,
  ],
  [{ 'a b\n': 'x' }, '--"a b\\n": unknown option; solar-exporter --help-all lists them'],
  [
    { pasword: 'hunter2' },
    '--pasword: unknown option; did you mean SOLAR_PASSWORD or SOLAR_PASSWORD_FILE?',
  ],
  [
    { 'app-secret-file': '/x' },
    `--app-secret-file: ${BY_ENVIRONMENT} SOLAR_APP_SECRET or SOLAR_APP_SECRET_FILE`,
  ],
  [{ 'log.level': ['info', 'warn'] }, '--log.level: takes one value, not several'],
  [{ 'log.level': true }, '--log.level: takes a value'],
  [{ station: { id: '1' } }, '--station: takes a value'],
  [{ station: ['1', {}] }, '--station: takes a list of ids'],
  [{ 'config.file': ' ' }, `--config.file: " " ${NO_TEXT}`],
  [
    { 'collect.alarms': `\n${'x'.repeat(100)}` },
    `--collect.alarms: "\\n${'x'.repeat(59)}…" is not a yes or no; accepted: true or false`,
  ],
];

/** Files, and what is said of `solar.yaml`. */
const FILES: readonly (readonly [text: string, says: string])[] = [
  [
    'cache: {reading-ttl: 60s}',
    'cache.reading-ttl in solar.yaml: unknown key; did you mean cache.readings-ttl?',
  ],
  ['verbosity: 3', 'verbosity in solar.yaml: unknown key'],
  ['config.file: other.yaml', 'config.file in solar.yaml: unknown key'],
  ['"a b": 1', '"a b" in solar.yaml: unknown key'],
  [String.raw`"\u007f": 1`, String.raw`"\u007f" in solar.yaml: unknown key`],
  [String.raw`"a\u2028b": 1`, String.raw`"a\u2028b" in solar.yaml: unknown key`],
  ['log.level: info\nlog: {level: warn}', 'log.level in solar.yaml: is given twice'],
  ['cache: 60s', 'cache in solar.yaml: takes a mapping of keys'],
  ['log.level: {a: b}', 'log.level in solar.yaml: takes a value'],
  ['log.level: [info]', 'log.level in solar.yaml: takes one value, not several'],
  ['station: [[1]]', 'station in solar.yaml: takes a list of ids'],
  ['web.allowed-hosts: [[a]]', 'web.allowed-hosts in solar.yaml: takes a list of names'],
  [
    'station: []',
    'station in solar.yaml: "" names nothing; accepted: one or more ids, comma separated',
  ],
  ['log.level:', `log.level in solar.yaml: "" is not a choice; ${ONE_OF_LEVELS}`],
  ['- log.level', NO_MAPPING],
  ['info', NO_MAPPING],
  ['log.level: info\npassword: "hunter2\n', 'solar.yaml: not YAML: missing char at line 3'],
  ['log.level: info\nlog.level: warn', 'solar.yaml: not YAML: duplicate key at line 2'],
  ['? [a]\n: b', 'solar.yaml: not YAML: non string key at line 1'],
  [
    'log.level: *x',
    'solar.yaml: not YAML: an alias without an anchor before it, or too many aliases',
  ],
  [
    'password-file: /run/missing',
    'password-file in solar.yaml: cannot read "/run/missing": ENOENT; accepted: the path of a readable file',
  ],
  ['password: ""', `password in solar.yaml: its value ${NO_TEXT}`],
  ['password-file: [/x]', 'password-file in solar.yaml: takes one value, not several'],
  [
    'password: hunter2\npassword-file: /x',
    'password and password-file in solar.yaml: give only one of the two',
  ],
];

const NO_LIST =
  'not a list; accepted: entries such as {key: pvPower, quantity: pv_power, unit: kW}';
const DIALECTS: readonly (readonly [text: string, fault: string])[] = [
  ['5', NO_LIST],
  ['key: pvPower', NO_LIST],
  ['- {key: k, key: l}', 'not YAML: duplicate key at line 1'],
  ['- *meter', 'not YAML: an alias without an anchor before it, or too many aliases'],
];

const ENVIRONMENTS: readonly (readonly [env: Record<string, string>, says: string])[] = [
  [
    { SOLAR_CONFIG_FILE: '/etc/solar.yaml' },
    'SOLAR_CONFIG_FILE: cannot read "/etc/solar.yaml": ENOENT; accepted: the path of a readable YAML file',
  ],
  [
    { SOLAR_DIALECT_FILE: '/d' },
    'SOLAR_DIALECT_FILE: cannot read "/d": ENOENT; accepted: the path of a readable file',
  ],
  [
    { SOLAR_PASSWORD_FILE: '/run/missing' },
    'SOLAR_PASSWORD_FILE: cannot read "/run/missing": ENOENT; accepted: the path of a readable file',
  ],
  [
    { SOLAR_PASSWORD_FILE: '/run/blank' },
    `SOLAR_PASSWORD_FILE: the content of "/run/blank" ${NO_TEXT}`,
  ],
  [
    { SOLAR_PASSWORD: 'hunter2', SOLAR_PASSWORD_FILE: '/x' },
    'SOLAR_PASSWORD and SOLAR_PASSWORD_FILE: give only one of the two',
  ],
  [
    { SOLAR_APP_SECRET: 'hunter2', SOLAR_APP_SECRET_ENCRYPTED: 'hunter2' },
    'SOLAR_APP_SECRET and SOLAR_APP_SECRET_ENCRYPTED: give only one of the two',
  ],
];

/** What is said of them where the command needs credentials. */
const CREDENTIALS: readonly (readonly [env: Record<string, string>, says: string])[] = [
  [
    {},
    'no credentials: give SOLAR_ACCOUNT and SOLAR_PASSWORD (with SOLAR_APP_ID and SOLAR_APP_SECRET or SOLAR_APP_SECRET_ENCRYPTED, which sign the login), or SOLAR_ACCESS_TOKEN and SOLAR_REFRESH_TOKEN, or SOLAR_ACCESS_TOKEN alone',
  ],
  [
    { SOLAR_ACCOUNT: 'someone', SOLAR_REFRESH_TOKEN: 'r' },
    'SOLAR_ACCOUNT is given without a password: set SOLAR_PASSWORD or SOLAR_PASSWORD_FILE',
  ],
  [{ SOLAR_PASSWORD: 'hunter2' }, 'SOLAR_PASSWORD is given without an account: set SOLAR_ACCOUNT'],
  [
    ACCOUNT,
    'login with an account needs SOLAR_APP_ID and SOLAR_APP_SECRET or SOLAR_APP_SECRET_ENCRYPTED for its signature',
  ],
  [
    { ...ACCOUNT, SOLAR_REFRESH_TOKEN: 'r', SOLAR_APP_SECRET: 'signing' },
    'login with an account needs SOLAR_APP_ID for its signature',
  ],
  [
    { ...ACCOUNT, SOLAR_APP_ID: 'app' },
    'login with an account needs SOLAR_APP_SECRET or SOLAR_APP_SECRET_ENCRYPTED for its signature',
  ],
  [
    { SOLAR_REFRESH_TOKEN: 'r' },
    'SOLAR_REFRESH_TOKEN is given without an access token: set SOLAR_ACCESS_TOKEN or SOLAR_ACCESS_TOKEN_FILE',
  ],
  // What is unusable is not also said to be missing.
  [{ ...ACCOUNT, ...SIGNED, SOLAR_ACCOUNT: ' ' }, `SOLAR_ACCOUNT: its value ${NO_TEXT}`],
];

const files = { '/run/blank': ' \n' };
const ROWS: readonly (readonly [given: Given, says: string])[] = [
  ...FLAGS.map(([flags, says]) => [{ flags }, says] as const),
  ...FILES.map(([file, says]) => [{ file }, says] as const),
  ...DIALECTS.map(
    ([text, fault]) =>
      [
        { flags: { 'dialect.file': '/d' }, files: { '/d': text } },
        `--dialect.file: "/d": ${fault}`,
      ] as const,
  ),
  ...ENVIRONMENTS.map(([env, says]) => [{ env, files }, says] as const),
  ...CREDENTIALS.map(([env, says]) => [{ env, credentials: true }, says] as const),
  [
    { env: { SOLAR_APP_SECRET_ENCRYPTED: 'hunter2' }, file: 'app-secret: hunter2' },
    'app-secret in solar.yaml and SOLAR_APP_SECRET_ENCRYPTED: give only one of the two',
  ],
];

test.each(ROWS.map(([given, says]) => ({ given, says })))('$says', async ({ given, says }) => {
  expect(await problemsOf(given)).toEqual([says]);
});

test.each([
  { ...ACCOUNT, ...SIGNED },
  { ...ACCOUNT, SOLAR_APP_ID: 'app', SOLAR_APP_SECRET_ENCRYPTED: 'c2VjcmV0' },
  { SOLAR_ACCESS_TOKEN: 'a', SOLAR_REFRESH_TOKEN: 'r' },
  { SOLAR_ACCESS_TOKEN: 'a' },
  // An account that cannot log in, and half of one.
  { SOLAR_ACCESS_TOKEN: 'a', ...ACCOUNT },
  { SOLAR_ACCESS_TOKEN: 'a', SOLAR_ACCOUNT: 'someone' },
])('credentials are enough with %j', async (env) => {
  expect(await problemsOf({ env, credentials: true })).toEqual([]);
});

test('every problem is named at once', async () => {
  const problems = await problemsOf({
    flags: { 'cache.readings-ttl': '60', 'cache.reading-ttl': '60s', password: 'hunter2' },
    env: { SOLAR_TIME_ZONE: 'Europe', SOLAR_PASSWORD: 'x', SOLAR_PASSWORD_FILE: '/run/x' },
    file: 'log.level: loud\nlog.lvel: info\n',
    credentials: true,
  });
  expect(problems).toEqual([
    '--cache.reading-ttl: unknown option; did you mean --cache.readings-ttl?',
    `--password: ${BY_ENVIRONMENT} SOLAR_PASSWORD or SOLAR_PASSWORD_FILE`,
    'log.lvel in solar.yaml: unknown key; did you mean log.level?',
    'SOLAR_PASSWORD and SOLAR_PASSWORD_FILE: give only one of the two',
    'SOLAR_TIME_ZONE: "Europe" is not a time zone; accepted: an IANA name such as Europe/Kyiv',
    '--cache.readings-ttl: "60" is not a duration; accepted: auto, or a positive length such as 500ms, 30s, 15m, 1h30m',
    `log.level in solar.yaml: "loud" is not a choice; ${ONE_OF_LEVELS}`,
    'SOLAR_PASSWORD is given without an account: set SOLAR_ACCOUNT',
  ]);
});

test('secrets and accounts never show in what is said', async () => {
  const flags = {
    password: 'hunter2',
    pasword: 'hunter2',
    account: 'hunter2\nhunter2',
    'base-url': 'https://me:hunter2@host.example/path',
    'auth-url': 'https://me:hunter2/hunter2@host.example',
  };
  const env = { SOLAR_REFRESH_TOKEN: 'hunter2\nhunter2' };
  const error: unknown = await parse({ flags, env }).catch((reason: unknown) => reason);
  if (!(error instanceof ConfigError)) throw new Error('accepted');
  expect(error.problems).toHaveLength(6);
  expect(inspect(error) + error.message).not.toContain('hunter2');
  expect(error.message).toContain('--base-url: "https://[secret]@host.example/path" has a user');
});

test.each([new Error('hunter2'), 'hunter2'])(
  'a file that cannot be read because of %s is said to be just that',
  async (thrown) => {
    const { parseConfig } = await import('../../../src/config/config.ts');
    const readFile = (): string => {
      throw thrown as Error;
    };
    const sources = { flags: { 'config.file': '/x' }, env: {}, readFile };
    await expect(parseConfig(sources)).rejects.toThrow(
      '--config.file: cannot read "/x": not readable; accepted: the path of a readable YAML file',
    );
  },
);
