import { describe, expect, test } from 'vitest';
import { describeAccount, describeConfig } from '../../../src/config/config.ts';
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
    const { config } = await parse(TWO);
    const [roof, annex] = config.accounts;
    expect(roof).toMatchObject({
      accountName: 'roof',
      baseUrl: 'https://solar.siseli.com',
      authUrl: 'https://solar.siseli.com',
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
      authUrl: 'https://annex.example',
      appId: 'other',
      appSecret: undefined,
      stationIds: [],
      timeZone: 'Asia/Tokyo',
      request: { timeoutMs: 5000, concurrency: 3, ratePerSecond: 0.5 },
    });
    // What is no matter of an account is the same for all.
    expect(annex?.cache).toEqual(config.cache);
  });

  test('log in where they are read: the log-in address of another service is not theirs', async () => {
    const text = TWO.replace('app-id: app\n', 'app-id: app\nauth-url: https://auth.example\n');
    const { config } = await parse(text);
    expect(config.accounts.map(({ authUrl }) => authUrl)).toEqual([
      'https://auth.example',
      'https://annex.example',
    ]);
  });

  test('are none where there is no list, and the options are those of the only one', async () => {
    const { config } = await parse('access-token: planted');
    expect(config.accounts).toEqual([]);
    expect(config.accountName).toBeUndefined();
  });

  test('are shown with their effective options, without secrets', async () => {
    const { config, origins, accountOrigins } = await parse(TWO);
    const shown = config.accounts.map((account) =>
      describeAccount(account, accountOrigins.get(account.accountName) ?? new Map()),
    );
    const [roof = []] = shown;
    const row = (wanted: string) => roof.find(({ flag }) => flag === wanted);
    expect(row('account')).toMatchObject({ value: '[secret]', origin: 'file' });
    expect(row('app-id')).toMatchObject({ value: 'app', origin: 'file' });
    expect(row('station')).toMatchObject({ value: '1,2', origin: 'file' });
    expect(row('base-url')).toMatchObject({ origin: 'default' });
    const everything = [shown, describeConfig(config, origins), config];
    expect(JSON.stringify(everything.slice(0, 2))).not.toContain('planted');
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

describe('a list of accounts is refused', () => {
  test.each([
    ['accounts: roof', 'accounts in solar.yaml: not a list'],
    ['accounts:', 'accounts in solar.yaml: not a list'],
    ['accounts: []', 'accounts in solar.yaml: names no account'],
    [`accounts: [${'{},'.repeat(101)}]`, '101 accounts are too many'],
    [
      'accounts: [roof]',
      'accounts[0] in solar.yaml: not a mapping; accepted: keys such as name and account',
    ],
    [
      `accounts:\n  - {name: roof, access-token: x}\n  - {name: annex, pasword: planted, access-token: planted}`,
      'accounts[1].pasword in solar.yaml: unknown key; did you mean password?',
    ],
    [
      `accounts: [{name: roof, ${GOOD}, cache.readings-ttl: 1m}]`,
      'accounts[0].cache.readings-ttl in solar.yaml: unknown key',
    ],
    [
      `accounts: [{${GOOD}}]`,
      'accounts[0] in solar.yaml: no name: give each account one, as name: roof',
    ],
    [
      `accounts: [{name: ../roof, ${GOOD}}]`,
      'accounts[0].name in solar.yaml: "../roof" is not a name',
    ],
    [`accounts: [{name: ${'a'.repeat(41)}, ${GOOD}}]`, 'is not a name; accepted: up to 40 letters'],
    [
      'accounts: [{name: roof, access-token: a}, {name: Roof, access-token: b}]',
      'accounts[0] (roof) and accounts[1] (Roof) in solar.yaml: one name for two accounts',
    ],
    [
      `accounts: [{name: roof, ${GOOD}}, {name: annex, ${GOOD}}]`,
      'accounts[0] (roof) and accounts[1] (annex) in solar.yaml: two names for one account',
    ],
    [
      'accounts: [{name: roof, access-token: planted}, {name: annex, access-token: planted}]',
      'two names for one account',
    ],
    [
      'accounts: [{name: roof}]',
      'accounts[0] (roof) in solar.yaml: no credentials: give account and password (with app-id and app-secret or app-secret-encrypted',
    ],
    [
      'accounts: [{name: roof, account: planted}]',
      'accounts[0] (roof) in solar.yaml: account is given without a password: set password or password-file',
    ],
    [
      'accounts: [{name: roof, account: planted, password: planted}]',
      'accounts[0] (roof) in solar.yaml: login with an account needs app-id and app-secret',
    ],
    [
      `app-secret: planted\naccounts: [{name: roof, account: planted, password: planted, app-id: own}]`,
      'needs app-secret or app-secret-encrypted for its signature',
    ],
    [
      'accounts: [{name: roof, access-token: planted, access-token-file: /run/roof}]',
      'accounts[0].access-token and accounts[0].access-token-file in solar.yaml: give only one of the two',
    ],
    [
      'accounts: [{name: roof, access-token: planted, app-secret: planted, app-secret-encrypted: planted}]',
      'accounts[0].app-secret in solar.yaml and accounts[0].app-secret-encrypted in solar.yaml: give only one of the two',
    ],
    [
      'accounts: [{name: roof, access-token-file: /run/nothing}]',
      'accounts[0].access-token-file in solar.yaml: cannot read "/run/nothing": ENOENT',
    ],
    [
      'accounts: [{name: roof, access-token: planted, request: {rate: fast}}]',
      'accounts[0].request.rate in solar.yaml: "fast" is not a positive number',
    ],
  ])('%s: %s', async (text, expected) => {
    const problems = (await problemsOf(text)).join('\n');
    expect(problems).toContain(expected);
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
