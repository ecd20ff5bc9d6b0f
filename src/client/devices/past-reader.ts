import { LONGEST_MAX_AGE_MS } from '../../model/cadence.ts';
import type { PastReading } from '../../model/readings.ts';
import { MAX_VALUES } from '../exchange/decode.ts';
import { type DeviceEndpoints, type DeviceQuery, MOST_POINTS } from './device-endpoints.ts';
import { SeriesReplay } from './series-replay.ts';
import type { SeriesDialect } from './series-dialect.ts';
import type { TimeSeries } from './time-series.ts';

/** A span of the past of a device. */
export interface PastQuery extends Omit<DeviceQuery, 'windowMs'> {
  /** The first instant of it, by the service's clock. */
  readonly fromMs: number;
  /** The first instant after it. */
  readonly toMs: number;
  /**
   * Returns how many of the points of a page are passed over, by their times in ascending order: their values
   * count for those that follow, but nobody reads them, which takes longer. None when left out; the last one
   * is read in any case.
   */
  readonly passedOver?: (timesAtMs: readonly number[]) => number;
}

/** Sends a request, or sends it again until it succeeds, as its maker likes. */
export type Patience = <T>(ask: () => Promise<T>) => Promise<T>;

/** How often an answer without points is doubted, although it lies before the end of the span. */
const DOUBTS = 2;
/** The same where the answer itself says that there are points. */
const DOUBTS_OF_A_CONTRADICTION = 10;

/**
 * Reads the past of a device page by page, each with one request, and yields the readings of each page in
 * ascending order of time. A reading is decoded when it is asked for: a whole page of them takes tens of
 * megabytes.
 *
 * The totals of the service cannot be relied on, and a page may come back empty although more follow (field
 * notes 1.7). So the span ends when its last point has come, and an empty answer is believed when asking for
 * the rest of the span brings nothing either.
 */
export async function* readPast(
  device: PastQuery,
  dialect: SeriesDialect,
  endpoints: DeviceEndpoints,
  patiently: Patience,
): AsyncGenerator<Iterable<PastReading>> {
  const { toMs } = device;
  const replay = new SeriesReplay(dialect, LONGEST_MAX_AGE_MS);
  // Something of each page is read, or it would look like an empty one.
  const passedOver = (timesAtMs: readonly number[]): number => {
    const lastWanted = timesAtMs.findLastIndex((atMs) => atMs >= device.fromMs && atMs < toMs);
    return Math.min(device.passedOver?.(timesAtMs) ?? 0, Math.max(0, lastWanted));
  };
  const count = pointsPerPage(dialect.keys.length);
  let fromMs = device.fromMs;
  let page = 1;
  let doubts = 0;
  while (fromMs < toMs) {
    const asked = { fromMs, toMs, page, count };
    const series = await patiently(() => endpoints.past(device, dialect.keys, asked));
    const readings = within(device, replay.readings(series, passedOver));
    if (readings !== undefined) {
      yield readings;
      // Whoever has looked at some of them only has passed over the others.
      while (readings.next().done !== true);
    }
    const lastAtMs = replay.lastAtMs ?? device.fromMs;
    if (readings !== undefined) {
      if (toMs - lastAtMs <= spacingOf(series)) return;
      doubts = 0;
      page += 1;
    } else {
      doubts += 1;
      if (doubts > (contradictsItself(series) ? DOUBTS_OF_A_CONTRADICTION : DOUBTS)) return;
      // Another window has other pages. The points that it repeats are known already.
      [fromMs, page] = [lastAtMs - doubts * 1000, 1];
    }
  }
}

/** Returns the readings without what lies outside the span; absent where nothing is left. */
function within(
  { fromMs, toMs }: PastQuery,
  readings: Iterable<PastReading>,
): Generator<PastReading> | undefined {
  const inside = (function* () {
    for (const reading of readings)
      if (reading.atMs >= fromMs && reading.atMs < toMs) yield reading;
  })();
  const first = inside.next();
  if (first.done === true) return undefined;
  return (function* () {
    yield first.value;
    yield* inside;
  })();
}

/** Whether an answer has no points and says that there are some. */
function contradictsItself({ timesAtMs, total = 0 }: TimeSeries): boolean {
  return timesAtMs.length === 0 && total > 0;
}

/** Returns how many points may be asked for at once: an answer with more values would be refused. */
function pointsPerPage(keys: number): number {
  return Math.min(MOST_POINTS, Math.floor((0.9 * MAX_VALUES) / (keys + 1)));
}

/** Returns how far apart the last points of an answer are; 0 where it has only one. */
function spacingOf({ timesAtMs }: TimeSeries): number {
  const [before, last] = timesAtMs
    .filter((atMs) => atMs !== undefined)
    .toSorted((one, other) => one - other)
    .slice(-2);
  return before === undefined || last === undefined ? 0 : last - before;
}
