import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import type { Collection } from '../collectors/collection.ts';
import type { Shown } from '../collectors/target.ts';
import type { AccountView, SelfMetrics } from './self.ts';
import { type PageOptions, type ProblemLines, StationPages } from './station-pages.ts';
import { versionedCache } from './versioned-cache.ts';

/** A collection whose refreshes have a time limit. */
export interface Collected extends Pick<Collection, 'status' | 'version' | 'nextFetchAtMs'> {
  /** Returns for each station the parts that may be shown now, target by target. */
  readonly shownStations: () => Iterable<Iterable<Shown>>;
  /** Fetches what is due, and waits at most `waitMs`; longer fetches go on in the background. Never rejects. */
  readonly refresh: (waitMs: number) => Promise<void>;
}

export interface ScraperOptions {
  readonly collection: Collected;
  readonly self: SelfMetrics;
  readonly account: AccountView;
  readonly problems: ProblemLines;
  /** Renders the metrics of the process, which change at every scrape; absent unless they are switched on. */
  readonly renderProcessMetrics?: (() => Promise<string>) | undefined;
  readonly page: PageOptions;
  readonly clock: Clock;
}

/** Answers scrapes: refreshes what is due, within a deadline, and renders the page once per change. */
export interface Scraper {
  /** Returns the last page while nothing is due, nothing has changed, and nothing has to be withdrawn. */
  readonly current: () => Buffer | undefined;
  /**
   * Returns the page of this moment. Waits at most `waitMs` for the service; a refresh that takes longer
   * goes on in the background, and the page then holds the last good values.
   */
  readonly scrape: (waitMs: number) => Promise<Buffer>;
  /** Returns the page of the exporter itself and of the account, without stations. Asks the service for nothing. */
  readonly ofItself: () => Promise<Buffer>;
}

export function createScraper(options: ScraperOptions): Scraper {
  const { collection, self, account, problems, page, renderProcessMetrics } = options;
  const made = new StationPages({ ...page, renderRest: () => self.render(account) });
  const pages = versionedCache(options, () =>
    made.make({
      name: 'page',
      statuses: collection.status(),
      problems: everyProblem(),
      stations: collection.shownStations(),
    }),
  );
  function* everyProblem(): Generator<Shown> {
    yield problems.ofAccount();
    for (const { stationId } of collection.status())
      if (stationId !== undefined) yield* problems.ofStation(stationId);
  }
  async function withProcessMetrics(found: Buffer): Promise<Buffer> {
    if (renderProcessMetrics === undefined) return found;
    return Buffer.concat([found, Buffer.from(await renderProcessMetrics())]);
  }
  return {
    current: () => (renderProcessMetrics === undefined ? pages.settled() : undefined),
    scrape: async (waitMs) => {
      await collection.refresh(waitMs);
      return withProcessMetrics(await pages.current());
    },
    ofItself: async () => {
      const { value } = await made.make({
        name: 'page of the exporter itself',
        statuses: collection.status().filter(({ stationId }) => stationId === undefined),
        problems: [problems.ofAccount()],
        stations: [],
      });
      return withProcessMetrics(value);
    },
  };
}

/** Runs refreshes, which go on in the background after their callers stop waiting. */
export interface Refreshes {
  /** Starts a refresh; resolves when it has ended, or after `waitMs`. Never rejects. */
  run(refresh: () => Promise<void>, waitMs?: number): Promise<void>;
  /** Resolves when every refresh started so far has ended. */
  ended(): Promise<void>;
}

export function createRefreshes(clock: Clock, log: Logger): Refreshes {
  const running = new Set<Promise<void>>();
  return {
    async run(refresh, waitMs) {
      const refreshed = refresh().catch((error: unknown) => {
        log.error({ err: error }, 'refresh failed unexpectedly');
      });
      running.add(refreshed);
      void refreshed.then(() => running.delete(refreshed));
      if (waitMs === undefined) return refreshed;
      const timeout = new AbortController();
      await Promise.race([refreshed, clock.sleep(waitMs, timeout.signal)]);
      timeout.abort();
    },
    async ended() {
      await Promise.all(running);
    },
  };
}
