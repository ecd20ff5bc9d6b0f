import { expect, test } from 'vitest';
import { parseConfig } from '../../../src/config/config.ts';
import { type Given, problemsOf } from './parse.ts';

const SIGNED = { SOLAR_APP_ID: 'app', SOLAR_APP_SECRET: 'signing' };
const ACCOUNT = { SOLAR_ACCOUNT: 'someone', SOLAR_PASSWORD: 'hunter2' };

/** What is given, and the only sentence that is said of it; `…` stands for its end. */
type Row<Source> = readonly [given: Source, says: string];

/** Without the two dashes of the option. */
const FLAGS: readonly Row<Readonly<Record<string, unknown>>>[] = [
  [{ 'web.configfile': '/x' }, 'web.configfile: unknown option; did you mean --web.config.file?'],
  [{ CACHE_SUMMARY_TTL: '1m' }, 'CACHE_SUMMARY_TTL: unknown option; did you mean …'],
  // So short that anything would be near, and a letter longer than a short one.
  [{ x: '1' }, 'x: unknown option; solar-exporter --help-all lists them'],
  [{ too: '1' }, 'too: unknown option; did you mean --to?'],
  [{ ['x'.repeat(1_000_000)]: '1' }, `"${'x'.repeat(60)}…": unknown option; …`],
  [{ pasword: 'hunter2' }, 'pasword: unknown option; did you mean SOLAR_PASSWORD or …'],
  [{ 'app-secret-file': '/x' }, 'app-secret-file: secrets are not taken from the …'],
  [{ 'log.level': ['info', 'warn'] }, 'log.level: takes one value, not several'],
  [{ 'log.level': true }, 'log.level: takes a value'],
  [{ station: { id: '1' } }, 'station: takes a value'],
  [{ station: ['1', {}] }, 'station: takes a list of ids'],
  [{ account: 'hunter2\nhunter2' }, 'account: its value is not a text; …'],
  [{ 'auth-url': 'https://me:hunter2/x@b.org' }, 'auth-url: "https://[secret]@b.org" is not …'],
  [{ 'config.file': ' ' }, 'config.file: cannot read " ": ENOENT; …'],
  [{ 'collect.alarms': `\n${'x'.repeat(99)}` }, `collect.alarms: "\\n${'x'.repeat(59)}…" is …`],
];

/** Files, and what is said of a key in them. */
const KEYS: readonly (readonly [text: string, key: string, says: string])[] = [
  ['cache: {reading-ttl: 60s}', 'cache.reading-ttl', 'unknown key; did you mean …'],
  ['config.file: other.yaml', 'config.file', 'a file names no other; use --config.file'],
  ['account-file: /x', 'account-file', 'only secrets come from files of their own; use account'],
  [String.raw`"a\u2028b": 1`, String.raw`"a\u2028b"`, 'unknown key; …'],
  ['log.level: info\nlog: {level: warn}', 'log.level', 'is given twice'],
  ['cache: 60s', 'cache', 'takes a mapping of keys'],
  ['station: []', 'station', '"" names nothing; accepted: …'],
  ['log.level:', 'log.level', '"" is not a choice; accepted: …'],
  ['password-file: /x', 'password-file', 'cannot read "/x": ENOENT; accepted: …'],
  ['password: {hunter2: hunter2}', 'password', 'takes a value'],
  ['pasword: hunter2', 'pasword', 'unknown key; did you mean password?'],
  [
    'password: hunter2\npassword-file: /x',
    'password in solar.yaml and password-file',
    'give only one of …',
  ],
];

/** Whole files, and what is said of them. */
const TEXTS: readonly Row<string>[] = [
  ['- log.level', 'not a mapping; accepted: lines such as cache.readings-ttl: 60s'],
  ['info', 'not a mapping; accepted: lines such …'],
  ['log.level: info\npassword: "hunter2\n', 'not YAML: missing char at line 3'],
  ['log.level: info\nlog.level: warn', 'not YAML: duplicate key at line 2'],
  ['? [a]\n: b', 'not YAML: non string key at line 1'],
  ['log.level: *x', 'not YAML: an alias without an anchor before it, or too many aliases'],
];

