import type { DropLog } from '../base/drop-log.ts';
import { COLLECTOR_METRICS } from '../collectors/index.ts';
import type { Shown } from '../collectors/target.ts';
import type { StationStatus } from '../collectors/station-collection.ts';
import { COLLECTION_METRICS } from './definitions.ts';
import { type PageLimits, PageWriter } from './page-writer.ts';
import type { Page } from './render.ts';
import { ShownStatuses } from './shown-statuses.ts';
import { ShownTexts } from './shown-texts.ts';
import type { Made } from './versioned-cache.ts';

/** What the pages of one exporter have in common. */
export interface PageOptions {
  /** `--limit.series`. */
  readonly maxSeries: number;
  /** Takes up what does not fit on a page. */
  readonly drops: DropLog;
}

/** What a page is about: how stations are doing, and station after station what is known of them. */
export interface PageContent {
  /** Names the page in the log. */
  readonly name: string;
  readonly statuses: readonly StationStatus[];
  readonly stations: Iterable<Iterable<Shown>>;
}

/** A page is sent and kept as a whole, plain and compressed; the rest up to 64 MB is for the process metrics. */
export const MAX_PAGE_BYTES = 63_000_000;

/** Makes pages of stations. What has not changed since the last page is not rendered again. */
export class StationPages {
  readonly #options: PageOptions;
  readonly #statuses = new ShownStatuses();
  readonly #texts = new ShownTexts([...COLLECTION_METRICS, ...COLLECTOR_METRICS]);

  constructor(options: PageOptions) {
    this.#options = options;
  }

  /**
   * Makes a page, as far as there is room.
   *
   * @param renderRest - renders what ends the page, which has its place whatever the service lists.
   */
  async make(
    { name, statuses, stations }: PageContent,
    renderRest: () => Promise<string> = () => Promise.resolve(''),
  ): Promise<Made<Page>> {
    const { maxSeries, drops } = this.#options;
    const rest = sizeOf(await renderRest());
    const writer = new PageWriter(this.#texts, {
      series: maxSeries - rest.series,
      bytes: MAX_PAGE_BYTES - rest.bytes,
    });
    // What went wrong is said first.
    for (const status of this.#statuses.of(statuses)) await writer.add([status]);
    for (const station of stations) await writer.add(station);
    drops.reading(name, (noteDropped) => {
      if (writer.fullBy !== undefined) noteDropped(writer.fullBy, writer.dropped);
    });
    // Once more, because what has just been left out is counted there.
    const page = await writer.written(await renderRest());
    return { value: page, untilMs: writer.untilMs };
  }
}

function sizeOf(text: string): PageLimits {
  const series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return { series: series.length, bytes: Buffer.byteLength(text) };
}
