import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../../src/base/errors.ts';
import { Secret } from '../../../src/base/secret.ts';
import { pauseEndMs } from '../../../src/client/session/pause.ts';
import {
  duringAttempt,
  freshTokenAccepted,
  freshTokenRefused,
  initialState,
  reasonToWait,
  reauthenticationNeeded,
  renewalFailed,
  renewalSucceeded,
  type SavedState,
  type SessionState,
  tokenAccepted,
} from '../../../src/client/session/session-state.ts';
import { clockSeen } from '../../../src/client/session/session-time.ts';
import { MINUTE_MS } from '../../support/durations.ts';

const NOW_MS = Date.parse('2026-08-24T08:00:00Z');
const REFUSED = new ServiceError('SERVICE_AUTH_REJECTED', 'refused');
const TIMEOUT = new ServiceError('SERVICE_TIMEOUT', 'too slow', { retryAfterMs: 900_000 });
const FRESH = initialState(undefined);
const TOKENS = { accessToken: new Secret('access'), refreshToken: new Secret('refresh') };

/** Returns the state after a renewal that failed with this error. */
function failed(state: SessionState, error: unknown, nowMs = NOW_MS): SessionState {
  return renewalFailed(state, error, nowMs, 0.5);
}

/** Returns the state with which the next program starts; it knows only what was saved. */
function restarted({ tokens, credentials, outage, freshTokens }: SavedState): SessionState {
  return initialState({ tokens, credentials, outage, freshTokens });
}

test('a session begins with saved tokens before those of the configuration', () => {
  const saved = { ...FRESH, tokens: { accessToken: new Secret('saved') } };
  expect(initialState(saved, TOKENS).tokens).toBe(saved.tokens);
  expect(initialState(FRESH, TOKENS).tokens).toBe(TOKENS);
});

describe('an outage', () => {
  test('pauses for as long as the service asked for, even while the clock is set back', () => {
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
    const setBack = clockSeen(restarted(state), 0);
    expect(reasonToWait(setBack, 0)).toMatchObject({ retryAfterMs: 900_000 });
    expect(reasonToWait(setBack, 900_000)).toBeUndefined();
  });

  test('is not what a used up budget is: nothing was sent, and nothing begins', () => {
    const error = new ServiceError('SERVICE_BUDGET_USED_UP', 'used up', { retryAfterMs: 900_000 });
    expect(failed(FRESH, error)).toBe(FRESH);
  });

  test('goes on with its code after a restart, and blames neither credentials nor tokens', () => {
    const state = restarted(failed(FRESH, TIMEOUT));
    expect(reasonToWait(state, NOW_MS + 2000)).toMatchObject({
      code: 'SERVICE_TIMEOUT',
      message: 'no token could be had before the last restart; the pause goes on',
      retryAfterMs: 898_000,
    });
    expect(state.outage).toMatchObject({ failures: 1, code: 'SERVICE_TIMEOUT' });
    expect(state.credentials).toEqual(FRESH.credentials);
    expect(state.isReauthenticationRequired).toBe(false);
  });

  test('by a bug fails with that very bug until a restart, which still counts it', () => {
    const bug = new TypeError('a bug');
    expect(reasonToWait(failed(FRESH, bug), NOW_MS)).toBe(bug);
    expect(reasonToWait(failed(FRESH, 'thrown text'), NOW_MS)).toEqual(new Error('thrown text'));
    const state = restarted(failed(FRESH, bug));
    expect(reasonToWait(state, NOW_MS)).toBeUndefined();
    expect(state.outage.failures).toBe(1);
  });
});

describe('the reason to wait', () => {
  const whyRefused = (refusal: string) => ({
    code: 'SERVICE_AUTH_REJECTED',
    message: `re-authentication is required: ${refusal}; no attempt before 2026-08-24T08:01:00.000Z`,
    retryAfterMs: MINUTE_MS,
  });

  test('is the refusal, and after a restart the same without its cause', () => {
    const state = failed(FRESH, REFUSED);
    expect(reasonToWait(state, NOW_MS)).toMatchObject({ ...whyRefused('refused'), cause: REFUSED });
    const reason = reasonToWait(restarted(state), NOW_MS);
    expect(reason).toMatchObject({ ...whyRefused('the service refused'), cause: undefined });
  });

  test('is the refusal rather than the outage, and none of fresh tokens', () => {
    const all = freshTokenRefused(failed(failed(FRESH, TIMEOUT), REFUSED), NOW_MS);
    expect(reasonToWait(all, NOW_MS)).toMatchObject(whyRefused('refused'));
    expect(reasonToWait(all, NOW_MS + MINUTE_MS)).toMatchObject({ code: 'SERVICE_TIMEOUT' });
    expect(reasonToWait(freshTokenRefused(FRESH, NOW_MS), NOW_MS)).toBeUndefined();
  });
});

