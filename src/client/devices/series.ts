import { z } from 'zod';
import { ServiceError } from '../../base/errors.ts';
import { boundedMs, isPlausibleTime } from '../../base/instant.ts';
import { MOST_PER_ANSWER } from '../../base/limits.ts';
import { LONGEST_MAX_AGE_MS } from '../../model/cadence.ts';
import type {
  KnownDialect,
  Measurement,
  PastReading,
  Quantity,
  Source,
} from '../../model/readings.ts';
import { leastOf } from '../../model/units.ts';
import type { DecodedAnswer, FieldSample, Timed } from '../dialects/interpret.ts';
import { toNumber, toText } from '../dialects/unit.ts';
import type { Call } from '../call.ts';
import * as wire from '../exchange/decode.ts';
import { MAX_VALUES } from '../exchange/json.ts';
import { isFinalRefusal } from '../exchange/retry.ts';

const HOUR_MS = 3_600_000;
const NONE: ReadonlySet<Quantity> = new Set();

const elementsSchema = wire.anyList.catch([]);
const timeSeriesSchema = z.object({
  total: wire.quantity,
  payload: z
    .object({
      timeSeries: elementsSchema,
      fields: wire.anyObject.nullish(),
      formatters: wire.anyObject.nullish().catch(undefined),
    })
    .nullish(),
});
const formatterSchema = z.object({ unit: z.string().trim().min(1) });

/** An answer of the time series: every value of every key, each beside its time. */
export interface TimeSeries {
  /** Sorted by time, because not every answer is. */
  readonly entries: readonly Entry[];
  readonly columns: readonly SeriesColumn[];
  /** The total that the service states; some services count points, some pages (service.md#paging). */
  readonly total?: number | undefined;
}

/** The values that an answer has for one time. */
interface Entry {
  readonly index: number;
  /** Absent where the answer has no time for them. */
  readonly atMs: number | undefined;
  /** The time that sorts the entry: its own, or that of the entry before where its own is missing or implausible. */
  readonly placedAtMs: number;
}

/** The values of one key, as long as the times or shorter. */
interface SeriesColumn {
  readonly key: string;
  /** The unit, as the service writes it. */
  readonly tag?: string | undefined;
  /** Numbers, texts, or objects with `value` or `vd`; anything else is no value. */
  readonly elements: readonly unknown[];
}

/** Decodes every value of a time series (service.md#time-series). */
export function decodeSeries(data: unknown, answer: wire.AnswerContext): TimeSeries {
  const { payload, total } = wire.parse(timeSeriesSchema, data, answer);
  const { timeSeries = [], fields, formatters } = payload ?? {};
  const named = Object.entries(fields ?? {});
  const columns = wire.firstOf(named, answer).map(([key, candidate]) => ({
    key,
    tag: unitOf(formatters?.[key]),
    elements: Array.isArray(candidate)
      ? (candidate as readonly unknown[])
      : timeSeries.map(() => (candidate == null ? undefined : 'no list')),
  }));
  const length = columns.reduce(
    (longest, { elements }) => Math.max(longest, elements.length),
    timeSeries.length,
  );
  const entries: Entry[] = [];
  let placedAtMs = -Infinity;
  for (let index = 0; index < length; index += 1) {
    const time = timeSeries[index];
    const isText = typeof time === 'string';
    const atMs = isText ? wire.parseTimestamp(time) : wire.instant.parse(time ?? undefined);
    if (atMs !== undefined && isPlausibleTime(atMs)) placedAtMs = atMs;
    entries.push({ index, placedAtMs, atMs: atMs && boundedMs(atMs) });
  }
  // Entries without a plausible time are left out where others have one.
  const dated = entries.filter(({ atMs, placedAtMs }) => atMs === placedAtMs);
  const usable = dated.length > 0 ? dated : entries;
  usable.sort((one, other) => one.placedAtMs - other.placedAtMs);
  // A page always has room for the first number; with few keys, an answer has room for more.
  const most = Math.max(MOST_PER_ANSWER, MAX_VALUES / Math.max(1, columns.length));
  return { entries: usable.slice(-most), columns, total };
}

function unitOf(formatter: unknown): string | undefined {
  // Most series have none, and a value that does not match a schema costs a multiple of one that does.
  return formatter == null ? undefined : formatterSchema.safeParse(formatter).data?.unit;
}

/** How the time series of one device is read. */
export interface SeriesReader {
  /** The keys to ask for. */
  readonly keys: readonly string[];
  readonly dialect: KnownDialect;
  /** Decodes samples of the time series, or of the source `from`. */
  readonly decode: (samples: readonly FieldSample[], from?: Source) => DecodedAnswer;
}

/** Folds time series, one after the other, into the last value of each key: it stands for missing values. */
export class SeriesFold {
  /** The time of the last entry that was added; -Infinity before the first. */
  lastAtMs = -Infinity;
  /** How far apart the last two times were; 0 before the second. */
  spacingMs = 0;
  readonly #last = new Map<string, { -readonly [Name in keyof FieldSample]: FieldSample[Name] }>();

