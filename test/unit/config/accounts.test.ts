import { describe, expect, test } from 'vitest';
import { OPTIONS } from '../../../src/config/options.ts';
import { parse as parseGiven, problemsOf as problemsGiven } from './parse.ts';

const GIVEN = {
  files: { '/run/roof': 'planted-roof\n', '/run/annex': 'planted-annex\n' },
  credentials: true,
};
const parse = (file: string) => parseGiven({ ...GIVEN, file });
const problemsOf = (file: string) => problemsGiven({ ...GIVEN, file });

const TWO = `
app-id: app
app-secret: planted-app
auth-url: https://auth.example
time-zone: Asia/Manila
request: {rate: 2, concurrency: 3}
accounts:
  - name: roof
    account: planted-one
    password-file: /run/roof
    station: [1, 2]
  - name: annex
    account: planted-two
    password-file: /run/annex
    base-url: https://annex.example
    app-id: other
    app-secret-encrypted: planted-encrypted
    time-zone: Asia/Tokyo
    request.rate: 0.5
    request: {timeout: 5s}
`;

describe('several accounts', () => {
  test('have what their entries say, and follow the rest of the configuration otherwise', async () => {
    const { config, accountOrigins } = await parse(TWO);
    const [roof, annex] = config.accounts;
    expect(roof).toMatchObject({
      accountName: 'roof',
      baseUrl: 'https://solar.siseli.com',
      authUrl: 'https://auth.example',
      account: 'planted-one',
      appId: 'app',
      stationIds: ['1', '2'],
      timeZone: 'Asia/Manila',
      request: { timeoutMs: 30_000, concurrency: 3, ratePerSecond: 2 },
    });
    expect(roof?.password?.reveal()).toBe('planted-roof');
    expect(roof?.appSecret?.reveal()).toBe('planted-app');
    expect(annex).toMatchObject({
      accountName: 'annex',
      baseUrl: 'https://annex.example',
      // The log-in address of another service is not theirs.
      authUrl: 'https://annex.example',
      appId: 'other',
      appSecret: undefined,
      stationIds: [],
      timeZone: 'Asia/Tokyo',
      request: { timeoutMs: 5000, concurrency: 3, ratePerSecond: 0.5 },
    });
    // What is no matter of an account is the same for all.
    expect(annex?.cache).toEqual(config.cache);
    const origins = accountOrigins.get('roof');
    expect(['app-id', 'base-url'].map((flag) => origins?.get(flag))).toEqual(['file', 'default']);
  });

  test('are none where there is no list, and the options are those of the only one', async () => {
    const { config } = await parse('access-token: planted');
    expect(config.accounts).toEqual([]);
    expect(config.accountName).toBeUndefined();
  });

  test('may have every limit of requests for themselves', () => {
    for (const { flag, perAccount } of OPTIONS)
      if (flag.startsWith('request.')) expect([flag, perAccount]).toEqual([flag, 'inherits']);
  });

  test('need no credentials for a command that asks no service', async () => {
    const text = 'accounts: [{name: roof}, {name: annex}]';
    const { config } = await parseGiven({ file: text });
    expect(config.accounts).toHaveLength(2);
  });
});

const GOOD = 'account: planted-one, password: planted, app-id: a, app-secret: planted';
const ACCOUNT = 'account: planted, password: planted';
const TOKEN = 'access-token: planted';
const PLANTED_TWICE = 'app-secret: planted, app-secret-encrypted: planted';

describe('a list of accounts is refused', () => {
  test.each([
    ['accounts: roof', 'accounts in solar.yaml: not a list'],
    ['accounts:', 'accounts in solar.yaml: not a list'],
    ['accounts: []', 'accounts in solar.yaml: names no account'],
    [
      `accounts: [${'{},'.repeat(101)}]`,
      'accounts in solar.yaml: too many accounts; accepted: at most 100',
    ],
    ['accounts: [roof]', 'accounts[0] in solar.yaml: not a mapping; accepted: keys such as name'],
  ])('%s: %s', async (text, expected) => {
    expect((await problemsOf(text)).join('\n')).toContain(expected);
  });

  const TWO_NAMES = '[0] (roof) and accounts[1] (annex) in solar.yaml: two names for one account';
  const ONE_NAME = '[0] (roof) and accounts[1] (Roof) in solar.yaml: one name for two accounts';
  const BOTH = '[0].app-secret in solar.yaml and accounts[0].app-secret-encrypted in solar.yaml: ';

  test.each([
    [`name: roof, ${TOKEN}}, {name: annex, pasword: planted`, '[1].pasword in solar.yaml: unknown'],
    [
      `name: roof, ${GOOD}, cache.readings-ttl: 1m`,
      '[0].cache.readings-ttl in solar.yaml: unknown',
    ],
    [GOOD, '[0] in solar.yaml: no name: give each account one, as name: roof'],
    [`name: ../roof, ${GOOD}`, '[0].name in solar.yaml: "../roof" is not a name'],
    [`name: ${'a'.repeat(41)}, ${GOOD}`, 'a" is not a name; accepted: up to 40 letters'],
    ['name: roof, access-token: a}, {name: Roof, access-token: b', ONE_NAME],
    [`name: roof, ${GOOD}}, {name: annex, ${GOOD}`, TWO_NAMES],
    [`name: roof, ${TOKEN}}, {name: annex, ${TOKEN}`, TWO_NAMES],
    [
      'name: roof',
      '[0] (roof) in solar.yaml: no credentials: give account and password (with app-',
    ],
    ['name: roof, account: planted', 'password: set password or password-file'],
    [`name: roof, ${ACCOUNT}`, '[0] (roof) in solar.yaml: login with an account needs app-id for'],
    [`name: roof, ${ACCOUNT}, app-id: own`, 'needs app-secret or app-secret-encrypted for its'],
    [
      `name: roof, ${TOKEN}, access-token-file: /run/roof`,
      '[0].access-token in solar.yaml and accounts[0].access-token-file in solar.yaml: give only one of the two',
    ],
    [`name: roof, ${TOKEN}, ${PLANTED_TWICE}`, `${BOTH}give only one of the two`],
    ['name: roof, access-token-file: /x', '[0].access-token-file in solar.yaml: cannot read "/x":'],
    [
      `name: roof, ${TOKEN}, request: {rate: fast}`,
      '[0].request.rate in solar.yaml: "fast" is not',
    ],
  ])('with {%s}: %s', async (entries, expected) => {
    const text = `app-secret: planted\naccounts: [{${entries}}]`;
    const problems = (await problemsOf(text)).join('\n');
    expect(problems).toContain(expected.startsWith('[') ? `accounts${expected}` : expected);
    expect(problems).not.toContain('planted');
  });

  test('beside what belongs to a single account, wherever that comes from', async () => {
    const env = { SOLAR_ACCOUNT: 'planted', SOLAR_PASSWORD_FILE: '/run/roof' };
    const text = `access-token: planted\naccounts: [{name: roof, ${GOOD}}]`;
    const given = { ...GIVEN, file: text, env, flags: { station: '7' } };
    expect(await problemsGiven(given)).toEqual([
      'SOLAR_ACCOUNT, SOLAR_PASSWORD_FILE, access-token in solar.yaml, --station are given beside accounts in solar.yaml; accepted: a single account without that list, or all of it in the entries of the list',
    ]);
  });

  test('with everything that is wrong at once', async () => {
    const text = 'accounts: [{pasword: planted}, {name: a b}]\ncache: {readings-ttl: never}';
    expect(await problemsOf(text)).toHaveLength(6);
  });
});
