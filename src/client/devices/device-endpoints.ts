import { ServiceError } from '../../base/errors.ts';
import { LONGEST_MAX_AGE_MS } from '../../model/cadence.ts';
import type { PastReading } from '../../model/readings.ts';
import type { FieldSample } from '../dialects/interpret.ts';
import type { Answer, Call, DataEndpointName } from '../endpoints.ts';
import { MAX_VALUES, type RequestTime } from '../exchange/decode.ts';
import { isFinalRefusal } from '../exchange/retry.ts';
import type { LatestState } from './device-samples.ts';
import { SeriesReplay, type SeriesDialect, type TimeSeries } from './series.ts';

const HOUR_MS = 3_600_000;
/** Within this, it is open whether our clock or that of the service is wrong: readings are asked for by both. */
const DOUBTFUL_CLOCK_MS = HOUR_MS;
/** The most points that the service puts on a page of a time series. */
const MOST_POINTS = 2000;
/** How far back a reading asks at most for the points before it: to midnight, and a little of the day before. */
const LONGEST_WINDOW_MS = 30 * HOUR_MS;

/** What a question for the newest values of a time series brings. */
export interface RecentSeries {
  readonly series: TimeSeries;
  /** What was measured before is too old to be live. */
  readonly liveFromMs: number;
  /** From when on the series has all points that there are. */
  readonly fromMs: number;
}

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

/** The endpoints with the readings of a device. Each method sends one request. */
export class DeviceEndpoints {
  readonly #call: Call;
  readonly #isOptional: boolean;

  /** @param isOptional - whether the service may lack the endpoints that go beyond the interface. */
  constructor(call: Call, isOptional = false) {
    this.#call = call;
    this.#isOptional = isOptional;
  }

  /** Returns the same endpoints, for requests that find out whether the service has them. */
  asOptional(): DeviceEndpoints {
    return new DeviceEndpoints(this.#call, true);
  }

  /**
   * Fetches the values of these keys in the last hour (interface endpoint 4, rule 3), and those since the last
   * known point with them, where one page has room for them.
   */
  async history(device: DeviceQuery, keys: readonly string[]): Promise<RecentSeries> {
    const { windowMs = HOUR_MS, afterMs = Infinity } = device;
    const count = pointsPerPage(keys.length);
    let [liveFromMs, fromMs] = [0, 0];
    const ask = (longestMs: number): Promise<TimeSeries> =>
      this.#series(device, keys, { page: 1, count }, ({ nowMs, serviceAheadMs }) => {
        const doubtMs = Math.abs(serviceAheadMs) <= DOUBTFUL_CLOCK_MS ? serviceAheadMs : 0;
        liveFromMs = nowMs - Math.max(0, doubtMs) - windowMs;
        const isWider = afterMs < liveFromMs && nowMs - afterMs <= longestMs;
        // What was measured a little earlier stands for what is missing then.
        fromMs = isWider ? afterMs - LONGEST_MAX_AGE_MS : liveFromMs;
        return { fromMs, toMs: nowMs + Math.max(0, -doubtMs) };
      });
    const isWider = (): boolean => fromMs < liveFromMs;
    const series = await ask(LONGEST_WINDOW_MS).catch((error: unknown) => {
      if (isWider() && isTooMuch(error)) return undefined;
      throw error;
    });
    // Of a longer page than that, the newest points would be missing.
    const isWhole = series !== undefined && (!isWider() || series.timesAtMs.length < count);
    const answered = isWhole ? series : await ask(0);
    return {
      series: answered,
      liveFromMs: isWider() ? liveFromMs : -Infinity,
      fromMs: isWider() ? afterMs : liveFromMs,
    };
  }

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
  async *past(
    device: PastQuery,
    dialect: SeriesDialect,
    patiently: Patience,
    isOnce = false,
  ): AsyncGenerator<Iterable<PastReading>> {
    const { toMs } = device;
    const replay = new SeriesReplay(dialect);
    const count = pointsPerPage(dialect.keys.length);
    let [fromMs, page, doubts] = [device.fromMs, 1, 0];
    while (fromMs < toMs) {
      const span = { fromMs, toMs };
      const paging = { page, count };
      const series = await patiently(() => this.#series(device, dialect.keys, paging, () => span));
      const readings = within(device, replay.readings(series));
      if (readings !== undefined) {
        yield readings;
        // Whoever has looked at some of them only has passed over the others.
        while (readings.next().done !== true);
        if (toMs - replay.lastAtMs <= spacingOf(series)) return;
        doubts = 0;
        page += 1;
      } else {
        doubts += 1;
        if (isOnce || doubts > (contradictsItself(series) ? DOUBTS_OF_A_CONTRADICTION : DOUBTS))
          return;
        // Another window has other pages. The points that it repeats are known already.
        [fromMs, page] = [Math.max(replay.lastAtMs, device.fromMs) - doubts * 1000, 1];
      }
    }
  }

  #series(
    { deviceId, timeZone }: DeviceQuery,
    keys: readonly string[],
    paging: { readonly page: number; readonly count: number },
    spanAt: (time: RequestTime) => { readonly fromMs: number; readonly toMs: number },
  ): Promise<TimeSeries> {
    return this.#call(
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

  /** Fetches the last state that the device sent, with units (field notes 2.5). */
  latestState(device: DeviceQuery): Promise<LatestState> {
    return this.#ask('latestState', device, { dataSource: '1' });
  }

  /** Fetches the values that the portal draws as the energy flow (field notes 2.6). */
  energyFlow(device: DeviceQuery): Promise<readonly FieldSample[]> {
    return this.#ask('energyFlow', device, { dataSource: '1' });
  }

  /** Fetches the keys of the device's model and their units (field notes 2.10). */
  attributes(device: DeviceQuery): Promise<readonly FieldSample[]> {
    return this.#ask('attributes', device, { category: '1', renderIn: '2' });
  }

  #ask<Name extends DataEndpointName>(
    name: Name,
    { deviceId, timeZone }: DeviceQuery,
    query: Readonly<Record<string, string>>,
  ): Promise<Answer<Name>> {
    return this.#call(name, () => ({ query: { deviceId, ...query } }), {
      stationTimeZone: timeZone,
      isOptional: this.#isOptional,
    });
  }
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
