import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import type { Collection } from '../collectors/collection.ts';
import { Page } from './page.ts';
import type { AccountView, SelfMetrics } from './self.ts';
import { type PageOptions, StationPages } from './station-pages.ts';
import { VersionedCache } from './versioned-cache.ts';

export interface ScraperOptions {
  readonly collection: Pick<
    Collection,
    'refresh' | 'shownStations' | 'status' | 'version' | 'nextFetchAtMs'
  >;
  readonly self: SelfMetrics;
  readonly accounts: readonly AccountView[];
  /** Renders the metrics of the process, which change at every scrape; absent unless they are switched on. */
  readonly renderProcessMetrics?: (() => Promise<string>) | undefined;
  readonly refreshes: RefreshTracker;
  readonly page: PageOptions;
  readonly clock: Clock;
}

/** Answers scrapes: refreshes what is due, within a deadline, and renders the page once per change. */
export class Scraper {
  readonly #options: ScraperOptions;
  readonly #stations: StationPages;
  readonly #pages: VersionedCache<Page>;

  constructor(options: ScraperOptions) {
    const { collection, self, accounts, page } = options;
    this.#options = options;
    this.#stations = new StationPages({ ...page, renderRest: () => self.render(accounts) });
    this.#pages = new VersionedCache(options, () =>
      this.#stations.make({
        name: 'page',
        statuses: collection.status(),
        stations: collection.shownStations(),
      }),
    );
  }

  /** Returns the last page while nothing is due, nothing has changed, and nothing has to be withdrawn. */
  current(): Page | undefined {
    return this.#options.renderProcessMetrics === undefined ? this.#pages.settled() : undefined;
  }

  /**
   * Returns the page of this moment. Waits at most `waitMs` for the service; a refresh that takes longer
   * goes on in the background, and the page then holds the last good values.
   */
  async scrape(waitMs: number): Promise<Page> {
    const { clock, collection, refreshes } = this.#options;
    if (clock.nowMs() >= collection.nextFetchAtMs)
      await refreshes.waitAtMost(waitMs, () => collection.refresh());
    return this.#withProcessMetrics(await this.#pages.current());
  }

  /** Returns what the exporter says of itself and of the accounts, and nothing of stations. Asks the service for nothing. */
  async ofItself(): Promise<Page> {
    const statuses = this.#options.collection.status();
    const { value } = await this.#stations.make({
      name: 'page of the exporter itself',
      statuses: statuses.filter(({ stationId }) => stationId === undefined),
      stations: [],
    });
    return this.#withProcessMetrics(value);
  }

  async #withProcessMetrics(page: Page): Promise<Page> {
    const { renderProcessMetrics } = this.#options;
    if (renderProcessMetrics === undefined) return page;
    return new Page(Buffer.concat([page.body, Buffer.from(await renderProcessMetrics())]));
  }
}

/** Waits for refreshes, but only so long; one that takes longer goes on in the background. */
export class RefreshTracker {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #running = new Set<Promise<void>>();

  constructor({ clock, log }: { readonly clock: Clock; readonly log: Logger }) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Starts a refresh and waits for it, but at most `waitMs`. Never rejects. */
  async waitAtMost(waitMs: number, refresh: () => Promise<void>): Promise<void> {
    const refreshed = this.track(refresh);
    const timeout = new AbortController();
    await Promise.race([refreshed, this.#clock.sleep(waitMs, timeout.signal)]);
    timeout.abort();
  }

  /** Starts a refresh; resolves when it has ended. Never rejects. */
  track(refresh: () => Promise<void>): Promise<void> {
    const refreshed = refresh().catch((error: unknown) => {
      this.#log.error({ err: error }, 'refresh failed unexpectedly');
    });
    this.#running.add(refreshed);
    void refreshed.then(() => this.#running.delete(refreshed));
    return refreshed;
  }

  /** Resolves when every refresh started so far has ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }
}
