import { hashSync } from 'bcryptjs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Secret } from '../../../src/base/shown.ts';
import { createAuthenticator } from '../../../src/http/authenticator.ts';
import { createLimitLog } from '../../../src/http/limits.ts';
import { networkOf } from '../../../src/http/password-turns.ts';
import { type PasswordVerifier, PasswordWorker } from '../../../src/http/password-worker.ts';
import { deferred, settled } from '../../support/deferred.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { SilentLog } from '../../support/silent-log.ts';

const MOST_WAITING = 32;
const MOST_OF_NETWORK = 4;
const HERE = '192.0.2.1';
const THERE = '198.51.100.7';
const TURNED_AWAY = 'log-ins turned away: too many wait to be compared';
const REFUSED = 'log-in refused: unknown user or wrong password';

type Users = ReadonlyMap<string, Secret>;

const base64 = (text: string, encoding: BufferEncoding = 'utf8') =>
  Buffer.from(text, encoding).toString('base64');

function usersOf(passwords: Readonly<Record<string, string>>): Users {
  return new Map(
    Object.entries(passwords).map(([name, password]) => [name, new Secret(`hash of ${password}`)]),
  );
}

function open(verify: PasswordVerifier['verify']) {
  const log = new SilentLog();
  const verifier = { verify, stop: () => Promise.resolve() };
  const limitLog = createLimitLog(log, new FakeClock());
  return { authenticator: createAuthenticator(verifier, log, limitLog), log };
}

/** An authenticator that compares at once, as if a hash were its password. */
function start() {
  const compared: string[] = [];
  const verify = vi.fn((password: string, hash: string) => {
    compared.push(`${password} ${hash}`);
    return Promise.resolve(hash === `hash of ${password}`);
  });
  const { authenticator, log } = open(verify);
  const refusal = (users: Users, header?: string) => authenticator.refusal(users, header, HERE);
  /** The status of a log-in; undefined for what is let in. */
  const login = async (users: Users, text: string) =>
    (await refusal(users, `Basic ${base64(text)}`))?.status;
  return { refusal, login, log, compared, verify };
}

