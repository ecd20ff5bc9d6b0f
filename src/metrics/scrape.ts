import type { SessionStatus } from '../client/session.ts';
import { type Clock, CLOCK_STEP_MS } from '../clock.ts';
import type { Collection } from '../collectors/collection.ts';
import { COLLECTOR_METRICS } from '../collectors/index.ts';
import type { Logger } from '../log.ts';
import { singleFlight } from '../single-flight.ts';
import { COLLECTION_METRICS, EXPORTER_METRICS } from './definitions.ts';
import { Page } from './page.ts';
import { refreshWithin } from './refresh-within.ts';
import { renderSamples } from './render.ts';
import type { SelfMetrics } from './self.ts';
import { type BuildInfo, collectionSamples, exporterSamples } from './status-samples.ts';

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
  readonly clock: Clock;
  readonly log: Logger;
}

interface RenderedPage {
  readonly page: Page;
  readonly version: number;
  readonly nextWithdrawalAtMs: number;
  /** Earlier than that only a clock that was set back can show. */
  readonly settledSinceMs: number;
  /** Until when nothing is due and nothing is withdrawn. */
  readonly settledUntilMs: number;
}

/** Answers scrapes: refreshes what is due, within a deadline, and renders the page once per change. */
export class Scraper {
  readonly #options: ScraperOptions;
  readonly #render = singleFlight(() => this.#renderNow());
  #rendered: RenderedPage | undefined;

  constructor(options: ScraperOptions) {
    this.#options = options;
  }

  /** The page, when nothing is due, nothing has changed, and nothing has to be withdrawn. */
  current(): Page | undefined {
    const rendered = this.#unchanged();
    if (rendered === undefined || this.#options.renderProcessMetrics !== undefined)
      return undefined;
    return this.#options.clock.nowMs() < rendered.settledUntilMs ? rendered.page : undefined;
  }

  /**
   * The page of this moment. Waits at most `waitMs` for the service; a refresh that takes longer goes
   * on by itself, and the page then holds the last good values.
   */
  async scrape(waitMs: number): Promise<Page> {
    const { clock, collection, renderProcessMetrics } = this.#options;
    if (clock.nowMs() >= collection.nextFetchAtMs)
      await refreshWithin(waitMs, () => collection.refresh(), this.#options);
    const page = await this.#currentPage();
    if (renderProcessMetrics === undefined) return page;
    return new Page(`${page.body.toString('utf8')}${await renderProcessMetrics()}`);
  }

  async #currentPage(): Promise<Page> {
    const rendered = this.#unchanged();
    if (rendered !== undefined && this.#options.clock.nowMs() < rendered.nextWithdrawalAtMs)
      return rendered.page;
    return this.#render();
  }

  /** What was rendered last, while nothing was fetched or counted since, and no clock set back. */
  #unchanged(): RenderedPage | undefined {
    const rendered = this.#rendered;
    if (rendered?.version !== this.#version()) return undefined;
    return this.#options.clock.nowMs() >= rendered.settledSinceMs ? rendered : undefined;
  }

  #version(): number {
    return this.#options.collection.version + this.#options.self.version;
  }

  async #renderNow(): Promise<Page> {
    const { clock, collection, self, sessionStatus, build } = this.#options;
    const version = this.#version();
    const { nextFetchAtMs, nextWithdrawalAtMs } = collection;
    const parts = [
      renderSamples(COLLECTION_METRICS, collectionSamples(collection.status())),
      renderSamples(COLLECTOR_METRICS, collection.samples()),
      renderSamples(EXPORTER_METRICS, exporterSamples(sessionStatus(), build)),
      await self.render(),
    ];
    const page = new Page(parts.join(''));
    const settledUntilMs = Math.min(nextFetchAtMs, nextWithdrawalAtMs);
    const settledSinceMs = clock.nowMs() - CLOCK_STEP_MS;
    this.#rendered = { page, version, nextWithdrawalAtMs, settledSinceMs, settledUntilMs };
    return page;
  }
}
