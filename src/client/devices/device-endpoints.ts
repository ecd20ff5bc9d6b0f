import { ServiceError } from '../../base/errors.ts';
import { LONGEST_MAX_AGE_MS } from '../../model/cadence.ts';
import type { PastReading, Source } from '../../model/readings.ts';
import type { Alarm } from '../../model/station.ts';
import type { FieldSample } from '../dialects/interpret.ts';
import type { Answer, Call } from '../endpoints.ts';
import { MAX_VALUES, type RequestTime } from '../exchange/decode.ts';
import { isFinalRefusal } from '../exchange/retry.ts';
import { liveOf, type SeriesDialect, SeriesReplay, type TimeSeries } from './series.ts';

const HOUR_MS = 3_600_000;
/** Within this, it is open whether our clock or that of the service is wrong: readings are asked for by both. */
const DOUBTFUL_CLOCK_MS = HOUR_MS;
/** The most points that the service puts on a page of a time series. */
const MOST_POINTS = 2000;
/** How far back a reading asks at most for the points before it: to midnight, and a little of the day before. */
const LONGEST_WINDOW_MS = 30 * HOUR_MS;

/** Identifies a device, and names what reading it depends on: the station's time zone, and the record of the device. */
export interface DeviceQuery {
  readonly deviceId: string;
  readonly timeZone?: string | undefined;
  readonly model?: string | undefined;
  readonly ratedPowerWatts?: number | undefined;
  /** How far back the time series is asked; an hour when left out. */
  readonly windowMs?: number | undefined;
  /** The last point that is known, by the service's clock: those after it are wanted. None but the newest when left out. */
  readonly afterMs?: number | undefined;
}

/** A span of the past of a device. */
export interface PastQuery extends Omit<DeviceQuery, 'windowMs' | 'afterMs'> {
  /** The first instant of it, by the service's clock. */
  readonly fromMs: number;
  /** The first instant after it. */
  readonly toMs: number;
}

/** Sends a request, or sends it again until it succeeds, as its maker likes. */
export type Patience = <T>(ask: () => Promise<T>) => Promise<T>;

/** What tells of a device: the sources of its readings, and the catalogue of what its model may send. */
export type DeviceEndpoint = Source | 'attributes';

/** What an endpoint says of a device now. */
export interface DeviceAnswer {
  readonly samples: readonly FieldSample[];
  /** The time series, where it was asked. */
  readonly recent?: RecentSeries;
  /** The alarms and the time of a latest state, by the service's clock. */
  readonly firingAlarms?: readonly Alarm[];
  readonly measuredAtMs?: number | undefined;
}

/** What a question for the newest values of a time series brings. */
export interface RecentSeries {
  readonly series: TimeSeries;
  /** From when on the series has all points that there are. */
  readonly fromMs: number;
  /** The last times of live values, ascending. */
  readonly timesAtMs: readonly number[];
}

/**
 * Asks an endpoint for a device, with one request.
 *
 * @param keys - that the time series is asked for.
 * @param isOptional - whether the service may lack it: it has not answered for the device yet.
 */
export async function askDevice(
  call: Call,
  endpoint: DeviceEndpoint,
  device: DeviceQuery,
  keys: readonly string[],
  isOptional: boolean,
): Promise<DeviceAnswer> {
  const { deviceId, timeZone: stationTimeZone } = device;
  const ask = <Name extends 'latestState' | 'energyFlow' | 'attributes'>(
    name: Name,
    query: Readonly<Record<string, string>>,
  ): Promise<Answer<Name>> =>
    call(name, () => ({ query: { deviceId, ...query } }), { stationTimeZone, isOptional });
  switch (endpoint) {
    case 'history':
      return askHistory(call, device, keys);
    case 'latest':
      return ask('latestState', { dataSource: '1' });
    case 'flow':
      return { samples: await ask('energyFlow', { dataSource: '1' }) };
    case 'attributes':
      return { samples: await ask('attributes', { category: '1', renderIn: '2' }) };
  }
}

/**
 * Asks for the values of these keys in the last hour (interface endpoint 4, rule 3), and for those since the last
 * known point with them, where one page has room for them.
 */
