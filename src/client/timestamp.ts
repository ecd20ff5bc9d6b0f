/** The last instant that a date can hold, and as far before 1970 the first. */
const LAST_INSTANT_MS = 8.64e15;

/** Whether so many milliseconds since the Unix epoch are an instant of some calendar. */
export function isInstant(atMs: number): boolean {
  return Math.abs(atMs) <= LAST_INSTANT_MS;
}

/**
 * Reads ISO 8601, UTC where it has no offset (interface 2.2), as epoch milliseconds; absent when it
 * is no such thing.
 */
export function parseTimestamp(text: string): number | undefined {
  const hasOffset = /(?:Z|[+-]\d\d:?\d\d)$/i.test(text);
  const instantMs = Date.parse(hasOffset ? text : `${text.replace(' ', 'T')}Z`);
  return Number.isNaN(instantMs) ? undefined : instantMs;
}
