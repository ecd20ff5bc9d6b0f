import { ServiceError, type ServiceErrorCode } from '../../base/errors.ts';
import { isBudgetUsedUp } from '../exchange/request-budget.ts';
import { backOffMs } from '../exchange/retry.ts';
import { NO_PAUSE, type Pause, pauseEndMs, pauseFor } from './pause.ts';
import { attemptBegun, NO_REFUSALS, refusedOnce, type Refusals } from './refusals.ts';
import { blockedUntil, isTokenRefused } from './session-errors.ts';
import type { TokenSet } from './tokens.ts';

/** How often a renewal failed without a refusal: the service could not answer, or the program has a bug. */
export interface Outage {
  /** Consecutive failures; 0 once a renewal works. */
  readonly failures: number;
  readonly pause: Pause;
  /** How the last attempt failed; absent for a bug. */
  readonly code?: ServiceErrorCode | undefined;
}

/** The part of the state that the next session goes on with, after a restart or a reload. */
export interface SavedState {
  readonly tokens?: TokenSet | undefined;
  /** Refused log-ins and refreshes. */
  readonly credentials: Refusals;
  readonly outage: Outage;
  /** Tokens that the service issued and then refused. */
  readonly freshTokens: Refusals;
}

/** Where a session is kept beyond this program. */
export interface SessionStorage {
  /** What an earlier session with the same credentials left. */
  readonly saved: SavedState | undefined;
  /** Resolves when the state is saved. Never rejects. */
  save(state: SavedState): Promise<void>;
}

/** Everything that a session knows. It never changes: each function below returns the next state. */
export interface SessionState extends SavedState {
  readonly isReauthenticationRequired: boolean;
  /** When a clock that was set back since the tokens arrived was first seen; absent where none was. */
  readonly setBackSeenAtMs?: number | undefined;
  /** The set that was refused and could not be replaced yet; it is not sent again. */
  readonly refusedTokens?: TokenSet | undefined;
  /** Why the last renewal was refused; absent after a restart. */
  readonly lastRefusal?: ServiceError | undefined;
  /** Why the last renewal failed otherwise; after a restart only its code is known. */
  readonly lastFailure?: Error | undefined;
}

const NO_OUTAGE: Outage = { failures: 0, pause: NO_PAUSE };
const BEFORE_RESTART = 'no token could be had before the last restart; the pause goes on';

/** Returns the first state of a session. Saved tokens are newer than those from the configuration. */
export function initialState(
  saved: SavedState | undefined,
  configuredTokens?: TokenSet,
): SessionState {
  const { credentials = NO_REFUSALS, outage = NO_OUTAGE, freshTokens = NO_REFUSALS } = saved ?? {};
  const { code } = outage;
  return {
    tokens: saved?.tokens ?? configuredTokens,
    credentials,
    // A bug is no reason to wait after a restart.
    outage: code === undefined ? { ...outage, pause: NO_PAUSE } : outage,
    freshTokens,
    isReauthenticationRequired: credentials.refusals > 0 || freshTokens.refusals > 0,
    lastFailure: code === undefined ? undefined : new ServiceError(code, BEFORE_RESTART),
  };
}

/** Returns why no renewal is attempted now; absent when an attempt is allowed. */
export function reasonToWait(state: SessionState, nowMs: number): Error | undefined {
  const { credentials, outage, lastRefusal, lastFailure } = state;
  const blockedUntilMs = pauseEndMs(credentials.pause, nowMs);
  if (blockedUntilMs !== undefined)
    return blockedUntil(blockedUntilMs, lastRefusal, blockedUntilMs - nowMs);
  const outageEndsAtMs = pauseEndMs(outage.pause, nowMs);
  if (outageEndsAtMs === undefined) return undefined;
  if (!(lastFailure instanceof ServiceError)) return lastFailure;
  // The caller may try again when the pause ends, which is sooner than the service first asked for.
  const retryAfterMs = outageEndsAtMs - nowMs;
  const { code, message, cause } = lastFailure;
  return new ServiceError(code, message, { cause, retryAfterMs });
}

/** Returns what to save before an attempt, in case the program is killed during it. */
export function duringAttempt(state: SavedState, nowMs: number): SavedState {
  return { ...state, credentials: attemptBegun(state.credentials, nowMs) };
}

/** Replaces the tokens, after a renewal that worked, and forgets what kept earlier ones from working. */
export function renewalSucceeded(state: SessionState, tokens: TokenSet): SessionState {
  return {
    ...state,
    tokens,
    setBackSeenAtMs: undefined,
    credentials: NO_REFUSALS,
    outage: NO_OUTAGE,
    lastRefusal: undefined,
    lastFailure: undefined,
  };
}

/**
 * Begins a pause, after a renewal that brought no tokens: because of a refusal, or because of an outage.
 *
 * @param random - a number in 0 to 1, which spreads clients that failed together.
 */
export function renewalFailed(
  state: SessionState,
  error: unknown,
  nowMs: number,
  random: number,
): SessionState {
  if (isTokenRefused(error))
    return { ...state, credentials: refusedOnce(state.credentials, nowMs), lastRefusal: error };
  // Nothing was sent, so that nothing is known of the service; the budget itself keeps us from asking.
  if (isBudgetUsedUp(error)) return state;
  const failures = state.outage.failures + 1;
  const fault = error instanceof ServiceError ? error : undefined;
  const pauseMs = fault?.retryAfterMs ?? backOffMs(failures, () => random);
  return {
    ...state,
    credentials: { ...state.credentials, unfinished: 0 },
    outage: { failures, pause: pauseFor(pauseMs, nowMs), code: fault?.code },
    lastFailure: error instanceof Error ? error : new Error(String(error)),
  };
}

/** Notes that only the user can help, with new credentials. */
export function reauthenticationNeeded(state: SessionState): SessionState {
  return { ...state, isReauthenticationRequired: true };
}

/** Notes that the service accepted a token for data. */
export function tokenAccepted(state: SessionState): SessionState {
  return state.isReauthenticationRequired ? { ...state, isReauthenticationRequired: false } : state;
}

/** Notes that the service accepted a token that replaced a refused one. */
export function freshTokenAccepted(state: SessionState): SessionState {
  const isChanged = state.freshTokens.refusals > 0;
  return tokenAccepted(isChanged ? { ...state, freshTokens: NO_REFUSALS } : state);
}

/** Begins a pause, after the service refused a token that it had just issued. */
export function freshTokenRefused(state: SessionState, nowMs: number): SessionState {
  const freshTokens = refusedOnce(state.freshTokens, nowMs);
  return reauthenticationNeeded({ ...state, freshTokens });
}

/** Remembers tokens that the service refused, when no others could be had. */
export function tokensRefused(state: SessionState, refusedTokens: TokenSet): SessionState {
  return { ...state, refusedTokens };
}

/** Allows refused tokens to be sent again. */
export function refusedTokensForgotten(state: SessionState): SessionState {
  return { ...state, refusedTokens: undefined };
}
