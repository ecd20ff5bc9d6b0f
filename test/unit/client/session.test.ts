import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../../src/base/errors.ts';
import { Secret } from '../../../src/base/shown.ts';
import { createSession } from '../../../src/client/session/session.ts';
import { decodeSession, encodeSession } from '../../../src/client/session/session-file.ts';
import type { TokenSet } from '../../../src/client/session/tokens.ts';
import { deferred, settled } from '../../support/deferred.ts';
import { MINUTE_MS } from '../../support/durations.ts';
import { FakeClock } from '../../support/fake-clock.ts';

type Answer = Error | 'ok' | 'killed';
type Request = (token: Secret) => Promise<string>;

const REFUSED = new ServiceError('SERVICE_AUTH_REJECTED', 'wrong password');
const TIMEOUT = new ServiceError('SERVICE_TIMEOUT', 'too slow', { cause: new Error('why') });
const BUG = new TypeError('a bug');

/** A session before an issuer that answers as it is told. What it keeps is the text of a file. */
function openSession(lifetimeMs?: number) {
  const clock = new FakeClock('2026-08-24T08:00:00Z');
  let file: string | undefined;
  let answer: Answer = 'ok';
  let attempts = 0;
  const renew = (): Promise<TokenSet> => {
    attempts += 1;
    if (answer === 'killed') return new Promise(() => undefined);
    if (answer !== 'ok') return Promise.reject(answer);
    const accessToken = new Secret(`access-${attempts}`);
    const receivedAtMs = clock.nowMs();
    const accessExpiresAtMs = lifetimeMs && receivedAtMs + lifetimeMs;
    return Promise.resolve({ accessToken, receivedAtMs, accessExpiresAtMs });
  };
  const start = () =>
    createSession(
      { serviceClock: clock, canLogIn: true, renew },
      { clock, random: () => 0.5 },
      undefined,
      {
        saved: file === undefined ? undefined : decodeSession(file)?.session,
        save: (session) => {
          file = encodeSession({ salt: 'salt', credentials: 'digest', session });
          return Promise.resolve();
        },
      },
    );
  let session = start();
  return {
    clock,
    status: () => session.status(),
    file: () => file,
    /** Where nothing else is said, another endpoint answers as this one does. */
    withToken: (request: Request, isOptional = false, elsewhere = request) =>
      session.withToken(request, isOptional, elsewhere),
    end: () => session.end(),
    restart: () => {
      session = start();
    },
    attempts: () => attempts,
    /** Asks for a token, which the issuer answers so where it is asked; resolves to what came of it. */
    ask: async (next: Answer): Promise<unknown> => {
      answer = next;
      const asked = session.withToken((token) => Promise.resolve(token.reveal()));
      const ended = asked.catch((error: unknown) => error);
      return Promise.race([ended, settled()]);
    },
    /** Sends a request that refuses these tokens, as every other endpoint does. */
    send: (...refused: readonly string[]): Promise<unknown> => {
      const request = (token: Secret): Promise<string> =>
        refused.includes(token.reveal())
          ? Promise.reject(new ServiceError('SERVICE_AUTH_REJECTED', 'HTTP 401'))
          : Promise.resolve(token.reveal());
      return session.withToken(request, false, request).catch((error: unknown) => error);
    },
  };
}

/** Asks every ten seconds for so long, with restarts or without; returns the minutes of the attempts. */
async function attemptMinutes(
  { ask, attempts, clock, restart }: ReturnType<typeof openSession>,
  minutes: number,
  answer: (attempt: number) => Answer,
  isRestarted = false,
): Promise<readonly number[]> {
  const found: number[] = [];
  for (let second = 0; second < minutes * 60; second += 10) {
    const before = attempts();
    if (isRestarted) restart();
    await ask(answer(before + 1));
    if (attempts() > before) found.push(second / 60);
    clock.advance(10_000);
  }
  return found;
}

describe('a failure to renew', () => {
  test('that is an outage blames no credentials, also after a restart', async () => {
    const session = openSession();
    expect(await session.ask(TIMEOUT)).toBe(TIMEOUT);
    const { cause } = TIMEOUT;
    expect(await session.ask('ok')).toMatchObject({
      message: 'too slow',
      cause,
      retryAfterMs: 1000,
    });
    session.restart();
    expect(await session.ask('ok')).toMatchObject({
      code: 'SERVICE_TIMEOUT',
      message: 'no token could be had before the last restart; the pause goes on',
    });
    const { isReauthenticationRequired, blockedUntilMs } = session.status();
    expect([isReauthenticationRequired, blockedUntilMs]).toEqual([false, undefined]);
  });

  test('that is a bug fails with that very bug, until a restart', async () => {
    const session = openSession();
    expect(await session.ask(BUG)).toBe(BUG);
    expect(await session.ask('ok')).toBe(BUG);
    session.restart();
    expect(await session.ask('ok')).toBe('access-2');
  });

  test.each<[what: string, answer: (attempt: number) => Answer, minutes: readonly number[]]>([
    // After an outage, the ladder of refusals goes on.
    ['refusals and outages in turn', (at) => (at % 2 ? REFUSED : TIMEOUT), [0, 1, 2, 7, 8, 38, 39]],
    ['a refusal after outages', (at) => (at < 4 ? TIMEOUT : REFUSED), [0, 1 / 6, 1 / 3, 0.5, 1.5]],
    ['attempts that are killed', () => 'killed', [0, 1 / 6, 7 / 6, 37 / 6, 217 / 6]],
    ['refusals after one that is killed', (at) => (at === 1 ? 'killed' : REFUSED), [0, 1 / 6]],
  ])('pauses after %s', async (what, answer, minutes) => {
    const isRestarted = what.includes('killed');
    const found = await attemptMinutes(openSession(), 60, answer, isRestarted);
    expect(found.slice(0, minutes.length)).toEqual(minutes);
  });
});