  /** Returns the entries whose times are later than {@link lastAtMs}. */
  laterEntries({ entries }: TimeSeries, beforeMs = Infinity): readonly Entry[] {
    return entries.filter(
      ({ atMs = -Infinity, placedAtMs }) =>
        atMs === placedAtMs && atMs > this.lastAtMs && atMs < beforeMs,
    );
  }

  /** Adds these entries, and yields each of their times once all values of that time are known. */
  *pass({ columns }: TimeSeries, entries: readonly Entry[]): Generator<number> {
    const known = columns.map(({ key, tag, elements }) => {
      const last = this.#last.get(key) ?? { key };
      this.#last.set(key, last);
      if (tag !== undefined) last.tag = tag;
      return { last, elements };
    });
    for (const [at, { index, atMs: measuredAtMs, placedAtMs }] of entries.entries()) {
      for (const { last, elements } of known) {
        const element = elements[index];
        if (element == null) continue;
        const number = toNumber(element);
        if (number !== undefined) last.number = { value: number, measuredAtMs };
        const text = toText(element);
        if (text !== undefined) last.text = { value: text, measuredAtMs };
      }
      if (entries[at + 1]?.placedAtMs === placedAtMs) continue;
      if (this.lastAtMs > -Infinity) this.spacingMs = placedAtMs - this.lastAtMs;
      this.lastAtMs = placedAtMs;
      yield placedAtMs;
    }
  }

  /** Returns a sample of each key, even where no answer has it because it has no value (service.md#time-series). */
  samples(keys: readonly string[]): readonly FieldSample[] {
    const samples = Array.from(this.#last.values(), ({ key, tag, number, text }): FieldSample => ({
      key,
      tag,
      number,
      text,
    }));
    const lacking = keys.filter((key) => !this.#last.has(key));
    return [...samples, ...lacking.map((key) => ({ key }))];
  }
}

/**
 * Yields the reading of each time of a series; a reading is decoded when it is asked for.
 *
 * @param afterMs - readings up to then are not yielded, but their values stand for missing later ones.
 * @param known - the last reading, where it is decoded already.
 * @param fold - the last values of the series before this one.
 * @param quantities - measured earlier; what a point lacks of them is unknown, not missing.
 */
export function* replay(
  series: TimeSeries,
  { keys, dialect, decode }: SeriesReader,
  afterMs: number,
  more: {
    known?: PastReading;
    fold?: SeriesFold;
    beforeMs?: number;
    quantities?: ReadonlySet<Quantity>;
  } = {},
): Generator<PastReading> {
  const { known, fold = new SeriesFold(), beforeMs, quantities = NONE } = more;
  for (const atMs of fold.pass(series, fold.laterEntries(series, beforeMs))) {
    if (atMs <= afterMs) continue;
    if (atMs === known?.atMs) {
      yield known;
      continue;
    }
    const { measurements: measured, misread } = decode(fold.samples(keys));
    const measurements = withLost(measured, quantities);
    const agesMs = measurements.map(({ measuredAtMs = atMs }) => atMs - measuredAtMs);
    const newestAtMs = measurements.length === 0 ? undefined : atMs - leastOf(agesMs);
    const dates = { newestAtMs, timesAtMs: [atMs], serviceAheadMs: 0 };
    yield { atMs, report: { measurements, misread, dialect, ...dates } };
  }
}

/** Identifies a device, and names what reading it depends on: the station's time zone, and the record of the device. */
export interface DeviceQuery {
  readonly deviceId: string;
  readonly timeZone?: string | undefined;
  readonly model?: string | undefined;
  readonly ratedPowerWatts?: number | undefined;
  /** How far back the time series is asked; an hour when left out. */
  readonly windowMs?: number | undefined;
  /** The last known point, by the service's clock: later points are wanted. Only the newest is when left out. */
  readonly afterMs?: number | undefined;
  /** A longer gap means that points are missing. */
  readonly spacingMs?: number | undefined;
}

/** The newest values of a time series. */
export interface RecentSeries {
  readonly series: TimeSeries;
  /** The last times of it, ascending, whatever values they have. */
  readonly timesAtMs: readonly number[];
}

/** Up to this difference, either clock may be the wrong one, so readings are requested by both clocks. */
const DOUBTFUL_CLOCK_MS = HOUR_MS;
/** How far back a reading asks at most for the points before it: to midnight, and a little of the day before. */
const LONGEST_WINDOW_MS = 30 * HOUR_MS;
/** Enough to see how far apart the readings of a device are. */
const LAST_TIMES = 6;

/**
 * Asks for the values of these keys in the last hour (service.md#time-series), and in the time since the last known
 * point, where one page has room for all. The sample of a key is its newest value, dated by its own entry.
 */