describe('a log-in', () => {
  const users = usersOf({ prometheus: 'right', prömetheus: 'grün:🌞', colon: 'a:b', '': 'x' });

  test.each([
    ...[undefined, '', 'Bearer cHJvbWV0aGV1czpyaWdodA==', 'Basic', 'Basic cHJv!'],
    ...['Basic cHJvbWV0aGV1czpyaWdodA', `Basic ${base64('prometheus')}`],
    `Basic ${base64('a:ü', 'latin1')}`,
  ])('with the header %j is refused without a comparison', async (header) => {
    const { refusal, compared } = start();
    expect(await refusal(users, header)).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Basic realm="solar-exporter", charset="UTF-8"' },
    });
    expect(compared).toEqual([]);
  });

  test.each<[status: number | undefined, ...texts: string[]]>([
    [undefined, 'prometheus:right', 'prömetheus:grün:🌞', 'colon:a:b', ':x'],
    [401, 'prometheus:wrong', 'prometheus:', 'prometheus:right ', 'Prometheus:right'],
    [401, 'nobody:right', 'colon:a'],
  ])('ends with %s, whatever the case of its scheme, as %s', async (status, ...texts) => {
    const { login, refusal } = start();
    for (const text of texts) {
      expect(await login(users, text), text).toBe(status);
      expect((await refusal(users, `bAsIC  ${base64(text)}`))?.status, text).toBe(status);
    }
  });

  test('is compared once, is known at once after that, and stays known however many are guessed', async () => {
    const { login, compared } = start();
    const known = usersOf({ one: 'a', two: 'b' });
    for (const password of ['a', 'wrong']) await login(known, `one:${password}`);
    expect(await login(known, 'one:a')).toBeUndefined();
    expect(await login(known, 'one:wrong')).toBe(401);
    expect(compared).toHaveLength(2);
    for (let guess = 0; guess < 300; guess += 1) await login(known, `one:${guess}`);
    expect(await login(known, 'one:a')).toBeUndefined();
    // The oldest guesses are forgotten, the newest are not.
    await login(known, 'one:299');
    expect(compared).toHaveLength(302);
    await login(known, 'one:0');
    expect(compared).toHaveLength(303);
  });

  test('is refused with an old password, and of a removed user though another has the same hash', async () => {
    const { login, log } = start();
    const both = usersOf({ first: 'same', second: 'same' });
    for (const [known, text, status] of [
      [usersOf({ one: 'a' }), 'one:a', undefined],
      [usersOf({ one: 'new' }), 'one:a', 401],
      [usersOf({ one: 'new' }), 'one:new', undefined],
      [both, 'second:same', undefined],
      [usersOf({ first: 'same' }), 'second:same', 401],
      [both, 'second:same', undefined],
    ] as const)
      expect(await login(known, text)).toBe(status);
    // Each time that somebody was let in before.
    expect(log.messages('warn')).toEqual([REFUSED, REFUSED]);
  });

  test('that could not be compared is compared again', async () => {
    const { login, verify } = start();
    verify.mockRejectedValueOnce(new Error('broken'));
    await expect(login(users, 'prometheus:right')).rejects.toThrow('broken');
    expect(await login(users, 'prometheus:right')).toBeUndefined();
  });

  test('with more than 72 bytes is refused with a word, for bcrypt would ignore the rest', async () => {
    // Two bytes each.
    const longest = 'ü'.repeat(36);
    const known = usersOf({ one: longest });
    const { refusal, login, log, compared } = start();
    for (const name of ['one', 'nobody']) {
      const refused = await refusal(known, `Basic ${base64(`${name}:${longest}x`)}`);
      expect(refused?.status).toBe(401);
      expect(String(refused?.body)).toContain('a password of more than 72 bytes is not compared');
    }
    expect(compared).toEqual([]);
    expect(log.messages('warn')).toEqual(['log-in refused: a password of more than 72 bytes']);
    expect(await login(known, `one:${longest}`)).toBeUndefined();
  });

  test('of an unknown user is compared at the cost of some user, always the same, and is refused', async () => {
    const hashes = ['$2b$12$a', '$2b$04$b', '$2b$04$c'].map((hash) => new Secret(hash));
    const entries = hashes.map((hash, index) => [`user ${index}`, hash] as const);
    /** The cost at which each name is compared, by a program of its own. */
    const costs = async (known: ReadonlyMap<string, Secret>, password: string) => {
      const { login, compared } = start();
      for (let name = 0; name < 64; name += 1) await login(known, `nobody ${name}:${password}`);
      return compared.map((text) => /\$2b\$(\d\d)/.exec(text)?.[1]);
    };
    const found = await costs(new Map(entries), 'x');
    expect(found).toHaveLength(64);
    expect(new Set(found)).toEqual(new Set(['04', '12']));
    expect(await costs(new Map(entries.toReversed()), 'y')).toEqual(found);
    const { login, compared } = start();
    for (const name of ['nobody', 'nobody', 'one']) await login(usersOf({ one: 'a' }), `${name}:a`);
    expect(compared).toEqual(['a hash of a', 'a hash of a']);
    expect(await login(usersOf({ one: 'a' }), 'nobody:a')).toBe(401);
  });
});

/** An authenticator with one user, whose comparisons wait until the test lets each of them end. */
function startGuessed() {
  const begun: { readonly password: string; readonly end: (isRight: boolean) => void }[] = [];
  const { authenticator, log } = open((password) => {
    const answer = deferred<boolean>();
    begun.push({ password, end: answer.resolve });
    return answer.promise;
  });
  const users = new Map([['one', new Secret('hash')]]);
  const login = async (password: string, address: string): Promise<number> => {
    const header = `Basic ${base64(`one:${password}`)}`;
    return (await authenticator.refusal(users, header, address))?.status ?? 200;
  };
  /** Ends the comparisons that have begun; resolves to their passwords when the next ones have begun. */
  const compare = async (): Promise<readonly string[]> => {
    const ended = begun.splice(0);
    for (const { password, end } of ended) end(password === 'right');
    await settled();
    return ended.map(({ password }) => password);
  };
  let guesses = 0;
  let isOver = false;
  onTestFinished(() => void (isOver = true));
  /** Guesses once; resolves to the status. */
  const guess = (address: string): Promise<number> => login(`guess ${(guesses += 1)}`, address);
  return {
    authenticator,
    log,
    login,
    compare,
    guess,
    /** Guesses until the test ends, each time as soon as there is an answer; others have a turn after a 503. */
    keepGuessing: async (address: () => string): Promise<void> => {
      while (!isOver) if ((await guess(address())) === 503) await settled();
    },
    /** Logs in with the right password; resolves to how many comparisons that took, and to the status. */
    logIn: async (address: string) => {
      const answer: { status?: number } = {};
      void login('right', address).then((status) => (answer.status = status));
      await settled();
      let comparisons = 0;
      for (; answer.status === undefined && comparisons < 100; comparisons += 1) await compare();
      return { comparisons, status: answer.status };
    },
  };
}

