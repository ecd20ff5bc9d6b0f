import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { ConfigError } from '../../../src/base/errors.ts';
import { type Given, parse, problemsOf } from './parse.ts';

interface Row extends Given {
  readonly when: string;
  readonly says: string;
}

const ONE_OF_LEVELS = 'accepted: one of fatal, error, warn, info, debug, trace, silent';
const NO_MAPPING = 'solar.yaml: not a mapping; accepted: lines such as cache.readings-ttl: 60s';
const NO_TEXT = 'is not a text; accepted: one line that is not blank';
const BY_ENVIRONMENT = 'secrets are not taken from the command line; use';
const SIGNED = { SOLAR_APP_ID: 'app', SOLAR_APP_SECRET: 'signing' };
const ACCOUNT = { SOLAR_ACCOUNT: 'someone', SOLAR_PASSWORD: 'hunter2' };

const FLAGS: readonly Row[] = [
  {
    when: 'a flag is unlike any',
    flags: { verbose: true },
    says: '--verbose: unknown option; solar-exporter --help-all lists them',
  },
  {
    when: 'a flag is near another',
    flags: { 'web.configfile': '/x' },
    says: '--web.configfile: unknown option; did you mean --web.config.file?',
  },
  {
    when: 'a flag has another case and another separator',
    flags: { CACHE_SUMMARY_TTL: '1m' },
    says: '--CACHE_SUMMARY_TTL: unknown option; did you mean --cache.summary-ttl?',
  },
  {
    when: 'a flag is so short that anything would be near',
    flags: { x: '1' },
    says: '--x: unknown option; solar-exporter --help-all lists them',
  },
  {
    when: 'a flag is a letter longer than a short one',
    flags: { too: '1' },
    says: '--too: unknown option; did you mean --to?',
  },
  {
    when: 'a flag is endless',
    flags: { ['x'.repeat(1_000_000)]: '1' },
    says: `--"${'x'.repeat(60)}…": unknown option; solar-exporter --help-all lists them`,
  },
  {
    when: 'a flag is no name at all',
    flags: { 'a b\n': 'x' },
    says: '--"a b\\n": unknown option; solar-exporter --help-all lists them',
  },
  {
    when: 'a flag is that of a secret, mistyped',
    flags: { pasword: 'hunter2' },
    says: '--pasword: unknown option; did you mean SOLAR_PASSWORD or SOLAR_PASSWORD_FILE?',
  },
  {
    when: 'a flag is that of a file with a secret',
    flags: { 'app-secret-file': '/x' },
    says: `--app-secret-file: ${BY_ENVIRONMENT} SOLAR_APP_SECRET or SOLAR_APP_SECRET_FILE`,
  },
  {
    when: 'a flag is given twice',
    flags: { 'log.level': ['info', 'warn'] },
    says: '--log.level: takes one value, not several',
  },
  {
    when: 'a flag has no value',
    flags: { 'log.level': true },
    says: '--log.level: takes a value',
  },
  {
    when: 'a flag is an object',
    flags: { station: { id: '1' } },
    says: '--station: takes a value',
  },
  {
    when: 'a flag is a list of anything else',
    flags: { station: ['1', {}] },
    says: '--station: takes a list of ids',
  },
  {
    when: 'the name of a file is blank',
    flags: { 'config.file': ' ' },
    says: `--config.file: " " ${NO_TEXT}`,
  },
  {
    when: 'a value is long: it is cut and escaped',
    flags: { 'collect.alarms': `\n${'x'.repeat(100)}` },
    says: `--collect.alarms: "\\n${'x'.repeat(59)}…" is not a yes or no; accepted: true or false`,
  },
];