const NO_FILE = 'cannot read "/x": ENOENT; accepted: the path of a readable';
const BOTH_SECRETS = { SOLAR_APP_SECRET: 'hunter2', SOLAR_APP_SECRET_ENCRYPTED: 'hunter2' };

const SECRET_FILES = { '/blank': ' \n', '/two': 'hunter2\nhunter2' };

/** Without the prefix of the variable. */
const ENVIRONMENTS: readonly Row<NonNullable<Given['env']>>[] = [
  [{ SOLAR_CACHE_READING_TTL: 'x' }, 'CACHE_READING_TTL: unknown variable; did you mean …'],
  [
    { SOLAR_PASSWORD_FIL: 'x' },
    'PASSWORD_FIL: unknown variable; did you mean SOLAR_PASSWORD_FILE?',
  ],
  [{ SOLAR_TOKEN: 'x' }, 'TOKEN: unknown variable; did you mean SOLAR_ACCESS_TOKEN?'],
  [{ SOLAR_: 'x' }, ': unknown variable; solar-exporter --help-all lists them'],
  [
    { SOLAR_WEB_PORT: '9877' },
    'WEB_PORT: unknown variable; did you mean SOLAR_WEB_LISTEN_ADDRESS?',
  ],
  [{ SOLAR_ACCOUNT_FILE: '/x' }, 'ACCOUNT_FILE: only secrets come from files of their own; use …'],
  [{ SOLAR_CONFIG_FILE: '/x' }, `CONFIG_FILE: ${NO_FILE} YAML file`],
  [{ SOLAR_PASSWORD_FILE: '/x' }, `PASSWORD_FILE: ${NO_FILE} file`],
  [{ SOLAR_PASSWORD_FILE: '/blank' }, 'PASSWORD_FILE: the content of "/blank" is not …'],
  [{ SOLAR_PASSWORD_FILE: '/two' }, 'PASSWORD_FILE: the content of "/two" is not …'],
  [{ ...ACCOUNT, SOLAR_PASSWORD_FILE: '/x' }, 'PASSWORD and SOLAR_PASSWORD_FILE: give only …'],
  [BOTH_SECRETS, 'APP_SECRET and SOLAR_APP_SECRET_ENCRYPTED: give only one of the two'],
];

const SECRET = 'SOLAR_APP_SECRET (or SOLAR_APP_SECRET_ENCRYPTED)';
const HINT = 'for secrets, NAME_FILE may name a file instead';

/** What is said of them where the command needs credentials. */
const CREDENTIALS: readonly Row<Readonly<Record<string, string>>>[] = [
  [
    {},
    `no credentials: set SOLAR_ACCOUNT, SOLAR_PASSWORD, SOLAR_APP_ID, ${SECRET}; or SOLAR_ACCESS_TOKEN alone; ${HINT}`,
  ],
  [
    { SOLAR_ACCOUNT: 'someone', SOLAR_REFRESH_TOKEN: 'r' },
    `a log-in with an account also needs SOLAR_PASSWORD, SOLAR_APP_ID, ${SECRET}; ${HINT}`,
  ],
  [
    { SOLAR_PASSWORD: 'hunter2', SOLAR_APP_SECRET_ENCRYPTED: 'c2VjcmV0' },
    `a log-in with an account also needs SOLAR_ACCOUNT, SOLAR_APP_ID; ${HINT}`,
  ],
  [{ ...ACCOUNT, SOLAR_APP_ID: 'app' }, `a log-in with an account also needs ${SECRET}; ${HINT}`],
  [
    { SOLAR_REFRESH_TOKEN: 'r' },
    'SOLAR_REFRESH_TOKEN also needs the access token that came with it: set SOLAR_ACCESS_TOKEN; …',
  ],
  // What is unusable is not also said to be missing.
  [{ ...ACCOUNT, ...SIGNED, SOLAR_ACCOUNT: ' ' }, 'SOLAR_ACCOUNT: its value is not a …'],
];

