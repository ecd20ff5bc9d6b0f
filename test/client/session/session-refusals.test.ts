import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../../src/base/errors.ts';
import type { TokenSet } from '../../../src/client/session/tokens.ts';
import { deferred, settled } from '../../support/deferred.ts';
import {
  createSession,
  failWith,
  HOUR_MS,
  keepAsking,
  MINUTE_MS,
  refusing,
  tokenSet,
} from './session-harness.ts';

const REFUSED = new ServiceError('SERVICE_AUTH_REJECTED', 'token refused');
const DAY_MS = 24 * HOUR_MS;

describe('a data request whose token is refused', () => {
  test('is repeated once with one renewed token', async () => {
    const { ask, renewals, send } = createSession();
    send.mockImplementation(refusing('access-1'));
    expect(await ask()).toBe('access-2');
    expect(send.mock.calls).toEqual([['access-1'], ['access-2']]);
    expect(renewals).toEqual(['login ok', 'refresh ok']);
  });

  test('requires re-authentication when the renewed token is refused as well', async () => {
    const { ask, clock, renewals, send, session } = createSession();
    send.mockRejectedValue(REFUSED);
    await expect(ask()).rejects.toMatchObject({
      code: 'SERVICE_AUTH_REJECTED',
      message: 're-authentication is required: a renewed token was refused: token refused',
      cause: REFUSED,
    });
    expect(send).toHaveBeenCalledTimes(2);
    expect(renewals).toEqual(['login ok', 'refresh ok']);
    expect(session.status()).toMatchObject({
      isReauthenticationRequired: true,
      blockedUntilMs: clock.nowMs() + MINUTE_MS,
    });
    clock.advance(MINUTE_MS);
    expect(session.status().blockedUntilMs).toBeUndefined();
  });

  test('requires re-authentication no more once a token is taken', async () => {
    const { ask, send, session } = createSession();
    send.mockRejectedValueOnce(REFUSED).mockRejectedValueOnce(REFUSED);
    await expect(ask()).rejects.toThrow();
    expect(await ask()).toBe('access-2');
    expect(session.status().isReauthenticationRequired).toBe(false);
  });

  test('is not repeated when it fails in any other way', async () => {
    const { ask, renewals, send } = createSession();
    const failure = new ServiceError('SERVICE_SERVER_ERROR', 'HTTP 500');
    send.mockRejectedValue(failure);
    await expect(ask()).rejects.toBe(failure);
    expect(send).toHaveBeenCalledTimes(1);
    expect(renewals).toEqual(['login ok']);
  });

  test('is not repeated again when the repetition fails in any other way', async () => {
    const { ask, send } = createSession();
    const failure = new ServiceError('SERVICE_SERVER_ERROR', 'HTTP 500');
    send.mockRejectedValueOnce(REFUSED).mockRejectedValueOnce(failure);
    await expect(ask()).rejects.toBe(failure);
    expect(send).toHaveBeenCalledTimes(2);
  });

  test('shares the renewal with the others that were refused', async () => {
    const { ask, auth, newTokens, send } = createSession();
    await ask();
    send.mockImplementation(refusing('access-1'));
    const renewal = deferred<TokenSet>();
    auth.refresh.mockReturnValueOnce(renewal.promise);

    const answers = Promise.all([ask(), ask(), ask()]);
    await settled();
    renewal.resolve(newTokens());

    expect(await answers).toEqual(['access-2', 'access-2', 'access-2']);
    expect(auth.refresh).toHaveBeenCalledTimes(1);
  });

  test('takes the token that another request has renewed meanwhile', async () => {
    const { ask, auth, send } = createSession();
    await ask();
    const late = deferred<string>();
    send.mockImplementation(refusing('access-1'));
    send.mockReturnValueOnce(late.promise);

    const slow = ask();
    await settled();
    expect(await ask()).toBe('access-2');
    late.reject(REFUSED);

    expect(await slow).toBe('access-2');
    expect(auth.refresh).toHaveBeenCalledTimes(1);
  });

  test('passes on why the renewal failed, when that was no refusal', async () => {
    const { ask, auth, send } = createSession();
    await ask();
    send.mockRejectedValue(REFUSED);
    auth.refresh.mockImplementation(failWith('SERVICE_TIMEOUT'));
    await expect(ask()).rejects.toMatchObject({ code: 'SERVICE_TIMEOUT' });
  });
});

describe('a service that refuses every token it hands out', () => {
  test('causes a renewal after 1 min, 5 min, 30 min, then every 2 h', async () => {
    const harness = createSession();
    const { ask, auth, clock, send } = harness;
    await ask();
    send.mockRejectedValue(REFUSED);
    const renewedAtMinutes: number[] = [];
    const startedAtMs = clock.nowMs();
    auth.refresh.mockImplementation(() => {
      renewedAtMinutes.push((clock.nowMs() - startedAtMs) / MINUTE_MS);
      // Long enough that nothing is renewed for its age.
      return Promise.resolve(tokenSet('fresh', 'refresh', clock.nowMs() + 30 * DAY_MS));
    });
    await keepAsking(harness, 6 * HOUR_MS, 15_000);
    expect(renewedAtMinutes).toEqual([0, 1, 6, 36, 156, 276]);
    expect(auth.logIn).toHaveBeenCalledTimes(1);
  });

  test('is asked at most once per call while the pause lasts', async () => {
    const { ask, send } = createSession();
    send.mockRejectedValue(REFUSED);
    await expect(ask()).rejects.toThrow();
    send.mockClear();
    await expect(ask()).rejects.toThrow(/no attempt before 2026-08-24T08:01:00.000Z/);
    expect(send).toHaveBeenCalledTimes(1);
  });

  test('starts at the first pause again once a renewed token was taken', async () => {
    const { ask, clock, renewals, send } = createSession();
    send.mockRejectedValue(REFUSED);
    await expect(ask()).rejects.toThrow();
    clock.advance(MINUTE_MS);
    send.mockReset().mockRejectedValueOnce(REFUSED).mockResolvedValue('taken');
    expect(await ask()).toBe('taken');

    send.mockRejectedValue(REFUSED);
    await expect(ask()).rejects.toThrow();
    clock.advance(MINUTE_MS);
    await expect(ask()).rejects.toThrow();
    expect(renewals.filter((renewal) => renewal === 'refresh ok')).toHaveLength(4);
  });
});

