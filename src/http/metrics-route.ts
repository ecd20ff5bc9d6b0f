import type { Page } from '../metrics/page.ts';
import { acceptsGzip } from './accepts-gzip.ts';
import { type Reply, replyWith } from './reply.ts';
import type { Route } from './route.ts';
import { scrapeWaitMs } from './scrape-deadline.ts';

/** What every page of metrics is sent with. */
export const METRICS_HEADERS = {
  // The text format that Prometheus 2 and 3 both take.
  'content-type': 'text/plain; version=0.0.4; charset=utf-8',
  vary: 'accept-encoding',
} as const;

export interface MetricsRouteOptions {
  /** The longest wait inside one scrape. */
  readonly scrapeTimeoutMs: number;
  /** The page, when there is nothing to wait for. */
  readonly current: () => Page | undefined;
  readonly scrape: (waitMs: number) => Promise<Page>;
}

/** Answers scrapes. Nearly all of them find a page that has not changed: those wait for nothing at all. */
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

/** Both answers that a page can have, each made once. */
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
