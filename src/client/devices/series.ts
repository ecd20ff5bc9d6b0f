import { z } from 'zod';
import { ServiceError } from '../../base/errors.ts';
import { boundedMs, isBelievable } from '../../base/instant.ts';
import { ANSWER_LIMITS, firstOf } from '../../base/limits.ts';
import { LONGEST_MAX_AGE_MS } from '../../model/cadence.ts';
import type { PastReading, Source, SpokenDialect } from '../../model/readings.ts';
import { leastOf } from '../../model/units.ts';
import type { DecodedAnswer, FieldSample, Timed } from '../dialects/interpret.ts';
import { toNumber, toText } from '../dialects/unit.ts';
import type { Call } from '../endpoints.ts';
import * as wire from '../exchange/decode.ts';
import { isFinalRefusal } from '../exchange/retry.ts';

const HOUR_MS = 3_600_000;

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
  /** In the order of time, in which not every answer is. */
  readonly entries: readonly Entry[];
  readonly columns: readonly SeriesColumn[];
  /** What the service says there is in all: of points or of pages, nobody knows (service.md#paging). */
  readonly total?: number | undefined;
}

/** The values that an answer has for one time. */
interface Entry {
  readonly index: number;
  /** Absent where the answer has no time for them. */
  readonly atMs: number | undefined;
  /** The time of their place in the answer: their own, or that of the entry before where nobody can believe it. */
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
  const columns = firstOf(named, ANSWER_LIMITS.keysPerDevice, 'keys', answer.noteDropped).map(
    ([key, candidate]) => ({
      key,
      tag: unitOf(formatters?.[key]),
      elements: Array.isArray(candidate) ? (candidate as readonly unknown[]) : [],
    }),
  );
  const length = columns.reduce(
    (longest, { elements }) => Math.max(longest, elements.length),
    timeSeries.length,
  );
  const entries: Entry[] = [];
  let placedAtMs = -Infinity;
  for (let index = 0; index < length; index += 1) {
    const time = timeSeries[index];
    const atMs = typeof time === 'string' ? wire.parseTimestamp(time) : undefined;
    if (atMs !== undefined && isBelievable(atMs)) placedAtMs = atMs;
    entries.push({ index, placedAtMs, atMs: atMs && boundedMs(atMs) });
  }
  entries.sort((one, other) => one.placedAtMs - other.placedAtMs);
  return { entries, columns, total };
}

function unitOf(formatter: unknown): string | undefined {
  // Most series have none, and what does not fit a schema costs a multiple of what does.
  return formatter == null ? undefined : formatterSchema.safeParse(formatter).data?.unit;
}

/** How the time series of one device is read. */
export interface SeriesDialect {
  /** The keys to ask for. */
  readonly keys: readonly string[];
  readonly spoken: SpokenDialect;
  /** Decodes what is known of each key: by the time series, unless it is `from` elsewhere. */
  readonly decode: (samples: readonly FieldSample[], from?: Source) => DecodedAnswer;
}

/** Folds time series, one after the other, into what is known of each key: a missing value is the last one before. */
class SeriesFold {
  /** The last time that was passed; -Infinity before the first. */
  lastAtMs = -Infinity;
  /** How far apart the last two were; 0 before the second. */
  spacingMs = 0;
  readonly #last = new Map<string, { -readonly [Name in keyof FieldSample]: FieldSample[Name] }>();

  /** Returns the entries whose times are later than those that were passed. */
  laterEntries({ entries }: TimeSeries, beforeMs = Infinity): readonly Entry[] {
    return entries.filter(
      ({ atMs = -Infinity, placedAtMs }) =>
        atMs === placedAtMs && atMs > this.lastAtMs && atMs < beforeMs,
    );
  }

  /** Takes up these entries, and yields each of their times once all values of that time are known. */
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

  /** Returns a sample of each key, even if no answer has it for want of a value (service.md#time-series). */
  samples(keys: readonly string[], fromMs: number): readonly FieldSample[] {
    const recent = <T>(value: Timed<T> | undefined): Timed<T> | undefined =>
      value !== undefined && (value.measuredAtMs ?? Infinity) >= fromMs ? value : undefined;
    const samples = Array.from(this.#last.values(), ({ key, tag, number, text }): FieldSample => ({
      ...{ key, tag, number: recent(number), text: recent(text) },
    }));
    const lacking = keys.filter((key) => !this.#last.has(key));
    return [...samples, ...lacking.map((key) => ({ key }))];
  }
}

/**
 * Says for each time of a series, when it is asked for, what a reading would have said then.
 *
 * @param afterMs - what was measured until then only stands for what is missing later.
 * @param known - the last one, where it is decoded already.
 * @param fold - what the series before this one came to.
 */
