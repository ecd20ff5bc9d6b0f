import { z } from 'zod';
import { boundedMs, isBelievable } from '../../base/instant.ts';
import { ANSWER_LIMITS, firstOf, type NoteDropped } from '../../base/limits.ts';
import { type FieldSample, type Timed, toNumber, toText } from '../dialects/field-sample.ts';
import {
  type AnswerTime,
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

/** A page of a time series: every value of every key, each beside its time. */
export interface TimeSeries {
  /** As they stand in the answer; absent where one cannot be read. */
  readonly timesAtMs: readonly (number | undefined)[];
  readonly columns: readonly SeriesColumn[];
  /** What the service says there is in all: of points or of pages, nobody knows (field notes 1.7). */
  readonly total?: number | undefined;
}

/** The values of one key, as long as the times or shorter. */
export interface SeriesColumn {
  readonly key: string;
  /** The unit, as the service writes it. */
  readonly tag?: string | undefined;
  /** Numbers, texts, or objects with `value` or `vd`; anything else is no value. */
  readonly elements: readonly unknown[];
}

/** Decodes every value of a time series (interface 2.4, field notes 2.4). */
export function decodeSeries(
  data: unknown,
  path: string,
  _time?: AnswerTime,
  noteDropped: NoteDropped = () => undefined,
): TimeSeries {
  const { payload, total } = parse(timeSeriesSchema, data, path);
  const { timeSeries = [], fields, formatters } = payload ?? {};
  const entries = Object.entries(fields ?? {});
  return {
    timesAtMs: timeSeries.map(timeOf),
    columns: firstOf(entries, ANSWER_LIMITS.keysPerDevice, 'keys', noteDropped).map(
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

/**
 * Decodes the newest value of every key of a time series. Each value has the time of its own element. Arrays
 * are in ascending order of time.
 */
export function decodeTimeSeries(
  data: unknown,
  path: string,
  time?: AnswerTime,
  noteDropped?: NoteDropped,
): readonly FieldSample[] {
  const { timesAtMs, columns } = decodeSeries(data, path, time, noteDropped);
  const lastTimesAtMs = lastOf(timesAtMs);
  return columns.map(({ key, tag, elements }) => ({
    key,
    tag,
    number: newest(elements, toNumber, timesAtMs),
    text: newest(elements, toText, timesAtMs),
    timesAtMs: lastTimesAtMs,
  }));
}

/** Enough to see how far apart the readings of a device are. */
const LAST_TIMES = 6;

function lastOf(timesAtMs: TimeSeries['timesAtMs']): readonly number[] | undefined {
  const last = timesAtMs
    .slice(-LAST_TIMES)
    .filter((atMs) => atMs !== undefined)
    .filter(isBelievable);
  return last.length === 0 ? undefined : last;
}

function newest<T>(
  elements: readonly unknown[],
  read: (element: unknown) => T | undefined,
  timesAtMs: TimeSeries['timesAtMs'],
): Timed<T> | undefined {
  const oldest = elements.length - ANSWER_LIMITS.valuesPerKey;
  const index = elements.findLastIndex((element, at) => at < oldest || read(element) !== undefined);
  const value = index < oldest ? undefined : read(elements[index]);
  if (value === undefined) return undefined;
  const measuredAtMs = timesAtMs[index];
  return { value, measuredAtMs: measuredAtMs === undefined ? undefined : boundedMs(measuredAtMs) };
}

function timeOf(time: unknown): number | undefined {
  return typeof time === 'string' ? parseTimestamp(time) : undefined;
}
