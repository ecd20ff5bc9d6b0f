/** A clock that was put back by so little was only adjusted. */
const ADJUSTED_MS = 60_000;

/**
 * A time to wait for, by the clock of the machine. That clock can be set back, even by years, and a wait must
 * not last so long: it ends then, as a restart would end it. So a clock that was set back costs what a restart
 * costs, and no wait lasts longer than twice as long or a minute longer, whichever is less.
 *
 * A clock that never goes back would not do: that of Linux stands still while a machine sleeps, and what a file
 * keeps is read by a process with another one.
 */
export interface NotBefore {
  readonly endsAtMs: number;
  /** When the end was decided. A clock that shows less was set back. */
  readonly setAtMs: number;
}

/** A wait that is over. */
export const NO_WAIT: NotBefore = { endsAtMs: -Infinity, setAtMs: -Infinity };

/** Returns a wait that begins now. */
export function waitFor(lengthMs: number, nowMs: number): NotBefore {
  return { endsAtMs: nowMs + lengthMs, setAtMs: nowMs };
}

/** Returns when a wait ends: -Infinity after the clock was set back. */
export function endMs({ endsAtMs, setAtMs }: NotBefore, nowMs: number): number {
  const toleranceMs = Math.min(ADJUSTED_MS, endsAtMs - setAtMs);
  return nowMs < setAtMs - toleranceMs ? -Infinity : endsAtMs;
}

export function isOver(wait: NotBefore, nowMs: number): boolean {
  return nowMs >= endMs(wait, nowMs);
}

/** Whether the clock has been set back since it showed a time: how long ago that was is unknown then. */
export function wasSetBack(shownMs: number, nowMs: number): boolean {
  return nowMs < shownMs - ADJUSTED_MS;
}

/** Returns how long something took; 0 where the clock was set back meanwhile. */
export function elapsedMs(sinceMs: number, nowMs: number): number {
  return Math.max(0, nowMs - sinceMs);
}
