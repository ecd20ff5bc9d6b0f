import { describe, expect, test } from 'vitest';
import { SERVICE_ERROR_CODES } from '../../../src/base/errors.ts';
import { deferred, settled } from '../../support/deferred.ts';
import type { TokenSet } from '../../../src/client/session/tokens.ts';
import {
  createSession,
  failWith,
  HOUR_MS,
  type HarnessOptions,
  MINUTE_MS,
  tokenSet,
} from './session-harness.ts';

const REFUSALS = ['SERVICE_AUTH_REJECTED', 'SERVICE_API_REFUSED'] as const;
/** With this one, nothing was sent: see below. */
const UNSENT = 'SERVICE_BUDGET_USED_UP';
const FAILURES = SERVICE_ERROR_CODES.filter(
  (code) => code !== UNSENT && !REFUSALS.some((other) => other === code),
);
const PASSING = [
  'SERVICE_UNREACHABLE',
  'SERVICE_TIMEOUT',
  'SERVICE_SERVER_ERROR',
  'SERVICE_RATE_LIMITED',
] as const;
/** Far enough into the two hours of a token that it is renewed, and still valid. */
const EARLY_MS = 2 * HOUR_MS - 5 * MINUTE_MS;

describe('a session in each mode', () => {
  test('with an account logs in at the first call and no more while the token lives', async () => {
    const { ask, renewals, clock } = createSession();
    expect(await ask()).toBe('access-1');
    clock.advance(EARLY_MS - 1);
    expect(await ask()).toBe('access-1');
    expect(renewals).toEqual(['login ok']);
  });

  test('with a token pair of unknown expiry refreshes before the first call', async () => {
    const { ask, exchanged, renewals } = createSession({
      canLogIn: false,
      givenTokens: tokenSet('given', 'given-refresh'),
    });
    expect(await ask()).toBe('access-1');
    expect(exchanged()).toEqual(['given-refresh']);
    expect(renewals).toEqual(['refresh ok']);
  });

  test('with an access token alone uses it as it is', async () => {
    const { ask, renewals, clock } = createSession({
      canLogIn: false,
      givenTokens: tokenSet('given'),
    });
    clock.advance(24 * HOUR_MS);
    expect(await ask()).toBe('given');
    expect(renewals).toEqual([]);
  });

  test('with nothing at all requires re-authentication and sends nothing', async () => {
    const { ask, send, session } = createSession({ canLogIn: false });
    await expect(ask()).rejects.toMatchObject({ code: 'SERVICE_AUTH_REJECTED' });
    expect(send).not.toHaveBeenCalled();
    expect(session.status()).toMatchObject({
      mode: 'none',
      accessExpiresAtMs: undefined,
      isReauthenticationRequired: true,
    });
  });

  test('authenticates without a data request', async () => {
    const { session, send, clock } = createSession();
    const expiresAtMs = clock.nowMs() + 2 * HOUR_MS;
    await session.authenticate();
    expect(send).not.toHaveBeenCalled();
    expect(session.status()).toEqual({
      mode: 'account',
      accessExpiresAtMs: expiresAtMs,
      isReauthenticationRequired: false,
      blockedUntilMs: undefined,
    });
  });

  test('says how it can be kept alive', () => {
    const modeOf = (options: HarnessOptions) => createSession(options).session.status().mode;
    const pair = tokenSet('given', 'refresh');
    expect(modeOf({ givenTokens: pair })).toBe('account');
    expect(modeOf({ canLogIn: false, givenTokens: pair })).toBe('refresh_token');
    expect(modeOf({ canLogIn: false, givenTokens: { ...pair, refreshExpiresAtMs: 1 } })).toBe(
      'access_token',
    );
    expect(modeOf({ canLogIn: false, givenTokens: tokenSet('given') })).toBe('access_token');
  });
});

