import { NO_PAUSE, type Pause, pauseEndMs, pauseFor } from './pause.ts';

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

/** The service has not refused. */
export const NO_REFUSALS: Refusals = { refusals: 0, pause: NO_PAUSE, unfinished: 0 };

/** Counts a refusal. During a pause it counts no other: callers that asked together were refused once. */
export function refusedOnce({ refusals, pause }: Refusals, nowMs: number): Refusals {
  if (pauseEndMs(pause, nowMs) !== undefined) return { refusals, pause, unfinished: 0 };
  const step = Math.min(refusals, REFUSAL_PAUSES_MS.length - 1);
  const lengthMs = REFUSAL_PAUSES_MS[step] ?? 0;
  return { refusals: refusals + 1, pause: pauseFor(lengthMs, nowMs), unfinished: 0 };
}

/**
 * Counts an attempt that begins, in case the program is killed during it. The next start may then try once
 * more; from the second on, each attempt without an end counts as refused.
 */
export function attemptBegun(refusals: Refusals, nowMs: number): Refusals {
  const { unfinished } = refusals;
  const presumed = unfinished > 0 ? refusedOnce(refusals, nowMs) : refusals;
  return { ...presumed, unfinished: unfinished + 1 };
}
