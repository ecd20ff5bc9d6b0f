import { ServiceError } from '../../../src/base/errors.ts';
import {
  freshTokenAccepted,
  freshTokenRefused,
  initialState,
  renewalFailed,
  renewalSucceeded,
  type SavedState,
  type SessionState,
} from '../../../src/client/session/session-state.ts';
import type { TokenSet } from '../../../src/client/session/tokens.ts';
import { Secret } from '../../../src/base/secret.ts';

export const NOW_MS = Date.parse('2026-08-24T08:00:00Z');
export const REFUSED = new ServiceError('SERVICE_AUTH_REJECTED', 'refused');
export const FRESH = initialState(undefined);
export const TOKENS = tokenSet('access', 'refresh');

/** The two kinds of refusals, which pause by the same rules. */
export const REFUSALS = [
  {
    kind: 'credentials',
    refused: (state: SessionState, nowMs: number) => renewalFailed(state, REFUSED, nowMs, 0.5),
    accepted: (state: SessionState) => renewalSucceeded(state, TOKENS),
  },
  { kind: 'freshTokens', refused: freshTokenRefused, accepted: freshTokenAccepted },
] as const;

/** Returns the state after a renewal that failed with this error. */
export function failed(state: SessionState, error: unknown, nowMs = NOW_MS): SessionState {
  return renewalFailed(state, error, nowMs, 0.5);
}

/** Returns the state with which the next program starts; it knows only what was saved. */
export function restarted({ tokens, credentials, outage, freshTokens }: SavedState): SessionState {
  return initialState({ tokens, credentials, outage, freshTokens });
}

/** Creates tokens as they come from the configuration (without an expiry) or from the service. */
export function tokenSet(access: string, refresh?: string, accessExpiresAtMs?: number): TokenSet {
  return {
    accessToken: new Secret(access),
    refreshToken: refresh === undefined ? undefined : new Secret(refresh),
    accessExpiresAtMs,
  };
}

/** Creates the state of a new session. */
export function freshSession(changes: Partial<SavedState> = {}): SavedState {
  const none = { refusals: 0, pause: { endsAtMs: 0, lengthMs: 0 }, unfinished: 0 };
  return {
    credentials: none,
    freshTokens: none,
    outage: { failures: 0, pause: { endsAtMs: 0, lengthMs: 0 } },
    ...changes,
  };
}
