import { truncates } from 'bcryptjs';
import { describe, expect, test } from 'vitest';
import { Authenticator } from '../../../src/http/authentication/authenticator.ts';
import type { PasswordVerifier } from '../../../src/http/authentication/password-worker.ts';
import { Secret } from '../../../src/base/secret.ts';
import { SilentLog } from '../../support/silent-log.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { deferred, settled } from '../../support/deferred.ts';
import { basic } from './guessing-harness.ts';

/** Accepts a password that equals the hash, and records every comparison. */
class NotingVerifier implements PasswordVerifier {
  readonly compared: string[] = [];

  verify(password: string, hash: string): Promise<boolean> {
    this.compared.push(`${password} ${hash}`);
    return Promise.resolve(hash === `hash of ${password}`);
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }
}

function usersOf(passwords: Readonly<Record<string, string>>): ReadonlyMap<string, Secret> {
  return new Map(
    Object.entries(passwords).map(([name, password]) => [name, new Secret(`hash of ${password}`)]),
  );
}

/** The statuses of log-ins and headers that one client sends; undefined for what is let in. */
async function start(verifier: PasswordVerifier = new NotingVerifier()) {
  const log = new SilentLog();
  const authenticator = await Authenticator.open({ verifier, clock: new FakeClock(), log });
  const client = { address: '192.0.2.1', connection: {} };
  const refusal = (users: ReadonlyMap<string, Secret>, header: string | undefined) =>
    authenticator.refusal(users, header, client);
  const login = async (users: ReadonlyMap<string, Secret>, text: string) =>
    (await refusal(users, basic(text)))?.status;
  return { authenticator, refusal, login, log };
}

describe('a login', () => {
  const users = usersOf({ prometheus: 'right', prömetheus: 'grün:🌞', colon: 'a:b', '': 'x' });
  test.each([
    { what: 'no header', header: undefined },
    { what: 'an empty header', header: '' },
    { what: 'another scheme', header: 'Bearer cHJvbWV0aGV1czpyaWdodA==' },
    { what: 'a scheme without credentials', header: 'Basic' },
    { what: 'bad base64', header: 'Basic cHJv!' },
    { what: 'base64 cut short', header: 'Basic cHJvbWV0aGV1czpyaWdodA' },
    { what: 'no colon', header: basic('prometheus') },
    {
      what: 'bytes that are not UTF-8',
      header: `Basic ${Buffer.from('a:ü', 'latin1').toString('base64')}`,
    },
  ])('with $what is refused without a comparison', async ({ header }) => {
    const verifier = new NotingVerifier();
    const refusal = (await start(verifier)).refusal(users, header);
    expect(refusal).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Basic realm="solar-exporter", charset="UTF-8"' },
    });
    expect(verifier.compared).toEqual([]);
  });

  test.each([
    { text: 'prometheus:right', status: undefined },
    { text: 'prometheus:wrong', status: 401 },
    { text: 'prometheus:', status: 401 },
    { text: 'prometheus:right ', status: 401 },
    { text: 'Prometheus:right', status: 401 },
    { text: 'nobody:right', status: 401 },
    { text: 'prömetheus:grün:🌞', status: undefined },
    { text: 'colon:a:b', status: undefined },
    { text: 'colon:a', status: 401 },
    { text: ':x', status: undefined },
  ])('as $text ends with $status', async ({ text, status }) => {
    expect(await (await start()).login(users, text)).toBe(status);
  });

  test('takes the name of the scheme in any case', async () => {
    const { refusal } = await start();
    const header = basic('prometheus:right').replace('Basic ', 'bAsIC  ');
    expect(await refusal(users, header)).toBeUndefined();
  });

  test('of an unknown user costs a comparison like that of a known one, once', async () => {
    const verifier = new NotingVerifier();
    const one = usersOf({ prometheus: 'right' });
    const { login } = await start(verifier);
    expect(await login(one, 'nobody:right')).toBe(401);
    expect(await login(one, 'nobody:right')).toBe(401);
    expect(verifier.compared).toEqual(['right hash of right']);
  });
});

describe('what was compared once', () => {
  const users = usersOf({ one: 'a', two: 'b' });

  test('is not compared again, and what was accepted is known at once', async () => {
    const verifier = new NotingVerifier();
    const { refusal, login } = await start(verifier);
    await login(users, 'one:a');
    await login(users, 'one:wrong');
    expect(refusal(users, basic('one:a'))).toBeUndefined();
    expect(refusal(users, basic('one:wrong'))).toMatchObject({ status: 401 });
    expect(verifier.compared).toHaveLength(2);
  });

  test('is refused once the user has a new password', async () => {
    const { login } = await start();
    expect(await login(users, 'one:a')).toBeUndefined();
    expect(await login(usersOf({ one: 'new' }), 'one:a')).toBe(401);
    expect(await login(usersOf({ one: 'new' }), 'one:new')).toBeUndefined();
  });

  test('is refused for a removed user, even when another has the same hash', async () => {
    const { login } = await start();
    const both = usersOf({ first: 'same', second: 'same' });
    const first = usersOf({ first: 'same' });
    expect(await login(both, 'second:same')).toBeUndefined();
    expect(await login(first, 'second:same')).toBe(401);
    expect(await login(both, 'second:same')).toBeUndefined();
  });

  test('stays known however many passwords are guessed', async () => {
    const verifier = new NotingVerifier();
    const { refusal, login } = await start(verifier);
    await login(users, 'one:a');
    for (let guess = 0; guess < 300; guess += 1) await login(users, `one:${guess}`);
    expect(refusal(users, basic('one:a'))).toBeUndefined();
    expect(verifier.compared).toHaveLength(301);
    // The oldest guesses are forgotten, the newest are not.
    await login(users, 'one:299');
    expect(verifier.compared).toHaveLength(301);
    await login(users, 'one:0');
    expect(verifier.compared).toHaveLength(302);
  });
});

