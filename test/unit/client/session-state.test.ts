import { describe, expect, test } from 'vitest';
import { SERVICE_ERROR_CODES, ServiceError } from '../../../src/base/errors.ts';
import {
  freshTokenAccepted,
  freshTokenRefused,
  initialState,
  reasonToWait,
  reauthenticationNeeded,
  refusedTokensForgotten,
  renewalFailed,
  renewalSucceeded,
  type SessionState,
  tokenAccepted,
  tokensRefused,
} from '../../../src/client/session/session-state.ts';
import { clockSeen } from '../../../src/client/session/session-time.ts';
import { MINUTE_MS } from '../../support/durations.ts';
import { freshSession, tokenSet } from './session-states.ts';
import { failed, FRESH, NOW_MS, REFUSALS, REFUSED, restarted, TOKENS } from './session-states.ts';

const OUTAGE_CODES = SERVICE_ERROR_CODES.filter(
  (code) => code !== 'SERVICE_AUTH_REJECTED' && code !== 'SERVICE_BUDGET_USED_UP',
);

describe('the initial state', () => {
  test.each([
    { what: 'neither', saved: undefined, configured: undefined, token: undefined },
    { what: 'the configuration', saved: undefined, configured: TOKENS, token: 'access' },
    {
      what: 'the file, before the configuration',
      saved: freshSession({ tokens: tokenSet('saved') }),
      configured: TOKENS,
      token: 'saved',
    },
    {
      what: 'the configuration, when the file has none',
      saved: freshSession(),
      configured: TOKENS,
      token: 'access',
    },
  ])('has its tokens from $what', ({ saved, configured, token }) => {
    expect(initialState(saved, configured).tokens?.accessToken.reveal()).toBe(token);
  });

  test('allows an attempt and requires no re-authentication', () => {
    expect(reasonToWait(FRESH, 0)).toBeUndefined();
    expect(FRESH.isReauthenticationRequired).toBe(false);
  });

  test.each(REFUSALS)(
    'requires re-authentication after a refusal of $kind',
    ({ refused, accepted }) => {
      const state = refused(FRESH, NOW_MS);
      expect(restarted(state).isReauthenticationRequired).toBe(true);
      expect(restarted(accepted(state)).isReauthenticationRequired).toBe(false);
    },
  );
});

describe('an outage', () => {
  test.each([
    { program: 'one program', next: (state: SessionState) => state },
    { program: 'a program that is restarted after each failure', next: restarted },
  ])('pauses for a second, doubling, a minute at most, in $program', ({ next }) => {
    let state = FRESH;
    let nowMs = NOW_MS;
    for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
      state = next(failed(state, new ServiceError('SERVICE_TIMEOUT', 'too slow'), nowMs));
      expect(reasonToWait(state, nowMs)).toMatchObject({ retryAfterMs: seconds * 1000 });
      nowMs += seconds * 1000;
      expect(reasonToWait(state, nowMs)).toBeUndefined();
    }
  });

  test.each([
    { random: 0, pauseMs: 800 },
    { random: 1, pauseMs: 1200 },
  ])('spreads its pauses: $random makes $pauseMs ms', ({ random, pauseMs }) => {
    const state = renewalFailed(FRESH, new ServiceError('SERVICE_TIMEOUT', ''), NOW_MS, random);
    expect(state.outage.pause.lengthMs).toBe(pauseMs);
  });

  test('pauses for as long as the service asked for', () => {
    const cause = new Error('HTTP 429');
    const limited = { cause, retryAfterMs: 900_000 };
    const state = failed(FRESH, new ServiceError('SERVICE_RATE_LIMITED', 'too many', limited));
    expect(reasonToWait(state, NOW_MS + 300_000)).toMatchObject({
      code: 'SERVICE_RATE_LIMITED',
      message: 'too many',
      cause,
      retryAfterMs: 600_000,
    });
    expect(reasonToWait(state, NOW_MS + 900_000)).toBeUndefined();
  });

  test.each(OUTAGE_CODES)('with %s blames neither the credentials nor the tokens', (code) => {
    const state = failed(FRESH, new ServiceError(code, 'failed'));
    expect(reasonToWait(state, NOW_MS)).toMatchObject({ code });
    expect(state.outage).toMatchObject({ failures: 1, code });
    expect(state.credentials).toEqual(FRESH.credentials);
    expect(state.isReauthenticationRequired).toBe(false);
  });

  test('is not what a used up budget is: nothing was sent, and nothing begins', () => {
    const error = new ServiceError('SERVICE_BUDGET_USED_UP', 'used up', { retryAfterMs: 900_000 });
    expect(failed(FRESH, error)).toBe(FRESH);
  });

  test('fails with the very bug that caused it', () => {
    const bug = new TypeError('a bug');
    expect(reasonToWait(failed(FRESH, bug), NOW_MS)).toBe(bug);
    expect(reasonToWait(failed(FRESH, 'thrown text'), NOW_MS)).toEqual(new Error('thrown text'));
  });

  test.each(SERVICE_ERROR_CODES)('goes on with its code %s after a restart', (code) => {
    const saved = freshSession({
      outage: { failures: 1, pause: { endsAtMs: NOW_MS + 5000, lengthMs: 5000 }, code },
    });
    const state = restarted(saved);
    expect(reasonToWait(state, NOW_MS + 2000)).toMatchObject({
      name: 'ServiceError',
      code,
      message: 'no token could be had before the last restart; the pause goes on',
      retryAfterMs: 3000,
    });
    expect(reasonToWait(state, NOW_MS + 5000)).toBeUndefined();
  });

  test('does not wait after a restart because of a bug, and still counts it', () => {
    const state = restarted(failed(FRESH, new TypeError('a bug')));
    expect(reasonToWait(state, NOW_MS)).toBeUndefined();
    expect(state.outage.failures).toBe(1);
  });

  test('waits no longer when the clock was set back', () => {
    const limited = new ServiceError('SERVICE_RATE_LIMITED', '', { retryAfterMs: 900_000 });
    const state = clockSeen(restarted(failed(FRESH, limited)), 0);
    expect(reasonToWait(state, 0)).toMatchObject({ retryAfterMs: 900_000 });
    expect(reasonToWait(state, 900_000)).toBeUndefined();
  });
});