export function* replay(
  series: TimeSeries,
  { keys, spoken, decode }: SeriesDialect,
  afterMs: number,
  more: { known?: PastReading; fold?: SeriesFold; beforeMs?: number } = {},
): Generator<PastReading> {
  const { known, fold = new SeriesFold(), beforeMs } = more;
  for (const atMs of fold.pass(series, fold.laterEntries(series, beforeMs))) {
    if (atMs <= afterMs) continue;
    if (atMs === known?.atMs) {
      yield known;
      continue;
    }
    const { measurements } = decode(fold.samples(keys, atMs - LONGEST_MAX_AGE_MS));
    const agesMs = measurements.map(({ measuredAtMs = atMs }) => atMs - measuredAtMs);
    const newestAtMs = measurements.length === 0 ? undefined : atMs - leastOf(agesMs);
    const report = { measurements, newestAtMs, timesAtMs: [atMs], dialect: spoken };
    yield { atMs, report: { ...report, serviceAheadMs: 0 } };
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

/** The newest values of a time series. */
export interface RecentSeries {
  readonly series: TimeSeries;
  /** From when on the series has all points that there are. */
  readonly fromMs: number;
  /** The last times of it, ascending, whatever values they have. */
  readonly timesAtMs: readonly number[];
}

/** Within this, it is open whether our clock or that of the service is wrong: readings are asked for by both. */
const DOUBTFUL_CLOCK_MS = HOUR_MS;
/** How far back a reading asks at most for the points before it: to midnight, and a little of the day before. */
const LONGEST_WINDOW_MS = 30 * HOUR_MS;
/** Enough to see how far apart the readings of a device are. */
const LAST_TIMES = 6;

/**
 * Asks for the values of these keys in the last hour (service.md#time-series), and for those since the last
 * known point with them, where one page has room for them. The newest value of each key, dated by its own entry, is
 * its sample.
 */
export async function askRecent(
  call: Call,
  device: DeviceQuery,
  keys: readonly string[],
): Promise<{ readonly samples: readonly FieldSample[]; readonly recent: RecentSeries }> {
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
  if (series === undefined || (isWider && series.entries.length >= count)) series = await ask(0);
  const fromMs = isWider ? liveFromMs : -Infinity;
  const times = new SeriesFold()
    .laterEntries(series)
    .flatMap(({ placedAtMs }) => (placedAtMs >= fromMs ? placedAtMs : []));
  return {
    samples: samplesAtEnd(series, keys, fromMs),
    recent: {
      series,
      fromMs: isWider ? afterMs : liveFromMs,
      timesAtMs: [...new Set(times)].slice(-LAST_TIMES),
    },
  };
}

/**
 * Returns the newest value of each key.
 *
 * @param fromMs - what was measured before is too old to be live.
 */
export function samplesAtEnd(
  series: TimeSeries,
  keys: readonly string[],
  fromMs = -Infinity,
): readonly FieldSample[] {
  const fold = new SeriesFold();
  const times = fold.pass(series, series.entries.slice(-ANSWER_LIMITS.valuesPerKey));
  while (times.next().done !== true);
  return fold.samples(keys, fromMs);
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
 * The totals of the service cannot be relied on, and a page may come back empty although more follow
 * (service.md#paging). So the span ends when its last point has come, and an empty answer is believed when asking for
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
  const fold = new SeriesFold();
  const count = pointsPerPage(keys.length);
  let [fromMs, page, doubts] = [device.fromMs, 1, 0];
  while (fromMs < toMs) {
    const span = { fromMs, toMs };
    const paging = { page, count };
    const series = await patiently(() => askSeries(call, device, keys, paging, () => span));
    if (fold.laterEntries(series, toMs).some(({ placedAtMs }) => placedAtMs >= device.fromMs)) {
      const pages = [series];
      // Pages that come newest first leave the oldest points to the pages behind: each is asked for as the first of
      // what is before.
      for (let first = series; !isOnce && page === 1;) {
        const [{ placedAtMs: beforeMs } = { placedAtMs: fromMs }] = fold.laterEntries(first, toMs);
        const isLate = first.entries.length >= count && beforeMs - fromMs > LONGEST_MAX_AGE_MS;
        if (!isLate || pages.length === MOST_PAGES) break;
        const before = { fromMs, toMs: beforeMs };
        first = await patiently(() => askSeries(call, device, keys, paging, () => before));
        pages.unshift(first);
      }
      for (const one of pages) {
        const readings = replay(one, dialect, device.fromMs - 1, { fold, beforeMs: toMs });
        yield readings;
        // Whoever has looked at some of them only has passed over the others.
        while (readings.next().done !== true);
      }
      if (toMs - fold.lastAtMs <= fold.spacingMs) return;
      doubts = 0;
      page += 1;
    } else {
      const { entries, total = 0 } = series;
      const contradictsItself = entries.length === 0 && total > 0;
      doubts += 1;
      if (isOnce || doubts > (contradictsItself ? DOUBTS_OF_A_CONTRADICTION : DOUBTS)) return;
      // Another window has other pages. The points that it repeats are known already.
      [fromMs, page] = [Math.max(fold.lastAtMs, device.fromMs) - doubts * 1000, 1];
    }
  }
}

/** Enough for a month of a reading a minute. */
const MOST_PAGES = 25;

function askSeries(
  call: Call,
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
function pointsPerPage(keys: number): number {
  return Math.min(MOST_POINTS, Math.floor((0.9 * wire.MAX_VALUES) / (keys + 1)));
}