describe('a session renews', () => {
  test('by refresh before login, 300 s ahead of the expiry', async () => {
    const { ask, clock, renewals } = createSession();
    await ask();
    clock.advance(EARLY_MS);
    expect(await ask()).toBe('access-2');
    expect(renewals).toEqual(['login ok', 'refresh ok']);
  });

  test('with the newest refresh token every time', async () => {
    const { ask, clock, exchanged } = createSession();
    for (let renewal = 0; renewal < 4; renewal += 1) {
      await ask();
      clock.advance(EARLY_MS);
    }
    expect(exchanged()).toEqual(['refresh-1', 'refresh-2', 'refresh-3']);
  });

  test('by login when the refresh token has expired, without asking', async () => {
    const { ask, auth, clock, newTokens, renewals } = createSession();
    auth.logIn.mockImplementationOnce(() =>
      Promise.resolve({ ...newTokens(), refreshExpiresAtMs: clock.nowMs() + HOUR_MS }),
    );
    await ask();
    clock.advance(EARLY_MS);
    expect(await ask()).toBe('access-2');
    expect(renewals).toEqual(['login ok', 'login ok']);
  });

  test.each([...REFUSALS, 'SERVICE_REQUEST_REJECTED', 'SERVICE_PAYLOAD_INVALID'] as const)(
    'by login when the refresh ends in %s',
    async (code) => {
      const { ask, auth, clock, renewals } = createSession();
      await ask();
      auth.refresh.mockImplementation(failWith(code));
      clock.advance(EARLY_MS);
      expect(await ask()).toBe('access-2');
      expect(renewals).toEqual(['login ok', `refresh ${code}`, 'login ok']);
    },
  );

  test.each(PASSING)('later, and does not log in, when the refresh ends in %s', async (code) => {
    const { ask, auth, clock, renewals } = createSession();
    await ask();
    auth.refresh.mockImplementationOnce(failWith(code));
    clock.advance(2 * HOUR_MS);
    await expect(ask()).rejects.toMatchObject({ code });
    clock.advance(MINUTE_MS);
    expect(await ask()).toBe('access-2');
    expect(renewals).toEqual(['login ok', `refresh ${code}`, 'refresh ok']);
  });

  test.each(REFUSALS)('no more without an account when the refresh ends in %s', async (code) => {
    const harness = createSession({
      canLogIn: false,
      givenTokens: tokenSet('given', 'given-refresh', Date.parse('2026-08-24T07:00:00Z')),
    });
    harness.auth.refresh.mockImplementation(failWith(code));
    await expect(harness.ask()).rejects.toMatchObject({
      code: 'SERVICE_AUTH_REJECTED',
      message: `re-authentication is required: failed with ${code}`,
    });
    expect(harness.session.status().isReauthenticationRequired).toBe(true);
    expect(harness.send).not.toHaveBeenCalled();
  });

  test('again soon without an account when the refresh path is wrong', async () => {
    const { ask, auth, clock, session } = createSession({
      canLogIn: false,
      givenTokens: tokenSet('given', 'given-refresh', Date.parse('2026-08-24T08:01:00Z')),
    });
    auth.refresh.mockImplementation(failWith('SERVICE_REQUEST_REJECTED'));
    expect(await ask()).toBe('given');
    clock.advance(MINUTE_MS);
    await expect(ask()).rejects.toMatchObject({ code: 'SERVICE_REQUEST_REJECTED' });
    expect(session.status().isReauthenticationRequired).toBe(false);
    expect(auth.refresh).toHaveBeenCalledTimes(2);
  });

  test('once for parallel callers', async () => {
    const { ask, auth, newTokens, send } = createSession();
    const login = deferred<TokenSet>();
    auth.logIn.mockReturnValueOnce(login.promise);

    const answers = Promise.all([ask(), ask(), ask(), ask()]);
    await settled();
    expect(send).not.toHaveBeenCalled();
    login.resolve(newTokens());

    expect(await answers).toEqual(['access-1', 'access-1', 'access-1', 'access-1']);
    expect(auth.logIn).toHaveBeenCalledTimes(1);
  });

  test('with one line in the log each time, and no token in it', async () => {
    const { ask, auth, clock, log } = createSession();
    await ask();
    auth.refresh.mockImplementationOnce(failWith('SERVICE_TIMEOUT'));
    clock.advance(EARLY_MS);
    await ask();
    expect(log.lines.map(({ level, message }) => `${level}: ${message}`)).toEqual([
      'info: session renewed',
      'warn: session not renewed',
    ]);
    expect(JSON.stringify(log.lines)).not.toMatch(/access-|refresh-/);
  });
});