test('a renewal that succeeds forgets refusals and outages, but not refused fresh tokens', () => {
  const refused = freshTokenRefused(failed(FRESH, REFUSED), NOW_MS);
  expect(renewalSucceeded(failed(refused, TIMEOUT, NOW_MS + MINUTE_MS), TOKENS)).toEqual({
    ...FRESH,
    tokens: TOKENS,
    freshTokens: refused.freshTokens,
    isReauthenticationRequired: true,
  });
});

test('a token that is accepted ends re-authentication, and the pause of fresh tokens if it is one', () => {
  const state = freshTokenRefused(FRESH, NOW_MS);
  expect(state.isReauthenticationRequired).toBe(true);
  expect(failed(state, TIMEOUT).isReauthenticationRequired).toBe(true);
  expect(tokenAccepted(state)).toEqual({ ...state, isReauthenticationRequired: false });
  expect(freshTokenAccepted(state)).toEqual(FRESH);
  expect(freshTokenAccepted(reauthenticationNeeded(FRESH))).toEqual(FRESH);
});

describe.each([
  {
    kind: 'credentials',
    refused: (state: SessionState, nowMs: number) => failed(state, REFUSED, nowMs),
    accepted: (state: SessionState) => renewalSucceeded(state, TOKENS),
  },
  { kind: 'freshTokens', refused: freshTokenRefused, accepted: freshTokenAccepted },
] as const)('refusals of $kind', ({ kind, refused, accepted }) => {
  const endMs = (state: SessionState, nowMs: number) => pauseEndMs(state[kind].pause, nowMs);

  test('require re-authentication after a restart, until an acceptance', () => {
    const state = refused(FRESH, NOW_MS);
    expect(restarted(state).isReauthenticationRequired).toBe(true);
    expect(restarted(accepted(state)).isReauthenticationRequired).toBe(false);
  });

  test('count once for callers that were refused together', () => {
    const state = refused(refused(FRESH, NOW_MS), NOW_MS + 1);
    expect(state[kind].refusals).toBe(1);
    expect(endMs(state, NOW_MS + 1)).toBe(NOW_MS + MINUTE_MS);
    expect(endMs(state, NOW_MS + MINUTE_MS)).toBeUndefined();
  });

  test('last beyond the pause, whatever else fails', () => {
    const state = failed(refused(FRESH, NOW_MS), new Error('a bug'), NOW_MS + MINUTE_MS);
    expect(state[kind].refusals).toBe(1);
  });

  test('pause no longer when the clock is set back', () => {
    const state = clockSeen(refused(FRESH, NOW_MS), 5000);
    expect(endMs(state, 5000)).toBe(5000 + MINUTE_MS);
    expect(endMs(clockSeen(state, 6000), 6000)).toBe(5000 + MINUTE_MS);
    expect(endMs(state, 5000 + MINUTE_MS)).toBeUndefined();
    expect(endMs(state, NOW_MS)).toBe(NOW_MS + MINUTE_MS);
  });
});

describe('an attempt during which the program is killed', () => {
  /** Starts 50 times at one instant, and is killed in each attempt; returns what each attempt saved. */
  function killedAttempts(nowMs: number, first: SavedState): SavedState[] {
    const attempts: SavedState[] = [];
    let saved = first;
    for (let start = 0; start < 50; start += 1) {
      const state = restarted(saved);
      if (reasonToWait(state, nowMs) !== undefined) continue;
      saved = duringAttempt(state, nowMs);
      attempts.push(saved);
    }
    return attempts;
  }

  test('is repeated once, and then counts as refused', () => {
    const [first, second, ...others] = killedAttempts(NOW_MS, FRESH);
    expect(first?.credentials).toMatchObject({ refusals: 0, unfinished: 1 });
    const pause = { endsAtMs: NOW_MS + MINUTE_MS, lengthMs: MINUTE_MS };
    expect(second?.credentials).toEqual({ refusals: 1, pause, unfinished: 2 });
    expect(others).toEqual([]);
  });

  test('continues with the next pause when the service refused before', () => {
    const attempts = killedAttempts(NOW_MS + MINUTE_MS, failed(FRESH, REFUSED));
    expect(attempts).toHaveLength(2);
    expect(attempts.at(-1)?.credentials.pause.endsAtMs).toBe(NOW_MS + 6 * MINUTE_MS);
  });

  test.each([
    ['refused', (state: SessionState) => failed(state, REFUSED)],
    ['accepted', (state: SessionState) => renewalSucceeded(state, TOKENS)],
    ['unanswered', (state: SessionState) => failed(state, new Error('no answer'))],
    ['refused during a pause', (state: SessionState) => failed(failed(state, REFUSED), REFUSED)],
  ])('is forgotten when the next one is %s', (_end, ended) => {
    const state = restarted(duringAttempt(FRESH, NOW_MS));
    expect(state.credentials.unfinished).toBe(1);
    expect(ended(state).credentials.unfinished).toBe(0);
  });
});
