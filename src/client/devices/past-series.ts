import { ServiceError } from '../../base/errors.ts';
import { LONGEST_MAX_AGE_MS } from '../../model/cadence.ts';
import type { PastReading } from '../../model/readings.ts';
import type { Call } from '../call.ts';
import {
  askSeries,
  type DeviceQuery,
  pointsPerPage,
  replay,
  SeriesFold,
  type SeriesReader,
  type TimeSeries,
} from './series.ts';

/** A span of the past of a device. */
export interface PastQuery extends Omit<DeviceQuery, 'windowMs' | 'afterMs' | 'spacingMs'> {
  /** The first instant of it, by the service's clock. */
  readonly fromMs: number;
  /** The first instant after it. */
  readonly toMs: number;
}

/** Sends a request, and may wait and send it again until it succeeds. */
export type Retry = <T>(ask: () => Promise<T>) => Promise<T>;

/** How often a request is repeated whose answer has no news: more often where the answer states that points exist. */
const REPEATS = 2;
const REPEATS_OF_A_CONTRADICTION = 10;
/** Points that are later by no more than this are no news: some services date the last point with the current time. */
const NO_NEWS_MS = 60_000;
/** Enough for a month with one reading per minute, on pages of a hundred readings. */
const MOST_REQUESTS = 500;

/** The points of a page, from the first to the last. */
interface SeriesPage {
  readonly series: TimeSeries;
  readonly fromMs: number;
  readonly untilMs: number;
}

/**
 * Reads the past of a device page by page, each with one request, and yields the readings of each page in
 * ascending order of time. A reading is decoded when it is asked for: a whole page of them takes tens of
 * megabytes.
 *
 * The totals of the service cannot be relied on, pages come in any order, and a page may come back empty although more
 * follow (service.md#paging). So the times that have come decide: a page waits until everything before it is known, and
 * reading ends when the last point of the span has come. A hole counts as real when asking for it brings nothing.
 *
 * @throws ServiceError when pages bring news without end.
 */
export async function* askPast(
  call: Call<{ readings: TimeSeries }>,
  device: PastQuery,
  reader: SeriesReader,
  retry: Retry,
): AsyncGenerator<Iterable<PastReading>> {
  const { deviceId, fromMs, toMs } = device;
  const { keys } = reader;
  if (fromMs >= toMs) return;
  const fold = new SeriesFold();
  const count = pointsPerPage(keys.length);
  /** The pages that lie behind a hole, in the order of time. */
  const ahead: SeriesPage[] = [];
  let knownUntilMs = fromMs - 1;
  let [span, page, repeats] = [{ fromMs, toMs }, 1, 0];
  for (let requests = 0; requests < MOST_REQUESTS; requests += 1) {
    const asked = { span, paging: { page, count } };
    const series = await retry(() => askSeries(call, device, keys, asked.paging, () => asked.span));
    const news = newTimes(series);
    const holeEndsAtMs = ahead[0]?.fromMs ?? toMs;
    const [first, last] = [news[0], news.at(-1)];
    const ends = [knownUntilMs, ...ahead.map(({ untilMs }) => untilMs)];
    const isNews = news.some((atMs) => ends.every((end) => !isSoonAfter(atMs, end)));
    if (first !== undefined && last !== undefined)
      ahead.push({ series, fromMs: first, untilMs: last });
    ahead.sort((one, other) => one.fromMs - other.fromMs);
    repeats = isNews ? 0 : repeats + 1;
    if (repeats > mostRepeats(series)) [knownUntilMs, repeats] = [holeEndsAtMs, 0];
    for (let next = ahead[0]; next !== undefined && isJoined(next); next = ahead[0]) {
      ahead.shift();
      const beforeMs = Math.min(toMs, ahead[0]?.fromMs ?? Infinity);
      const readings = replay(next.series, reader, fromMs - 1, { fold, beforeMs });
      yield readings;
      // The caller may have looked at some readings only; pass over the others.
      while (readings.next().done !== true);
      knownUntilMs = Math.max(knownUntilMs, fold.lastAtMs);
    }
    if (ahead.length === 0 && toMs - knownUntilMs <= fold.spacingMs) return;
    // Another window has other pages; points that it repeats are known already and ignored.
    if (isNews) page += 1;
    else
      [span, page] = [{ fromMs: knownUntilMs - repeats * 1000, toMs: ahead[0]?.fromMs ?? toMs }, 1];
  }
  const hole = [knownUntilMs, ahead[0]?.fromMs ?? toMs].map((atMs) => new Date(atMs).toISOString());
  throw new ServiceError(
    'SERVICE_PAYLOAD_INVALID',
    `device ${deviceId}: ${MOST_REQUESTS} requests did not bring its readings from ${hole.join(' to ')}`,
  );

  /** Returns the times of a series, ascending, that were not known yet. */
  function newTimes({ entries }: TimeSeries): readonly number[] {
    return entries.flatMap(({ atMs = -Infinity, placedAtMs }) =>
      atMs === placedAtMs &&
      atMs > knownUntilMs &&
      atMs < toMs &&
      ahead.every(({ fromMs: begins, untilMs }) => atMs < begins || atMs > untilMs)
        ? atMs
        : [],
    );
  }

  function isSoonAfter(atMs: number, endMs: number): boolean {
    return endMs >= fromMs && atMs > endMs && atMs - endMs <= NO_NEWS_MS;
  }

  /** Whether a page follows the known points without a hole that has room for a point. */
  function isJoined({ fromMs: beginsAtMs }: SeriesPage): boolean {
    // The spacing of points is not known before the second one.
    const isFirst = knownUntilMs < fromMs || fold.spacingMs === 0;
    const longestMs = isFirst
      ? LONGEST_MAX_AGE_MS + 1
      : Math.max(2 * fold.spacingMs - 1, NO_NEWS_MS);
    return beginsAtMs - knownUntilMs <= longestMs;
  }
}

/** How often an answer without news may be repeated. */
function mostRepeats({ entries, total = 0 }: TimeSeries): number {
  return entries.length === 0 && total > 0 ? REPEATS_OF_A_CONTRADICTION : REPEATS;
}