describe('a session that cannot renew', () => {
  test.each(SERVICE_ERROR_CODES)(
    'keeps using a token that has not expired, after %s',
    async (code) => {
      const { ask, auth, clock } = createSession();
      await ask();
      auth.refresh.mockImplementation(failWith(code));
      auth.logIn.mockImplementation(failWith(code));
      clock.advance(EARLY_MS);
      expect(await ask()).toBe('access-1');
      clock.advance(5 * MINUTE_MS - 1);
      expect(await ask()).toBe('access-1');
      clock.advance(1);
      await expect(ask()).rejects.toBeInstanceOf(Error);
    },
  );

  test.each(FAILURES)('backs off, 1 s and doubling, after %s', async (code) => {
    const { ask, auth, clock } = createSession();
    auth.logIn.mockImplementation(failWith(code));
    for (const pauseMs of [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]) {
      auth.logIn.mockClear();
      await expect(ask()).rejects.toMatchObject({ code });
      clock.advance(pauseMs - 1);
      await expect(ask()).rejects.toMatchObject({ code });
      expect(auth.logIn).toHaveBeenCalledTimes(1);
      clock.advance(1);
    }
  });

  test('says so once, and again only after it could', async () => {
    const { ask, auth, clock, log } = createSession();
    auth.logIn
      .mockImplementationOnce(failWith('SERVICE_TIMEOUT'))
      .mockImplementationOnce(failWith('SERVICE_TIMEOUT'))
      .mockImplementationOnce(failWith('SERVICE_UNREACHABLE'));
    auth.refresh.mockImplementation(failWith('SERVICE_UNREACHABLE'));
    for (let attempt = 0; attempt < 6; attempt += 1) {
      await ask().catch(() => undefined);
      clock.advance(2 * HOUR_MS);
    }
    expect(log.lines.map(({ level, fields }) => [level, fields['method']])).toEqual([
      ['warn', 'login'],
      ['warn', 'login'],
      ['info', 'login'],
      ['warn', 'refresh'],
    ]);
  });

  test('starts its back-off afresh after a renewal that worked', async () => {
    const { ask, auth, clock } = createSession();
    auth.logIn
      .mockImplementationOnce(failWith('SERVICE_TIMEOUT'))
      .mockImplementationOnce(failWith('SERVICE_TIMEOUT'));
    await expect(ask()).rejects.toThrow();
    clock.advance(1000);
    await expect(ask()).rejects.toThrow();
    clock.advance(2000);
    expect(await ask()).toBe('access-1');

    auth.refresh.mockImplementationOnce(failWith('SERVICE_TIMEOUT'));
    clock.advance(2 * HOUR_MS);
    await expect(ask()).rejects.toThrow();
    clock.advance(1000);
    expect(await ask()).toBe('access-2');
  });

  test('stays away as long as the service asks', async () => {
    const { ask, auth, clock } = createSession();
    auth.logIn.mockImplementationOnce(failWith('SERVICE_RATE_LIMITED', 10 * MINUTE_MS));
    await expect(ask()).rejects.toThrow();
    clock.advance(10 * MINUTE_MS - 1);
    await expect(ask()).rejects.toMatchObject({ code: 'SERVICE_RATE_LIMITED' });
    clock.advance(1);
    expect(await ask()).toBe('access-1');
    expect(auth.logIn).toHaveBeenCalledTimes(2);
  });

  test('renews at once when the budget of requests is there again, and counts no attempt before', async () => {
    const { ask, auth, renewals, clock, log } = createSession();
    await ask();
    clock.advance(2 * HOUR_MS);
    auth.refresh.mockImplementationOnce(failWith('SERVICE_BUDGET_USED_UP', 10 * HOUR_MS));
    await expect(ask()).rejects.toMatchObject({ code: 'SERVICE_BUDGET_USED_UP' });
    expect(auth.logIn).toHaveBeenCalledTimes(1);
    expect(renewals).toEqual(['login ok']);
    expect(log.messages('warn')).toEqual([]);
    // A reload with a larger budget does not have to wait for the next day.
    expect(await ask()).toBe('access-2');
    expect(renewals).toEqual(['login ok', 'refresh ok']);
  });

  test('passes a bug on as it is, and still backs off', async () => {
    const { ask, auth, renewals } = createSession();
    const bug = new TypeError('a bug');
    auth.logIn.mockRejectedValue(bug);
    await expect(ask()).rejects.toBe(bug);
    await expect(ask()).rejects.toBe(bug);
    expect(renewals).toEqual(['login UNEXPECTED']);
  });

  test('passes a bug in refreshing on, and does not log in over it', async () => {
    const { ask, auth, clock } = createSession();
    await ask();
    const bug = new TypeError('a bug');
    auth.refresh.mockRejectedValue(bug);
    clock.advance(2 * HOUR_MS);
    await expect(ask()).rejects.toBe(bug);
    expect(auth.logIn).toHaveBeenCalledTimes(1);
  });
});