describe('the right password comes through while others guess', () => {
  let ipv6 = 0;
  const addresses = (count: number) =>
    Array.from({ length: count }, (_, index) => () => `198.51.100.${index}`);

  test.each<[string, (() => string)[], number, number?]>([
    ['at the same address, three at once', Array(3).fill(() => HERE), 4],
    ['at another address', Array(3).fill(() => THERE), 2],
    ['at another address, before any of them was refused', Array(3).fill(() => THERE), 2, 0],
    ['at forty addresses', addresses(40), 2],
    ['in another network, each at an address of it', Array(3).fill(() => `::${(ipv6 += 1)}`), 2],
  ])('%s', async (_, guessers, comparisons, rounds = 42) => {
    const { keepGuessing, compare, logIn } = startGuessed();
    for (const address of guessers) void keepGuessing(address);
    // Each of them was refused before.
    for (let round = 0; round < rounds; round += 1) await compare();
    expect(await logIn(HERE)).toEqual({ comparisons, status: 200 });
  });
});

describe('of log-ins that wait', () => {
  test('equal ones share one comparison', async () => {
    const { login, compare } = startGuessed();
    const both = [login('right', HERE), login('right', THERE)];
    await settled();
    expect(await compare()).toEqual(['right']);
    expect(await Promise.all(both)).toEqual([200, 200]);
    expect(await login('right', THERE)).toBe(200);
  });

  test('one is compared at a time, and a stop ends the others', async () => {
    const { authenticator, login, compare } = startGuessed();
    const [first, second] = ['right', 'wrong'].map((password) => login(password, HERE));
    await settled();
    authenticator.stopWaiting();
    expect(await second).toBe(503);
    expect(await compare()).toEqual(['right']);
    expect(await first).toBe(200);
  });

  test('four are of one address, and others come through', async () => {
    const { guess, login, compare, logIn, log } = startGuessed();
    // One of them has begun.
    for (let count = 0; count <= MOST_OF_NETWORK; count += 1) void guess(HERE);
    expect(await guess(HERE)).toBe(503);
    expect(await login('right', HERE)).toBe(503);
    expect(log.messages('warn')).toEqual([TURNED_AWAY]);
    await compare();
    // The guesser was refused once, and the newcomer never.
    expect(await logIn(THERE)).toEqual({ comparisons: 2, status: 200 });
    expect(log.messages('warn')).toEqual([TURNED_AWAY, REFUSED]);
  });

  test('one of many addresses has its place by how often it was refused', async () => {
    const { guess, compare, login } = startGuessed();
    const statuses: number[] = [];
    const guessOf = (index: number) =>
      void guess(`198.51.100.${index}`).then((status) => statuses.push(status));
    for (let index = 0; index <= MOST_WAITING; index += 1) guessOf(index);
    await settled();
    // All are new, and so is the last one.
    guessOf(MOST_WAITING + 1);
    await settled();
    expect(statuses).toEqual([503]);
    await compare();
    // Refused before, it gives its place to a newcomer.
    guessOf(0);
    await settled();
    const mine = login('right', HERE);
    await settled();
    expect(statuses).toEqual([503, 401, 503]);
    while (!(await compare()).includes('right'));
    expect(await mine).toBe(200);
  });

  test('those of whoever is let in come before later ones: the wrong ones before were mistyped', async () => {
    const { guess, login, compare } = startGuessed();
    void guess(HERE);
    await settled();
    void login('right', HERE);
    expect([await compare(), await compare()]).toEqual([['guess 1'], ['right']]);
    for (const address of [THERE, '192.0.2.8', HERE, '192.0.2.9']) void guess(address);
    await settled();
    for (let guessed = 2; guessed <= 5; guessed += 1)
      expect(await compare()).toEqual([`guess ${guessed}`]);
  });

  test.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::FFFF:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8::2:3:4:5', '2001:db8:0:0'],
    ['::2:3:4:5:6', '0:0:0:2'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    [undefined, 'unknown'],
  ])('from %s count as of %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

test('passwords are compared in a thread, which is replaced when it is needed after a stop; one that breaks says why', async () => {
  const worker = new PasswordWorker();
  onTestFinished(() => worker.stop());
  const hash = hashSync('grün:🌞', 4);
  for (const kind of ['$2a$', '$2b$', '$2y$'])
    for (const [password, isRight] of [
      ['grün:🌞', true],
      ['grün', false],
    ] as const)
      expect(await worker.verify(password, hash.replace(/^\$2.\$/, kind))).toBe(isRight);
  // Cost 31 takes far longer than the test.
  const waiting = worker.verify('grün:🌞', hash.replace('$04$', '$31$'));
  await worker.stop();
  expect(await waiting).toBe(false);
  expect(await worker.verify('grün:🌞', hash)).toBe(true);
  await expect(worker.verify('x', '$9$'.padEnd(60, 'x'))).rejects.toThrow('Invalid salt');
});