test.each<readonly [says: string, given: Given]>([
  ...FLAGS.map(([flags, says]) => [`--${says}`, { flags }] as const),
  ...KEYS.map(([file, key, says]) => [`${key} in solar.yaml: ${says}`, { file }] as const),
  ...TEXTS.map(([file, says]) => [`--config.file: "solar.yaml": ${says}`, { file }] as const),
  [
    '--dialect.file: "/d": not a list; accepted: entries such as {key: …',
    { flags: { 'dialect.file': '/d' }, files: { '/d': 'key: pvPower' } },
  ],
  ...ENVIRONMENTS.map(([env, says]) => [`SOLAR_${says}`, { env, files: SECRET_FILES }] as const),
  ...CREDENTIALS.map(([env, says]) => [says, { env, credentials: true }] as const),
  [
    'app-secret in solar.yaml and SOLAR_APP_SECRET_ENCRYPTED: give only one of the two',
    { env: { SOLAR_APP_SECRET_ENCRYPTED: 'hunter2' }, file: 'app-secret: hunter2' },
  ],
])('%s', async (says, given) => {
  const [problem = '', ...others] = await problemsOf(given);
  const shown = says.endsWith(' …') ? `${problem.slice(0, says.length - 1)}…` : problem;
  expect([shown, others]).toEqual([says, []]);
  expect(problem).not.toContain('hunter2');
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
  expect(problems.map((problem) => problem.replace(/: .*| also needs.*/, ''))).toEqual([
    '--cache.reading-ttl',
    '--password',
    'log.lvel in solar.yaml',
    'SOLAR_PASSWORD and SOLAR_PASSWORD_FILE',
    'SOLAR_TIME_ZONE',
    '--cache.readings-ttl',
    'log.level in solar.yaml',
    'a log-in with an account',
  ]);
});

test.each([new Error('hunter2'), 'hunter2'])(
  'a file that cannot be read because of %s is said to be just that',
  async (thrown) => {
    const readFile = (): string => {
      throw thrown as Error;
    };
    const sources = { flags: { 'config.file': '/x' }, env: {}, readFile };
    await expect(parseConfig(sources)).rejects.toThrow(
      '--config.file: cannot read "/x": not readable; accepted: the path of a readable YAML file',
    );
  },
);

/** Every option that is gone, and a word of what is to be done in place of it. */
test.each([
  ['web.allowed-hosts', 'proxy'],
  ['accounts', 'one process for each'],
  ['use-account', 'one process for each'],
  ['request.daily-budget', '--request.rate'],
  ['path.device-details', 'a day'],
  ['push', '--output'],
  ['push-user', 'curl'],
  ['push-password', 'curl'],
  ...['error-rate', 'omit-total', 'null-readings'].map((name) => [`simulator.${name}`, 'tests']),
  ['simulator.settings-cached', 'demo'],
])('%s is refused as a flag, a variable and a key, with what to do', async (name, word) => {
  const variable = `SOLAR_${name.toUpperCase().replaceAll(/[.-]/g, '_')}`;
  const sentence = new RegExp(`: gone; .*${word}`);
  for (const [given, shown] of [
    [{ flags: { [name]: 'x' } }, `--${name}`],
    [{ env: { [variable]: 'x' } }, variable],
    [{ env: { [`${variable}_FILE`]: 'x' } }, `${variable}_FILE`],
    [{ file: `${name}: x\n` }, `${name} in solar.yaml`],
  ] as const) {
    const problems = await problemsOf(given);
    expect(problems).toEqual([expect.stringMatching(sentence)]);
    expect(problems[0]?.startsWith(`${shown}: gone; `)).toBe(true);
  }
  // Compose passes unset variables as empty ones.
  expect(await problemsOf({ env: { [variable]: '' } })).toEqual([]);
});
