/** What Prometheus needs beside our wait: the way there and back. */
const MARGIN_MS = 500;

/**
 * How long a scrape may wait: the configured limit, or what Prometheus says it waits itself
 * (`X-Prometheus-Scrape-Timeout-Seconds`) less half a second, whichever is shorter.
 */
export function scrapeWaitMs(header: string | string[] | undefined, limitMs: number): number {
  const timeoutMs = Number(header) * 1000;
  if (!Number.isFinite(timeoutMs) || timeoutMs <= 0) return limitMs;
  return Math.max(0, Math.min(limitMs, timeoutMs - MARGIN_MS));
}
