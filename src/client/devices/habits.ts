import type { Measurement, Quantity } from '../../model/readings.ts';
import { greatestOf } from '../../model/units.ts';
import type { DecodedAnswer, FieldSample } from '../dialects/interpret.ts';
import type { Dimension } from '../dialects/unit.ts';
import type { DeviceAnswer } from './device-samples.ts';

/** About a factor of a thousand, because the measured value may have changed meanwhile, too. */
const [LEAST_JUMP, GREATEST_JUMP] = [300, 3000];
/** The dimensions that devices send in units a thousand apart. */
const SCALED: readonly (Dimension | undefined)[] = ['power', 'voltage', 'current'];

/** Keeps track of a device's readings since it was learnt, to show when it begins to send them differently. */
export class Habits {
  /** The last number of each key that comes without a unit; never 0, because 0 is the same in every unit. */
  readonly #last = new Map<string, FieldSample>();
  /** When each quantity was measured last. */
  readonly #measuredAtMs = new Map<string, number>();
  /** What the device was known to measure as a whole: where an answer lacks it, it is unknown, and not missing. */
  readonly quantities: Set<Quantity>;
  /** In how many consecutive readings each quantity has been missing. */
  readonly #missing = new Map<string, number>();
  #newestAtMs = -Infinity;

  /** @param before - what was known of the device when it was learnt before; absent where it is another family now. */
  constructor(before?: Habits) {
    this.quantities = new Set(before?.quantities);
  }

  /** Returns the keys whose number is about a thousand times the one before, or a thousandth of it. */
  jumpedKeys(samples: readonly FieldSample[], { fields }: DecodedAnswer): readonly string[] {
    const scaled = new Set(
      fields.flatMap(({ sample, rule }) => (SCALED.includes(rule?.dimension) ? sample.key : [])),
    );
    return samples.flatMap(({ key, tag, number }) => {
      const before = this.#last.get(key)?.number?.value ?? 0;
      const ratio = Math.abs((number?.value ?? 0) / before);
      const jump = Math.max(ratio, 1 / ratio);
      const hasJumped = tag === undefined && jump >= LEAST_JUMP && jump <= GREATEST_JUMP;
      return hasJumped && scaled.has(key) ? key : [];
    });
  }

  /** Returns the samples, but the previous ones of these keys, whose values are doubtful. */
  withLast(samples: readonly FieldSample[], keys: readonly string[]): readonly FieldSample[] {
    return samples.map((sample) =>
      keys.includes(sample.key) ? (this.#last.get(sample.key) ?? sample) : sample,
    );
  }

  /**
   * Notes a reading.
   *
   * @param doubted - keys whose values may be in another unit than those before.
   * @returns what was measured before and is missing in two readings in a row, and since when.
   */
  note(
    { samples, recent }: DeviceAnswer,
    { measurements }: DecodedAnswer,
    doubted: readonly string[] = [],
  ): { readonly lost: readonly string[]; readonly sinceMs: number } {
    for (const sample of samples) {
      const isNumber = sample.number !== undefined && sample.number.value !== 0;
      if (isNumber && sample.tag === undefined && !doubted.includes(sample.key))
        this.#last.set(sample.key, sample);
    }
    const times = measurements.flatMap(({ measuredAtMs }) => measuredAtMs ?? []);
    const newestAtMs = recent?.timesAtMs.at(-1) ?? greatestOf([this.#newestAtMs, ...times]);
    const sinceMs = this.#newestAtMs;
    // A repeated answer brings nothing new; an answer without any time may.
    if (times.length > 0 && newestAtMs <= sinceMs) return { lost: [], sinceMs };
    this.#newestAtMs = newestAtMs;
    const fresh = measurements.filter(
      ({ measuredAtMs = newestAtMs }) => measuredAtMs >= newestAtMs,
    );
    for (const measurement of fresh) {
      this.#measuredAtMs.set(nameOf(measurement), newestAtMs);
      this.#missing.delete(nameOf(measurement));
      if (measurement.part === '') this.quantities.add(measurement.quantity);
    }
    const isFresh = new Set(fresh.map(nameOf));
    const missing = [...this.#measuredAtMs.keys()].filter((name) => !isFresh.has(name));
    for (const name of missing) this.#missing.set(name, (this.#missing.get(name) ?? 0) + 1);
    return { lost: missing.filter((name) => (this.#missing.get(name) ?? 0) >= 2), sinceMs };
  }

  /** Whether any of these quantities has been measured again. */
  isBack(names: readonly string[], measurements: readonly Measurement[]): boolean {
    return measurements.some((measurement) => {
      const name = nameOf(measurement);
      const beforeMs = this.#measuredAtMs.get(name) ?? Infinity;
      return names.includes(name) && (measurement.measuredAtMs ?? Infinity) > beforeMs;
    });
  }

  /** Stops waiting for these quantities until they are measured again. */
  forget(names: readonly string[]): void {
    for (const name of names) {
      this.#measuredAtMs.delete(name);
      this.#missing.delete(name);
    }
  }
}

function nameOf({ quantity, part }: Measurement): string {
  return `${quantity} ${part}`;
}