describe('comparisons under way', () => {
  const users = usersOf({ one: 'a' });

  test('are shared by equal logins, and made one after the other', async () => {
    const gates = new Map(['a', '1', '2'].map((password) => [password, deferred<boolean>()]));
    const compared: string[] = [];
    const { login } = await start({
      verify: (password) => {
        compared.push(password);
        return gates.get(password)?.promise ?? Promise.resolve(false);
      },
      stop: () => Promise.resolve(),
    });
    const logins = ['a', 'a', '1', '2', '1'].map((password) => login(users, `one:${password}`));
    for (const begun of [['a'], ['a', '1'], ['a', '1', '2']]) {
      expect(compared).toEqual(begun);
      gates.get(begun.at(-1) ?? '')?.resolve(begun.length === 1);
      await settled();
    }
    expect(await Promise.all(logins)).toEqual([undefined, undefined, 401, 401, 401]);
  });

  test('that wait end with a stop, and so do those that come after it', async () => {
    const gate = deferred<boolean>();
    const { authenticator, login, log } = await start({
      verify: () => gate.promise,
      stop: () => Promise.resolve(),
    });
    const [first, second] = ['a', '1'].map((password) => login(users, `one:${password}`));
    authenticator.stopWaiting();
    expect(await second).toBe(503);
    expect(await login(users, 'one:2')).toBe(503);
    gate.resolve(true);
    expect(await first).toBeUndefined();
    await authenticator.stop();
    expect(log.lines).toEqual([]);
  });

  test('that fail are not remembered', async () => {
    let isBroken = true;
    const { login } = await start({
      verify: () => (isBroken ? Promise.reject(new Error('broken')) : Promise.resolve(true)),
      stop: () => Promise.resolve(),
    });
    await expect(login(users, 'one:a')).rejects.toThrow('broken');
    isBroken = false;
    expect(await login(users, 'one:a')).toBeUndefined();
  });
});

describe('a password of more than 72 bytes', () => {
  // Two bytes each.
  const longest = 'ü'.repeat(36);
  const users = usersOf({ one: longest });

  test('is refused with a word and without a comparison, for bcrypt would ignore the rest', async () => {
    const verifier = new NotingVerifier();
    const { refusal, log } = await start(verifier);
    for (const name of ['one', 'nobody']) {
      const refused = await refusal(users, basic(`${name}:${longest}x`));
      expect(refused).toMatchObject({ status: 401 });
      expect(String(refused?.body)).toBe(
        'Unauthorized: a password of more than 72 bytes is not compared.\n',
      );
    }
    expect(verifier.compared).toEqual([]);
    expect(log.messages('warn')).toEqual(['log-in refused: a password of more than 72 bytes']);
  });

  test('is longer than one of 72 bytes, which bcrypt compares whole', async () => {
    expect([truncates(longest), truncates(`${longest}x`)]).toEqual([false, true]);
    expect(await (await start()).login(users, `one:${longest}`)).toBeUndefined();
  });
});

describe('an unknown name', () => {
  const hash = (cost: string, rest: string) => new Secret(`$2b$${cost}$${rest}`);
  const entries = [
    ['slow', hash('12', 'a')],
    ['fast', hash('04', 'b')],
    ['other', hash('04', 'c')],
  ] as const;
  const names = Array.from({ length: 64 }, (_, index) => `nobody ${index}`);

  /** The cost at which each of the names is compared, by a program of its own. */
  async function costs(users: ReadonlyMap<string, Secret>, password: string) {
    const verifier = new NotingVerifier();
    const { login } = await start(verifier);
    for (const name of names) await login(users, `${name}:${password}`);
    return verifier.compared.map((compared) => /\$2b\$(\d\d)/.exec(compared)?.[1]);
  }

  test('is compared at the cost of some user, always the same, also after a restart', async () => {
    const found = await costs(new Map(entries), 'x');
    expect(found).toHaveLength(names.length);
    expect(new Set(found)).toEqual(new Set(['04', '12']));
    expect(await costs(new Map(entries), 'y')).toEqual(found);
    expect(await costs(new Map(entries.toReversed()), 'z')).toEqual(found);
  });

  test('is refused with the password of the user whose hash stands in', async () => {
    const users = usersOf({ one: 'a' });
    const { login } = await start();
    expect(await login(users, 'nobody:a')).toBe(401);
    expect(await login(users, 'one:a')).toBeUndefined();
  });
});
