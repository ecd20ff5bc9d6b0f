import type { DropLog } from '../base/drop-log.ts';
import { COLLECTOR_METRICS } from '../collectors/index.ts';
import type { Sample } from '../collectors/metric.ts';
import type { StationStatus } from '../collectors/station-collection.ts';
import { COLLECTION_METRICS, collectionSamples } from './definitions.ts';
import { type PageLimits, PageWriter } from './page-writer.ts';

/** What the pages of one exporter have in common. */
export interface PageOptions {
  /** `--limit.series`. */
  readonly maxSeries: number;
  /** Takes up what does not fit on a page. */
  readonly drops: DropLog;
}

/** A page is sent and kept as a whole, plain and compressed; the rest up to 64 MB is for the process metrics. */
export const MAX_PAGE_BYTES = 63_000_000;

/**
 * Renders how stations are doing and what is known of them, as far as a page has room.
 *
 * @param page - names the page in the log.
 * @param own - what else the page has, which comes first.
 */
export async function renderStations(
  page: string,
  {
    statuses,
    samples,
  }: { readonly statuses: readonly StationStatus[]; readonly samples: Iterable<Sample> },
  { maxSeries, drops }: PageOptions,
  own: PageLimits = { series: 0, bytes: 0 },
): Promise<readonly Buffer[]> {
  const writer = new PageWriter({
    series: maxSeries - own.series,
    bytes: MAX_PAGE_BYTES - own.bytes,
  });
  const parts = [
    // What went wrong is said first.
    await writer.render(COLLECTION_METRICS, collectionSamples(statuses)),
    await writer.render(COLLECTOR_METRICS, samples),
  ];
  drops.reading(page, (noteDropped) => {
    if (writer.fullBy !== undefined) noteDropped(writer.fullBy, writer.dropped);
  });
  return parts.flat();
}
