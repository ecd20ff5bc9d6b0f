import { z } from 'zod';
import { boundedMs, isBelievable } from '../../base/instant.ts';
import { ANSWER_LIMITS, firstOf } from '../../base/limits.ts';
import { leastOf } from '../../model/units.ts';
import { LONGEST_MAX_AGE_MS } from '../../model/cadence.ts';
import type { PastReading, SpokenDialect } from '../../model/readings.ts';
import type { DecodedAnswer, FieldSample, Timed } from '../dialects/interpret.ts';
import { toNumber, toText } from '../dialects/unit.ts';
import {
  type AnswerContext,
  anyList,
  anyObject,
  parse,
  parseTimestamp,
  quantity,
} from '../exchange/decode.ts';

const elementsSchema = anyList.catch([]);
const timeSeriesSchema = z.object({
  total: quantity,
  payload: z
    .object({
      timeSeries: elementsSchema,
      fields: anyObject.nullish(),
      formatters: anyObject.nullish().catch(undefined),
    })
    .nullish(),
});
const formatterSchema = z.object({ unit: z.string().trim().min(1) });

/** An answer of the time series: every value of every key, each beside its time. */
export interface TimeSeries {
  /** As they stand in the answer; absent where one cannot be read. */
  readonly timesAtMs: readonly (number | undefined)[];
  readonly columns: readonly SeriesColumn[];
  /** What the service says there is in all: of points or of pages, nobody knows (field notes 1.7). */
  readonly total?: number | undefined;
}

/** The values of one key, as long as the times or shorter. */
interface SeriesColumn {
  readonly key: string;
  /** The unit, as the service writes it. */
  readonly tag?: string | undefined;
  /** Numbers, texts, or objects with `value` or `vd`; anything else is no value. */
  readonly elements: readonly unknown[];
}

/** Decodes every value of a time series (interface 2.4, field notes 2.4). */
export function decodeSeries(data: unknown, answer: AnswerContext): TimeSeries {
  const { payload, total } = parse(timeSeriesSchema, data, answer);
  const { timeSeries = [], fields, formatters } = payload ?? {};
  const entries = Object.entries(fields ?? {});
  return {
    timesAtMs: timeSeries.map((time) =>
      typeof time === 'string' ? parseTimestamp(time) : undefined,
    ),
    columns: firstOf(entries, ANSWER_LIMITS.keysPerDevice, 'keys', answer.noteDropped).map(
      ([key, candidate]) => ({
        key,
        tag: unitOf(formatters?.[key]),
        elements: elementsSchema.parse(candidate),
      }),
    ),
    total,
  };
}

function unitOf(formatter: unknown): string | undefined {
  // Most series have none, and what does not fit a schema costs a multiple of what does.
  return formatter == null ? undefined : formatterSchema.safeParse(formatter).data?.unit;
}

/** The values that an answer has for one time. */
interface Entry {
  readonly index: number;
  /** Absent where the answer has no time for them. */
  readonly atMs: number | undefined;
  /** Whether that is a time that can be believed. */
  readonly isDated: boolean;
  /** The time of their place in the answer: their own, or that of the entry before where that is no time. */
  readonly placedAtMs: number;
}

/** Returns the entries of an answer in the order of time, in which not every answer is. */
function entriesOf({ timesAtMs, columns }: TimeSeries): readonly Entry[] {
  const length = columns.reduce(
    (longest, { elements }) => Math.max(longest, elements.length),
    timesAtMs.length,
  );
  const entries: Entry[] = [];
  let placedAtMs = -Infinity;
  for (let index = 0; index < length; index += 1) {
    const atMs = timesAtMs[index];
    const isDated = atMs !== undefined && isBelievable(atMs);
    if (isDated) placedAtMs = atMs;
    entries.push({ index, isDated, placedAtMs, atMs: atMs && boundedMs(atMs) });
  }
  return entries.sort((one, other) => one.placedAtMs - other.placedAtMs);
}

/** The last values of a key, as number and as text. */
interface LastValues {
  tag?: string | undefined;
  number?: Timed<number> | undefined;
  text?: Timed<string> | undefined;
}

/** What is known of every key after some entries of a series: a value that is missing is the last one before. */
class SeriesState {
  readonly #last = new Map<string, LastValues>();