const inFile = (when: string, file: string, says: string): Row => ({ when, file, says });
const FILE: readonly Row[] = [
  inFile(
    'a key is mistyped',
    'cache: {reading-ttl: 60s}',
    'cache.reading-ttl in solar.yaml: unknown key; did you mean cache.readings-ttl?',
  ),
  inFile('a key is unknown', 'verbosity: 3', 'verbosity in solar.yaml: unknown key'),
  inFile(
    'a file is named in the file',
    'config.file: other.yaml',
    'config.file in solar.yaml: unknown key',
  ),
  inFile('a key is strange', '"a b": 1', '"a b" in solar.yaml: unknown key'),
  inFile('a key deletes', String.raw`"\u007f": 1`, String.raw`"\u007f" in solar.yaml: unknown key`),
  inFile(
    'a key breaks the line',
    String.raw`"a\u2028b": 1`,
    String.raw`"a\u2028b" in solar.yaml: unknown key`,
  ),
  inFile(
    'a key is given in both forms',
    'log.level: info\nlog: {level: warn}',
    'log.level in solar.yaml: is given twice',
  ),
  inFile('a section has no keys', 'cache: 60s', 'cache in solar.yaml: takes a mapping of keys'),
  inFile('a value is a mapping', 'log.level: {a: b}', 'log.level in solar.yaml: takes a value'),
  inFile(
    'a value is a list',
    'log.level: [info]',
    'log.level in solar.yaml: takes one value, not several',
  ),
  inFile('a list has a list', 'station: [[1]]', 'station in solar.yaml: takes a list of ids'),
  inFile(
    'a list of names has a list',
    'web.allowed-hosts: [[a]]',
    'web.allowed-hosts in solar.yaml: takes a list of names',
  ),
  inFile(
    'a list is empty',
    'station: []',
    'station in solar.yaml: "" names nothing; accepted: one or more ids, comma separated',
  ),
  inFile(
    'a value is empty',
    'log.level:',
    `log.level in solar.yaml: "" is not a choice; ${ONE_OF_LEVELS}`,
  ),
  inFile('it is a list', '- log.level', NO_MAPPING),
  inFile('it is a text', 'info', NO_MAPPING),
  inFile(
    'it is broken YAML',
    'log.level: info\npassword: "hunter2\n',
    'solar.yaml: not YAML: missing char at line 3',
  ),
  inFile(
    'a key is there twice',
    'log.level: info\nlog.level: warn',
    'solar.yaml: not YAML: duplicate key at line 2',
  ),
  inFile('a key is no text', '? [a]\n: b', 'solar.yaml: not YAML: non string key at line 1'),
  inFile(
    'an alias names nothing',
    'log.level: *x',
    'solar.yaml: not YAML: an alias without an anchor before it, or too many aliases',
  ),
  {
    when: 'it does not exist',
    env: { SOLAR_CONFIG_FILE: '/etc/solar.yaml' },
    says: 'SOLAR_CONFIG_FILE: cannot read "/etc/solar.yaml": ENOENT; accepted: the path of a readable YAML file',
  },
];

const DIALECT = { flags: { 'dialect.file': '/d' } };
const dialect = (text: string, fault: string): Row => ({
  ...DIALECT,
  when: `a dialect file is ${text}`,
  files: { '/d': text },
  says: `--dialect.file: "/d": ${fault}`,
});
const NO_LIST =
  'not a list; accepted: entries such as {key: pvPower, quantity: pv_power, unit: kW}';
const OTHER_FILES: readonly Row[] = [
  dialect('5', NO_LIST),
  dialect('key: pvPower', NO_LIST),
  dialect('- {key: k, key: l}', 'not YAML: duplicate key at line 1'),
  dialect('- *meter', 'not YAML: an alias without an anchor before it, or too many aliases'),
  {
    ...DIALECT,
    when: 'a dialect file does not exist',
    says: '--dialect.file: cannot read "/d": ENOENT; accepted: the path of a readable file',
  },
];

const SECRETS: readonly Row[] = [
  {
    when: 'the file of a secret is missing',
    env: { SOLAR_PASSWORD_FILE: '/run/missing' },
    says: 'SOLAR_PASSWORD_FILE: cannot read "/run/missing": ENOENT; accepted: the path of a readable file',
  },
  {
    when: 'the file of a secret, named in the file, is missing',
    file: 'password-file: /run/missing',
    says: 'password-file in solar.yaml: cannot read "/run/missing": ENOENT; accepted: the path of a readable file',
  },
  {
    when: 'the file of a secret is blank',
    env: { SOLAR_PASSWORD_FILE: '/run/blank' },
    files: { '/run/blank': ' \n' },
    says: `SOLAR_PASSWORD_FILE: the content of "/run/blank" ${NO_TEXT}`,
  },
  inFile('a secret is empty', 'password: ""', `password in solar.yaml: its value ${NO_TEXT}`),
  inFile(
    'a secret has a list of files',
    'password-file: [/run/good]',
    'password-file in solar.yaml: takes one value, not several',
  ),
  {
    when: 'a secret is given both ways',
    env: { SOLAR_PASSWORD: 'hunter2', SOLAR_PASSWORD_FILE: '/run/good' },
    says: 'SOLAR_PASSWORD and SOLAR_PASSWORD_FILE: give only one of the two',
  },
  inFile(
    'a secret is given both ways in the file',
    'password: hunter2\npassword-file: /run/good',
    'password and password-file in solar.yaml: give only one of the two',
  ),
  {
    when: 'both forms of the application secret are given',
    env: { SOLAR_APP_SECRET_ENCRYPTED: 'hunter2' },
    file: 'app-secret: hunter2',
    says: 'app-secret in solar.yaml and SOLAR_APP_SECRET_ENCRYPTED: give only one of the two',
  },
];

