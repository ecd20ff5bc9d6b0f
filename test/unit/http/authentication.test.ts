import { hashSync } from 'bcryptjs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Secret } from '../../../src/base/shown.ts';
import {
  type ComparePassword,
  compareWithBcrypt,
  createAuthenticator,
} from '../../../src/http/authenticator.ts';
import { createLimitLog } from '../../../src/http/limits.ts';
import { deferred, settled } from '../../support/deferred.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { SilentLog } from '../../support/silent-log.ts';

const TURNED_AWAY = 'log-ins turned away: too many wait to be compared';
const REFUSED = 'log-in refused: unknown user or wrong password';
/** More than the pause between two comparisons. */
const A_WHILE_MS = 100;

type Users = ReadonlyMap<string, Secret>;

const base64 = (text: string, encoding: BufferEncoding = 'utf8') =>
  Buffer.from(text, encoding).toString('base64');

function usersOf(passwords: Readonly<Record<string, string>>): Users {
  return new Map(
    Object.entries(passwords).map(([name, password]) => [name, new Secret(`hash of ${password}`)]),
  );
}

function open(compare: ComparePassword) {
  const [log, clock, stopping] = [new SilentLog(), new FakeClock(), new AbortController()];
  const limitReached = createLimitLog(log, clock);
  const { signal: stopped } = stopping;
  const refusalOf = createAuthenticator({ compare, clock, limitReached, stopped });
  return { refusalOf, log, clock, stopping };
}

/** An authenticator that compares at once, as if a hash were its password. */
function start() {
  const compared: string[] = [];
  const compare = vi.fn((password: string, hash: string) => {
    compared.push(`${password} ${hash}`);
    return Promise.resolve(hash === `hash of ${password}`);
  });
  const { refusalOf, log, clock } = open(compare);
  const refusal = async (users: Users, header?: string) => {
    const refused = refusalOf(users, header);
    refused.catch(() => undefined);
    clock.advance(A_WHILE_MS);
    return refused;
  };
  /** The status of a log-in; undefined for what is let in. */
  const login = async (users: Users, text: string) =>
    (await refusal(users, `Basic ${base64(text)}`))?.status;
  return { refusal, login, log, compared, compare };
}

