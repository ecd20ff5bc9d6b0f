import { describe, expect, test } from 'vitest';
import { Authenticator } from '../../../src/http/authentication/authenticator.ts';
import type { PasswordVerifier } from '../../../src/http/authentication/password-worker.ts';
import { Secret } from '../../../src/base/secret.ts';
import { SilentLog } from '../../support/silent-log.ts';
import { deferred } from '../../support/deferred.ts';

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

function basic(text: string): string {
  return `Basic ${Buffer.from(text).toString('base64')}`;
}

function usersOf(passwords: Readonly<Record<string, string>>): ReadonlyMap<string, Secret> {
  return new Map(
    Object.entries(passwords).map(([name, password]) => [name, new Secret(`hash of ${password}`)]),
  );
}

function start(verifier: PasswordVerifier = new NotingVerifier()) {
  const authenticator = new Authenticator(verifier, new SilentLog());
  /** The status that a login is refused with; undefined when it is not. */
  const login = async (users: ReadonlyMap<string, Secret>, text: string) =>
    (await authenticator.refusal(users, basic(text)))?.status;
  return { authenticator, login };
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
  ])('with $what is refused without a comparison', ({ header }) => {
    const verifier = new NotingVerifier();
    const refusal = start(verifier).authenticator.refusal(users, header);
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
    expect(await start().login(users, text)).toBe(status);
  });

  test('takes the name of the scheme in any case', async () => {
    const { authenticator } = start();
    const header = basic('prometheus:right').replace('Basic ', 'bAsIC  ');
    expect(await authenticator.refusal(users, header)).toBeUndefined();
  });

  test('of an unknown user costs a comparison like that of a known one, once', async () => {
    const verifier = new NotingVerifier();
    const { login } = start(verifier);
    expect(await login(users, 'nobody:right')).toBe(401);
    expect(await login(users, 'nobody:right')).toBe(401);
    expect(verifier.compared).toEqual(['right hash of right']);
  });
});

describe('what was compared once', () => {
  const users = usersOf({ one: 'a', two: 'b' });

  test('is not compared again, and what was accepted is known at once', async () => {
    const verifier = new NotingVerifier();
    const { authenticator, login } = start(verifier);
    await login(users, 'one:a');
    await login(users, 'one:wrong');
    expect(authenticator.refusal(users, basic('one:a'))).toBeUndefined();
    expect(authenticator.refusal(users, basic('one:wrong'))).toMatchObject({ status: 401 });
    expect(verifier.compared).toHaveLength(2);
  });

  test('is refused once the user has a new password', async () => {
    const { login } = start();
    expect(await login(users, 'one:a')).toBeUndefined();
    expect(await login(usersOf({ one: 'new' }), 'one:a')).toBe(401);
    expect(await login(usersOf({ one: 'new' }), 'one:new')).toBeUndefined();
  });

  test('is refused for a removed user, even when another has the same hash', async () => {
    const { login } = start();
    const both = usersOf({ first: 'same', second: 'same' });
    const first = usersOf({ first: 'same' });
    expect(await login(both, 'second:same')).toBeUndefined();
    expect(await login(first, 'second:same')).toBe(401);
    expect(await login(both, 'second:same')).toBeUndefined();
  });

  test('stays known however many passwords are guessed', async () => {
    const verifier = new NotingVerifier();
    const { authenticator, login } = start(verifier);
    await login(users, 'one:a');
    for (let guess = 0; guess < 300; guess += 1) await login(users, `one:${guess}`);
    expect(authenticator.refusal(users, basic('one:a'))).toBeUndefined();
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

  test('are shared by equal logins, and few; more are told to come back', async () => {
    const gate = deferred<boolean>();
    const compared: string[] = [];
    const { login, authenticator } = start({
      verify: (password) => {
        compared.push(password);
        return gate.promise;
      },
      stop: () => Promise.resolve(),
    });
    const names = ['a', '1', '2', '3', '4', '5', '6', '7'];
    const logins = [...names, 'a'].map((password) => login(users, `one:${password}`));
    expect(authenticator.refusal(users, basic('one:8'))).toMatchObject({
      status: 503,
      headers: { 'retry-after': '1' },
    });
    expect(compared).toEqual(names);
    gate.resolve(true);
    expect(await Promise.all(logins)).toEqual(logins.map(() => undefined));
    expect(await login(users, 'one:8')).toBeUndefined();
  });

  test('that fail are not remembered', async () => {
    let isBroken = true;
    const { login } = start({
      verify: () => (isBroken ? Promise.reject(new Error('broken')) : Promise.resolve(true)),
      stop: () => Promise.resolve(),
    });
    await expect(login(users, 'one:a')).rejects.toThrow('broken');
    isBroken = false;
    expect(await login(users, 'one:a')).toBeUndefined();
  });
});