test('an optional endpoint that refuses a token waits for a running renewal', async () => {
  const { ask, withToken } = openSession();
  await ask('ok');
  const request = (token: Secret) =>
    token.reveal() === 'access-1' ? Promise.reject(REFUSED) : Promise.resolve('ok');
  expect(await Promise.all([withToken(request), withToken(request, true)])).toEqual(['ok', 'ok']);
});

test('an optional endpoint earns one renewal where no other one can tell', async () => {
  const { ask, withToken, attempts } = openSession();
  await ask('ok');
  const outOfOrder = (): Promise<string> => Promise.reject(TIMEOUT);
  const renewed = withToken(
    (token) => (token.reveal() === 'access-1' ? Promise.reject(REFUSED) : Promise.resolve('ok')),
    true,
    outOfOrder,
  );
  expect(await renewed).toBe('ok');
  const refused = withToken(() => Promise.reject(REFUSED), true, outOfOrder);
  await expect(refused).rejects.toMatchObject({ isDoubtful: true });
  expect(await withToken(() => Promise.resolve('ok'))).toBe('ok');
  await expect(withToken(() => Promise.reject(REFUSED), true, outOfOrder)).rejects.toThrow();
  expect(attempts()).toBe(3);
});

test('an optional endpoint is missing only if another one takes the token at that moment', async () => {
  const { ask, withToken } = openSession();
  await ask('ok');
  const accepting = (): Promise<string> => Promise.resolve('ok');
  const lacking = withToken(() => Promise.reject(REFUSED), true, accepting);
  await expect(lacking).rejects.toMatchObject({ code: 'SERVICE_REQUEST_REJECTED' });
  const ended = (token: Secret): Promise<string> =>
    token.reveal() === 'access-1' ? Promise.reject(REFUSED) : Promise.resolve('ok');
  expect(await withToken(ended, true)).toBe('ok');
});

describe('a token that every endpoint refuses with a page', () => {
  const PAGE = new ServiceError('SERVICE_BLOCKED', 'a page', { isDoubtful: true });
  const refusing = (): Promise<string> => Promise.reject(PAGE);

  test.each([
    { answer: TIMEOUT, error: PAGE, isNeeded: false, next: 'access-1' },
    { answer: REFUSED, error: REFUSED, isNeeded: true, next: expect.any(ServiceError) },
  ])('is kept unless a log-in is refused: $answer.message', async (row) => {
    const { answer, error, isNeeded, next } = row;
    const session = openSession();
    await session.ask('ok');
    await session.ask(answer);
    await expect(session.withToken(refusing)).rejects.toBe(error);
    expect(session.status().isReauthenticationRequired).toBe(isNeeded);
    expect(await session.ask('ok')).toEqual(next);
  });

  test('is not renewed twice where another request renewed it meanwhile', async () => {
    const { ask, withToken, send, attempts } = openSession();
    await ask('ok');
    const elsewhere = deferred<string>();
    const sent = withToken(
      (token) => (token.reveal() === 'access-1' ? refusing() : Promise.resolve('ok')),
      false,
      () => elsewhere.promise,
    );
    await settled();
    expect(await send('access-1')).toBe('access-2');
    elsewhere.reject(PAGE);
    expect(await sent).toBe('ok');
    expect(attempts()).toBe(2);
  });
});

describe('tokens that are refused just after they were issued', () => {
  const FRESH = ['access-1', 'access-2', 'access-3', 'access-4'];

  test('count once for requests that were refused together', async () => {
    const session = openSession();
    await session.ask('ok');
    await Promise.all([session.send(...FRESH), session.send(...FRESH), session.send(...FRESH)]);
    expect(session.attempts()).toBe(2);
    const { blockedUntilMs = 0, isReauthenticationRequired } = session.status();
    expect(blockedUntilMs - session.clock.nowMs()).toBe(MINUTE_MS);
    expect(isReauthenticationRequired).toBe(true);
    expect(await session.send(...FRESH)).toMatchObject({
      code: 'SERVICE_AUTH_REJECTED',
      message: 'HTTP 401. Next try in 60 s; changed credentials are tried at once.',
      retryAfterMs: undefined,
    });
  });

  test('are renewed all the same when they expire within their pause', async () => {
    const session = openSession(1.5 * MINUTE_MS);
    await session.ask('ok');
    await session.send(...FRESH);
    session.clock.advance(50_000);
    expect(await session.send()).toBe('access-3');
  });

  test('let a token that works since be renewed within their pause', async () => {
    const session = openSession();
    await session.ask('ok');
    await session.send(...FRESH);
    expect(await session.send()).toBe('access-2');
    expect(await session.send('access-2')).toBe('access-3');
  });

  test('are not saved any more over those of the session that goes on', async () => {
    const session = openSession();
    await session.ask('ok');
    const late = deferred<string>();
    const sent = session.withToken((token) =>
      token.reveal() === 'access-1' ? Promise.reject(REFUSED) : late.promise,
    );
    await settled();
    await session.end();
    const file = session.file();
    late.reject(REFUSED);
    await expect(sent).rejects.toThrow('The service no longer accepts this token.');
    expect(session.file()).toBe(file);
  });

  test('end their pause once a successor is accepted, over a restart too', async () => {
    const session = openSession();
    await session.ask('ok');
    await session.send(...FRESH);
    session.restart();
    expect(session.status().isReauthenticationRequired).toBe(true);
    session.clock.advance(MINUTE_MS);
    expect(await session.send('access-2')).toBe('access-3');
    session.restart();
    expect(session.status().isReauthenticationRequired).toBe(false);
  });
});
