import { greatestOf } from '../../model/extremes.ts';
import { pauseEndMs } from './pause.ts';
import type { SessionState } from './session-state.ts';
import { timeOfTokensMs } from './session-time.ts';
import { canRefresh } from './tokens.ts';

/** How the session gets its next token: by logging in, by refreshing, not at all; `none` without a token. */
export type SessionMode = 'account' | 'refresh_token' | 'access_token' | 'none';

/** What the metrics and the status page show of a session; it holds no secret. */
export interface SessionStatus {
  readonly mode: SessionMode;
  readonly accessExpiresAtMs: number | undefined;
  readonly isReauthenticationRequired: boolean;
  /** When the pause after a refusal ends; absent when no attempt has to wait. */
  readonly blockedUntilMs: number | undefined;
}

/** Describes a session at an instant. */
export function statusOf(state: SessionState, canLogIn: boolean, nowMs: number): SessionStatus {
  const { tokens, credentials, freshTokens, isReauthenticationRequired } = state;
  const ends = [credentials, freshTokens]
    .map(({ pause }) => pauseEndMs(pause, nowMs))
    .filter((endMs) => endMs !== undefined);
  const tokensNowMs = timeOfTokensMs(state, nowMs);
  const expiresAtMs = tokens?.accessExpiresAtMs;
  return {
    mode: modeOf(state, canLogIn, tokensNowMs),
    accessExpiresAtMs: expiresAtMs && expiresAtMs - tokensNowMs + nowMs,
    isReauthenticationRequired,
    blockedUntilMs: ends.length === 0 ? undefined : greatestOf(ends),
  };
}

function modeOf({ tokens }: SessionState, canLogIn: boolean, nowMs: number): SessionMode {
  if (canLogIn) return 'account';
  if (tokens === undefined) return 'none';
  return canRefresh(tokens, nowMs) ? 'refresh_token' : 'access_token';
}
