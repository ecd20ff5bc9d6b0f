import type { CacheLifetimes, Collector } from '../collector.ts';
import { type Labels, type Sample, samplesOf } from '../metric.ts';
import type { Snapshot } from '../snapshot-cache.ts';

/**
 * What is shown of something. Another object takes its place as soon as something else is shown, so that
 * what was made of its samples stays right for as long as it is there.
 */
export interface ShownSamples {
  /** When something else is shown, even if nothing is fetched. */
  readonly untilMs: number;
  readonly samples: () => Iterable<Sample>;
}

/** What is shown of something as a value, that of the instant at which it was asked for. */
export interface ShownValue<Value> {
  /** Computed whenever it is read, which takes a while for all devices of a large station. */
  readonly value: Value;
}

/** What does not differ from target to target. */
export interface ShownSource<Fetched, Value> {
  readonly collector: Pick<Collector<never, Fetched, Value>, 'ageing' | 'metrics'>;
  readonly lifetimes: CacheLifetimes;
}

/** What a collector shows of one target, from an instant of our clock until that changes. */
export class ShownTarget<Fetched, Value> implements ShownSamples, ShownValue<Value> {
  readonly #source: ShownSource<Fetched, Value>;
  readonly #snapshot: Snapshot<Fetched>;
  readonly #labels: Labels;
  readonly #fromMs: number;
  readonly untilMs: number;

  /** @param withdrawnAtMs - when the snapshot is not shown at all any more. */
  constructor(
    source: ShownSource<Fetched, Value>,
    { snapshot, labels }: { readonly snapshot: Snapshot<Fetched>; readonly labels: Labels },
    fromMs: number,
    withdrawnAtMs: number,
  ) {
    this.#source = source;
    this.#snapshot = snapshot;
    this.#labels = labels;
    this.#fromMs = fromMs;
    const { collector, lifetimes } = source;
    const changesAtMs = collector.ageing?.changesAtMs(snapshot.value, fromMs, lifetimes);
    this.untilMs = Math.min(withdrawnAtMs, changesAtMs ?? Number.POSITIVE_INFINITY);
  }

  /** Whether this is still what is shown. An instant before its own means that the clock was set back. */
  holds(snapshot: Snapshot<Fetched> | undefined, labels: Labels, nowMs: number): boolean {
    const isSame = this.#snapshot === snapshot && this.#labels === labels;
    return isSame && nowMs >= this.#fromMs && nowMs < this.untilMs;
  }

  /** The value that the samples are read from; what does not age is shown as it was fetched. */
  get value(): Value {
    const { collector, lifetimes } = this.#source;
    const fetched = this.#snapshot.value;
    // Computed when asked for: whoever keeps what was made of it needs the value once.
    return (
      collector.ageing?.shownAt(fetched, this.#fromMs, lifetimes) ?? (fetched as unknown as Value)
    );
  }

  samples(): Iterable<Sample> {
    return samplesOf(this.#source.collector.metrics, this.value, this.#labels);
  }
}