  /** Returns what notes the entries of a series. */
  noteOf({ columns }: TimeSeries): (entry: Entry) => void {
    const known = columns.map(({ key, tag, elements }) => {
      let last = this.#last.get(key);
      if (last === undefined) this.#last.set(key, (last = {}));
      if (tag !== undefined) last.tag = tag;
      return { last, elements };
    });
    return ({ index, atMs: measuredAtMs }) => {
      for (const { last, elements } of known) {
        const element = elements[index];
        if (element == null) continue;
        const number = toNumber(element);
        if (number !== undefined) last.number = { value: number, measuredAtMs };
        const text = toText(element);
        if (text !== undefined) last.text = { value: text, measuredAtMs };
      }
    };
  }

  /** Returns a sample of each key, and of those that no answer has because they have no value (field notes 2.4). */
  samples(keys: readonly string[], fromMs: number): readonly FieldSample[] {
    const recent = <T>(value: Timed<T> | undefined): Timed<T> | undefined =>
      value !== undefined && (value.measuredAtMs ?? Infinity) >= fromMs ? value : undefined;
    const samples = Array.from(this.#last, ([key, { tag, number, text }]): FieldSample => ({
      ...{ key, tag, number: recent(number), text: recent(text) },
    }));
    const lacking = keys.filter((key) => !this.#last.has(key));
    return [...samples, ...lacking.map((key) => ({ key }))];
  }
}

/** The newest values of a time series. */
export interface LiveSeries {
  readonly samples: readonly FieldSample[];
  /** The last times of the series, ascending, whatever values they have. */
  readonly timesAtMs: readonly number[];
}

/** Enough to see how far apart the readings of a device are. */
const LAST_TIMES = 6;

/**
 * Returns the newest value of each key, dated by its own entry.
 *
 * @param fromMs - what was measured before is too old to be live.
 */
export function liveOf(series: TimeSeries, keys: readonly string[], fromMs: number): LiveSeries {
  const state = new SeriesState();
  const entries = entriesOf(series).slice(-ANSWER_LIMITS.valuesPerKey);
  entries.forEach(state.noteOf(series));
  const times = entries.filter(({ isDated, placedAtMs }) => isDated && placedAtMs >= fromMs);
  return {
    samples: state.samples(keys, fromMs),
    timesAtMs: [...new Set(times.map(({ placedAtMs }) => placedAtMs))].slice(-LAST_TIMES),
  };
}

/** How the time series of one device is read. */
export interface SeriesDialect {
  /** The keys to ask for. */
  readonly keys: readonly string[];
  readonly spoken: SpokenDialect;
  /** Decodes what is known of each key. */
  readonly decode: (samples: readonly FieldSample[]) => DecodedAnswer;
}

/** Plays time series again, one after the other: says for each of their times what a reading would have said then. */
export class SeriesReplay {
  readonly #dialect: SeriesDialect;
  readonly #afterMs: number;
  readonly #state = new SeriesState();
  #lastAtMs = -Infinity;

  /** @param afterMs - what was measured until then only stands for what is missing later. */
  constructor(dialect: SeriesDialect, afterMs = -Infinity) {
    this.#dialect = dialect;
    this.#afterMs = afterMs;
  }

  /** The last time that was played; -Infinity before the first. */
  get lastAtMs(): number {
    return this.#lastAtMs;
  }

  /**
   * Plays the times that are later than those before, in their order, each when it is asked for.
   *
   * @param known - the last one, where it is decoded already.
   */
  *readings(series: TimeSeries, known?: PastReading): Generator<PastReading> {
    const entries = entriesOf(series).filter(
      ({ isDated, placedAtMs }) => isDated && placedAtMs > this.#lastAtMs,
    );
    const note = this.#state.noteOf(series);
    for (const [at, entry] of entries.entries()) {
      const { placedAtMs: atMs } = entry;
      note(entry);
      this.#lastAtMs = atMs;
      if (atMs <= this.#afterMs || entries[at + 1]?.placedAtMs === atMs) continue;
      yield atMs === known?.atMs ? known : this.#readingAt(atMs);
    }
  }

  #readingAt(atMs: number): PastReading {
    const { keys, spoken, decode } = this.#dialect;
    const samples = this.#state.samples(keys, atMs - LONGEST_MAX_AGE_MS);
    const { measurements } = decode(samples);
    const agesMs = measurements.map(({ measuredAtMs = atMs }) => atMs - measuredAtMs);
    return {
      atMs,
      report: {
        measurements,
        newestAtMs: measurements.length === 0 ? undefined : atMs - leastOf(agesMs),
        timesAtMs: [atMs],
        dialect: spoken,
        serviceAheadMs: 0,
      },
    };
  }
}