export async function askRecent(
  call: Call<{ readings: TimeSeries }>,
  device: DeviceQuery,
  keys: readonly string[],
): Promise<{ readonly samples: readonly FieldSample[]; readonly recent: RecentSeries }> {
  const { windowMs = HOUR_MS, afterMs = Infinity } = device;
  const count = pointsPerPage(keys.length);
  let [liveFromMs, hasPast, askedAtMs] = [0, false, 0];
  const ask = (longestMs: number): Promise<TimeSeries> =>
    askSeries(call, device, keys, { page: 1, count }, ({ nowMs, serviceAheadMs }) => {
      askedAtMs = nowMs;
      const doubtMs = Math.abs(serviceAheadMs) <= DOUBTFUL_CLOCK_MS ? serviceAheadMs : 0;
      liveFromMs = nowMs - Math.max(0, doubtMs) - windowMs;
      hasPast = afterMs < liveFromMs && nowMs - afterMs <= longestMs;
      // Values from a little earlier stand for missing values at the start.
      const fromMs = hasPast ? afterMs - LONGEST_MAX_AGE_MS : liveFromMs;
      return { fromMs, toMs: nowMs + Math.max(0, -doubtMs) };
    });
  let series = await ask(LONGEST_WINDOW_MS).catch((error: unknown) => {
    if (hasPast && isTooMuch(error)) return undefined;
    throw error;
  });
  // A full page may lack the newest points, so ask for the usual window alone.
  if (series === undefined || (hasPast && series.entries.length >= count)) series = await ask(0);
  series = withoutStrays(series, askedAtMs);
  const fromMs = hasPast ? liveFromMs : -Infinity;
  const times = new SeriesFold()
    .laterEntries(series)
    .flatMap(({ placedAtMs }) => (placedAtMs >= fromMs ? placedAtMs : []));
  return {
    samples: samplesAtEnd(series, keys),
    recent: { series, timesAtMs: [...new Set(times)].slice(-LAST_TIMES) },
  };
}

/**
 * Leaves out entries that lie far in the future and far after all others, because their dates are wrong. A logger with a
 * fast clock dates all entries so.
 */
function withoutStrays(series: TimeSeries, nowMs: number): TimeSeries {
  const { entries } = series;
  const first = entries.findIndex(({ placedAtMs }, index) => {
    const { placedAtMs: beforeMs = placedAtMs } = entries[index - 1] ?? {};
    return placedAtMs - Math.max(beforeMs, nowMs) > LONGEST_MAX_AGE_MS;
  });
  return first === -1 ? series : { ...series, entries: entries.slice(0, first) };
}

/** Adds the quantities that these lack, dated so that their values are too old to be shown; none to an empty answer. */
export function withLost(
  measurements: readonly Measurement[],
  quantities: ReadonlySet<Quantity>,
): readonly Measurement[] {
  if (quantities.size === 0 || measurements.length === 0) return measurements;
  const measured = new Set(measurements.map(({ quantity }) => quantity));
  const lost = [...quantities].filter((quantity) => !measured.has(quantity));
  if (lost.length === 0) return measurements;
  return [
    ...measurements,
    ...lost.map((quantity) => ({ quantity, part: '', value: 0, measuredAtMs: 0 })),
  ];
}

/** Returns the newest value of each key. */
export function samplesAtEnd(
  { entries, columns }: TimeSeries,
  keys: readonly string[],
): readonly FieldSample[] {
  const sent = columns.map(({ key, tag, elements }): FieldSample => {
    const newest = <T>(read: (element: unknown) => T | undefined): Timed<T> | undefined => {
      for (let at = entries.length - 1; at >= 0; at -= 1) {
        const { index = -1, atMs: measuredAtMs } = entries[at] ?? {};
        const value = read(elements[index]);
        if (value !== undefined) return { value, measuredAtMs };
      }
      return undefined;
    };
    return { key, tag, number: newest(toNumber), text: newest(toText) };
  });
  const names = new Set(columns.map(({ key }) => key));
  return [...sent, ...keys.filter((key) => !names.has(key)).map((key) => ({ key }))];
}

/** Whether the service may answer a smaller request after this failure. */
function isTooMuch(error: unknown): boolean {
  const isTimeout = error instanceof ServiceError && error.code === 'SERVICE_TIMEOUT';
  return isTimeout || isFinalRefusal(error);
}

export function askSeries(
  call: Call<{ readings: TimeSeries }>,
  { deviceId, timeZone }: DeviceQuery,
  keys: readonly string[],
  paging: { readonly page: number; readonly count: number },
  spanAt: (time: wire.RequestTime) => { readonly fromMs: number; readonly toMs: number },
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

/** The most points that the service puts on a page of a time series. */
const MOST_POINTS = 2000;

/** Returns how many points may be asked for at once: an answer with more values would be refused. */
export function pointsPerPage(keys: number): number {
  return Math.min(MOST_POINTS, Math.floor((0.9 * MAX_VALUES) / (keys + 1)));
}
