import { ServiceError, type ServiceErrorCode } from '../../base/errors.ts';
import { wasSetBack } from '../../base/not-before.ts';
import { backOffMs } from '../exchange/retry.ts';
import { NO_PAUSE, type Pause, pauseEndMs, pauseFor, withClockSeen } from './pause.ts';
import { blockedUntil, isTokenRefused } from './session-errors.ts';
import type { TokenSet } from './tokens.ts';

const MINUTE_MS = 60_000;
const REFUSAL_PAUSES_MS = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 120 * MINUTE_MS];

/** How often the service refused. The pause after each refusal keeps the account from being locked. */
export interface Refusals {
  /** Consecutive refusals; 0 once the service accepts. */
  readonly refusals: number;
  readonly pause: Pause;
  /** Consecutive attempts during which the program was killed. */
  readonly unfinished: number;
}

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

const NO_REFUSALS: Refusals = { refusals: 0, pause: NO_PAUSE, unfinished: 0 };
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

/**
 * Lets the pauses and the tokens see the time. What has not seen that the clock was set back may last too
 * long.
 */
export function clockSeen(state: SessionState, nowMs: number): SessionState {
  const seen = <T extends { readonly pause: Pause }>(paused: T): T => {
    const pause = withClockSeen(paused.pause, nowMs);
    return pause === paused.pause ? paused : { ...paused, pause };
  };
  const credentials = seen(state.credentials);
  const outage = seen(state.outage);
  const freshTokens = seen(state.freshTokens);
  const setBackSeenAtMs = setBackSeenAt(state, nowMs);
  const isSame =
    credentials === state.credentials &&
    outage === state.outage &&
    freshTokens === state.freshTokens &&
    setBackSeenAtMs === state.setBackSeenAtMs;
  return isSame ? state : { ...state, credentials, outage, freshTokens, setBackSeenAtMs };
}

function setBackSeenAt({ tokens, setBackSeenAtMs }: SessionState, nowMs: number) {
  const isSetBack = tokens?.receivedAtMs !== undefined && wasSetBack(tokens.receivedAtMs, nowMs);
  return isSetBack ? Math.min(setBackSeenAtMs ?? Infinity, nowMs) : undefined;
}

/**
 * Returns what the clock would show that showed when the tokens arrived. If it was set back since, their
 * life goes on from when that was noticed: it is not known how much of it has passed, and the service
 * refuses a token that is over.
 */
export function timeOfTokensMs({ tokens, setBackSeenAtMs }: SessionState, nowMs: number): number {
  if (tokens?.receivedAtMs === undefined || setBackSeenAtMs === undefined) return nowMs;
  return tokens.receivedAtMs + (nowMs - setBackSeenAtMs);
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

/**
 * Returns what to save before an attempt, in case the program is killed during it. The next start may
 * then try once more; from the second on, each attempt without an end counts as refused.
 */
export function duringAttempt(state: SavedState, nowMs: number): SavedState {
  const { credentials } = state;
  const { unfinished } = credentials;
  const presumed = unfinished > 0 ? refusedOnce(credentials, nowMs) : credentials;
  return { ...state, credentials: { ...presumed, unfinished: unfinished + 1 } };
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

/** Counts a refusal. During a pause it counts no other: callers that asked together were refused once. */
function refusedOnce({ refusals, pause }: Refusals, nowMs: number): Refusals {
  if (pauseEndMs(pause, nowMs) !== undefined) return { refusals, pause, unfinished: 0 };
  const step = Math.min(refusals, REFUSAL_PAUSES_MS.length - 1);
  const lengthMs = REFUSAL_PAUSES_MS[step] ?? 0;
  return { refusals: refusals + 1, pause: pauseFor(lengthMs, nowMs), unfinished: 0 };
}