const asking = (when: string, env: NonNullable<Row['env']>, says: string): Row => ({
  ...{ when, env, says },
  credentials: true,
});
const CREDENTIALS: readonly Row[] = [
  asking(
    'nothing is given to log in with',
    {},
    'no credentials: give SOLAR_ACCOUNT and SOLAR_PASSWORD (with SOLAR_APP_ID and SOLAR_APP_SECRET or SOLAR_APP_SECRET_ENCRYPTED, which sign the login), or SOLAR_ACCESS_TOKEN and SOLAR_REFRESH_TOKEN, or SOLAR_ACCESS_TOKEN alone',
  ),
  asking(
    'an account has no password',
    { SOLAR_ACCOUNT: 'someone', SOLAR_REFRESH_TOKEN: 'r' },
    'SOLAR_ACCOUNT is given without a password: set SOLAR_PASSWORD or SOLAR_PASSWORD_FILE',
  ),
  asking(
    'a password has no account',
    { SOLAR_PASSWORD: 'hunter2' },
    'SOLAR_PASSWORD is given without an account: set SOLAR_ACCOUNT',
  ),
  asking(
    'nothing signs the log-in',
    ACCOUNT,
    'login with an account needs SOLAR_APP_ID and SOLAR_APP_SECRET or SOLAR_APP_SECRET_ENCRYPTED for its signature',
  ),
  asking(
    'the application has no id',
    { ...ACCOUNT, SOLAR_REFRESH_TOKEN: 'r', SOLAR_APP_SECRET: 'signing' },
    'login with an account needs SOLAR_APP_ID for its signature',
  ),
  asking(
    'the application has no secret',
    { ...ACCOUNT, SOLAR_APP_ID: 'app' },
    'login with an account needs SOLAR_APP_SECRET or SOLAR_APP_SECRET_ENCRYPTED for its signature',
  ),
  asking(
    'a refresh token is alone',
    { SOLAR_REFRESH_TOKEN: 'r' },
    'SOLAR_REFRESH_TOKEN is given without an access token: set SOLAR_ACCESS_TOKEN or SOLAR_ACCESS_TOKEN_FILE',
  ),
  asking(
    'an account is unusable, which is not also said to be missing',
    { ...ACCOUNT, ...SIGNED, SOLAR_ACCOUNT: ' ' },
    `SOLAR_ACCOUNT: its value ${NO_TEXT}`,
  ),
];

test.each([...FLAGS, ...FILE, ...OTHER_FILES, ...SECRETS, ...CREDENTIALS])(
  'a configuration is refused when $when',
  async ({ says, ...given }) => {
    expect(await problemsOf(given)).toEqual([says]);
  },
);

test.each<{ with: string; env: Readonly<Record<string, string>> }>([
  { with: 'account, password and signature', env: { ...ACCOUNT, ...SIGNED } },
  {
    with: 'an encrypted application secret',
    env: { ...ACCOUNT, SOLAR_APP_ID: 'app', SOLAR_APP_SECRET_ENCRYPTED: 'c2VjcmV0' },
  },
  { with: 'both tokens', env: { SOLAR_ACCESS_TOKEN: 'a', SOLAR_REFRESH_TOKEN: 'r' } },
  { with: 'an access token alone', env: { SOLAR_ACCESS_TOKEN: 'a' } },
  {
    with: 'a token, and an account that cannot log in',
    env: { SOLAR_ACCESS_TOKEN: 'a', ...ACCOUNT },
  },
  {
    with: 'a token and half an account',
    env: { SOLAR_ACCESS_TOKEN: 'a', SOLAR_ACCOUNT: 'someone' },
  },
])('credentials are enough with $with', async ({ env }) => {
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
