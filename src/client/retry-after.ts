const LONGEST_MS = 24 * 60 * 60 * 1000;

/**
 * Reads a `Retry-After` header, seconds or an HTTP date, as milliseconds from now; at most a day.
 * Absent when there is none or it asks for no pause: then our own holds.
 */
export function retryAfterMs(
  header: string | string[] | undefined,
  nowMs: number,
): number | undefined {
  if (typeof header !== 'string') return undefined;
  const pauseMs = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - nowMs;
  return pauseMs > 0 ? Math.min(LONGEST_MS, pauseMs) : undefined;
}
