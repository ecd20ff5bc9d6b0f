import type { Page } from '../metrics/page.ts';
import { compressibleReply, type Route } from './reply.ts';

// Prometheus 2 and 3 both read this text format.
export const METRICS_HEADERS = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' };

export interface MetricsRouteOptions {
  /** The longest wait inside one scrape. */
  readonly scrapeTimeoutMs: number;
  /** Returns the page when it is up to date; undefined when a scrape has to wait for it. */
  readonly current: () => Page | undefined;
  readonly scrape: (waitMs: number) => Promise<Page>;
}

/** Creates the route for scrapes. Most scrapes find a page that is up to date, and do not wait at all. */
export function metricsRoute({ scrapeTimeoutMs, current, scrape }: MetricsRouteOptions): Route {
  return ({ headers }) => {
    const replyOf = (page: Page): ReturnType<Route> =>
      compressibleReply(headers, METRICS_HEADERS, page);
    const page = current();
    if (page !== undefined) return replyOf(page);
    const timeout = headers['x-prometheus-scrape-timeout-seconds'];
    return scrape(scrapeWaitMs(timeout, scrapeTimeoutMs)).then(replyOf);
  };
}

/** Time that Prometheus needs beside our wait, for the request and the answer to travel. */
const MARGIN_MS = 500;

/**
 * Returns how long a scrape may wait: the configured limit, or the timeout of Prometheus
 * (`X-Prometheus-Scrape-Timeout-Seconds`) less half a second, whichever is shorter.
 */
export function scrapeWaitMs(header: string | string[] | undefined, limitMs: number): number {
  const timeoutMs = Number(header) * 1000;
  if (!Number.isFinite(timeoutMs) || timeoutMs <= 0) return limitMs;
  return Math.max(0, Math.min(limitMs, timeoutMs - MARGIN_MS));
}