async function askHistory(
  call: Call,
  device: DeviceQuery,
  keys: readonly string[],
): Promise<DeviceAnswer> {
  const { windowMs = HOUR_MS, afterMs = Infinity } = device;
  const count = pointsPerPage(keys.length);
  let [liveFromMs, isWider] = [0, false];
  const ask = (longestMs: number): Promise<TimeSeries> =>
    askSeries(call, device, keys, { page: 1, count }, ({ nowMs, serviceAheadMs }) => {
      const doubtMs = Math.abs(serviceAheadMs) <= DOUBTFUL_CLOCK_MS ? serviceAheadMs : 0;
      liveFromMs = nowMs - Math.max(0, doubtMs) - windowMs;
      isWider = afterMs < liveFromMs && nowMs - afterMs <= longestMs;
      // What was measured a little earlier stands for what is missing then.
      const fromMs = isWider ? afterMs - LONGEST_MAX_AGE_MS : liveFromMs;
      return { fromMs, toMs: nowMs + Math.max(0, -doubtMs) };
    });
  let series = await ask(LONGEST_WINDOW_MS).catch((error: unknown) => {
    if (isWider && isTooMuch(error)) return undefined;
    throw error;
  });
  // Of a longer page than that, the newest points would be missing.
  if (series === undefined || (isWider && series.timesAtMs.length >= count)) series = await ask(0);
  const { samples, timesAtMs } = liveOf(series, keys, isWider ? liveFromMs : -Infinity);
  return { samples, recent: { series, timesAtMs, fromMs: isWider ? afterMs : liveFromMs } };
}

/** Whether a service that does not answer this may answer a smaller question. */
function isTooMuch(error: unknown): boolean {
  const isTimeout = error instanceof ServiceError && error.code === 'SERVICE_TIMEOUT';
  return isTimeout || isFinalRefusal(error);
}

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
 *
 * @param isOnce - whether to end with the first empty answer, for a caller that asks for the rest later.
 */
export async function* askPast(
  call: Call,
  device: PastQuery,
  dialect: SeriesDialect,
  patiently: Patience,
  isOnce: boolean,
): AsyncGenerator<Iterable<PastReading>> {
  const { toMs } = device;
  const { keys } = dialect;
  const replay = new SeriesReplay(dialect);
  const count = pointsPerPage(keys.length);
  let [fromMs, page, doubts] = [device.fromMs, 1, 0];
  while (fromMs < toMs) {
    const span = { fromMs, toMs };
    const paging = { page, count };
    const series = await patiently(() => askSeries(call, device, keys, paging, () => span));
    const readings = within(device, replay.readings(series));
    if (readings !== undefined) {
      yield readings;
      // Whoever has looked at some of them only has passed over the others.
      while (readings.next().done !== true);
      if (toMs - replay.lastAtMs <= spacingOf(series)) return;
      doubts = 0;
      page += 1;
    } else {
      const { timesAtMs, total = 0 } = series;
      const contradictsItself = timesAtMs.length === 0 && total > 0;
      doubts += 1;
      if (isOnce || doubts > (contradictsItself ? DOUBTS_OF_A_CONTRADICTION : DOUBTS)) return;
      // Another window has other pages. The points that it repeats are known already.
      [fromMs, page] = [Math.max(replay.lastAtMs, device.fromMs) - doubts * 1000, 1];
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

function askSeries(
  call: Call,
  { deviceId, timeZone }: DeviceQuery,
  keys: readonly string[],
  paging: { readonly page: number; readonly count: number },
  spanAt: (time: RequestTime) => { readonly fromMs: number; readonly toMs: number },
): Promise<TimeSeries> {
  return call(
    'readings',
    (time) => {
      const { fromMs, toMs } = spanAt(time);
      const fromTime = time.calendar.isoWithOffset(fromMs);
      const toTime = time.calendar.isoWithOffset(toMs);
      return { body: { deviceId, ...paging, fromTime, toTime, orderByTimeAsc: true, keys } };
    },
    { stationTimeZone: timeZone },
  );
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
