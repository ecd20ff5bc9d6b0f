import { type Clock, nextTurn } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import type { Collection } from '../collectors/collection.ts';
import { type AccountView, stateOf } from './account-view.ts';
import {
  type BuildInfo,
  COLLECTION_METRICS,
  collectionSamples,
  EXPORTER_METRICS,
  exporterSamples,
} from './definitions.ts';
import { Page, renderSamples } from './render.ts';
import { renderCounts, type SelfMetrics } from './self.ts';
import { type PageOptions, StationPages } from './station-pages.ts';
import { type Made, VersionedCache } from './versioned-cache.ts';

export interface ScraperOptions {
  readonly collection: Pick<
    Collection,
    'refresh' | 'shownStations' | 'status' | 'version' | 'nextFetchAtMs'
  >;
  readonly self: SelfMetrics;
  readonly accounts: readonly AccountView[];
  readonly build: BuildInfo;
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
    this.#options = options;
    this.#stations = new StationPages(options.page);
    this.#pages = new VersionedCache(options, (before) => this.#renderNow(before));
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
    const { clock, collection, refreshes, renderProcessMetrics } = this.#options;
    if (clock.nowMs() >= collection.nextFetchAtMs)
      await refreshes.waitAtMost(waitMs, () => collection.refresh());
    const page = await this.#pages.current();
    if (renderProcessMetrics === undefined) return page;
    // Another page may be made meanwhile.
    const release = page.hold();
    try {
      const processMetrics = Buffer.from(await renderProcessMetrics());
      return new Page(Buffer.concat([page.body, processMetrics]));
    } finally {
      release();
    }
  }

  /** Returns what the exporter says of itself and of the accounts, and nothing of stations. Asks the service for nothing. */
  async ofItself(): Promise<Page> {
    const { collection, renderProcessMetrics } = this.#options;
    const ofAccounts = Array.from(collectionSamples(collection.status())).filter(
      ({ labels }) => labels['station_id'] === undefined,
    );
    const parts = [renderSamples(COLLECTION_METRICS, ofAccounts), await this.#renderOwn()];
    return new Page(parts.join('') + ((await renderProcessMetrics?.()) ?? ''));
  }

  async #renderNow(before: Page | undefined): Promise<Made<Page>> {
    const { collection } = this.#options;
    const statuses = collection.status();
    const content = { name: 'page', statuses, stations: collection.shownStations() };
    const made = await this.#stations.make(content, () => this.#renderOwn());
    // Whoever has just been given the page before sends it, or holds it, in this turn of the event loop.
    if (before !== undefined) void nextTurn().then(() => before.letGo());
    return made;
  }

  async #renderOwn(): Promise<string> {
    const { self, accounts, build } = this.#options;
    const samples = exporterSamples(accounts.map(stateOf), {
      isLastReloadSuccessful: self.isLastReloadSuccessful,
      droppedLogLines: self.droppedLogLines,
      droppedSeries: self.droppedSeries,
      build,
    });
    return renderSamples(EXPORTER_METRICS, samples) + (await renderCounts(accounts));
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
