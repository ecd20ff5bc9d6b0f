import { wasSetBack } from '../../base/not-before.ts';
import { type Pause, withClockSeen } from './pause.ts';
import type { SessionState } from './session-state.ts';

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