describe('a rejected login', () => {
  test.each(['SERVICE_AUTH_REJECTED', 'SERVICE_API_REFUSED'] as const)(
    'with %s is tried 15 times in a day of calls every 15 s and logged once',
    async (code) => {
      const harness = createSession();
      harness.auth.logIn.mockImplementation(failWith(code));
      await keepAsking(harness, DAY_MS, 15_000);
      expect(harness.auth.logIn).toHaveBeenCalledTimes(15);
      expect(harness.send).not.toHaveBeenCalled();
      expect(harness.log.lines).toHaveLength(1);
    },
  );

  test('requires re-authentication and says until when no attempt is made', async () => {
    const { ask, auth, session } = createSession();
    auth.logIn.mockImplementation(failWith('SERVICE_API_REFUSED'));
    await expect(ask()).rejects.toMatchObject({
      code: 'SERVICE_AUTH_REJECTED',
      message: 're-authentication is required: failed with SERVICE_API_REFUSED',
    });
    await expect(ask()).rejects.toMatchObject({
      code: 'SERVICE_AUTH_REJECTED',
      message:
        're-authentication is required: failed with SERVICE_API_REFUSED; no attempt before 2026-08-24T08:01:00.000Z',
    });
    expect(session.status().isReauthenticationRequired).toBe(true);
  });

  test.each([
    'SERVICE_UNREACHABLE',
    'SERVICE_TIMEOUT',
    'SERVICE_SERVER_ERROR',
    'SERVICE_REQUEST_REJECTED',
  ] as const)('is not what %s means', async (code) => {
    const { ask, auth, clock, session } = createSession();
    auth.logIn.mockImplementationOnce(failWith(code));
    await expect(ask()).rejects.toMatchObject({ code });
    expect(session.status().isReauthenticationRequired).toBe(false);
    clock.advance(1000);
    expect(await ask()).toBe('access-1');
  });

  test('is forgotten once a login works: the next one pauses for a minute again', async () => {
    const { ask, auth, clock, session } = createSession();
    auth.logIn.mockImplementationOnce(failWith('SERVICE_API_REFUSED'));
    await expect(ask()).rejects.toThrow();
    clock.advance(MINUTE_MS);
    expect(await ask()).toBe('access-1');
    expect(session.status().isReauthenticationRequired).toBe(false);

    clock.advance(3 * HOUR_MS);
    auth.refresh.mockImplementation(failWith('SERVICE_API_REFUSED'));
    auth.logIn.mockImplementationOnce(failWith('SERVICE_API_REFUSED'));
    await expect(ask()).rejects.toThrow();
    clock.advance(MINUTE_MS);
    expect(await ask()).toBe('access-2');
  });
});

describe('an access token alone', () => {
  const accessTokenOnly = () => createSession({ canLogIn: false, givenTokens: tokenSet('given') });

  test('is sent 15 times in a day of calls every 15 s when it is refused', async () => {
    const harness = accessTokenOnly();
    harness.send.mockRejectedValue(REFUSED);
    await keepAsking(harness, DAY_MS, 15_000);
    expect(harness.send).toHaveBeenCalledTimes(15);
    expect(harness.session.status().isReauthenticationRequired).toBe(true);
  });

  test('works again when the service changes its mind', async () => {
    const { ask, clock, send, session } = accessTokenOnly();
    send.mockRejectedValueOnce(REFUSED);
    await expect(ask()).rejects.toMatchObject({ code: 'SERVICE_AUTH_REJECTED' });
    clock.advance(MINUTE_MS);
    expect(await ask()).toBe('given');
    expect(session.status().isReauthenticationRequired).toBe(false);
  });
});

describe('a token pair of unknown expiry whose refresh token is refused', () => {
  const refreshRefused = () => {
    const harness = createSession({ canLogIn: false, givenTokens: tokenSet('given', 'dead') });
    harness.auth.refresh.mockImplementation(failWith('SERVICE_AUTH_REJECTED'));
    return harness;
  };

  test('works for as long as the service takes the access token', async () => {
    const { ask, session } = refreshRefused();
    expect(await ask()).toBe('given');
    expect(session.status().isReauthenticationRequired).toBe(false);
  });

  test('is sent 15 times in a day of calls every 15 s when that is refused as well', async () => {
    const harness = refreshRefused();
    harness.send.mockRejectedValue(REFUSED);
    await keepAsking(harness, DAY_MS, 15_000);
    expect(harness.send).toHaveBeenCalledTimes(15);
    expect(harness.auth.refresh).toHaveBeenCalledTimes(15);
    expect(harness.session.status().isReauthenticationRequired).toBe(true);
  });
});
