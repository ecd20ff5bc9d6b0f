import { isBelievable } from '../../base/instant.ts';
import { leastOf } from '../../model/extremes.ts';
import type { PastReading } from '../../model/readings.ts';
import { type FieldSample, type Timed, toNumber, toText } from '../dialects/field-sample.ts';
import type { SeriesDialect } from './series-dialect.ts';
import type { TimeSeries } from './time-series.ts';

/** The last values of a key. */
interface LastValues {
  tag?: string | undefined;
  number?: Timed<number> | undefined;
  text?: Timed<string> | undefined;
}

/** Plays a time series again: says for each of its times what a reading of the device would have said then. */
export class SeriesReplay {
  readonly #dialect: SeriesDialect;
  readonly #windowMs: number;
  readonly #last: Map<string, LastValues>;
  #lastAtMs: number | undefined;

  /** @param windowMs - how old a value may be that stands for a missing one. */
  constructor(dialect: SeriesDialect, windowMs: number) {
    this.#dialect = dialect;
    this.#windowMs = windowMs;
    this.#last = new Map(dialect.keys.map((key) => [key, {}]));
  }

  /** The last time that was played; absent before the first. */
  get lastAtMs(): number | undefined {
    return this.#lastAtMs;
  }

  /**
   * Plays the times that are later than those before, in their order, each when it is asked for.
   *
   * @param passedOver - how many of the first are not read: of these, only the last value of each key counts.
   */
  *readings(
    { timesAtMs: allAtMs, columns }: TimeSeries,
    passedOver: (timesAtMs: readonly number[]) => number = () => 0,
  ): Generator<PastReading> {
    const order = [...allAtMs.entries()]
      .filter((entry): entry is [number, number] => entry[1] !== undefined)
      .filter(([, atMs]) => isBelievable(atMs) && atMs > (this.#lastAtMs ?? -Infinity))
      .sort(([, one], [, other]) => one - other)
      .filter(([, atMs], position, all) => atMs !== all[position + 1]?.[1]);
    const known = columns.map(({ key, tag, elements }) => {
      const last = this.#lastOf(key);
      if (tag !== undefined) last.tag = tag;
      return { last, elements };
    });
    const passed = order.slice(0, passedOver(order.map(([, atMs]) => atMs)));
    for (const { last, elements } of known) noteNewest(last, elements, passed);
    this.#lastAtMs = passed.at(-1)?.[1] ?? this.#lastAtMs;
    let timesAtMs = passed.map(([, atMs]) => atMs);
    for (const [index, atMs] of order.slice(passed.length)) {
      for (const { last, elements } of known) note(last, elements[index], atMs);
      this.#lastAtMs = atMs;
      timesAtMs.push(atMs);
      yield this.#readingAt(atMs, timesAtMs);
      timesAtMs = [];
    }
  }

  #lastOf(key: string): LastValues {
    const known = this.#last.get(key);
    if (known !== undefined) return known;
    const last: LastValues = {};
    this.#last.set(key, last);
    return last;
  }

  /** @param timesAtMs - of this reading, and of those that were passed over before it. */
  #readingAt(atMs: number, timesAtMs: readonly number[]): PastReading {
    const within = <T>(value: Timed<T> | undefined): Timed<T> | undefined =>
      value !== undefined && atMs - (value.measuredAtMs ?? atMs) <= this.#windowMs
        ? value
        : undefined;
    const samples = Array.from(this.#last, ([key, { tag, number, text }]): FieldSample => {
      return { key, tag, number: within(number), text: within(text) };
    });
    const { measurements } = this.#dialect.decode(samples);
    const agesMs = measurements.map(({ measuredAtMs = atMs }) => atMs - measuredAtMs);
    return {
      atMs,
      report: {
        measurements,
        newestAtMs: measurements.length === 0 ? undefined : atMs - leastOf(agesMs),
        timesAtMs,
        dialect: this.#dialect.spoken,
        serviceAheadMs: 0,
      },
    };
  }
}

/** Notes the newest number and the newest text of a key at these times; most keys have both at the last one. */
function noteNewest(
  last: LastValues,
  elements: readonly unknown[],
  times: readonly (readonly [index: number, atMs: number])[],
): void {
  let [isNumberNoted, isTextNoted] = [false, false];
  for (let at = times.length - 1; at >= 0 && !(isNumberNoted && isTextNoted); at -= 1) {
    const [index, measuredAtMs] = times[at] ?? [NaN, NaN];
    const number = isNumberNoted ? undefined : toNumber(elements[index]);
    if (number !== undefined) last.number = { value: number, measuredAtMs };
    isNumberNoted ||= number !== undefined;
    const text = isTextNoted ? undefined : toText(elements[index]);
    if (text !== undefined) last.text = { value: text, measuredAtMs };
    isTextNoted ||= text !== undefined;
  }
}

function note(last: LastValues, element: unknown, measuredAtMs: number): void {
  const number = toNumber(element);
  if (number !== undefined) last.number = { value: number, measuredAtMs };
  const text = toText(element);
  if (text !== undefined) last.text = { value: text, measuredAtMs };
}