describe('the reason to wait', () => {
  const whyRefused = (refusal: string) => ({
    code: 'SERVICE_AUTH_REJECTED',
    message: `re-authentication is required: ${refusal}; no attempt before 2026-08-24T08:01:00.000Z`,
    retryAfterMs: MINUTE_MS,
  });
  const AFTER_REFUSAL = whyRefused(REFUSED.message);

  test('after a refusal is the refusal, with its cause', () => {
    const state = failed(FRESH, REFUSED);
    expect(reasonToWait(state, NOW_MS)).toMatchObject({ ...AFTER_REFUSAL, cause: REFUSED });
    expect(reasonToWait(state, NOW_MS + MINUTE_MS)).toBeUndefined();
  });

  test('after a restart is the refusal, without its cause', () => {
    const reason = reasonToWait(restarted(failed(FRESH, REFUSED)), NOW_MS);
    expect(reason).toMatchObject(whyRefused('the service refused'));
    expect(reason?.cause).toBeUndefined();
  });

  test('is the refusal rather than the outage', () => {
    const outage = failed(
      FRESH,
      new ServiceError('SERVICE_TIMEOUT', '', { retryAfterMs: 900_000 }),
    );
    const both = failed(outage, REFUSED);
    expect(reasonToWait(both, NOW_MS)).toMatchObject(AFTER_REFUSAL);
    expect(reasonToWait(both, NOW_MS + MINUTE_MS)).toMatchObject({ code: 'SERVICE_TIMEOUT' });
  });

  test('is none when only fresh tokens are refused', () => {
    expect(reasonToWait(freshTokenRefused(FRESH, NOW_MS), NOW_MS)).toBeUndefined();
  });
});

describe('a renewal that succeeds', () => {
  test('replaces the tokens and forgets refusals and outages, but not refused fresh tokens', () => {
    const refused = freshTokenRefused(failed(FRESH, REFUSED), NOW_MS);
    const failing = failed(refused, new ServiceError('SERVICE_TIMEOUT', ''), NOW_MS + MINUTE_MS);
    expect(renewalSucceeded(failing, TOKENS)).toEqual({
      ...FRESH,
      tokens: TOKENS,
      freshTokens: refused.freshTokens,
      isReauthenticationRequired: true,
    });
  });
});

describe('re-authentication', () => {
  const needed = reauthenticationNeeded(FRESH);

  test.each([
    { when: 'only the user can help', state: needed, expected: true },
    { when: 'a fresh token is refused', state: freshTokenRefused(FRESH, NOW_MS), expected: true },
    { when: 'a token is accepted', state: tokenAccepted(needed), expected: false },
    { when: 'a fresh token is accepted', state: freshTokenAccepted(needed), expected: false },
    { when: 'a renewal succeeds', state: renewalSucceeded(needed, TOKENS), expected: true },
    { when: 'a renewal fails', state: failed(needed, new Error('no answer')), expected: true },
  ])('is required when $when: $expected', ({ state, expected }) => {
    expect(state.isReauthenticationRequired).toBe(expected);
  });

  test('does not change the pause of fresh tokens when an older token is accepted', () => {
    const refused = freshTokenRefused(FRESH, NOW_MS);
    expect(tokenAccepted(refused).freshTokens).toBe(refused.freshTokens);
  });
});

test('remembers refused tokens until they may be tried again', () => {
  const refused = tokensRefused({ ...FRESH, tokens: TOKENS }, TOKENS);
  expect(refused.refusedTokens).toBe(TOKENS);
  expect(refused.tokens).toBe(TOKENS);
  expect(refusedTokensForgotten(refused).refusedTokens).toBeUndefined();
});
