import type { Clock } from './clock.ts';

/**
 * Shows how long ago something was, by both clocks of a machine. Each of them is wrong in its own way: the one that
 * tells the time can be set back, even by years; the monotonic one stands still while a machine sleeps, and begins
 * anew with each process. So time has passed as soon as either of them says so.
 */
export interface Stopwatch {
  readonly startedAtMs: number;
  readonly startedAtMonotonicMs: number;
}

/** The clocks tick apart by less, which shows nowhere: what has an end keeps it while nobody sets a clock. */
const TOLERANCE_MS = 1000;

/** What can tell how much time has passed. */
export type BothClocks = Pick<Clock, 'nowMs' | 'monotonicMs'>;

/**
 * Returns a stopwatch that starts now, or that started at a time that a file keeps. Where the clock was set back
 * since, that time is still to come: it then starts now.
 */
export function startStopwatch(clock: BothClocks, startedAtMs = clock.nowMs()): Stopwatch {
  return { startedAtMs, startedAtMonotonicMs: clock.monotonicMs() };
}

/** Returns how much time has passed, which is never less than 0. */
export function elapsedMs(stopwatch: Stopwatch, clock: BothClocks): number {
  const shownMs = clock.nowMs() - stopwatch.startedAtMs;
  const countedMs = clock.monotonicMs() - stopwatch.startedAtMonotonicMs;
  return countedMs - shownMs > TOLERANCE_MS ? countedMs : Math.max(0, shownMs);
}

/** A time to wait. However the clock is set, the wait is never longer than its length. */
export interface Wait {
  readonly stopwatch: Stopwatch;
  readonly lengthMs: number;
}

/** A wait that is over. */
export const NO_WAIT: Wait = {
  stopwatch: { startedAtMs: 0, startedAtMonotonicMs: 0 },
  lengthMs: -Infinity,
};

/** Returns a wait that begins now. */
export function waitFor(lengthMs: number, clock: BothClocks): Wait {
  return { stopwatch: startStopwatch(clock), lengthMs };
}

/** Returns how much of a wait is left; 0 or less when it is over. */
export function leftMs({ stopwatch, lengthMs }: Wait, clock: BothClocks): number {
  return lengthMs - elapsedMs(stopwatch, clock);
}

export function isOver(wait: Wait, clock: BothClocks): boolean {
  return leftMs(wait, clock) <= 0;
}