describe('a log-in', () => {
  const users = usersOf({ prometheus: 'right', prömetheus: 'grün:🌞', colon: 'a:b', '': 'x' });

  test.each([
    undefined,
    '',
    'Bearer cHJvbWV0aGV1czpyaWdodA==',
    'Basic',
    'Basic cHJv!',
    'Basic cHJvbWV0aGV1czpyaWdodA',
    `Basic ${base64('prometheus')}`,
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

  test('is compared once, and stays known however many are guessed', async () => {
    const { login, compared } = start();
    const known = usersOf({ one: 'a', two: 'b' });
    for (let time = 0; time < 2; time += 1) expect(await login(known, 'one:a')).toBeUndefined();
    expect(compared).toHaveLength(1);
    for (let guess = 0; guess < 300; guess += 1)
      expect(await login(known, `one:${guess}`)).toBe(401);
    expect(await login(known, 'one:a')).toBeUndefined();
    expect(compared).toHaveLength(301);
  });

  test('is refused with an old password, or of a removed user', async () => {
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
    expect(log.messages('warn')).toEqual([REFUSED]);
  });

  test('that could not be compared is compared again', async () => {
    const { login, compare } = start();
    compare.mockRejectedValueOnce(new Error('broken'));
    await expect(login(users, 'prometheus:right')).rejects.toThrow('broken');
    expect(await login(users, 'prometheus:right')).toBeUndefined();
  });

  test('of an unknown user is refused, at the cost of a known one', async () => {
    const { login, compared } = start();
    const known = usersOf({ one: 'a' });
    for (const name of ['nobody', 'nobody', 'one']) await login(known, `${name}:a`);
    expect(compared).toEqual(Array(3).fill('a hash of a'));
    expect(await login(known, 'nobody:a')).toBe(401);
  });
});

/** An authenticator with one user, whose comparisons take so long; the test lets the time pass. */
function startGuessed(comparisonMs = A_WHILE_MS) {
  const compared: string[] = [];
  const { refusalOf, log, clock, stopping } = open(async (password) => {
    compared.push(password);
    await clock.sleep(comparisonMs);
    return password === 'right';
  });
  const users = new Map([['one', new Secret('hash')]]);
  const login = async (password: string): Promise<number> =>
    (await refusalOf(users, `Basic ${base64(`one:${password}`)}`))?.status ?? 200;
  let guesses = 0;
  let isOver = false;
  onTestFinished(() => void (isOver = true));
  const pass = async (durationMs: number): Promise<void> => {
    for (let ms = 0; ms < durationMs; ms += A_WHILE_MS) {
      clock.advance(A_WHILE_MS);
      await settled();
    }
  };
  return {
    log,
    clock,
    stopping,
    login,
    compared,
    pass,
    /** Guesses on so many connections until the test ends, each time as soon as there is an answer. */
    guessOn(connections: number): void {
      const keepGuessing = async (): Promise<void> => {
        while (!isOver) await login(`guess ${(guesses += 1)}`);
      };
      for (let count = 0; count < connections; count += 1) void keepGuessing();
    },
    /** Logs in; resolves to the status, and to how long that took. */
    async logIn(password = 'right') {
      const answer: { status?: number } = {};
      const startedAtMs = clock.monotonicMs();
      void login(password).then((status) => (answer.status = status));
      await settled();
      while (answer.status === undefined) await pass(A_WHILE_MS);
      return { status: answer.status, tookMs: clock.monotonicMs() - startedAtMs };
    },
  };
}

describe('the right password gets in while others guess, from wherever', () => {
  test.each([30, 2000])('on %i connections, at the second attempt at last', async (connections) => {
    const { guessOn, pass, logIn, log } = startGuessed();
    guessOn(connections);
    await pass(5000);
    const first = await logIn();
    if (first.status === 200) expect(first.tookMs).toBeLessThan(10_000);
    expect(first.status === 503, 'is turned away').toBe(connections > 30);
    await pass(15_000);
    if (first.status === 503) expect(await logIn()).toMatchObject({ status: 200 });
    expect(log.messages('warn')).toContain(REFUSED);
    // From then on, it is known.
    expect(await logIn()).toEqual({ status: 200, tookMs: 0 });
  });

  test('where a first attempt would be turned away, ten seconds later', async () => {
    const { login, pass, compared, log } = startGuessed(6000);
    const waiting = Array.from({ length: 32 }, (_, index) => login(`guess ${index}`));
    const [first, other] = [login('right'), login('other')];
    await pass(9900);
    expect(log.messages('warn')).toEqual([REFUSED]);
    await pass(A_WHILE_MS);
    expect([await first, await other]).toEqual([503, 503]);
    expect(log.messages('warn')).toEqual([REFUSED, TURNED_AWAY]);
    const again = login('right');
    // Some of those before are compared by now.
    const others = Array.from({ length: 5 }, (_, index) => login(`late ${index}`));
    await pass(40 * 6100);
    expect(await again).toBe(200);
    expect(compared.indexOf('right')).toBe(waiting.length);
    expect(await Promise.all(others)).toContain(503);
  });
});

describe('of log-ins that wait', () => {
  test('equal ones share one comparison', async () => {
    const { login, pass, compared } = startGuessed();
    const both = [login('right'), login('right')];
    await pass(1000);
    expect(await Promise.all(both)).toEqual([200, 200]);
    expect(compared).toEqual(['right']);
  });

  test('one is compared at a time, in the order in which they came', async () => {
    const { login, pass, compared } = startGuessed();
    for (const password of ['a', 'b', 'c']) void login(password);
    expect(compared).toEqual([]);
    await pass(A_WHILE_MS);
    expect(compared).toEqual(['a']);
    await pass(A_WHILE_MS);
    expect(compared).toEqual(['a']);
    await pass(A_WHILE_MS);
    expect(compared).toEqual(['a', 'b']);
    await pass(1000);
    expect(compared).toEqual(['a', 'b', 'c']);
  });

  test('none waits after a stop', async () => {
    const { stopping, login, pass, compared } = startGuessed();
    const [first, second] = ['right', 'wrong'].map((password) => login(password));
    await pass(A_WHILE_MS);
    stopping.abort();
    await pass(A_WHILE_MS);
    expect([await first, await second]).toEqual([200, 503]);
    expect(compared).toEqual(['right']);
  });

  test('one that cannot be compared stops no other', async () => {
    const outcome = deferred<boolean>();
    const { refusalOf, clock } = open((password) =>
      password === 'right' ? Promise.resolve(true) : outcome.promise,
    );
    const users = new Map([['one', new Secret('hash')]]);
    const [broken, right] = ['x', 'right'].map((password) =>
      refusalOf(users, `Basic ${base64(`one:${password}`)}`),
    );
    outcome.reject(new Error('broken'));
    clock.advance(A_WHILE_MS);
    await expect(broken).rejects.toThrow('broken');
    await settled();
    clock.advance(A_WHILE_MS);
    expect(await right).toBeUndefined();
  });
});

test('passwords are compared with the hashes of htpasswd', async () => {
  const hash = hashSync('grün:🌞', 4);
  for (const kind of ['$2a$', '$2b$', '$2y$'])
    for (const [password, isRight] of [
      ['grün:🌞', true],
      ['grün', false],
    ] as const)
      expect(await compareWithBcrypt(password, hash.replace(/^\$2.\$/, kind))).toBe(isRight);
});
