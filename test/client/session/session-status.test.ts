import { describe, expect, test } from 'vitest';
import { pauseFor } from '../../../src/client/session/pause.ts';
import { initialState, type SavedState } from '../../../src/client/session/session-state.ts';
import { statusOf } from '../../../src/client/session/session-status.ts';
import { freshSession, MINUTE_MS, tokenSet } from './session-harness.ts';

const NOW_MS = Date.parse('2026-08-24T08:00:00Z');
const pair = { ...tokenSet('access', 'refresh'), refreshExpiresAtMs: NOW_MS + MINUTE_MS };

function statusAt(saved: SavedState, canLogIn = true, nowMs = NOW_MS) {
  return statusOf(initialState(saved), canLogIn, nowMs);
}

describe('the status of a session', () => {
  test.each([
    { canLogIn: true, tokens: undefined, nowMs: NOW_MS, mode: 'account' },
    { canLogIn: true, tokens: pair, nowMs: NOW_MS, mode: 'account' },
    { canLogIn: false, tokens: undefined, nowMs: NOW_MS, mode: 'none' },
    { canLogIn: false, tokens: tokenSet('access'), nowMs: NOW_MS, mode: 'access_token' },
    { canLogIn: false, tokens: pair, nowMs: NOW_MS, mode: 'refresh_token' },
    { canLogIn: false, tokens: pair, nowMs: NOW_MS + MINUTE_MS, mode: 'access_token' },
  ])('has mode $mode: can log in $canLogIn, at $nowMs', ({ canLogIn, tokens, nowMs, mode }) => {
    expect(statusAt(freshSession({ tokens }), canLogIn, nowMs).mode).toBe(mode);
  });

  test.each([
    { credentials: 0, freshTokens: 0, blocked: undefined },
    { credentials: 5, freshTokens: 0, blocked: 5 },
    { credentials: 0, freshTokens: 1, blocked: 1 },
    { credentials: 1, freshTokens: 5, blocked: 5 },
    { credentials: 5, freshTokens: 1, blocked: 5 },
  ])(
    'is blocked for $blocked min by pauses of $credentials and $freshTokens min',
    ({ credentials, freshTokens, blocked }) => {
      const refused = (minutes: number) => ({
        refusals: 1,
        pause: pauseFor(minutes * MINUTE_MS, NOW_MS),
        unfinished: 0,
      });
      const saved = freshSession({
        credentials: refused(credentials),
        freshTokens: refused(freshTokens),
      });
      const blockedUntilMs = blocked === undefined ? undefined : NOW_MS + blocked * MINUTE_MS;
      expect(statusAt(saved).blockedUntilMs).toBe(blockedUntilMs);
    },
  );

  test('shows no pause of an outage', () => {
    const outage = {
      failures: 1,
      pause: pauseFor(MINUTE_MS, NOW_MS),
      code: 'SERVICE_TIMEOUT',
    } as const;
    expect(statusAt(freshSession({ outage })).blockedUntilMs).toBeUndefined();
  });

  test('shows when the access token expires', () => {
    const tokens = tokenSet('access', 'refresh', NOW_MS + 1);
    expect(statusAt(freshSession({ tokens })).accessExpiresAtMs).toBe(NOW_MS + 1);
  });
});
