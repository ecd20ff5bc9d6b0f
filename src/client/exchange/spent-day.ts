const DAY_MS = 86_400_000;

/** How many requests were sent on a day; an immutable value, replaced with every request. */
export interface SpentDay {
  /** Midnight, UTC. */
  readonly startsAtMs: number;
  readonly spent: number;
  /** The day that a clock showed which was set back since; absent where none was. */
  readonly setBackToMs?: number | undefined;
}

/** Returns a day on which nothing was sent yet. */
export function newDay(nowMs: number): SpentDay {
  return { startsAtMs: startOf(nowMs), spent: 0 };
}

/**
 * Returns what counts at a time: nothing is spent when a new day has begun. A clock that is set back to another day
 * begins no new one, so that it gives no requests away; the next midnight that it shows does, so that nobody waits for
 * longer than a day. The count holds again when the clock is put right meanwhile, as it is some time after a machine has
 * started.
 */
export function dayAt(day: SpentDay, nowMs: number): SpentDay {
  const { startsAtMs, spent, setBackToMs = Infinity } = day;
  const todayMs = startOf(nowMs);
  if (todayMs === startsAtMs) return day.setBackToMs === undefined ? day : { startsAtMs, spent };
  if (todayMs > startsAtMs || todayMs > setBackToMs) return newDay(nowMs);
  return todayMs === setBackToMs ? day : { ...day, setBackToMs: todayMs };
}

/** Returns when the next day begins, by the clock as it is now. */
export function nextDayAtMs(nowMs: number): number {
  return startOf(nowMs) + DAY_MS;
}

function startOf(nowMs: number): number {
  return Math.floor(nowMs / DAY_MS) * DAY_MS;
}
