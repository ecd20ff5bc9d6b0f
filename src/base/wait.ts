import type { Clock } from './clock.ts';

type MonotonicClock = Pick<Clock, 'monotonicMs'>;

/** A time to wait, by the monotonic clock: setting the clock of the machine does not make it longer. */
export interface Wait {
  readonly startedAtMonotonicMs: number;
  readonly lengthMs: number;
}

/** A wait that is over. */
export const NO_WAIT: Wait = { startedAtMonotonicMs: 0, lengthMs: -Infinity };

/** Returns a wait that begins now. */
export function waitFor(lengthMs: number, clock: MonotonicClock): Wait {
  return { startedAtMonotonicMs: clock.monotonicMs(), lengthMs };
}

/** Returns a wait that began when this one did, and is no longer than `lengthMs`. */
export function shortened(wait: Wait, lengthMs: number): Wait {
  return { ...wait, lengthMs: Math.min(wait.lengthMs, lengthMs) };
}

/** Returns how much of a wait is left; 0 or less when it is over. */
export function leftMs({ startedAtMonotonicMs, lengthMs }: Wait, clock: MonotonicClock): number {
  return lengthMs - (clock.monotonicMs() - startedAtMonotonicMs);
}

export function isOver(wait: Wait, clock: MonotonicClock): boolean {
  return leftMs(wait, clock) <= 0;
}
