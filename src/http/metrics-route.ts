import type { Page } from '../metrics/page.ts';
import { acceptsGzip, type Reply, replyWith, type Route } from './reply.ts';

/** The headers of every page of metrics. */
export const METRICS_HEADERS = {
  // Prometheus 2 and 3 both read this text format.
  'content-type': 'text/plain; version=0.0.4; charset=utf-8',
  vary: 'accept-encoding',
} as const;

export interface MetricsRouteOptions {
  /** The longest wait inside one scrape. */
  readonly scrapeTimeoutMs: number;
  /** Returns the page when it is up to date; undefined when a scrape has to wait for it. */
  readonly current: () => Page | undefined;
  readonly scrape: (waitMs: number) => Promise<Page>;
}

/** Creates the route for scrapes. Most scrapes find a page that is up to date, and do not wait at all. */
export function metricsRoute({ scrapeTimeoutMs, current, scrape }: MetricsRouteOptions): Route {
  let last: PageReplies | undefined;

  function replyFor(page: Page, isCompressed: boolean): Reply | Promise<Reply> {
    if (last?.page !== page) last = new PageReplies(page);
    return isCompressed ? last.compressed() : last.plain;
  }

  return ({ headers }) => {
    const isCompressed = acceptsGzip(headers['accept-encoding']);
    const page = current();
    if (page !== undefined) return replyFor(page, isCompressed);
    const waitMs = scrapeWaitMs(headers['x-prometheus-scrape-timeout-seconds'], scrapeTimeoutMs);
    return scrape(waitMs).then((scraped) => replyFor(scraped, isCompressed));
  };
}

/** The plain and the compressed answer of one page, each created once. */
class PageReplies {
  readonly page: Page;
  readonly plain: Reply;
  #compressed: Reply | undefined;

  constructor(page: Page) {
    this.page = page;
    this.plain = replyWith(200, METRICS_HEADERS, page.body);
  }

  compressed(): Reply | Promise<Reply> {
    return (
      this.#compressed ??
      this.page.gzipped().then((body) => {
        const headers = { ...METRICS_HEADERS, 'content-encoding': 'gzip' };
        return (this.#compressed = replyWith(200, headers, body));
      })
    );
  }
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
