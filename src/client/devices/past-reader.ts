import { LONGEST_MAX_AGE_MS } from '../../model/max-age.ts';
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
}

/** Sends a request, or sends it again until it succeeds, as its maker likes. */
export type Patience = <T>(ask: () => Promise<T>) => Promise<T>;

/** So many readings are yielded at once, and gone before the next: a page of them takes tens of megabytes. */
const SLICE = 200;

/** How often an answer without points is doubted, although it lies before the end of the span. */
const DOUBTS = 2;

/**
 * Reads the past of a device page by page, each with one request, and yields the readings in slices, in
 * ascending order of time.
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
): AsyncGenerator<readonly PastReading[]> {
  const { toMs } = device;
  const replay = new SeriesReplay(dialect, LONGEST_MAX_AGE_MS);
  const count = pointsPerPage(dialect.keys.length);
  let fromMs = device.fromMs;
  let page = 1;
  let doubts = 0;
  while (fromMs < toMs) {
    const asked = { fromMs, toMs, page, count };
    const series = await patiently(() => endpoints.past(device, dialect.keys, asked));
    let isAnyNew = false;
    for (const slice of inSlices(replay.readings(series))) {
      const readings = slice.filter(({ atMs }) => atMs >= device.fromMs && atMs < toMs);
      if (readings.length === 0) continue;
      isAnyNew = true;
      yield readings;
    }
    const lastAtMs = replay.lastAtMs ?? device.fromMs;
    if (isAnyNew) {
      if (toMs - lastAtMs <= spacingOf(series)) return;
      doubts = 0;
      page += 1;
    } else {
      doubts += 1;
      if (doubts > DOUBTS) return;
      // Another window has other pages. The points that it repeats are known already.
      [fromMs, page] = [lastAtMs - doubts * 1000, 1];
    }
  }
}

function* inSlices(readings: Iterable<PastReading>): Generator<readonly PastReading[]> {
  let slice: PastReading[] = [];
  for (const reading of readings) {
    slice.push(reading);
    if (slice.length < SLICE) continue;
    yield slice;
    slice = [];
  }
  yield slice;
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
