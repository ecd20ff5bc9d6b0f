import type { SessionStatus } from '../client/session/session-status.ts';
import type { Clock } from '../base/clock.ts';
import type { Collection } from '../collectors/collection.ts';
import { COLLECTOR_METRICS } from '../collectors/index.ts';
import {
  type BuildInfo,
  COLLECTION_METRICS,
  collectionSamples,
  EXPORTER_METRICS,
  exporterSamples,
} from './definitions.ts';
import type { RefreshTracker } from './refresh-tracker.ts';
import { Page, renderSamples } from './render.ts';
import type { SelfMetrics } from './self.ts';
import { VersionedCache } from './versioned-cache.ts';

export interface ScraperOptions {
  readonly collection: Pick<
    Collection,
    'refresh' | 'samples' | 'status' | 'version' | 'nextFetchAtMs' | 'nextWithdrawalAtMs'
  >;
  readonly self: SelfMetrics;
  readonly sessionStatus: () => SessionStatus;
  readonly isSimulated: () => boolean;
  readonly build: BuildInfo;
  /** Renders the metrics of the process, which change at every scrape; absent unless they are switched on. */
  readonly renderProcessMetrics?: (() => Promise<string>) | undefined;
  readonly refreshes: RefreshTracker;
  readonly clock: Clock;
}

/** Answers scrapes: refreshes what is due, within a deadline, and renders the page once per change. */
export class Scraper {
  readonly #options: ScraperOptions;
  readonly #pages: VersionedCache<Page>;

  constructor(options: ScraperOptions) {
    this.#options = options;
    this.#pages = new VersionedCache(options, () => this.#renderNow());
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
    return new Page(`${page.body.toString('utf8')}${await renderProcessMetrics()}`);
  }

  async #renderNow(): Promise<Page> {
    const { collection, self, sessionStatus, isSimulated, build } = this.#options;
    const parts = [
      renderSamples(COLLECTION_METRICS, collectionSamples(collection.status())),
      renderSamples(COLLECTOR_METRICS, collection.samples()),
      renderSamples(
        EXPORTER_METRICS,
        exporterSamples({
          session: sessionStatus(),
          isLastReloadSuccessful: self.isLastReloadSuccessful,
          isSimulated: isSimulated(),
          droppedLogLines: self.droppedLogLines,
          droppedSeries: self.droppedSeries,
          build,
        }),
      ),
      await self.render(),
    ];
    return new Page(parts.join(''));
  }
}
