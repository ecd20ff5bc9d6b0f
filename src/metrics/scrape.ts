import type { SessionStatus } from '../client/session-status.ts';
import type { Clock } from '../clock.ts';
import type { Collection } from '../collectors/collection.ts';
import { COLLECTOR_METRICS } from '../collectors/index.ts';
import { singleFlight } from '../single-flight.ts';
import { COLLECTION_METRICS, EXPORTER_METRICS } from './definitions.ts';
import { Page } from './page.ts';
import type { Refreshes } from './refreshes.ts';
import { renderSamples } from './render.ts';
import type { SelfMetrics } from './self.ts';
import { type BuildInfo, collectionSamples, exporterSamples } from './status-samples.ts';
import { UntilChanged } from './until-changed.ts';

export interface ScraperOptions {
  readonly collection: Pick<
    Collection,
    'refresh' | 'samples' | 'status' | 'version' | 'nextFetchAtMs' | 'nextWithdrawalAtMs'
  >;
  readonly self: SelfMetrics;
  readonly sessionStatus: () => SessionStatus;
  readonly build: BuildInfo;
  /** Renders what changes at every scrape; absent unless asked for. */
  readonly renderProcessMetrics?: (() => Promise<string>) | undefined;
  readonly refreshes: Refreshes;
  readonly clock: Clock;
}

/** Answers scrapes: refreshes what is due, within a deadline, and renders the page once per change. */
export class Scraper {
  readonly #options: ScraperOptions;
  readonly #pages: UntilChanged<Page>;
  readonly #render = singleFlight(() => this.#pages.make(() => this.#renderNow()));

  constructor(options: ScraperOptions) {
    this.#options = options;
    this.#pages = new UntilChanged(options);
  }

  /** The page, when nothing is due, nothing has changed, and nothing has to be withdrawn. */
  current(): Page | undefined {
    return this.#options.renderProcessMetrics === undefined ? this.#pages.settled() : undefined;
  }

  /**
   * The page of this moment. Waits at most `waitMs` for the service; a refresh that takes longer goes
   * on by itself, and the page then holds the last good values.
   */
  async scrape(waitMs: number): Promise<Page> {
    const { clock, collection, refreshes, renderProcessMetrics } = this.#options;
    if (clock.nowMs() >= collection.nextFetchAtMs)
      await refreshes.within(waitMs, () => collection.refresh());
    const page = this.#pages.current() ?? (await this.#render());
    if (renderProcessMetrics === undefined) return page;
    return new Page(`${page.body.toString('utf8')}${await renderProcessMetrics()}`);
  }

  async #renderNow(): Promise<Page> {
    const { collection, self, sessionStatus, build } = this.#options;
    const parts = [
      renderSamples(COLLECTION_METRICS, collectionSamples(collection.status())),
      renderSamples(COLLECTOR_METRICS, collection.samples()),
      renderSamples(
        EXPORTER_METRICS,
        exporterSamples(sessionStatus(), self.isLastReloadSuccessful, build),
      ),
      await self.render(),
    ];
    return new Page(parts.join(''));
  }
}
