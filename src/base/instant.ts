/**
 * A time from outside counts only between these. In 1970, a machine without a battery clock begins; no clock
 * that works is as far ahead as the other. Between them, calendars and differences cannot fail.
 */
export const EARLIEST_MS = 0;
export const LATEST_MS = Date.UTC(2200, 0);

/** Whether a time that somebody else states can be believed: it is from 1970 to 2199. */
export function isBelievable(atMs: number): boolean {
  return atMs >= EARLIEST_MS && atMs <= LATEST_MS;
}

/**
 * Returns the believable time that is nearest. For times of readings: one without a time would count as of now,
 * and one that is bounded is as far from now as can be.
 */
export function boundedMs(atMs: number): number {
  return Math.min(Math.max(atMs, EARLIEST_MS), LATEST_MS);
}
