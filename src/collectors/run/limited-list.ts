import type { Collector } from '../collector.ts';
import type { Labels } from '../metric.ts';
import type { CollectionContext } from './collection-context.ts';

/** A target whose value is a list, of which all stations together may hold only so much. */
export interface ListHolder {
  readonly labels: Labels;
  /** How many entries of the shared limit its value has; undefined once it is forgotten. */
  held: number | undefined;
}

/** Keeps the lists of one collector within the limits that all stations share; without a list, it keeps nothing. */
export class LimitedList<Value> {
  readonly #collector: Pick<Collector<never, Value, unknown>, 'name' | 'list'>;
  readonly #context: CollectionContext;

  constructor(
    collector: Pick<Collector<never, Value, unknown>, 'name' | 'list'>,
    context: CollectionContext,
  ) {
    this.#collector = collector;
    this.#context = context;
  }

  /** Returns a fetched value without what is over the limit, and holds the rest. */
  limited(holder: ListHolder, value: Value, previous: Value | undefined): Value {
    const { name, list } = this.#collector;
    if (list === undefined || holder.held === undefined) return value;
    const { limits, drops } = this.#context;
    const length = list.lengthOf(value);
    const most = Math.max(0, limits.mostFor(list.name, holder.held));
    const labels = Object.values(holder.labels).join(', ');
    drops.note(`${name} of all, ${labels}`, list.name, Math.max(0, length - most));
    this.#change(holder, Math.min(length, most));
    return length > most ? list.cut(value, most, previous) : value;
  }

  /** Holds all of a value that another run has limited; absent before the first fetch. */
  hold(holder: ListHolder, value: Value | undefined): void {
    const { list } = this.#collector;
    this.#change(holder, value === undefined ? 0 : (list?.lengthOf(value) ?? 0));
  }

  /** Lets others have what a target held, for good. */
  release(holder: ListHolder): void {
    this.#change(holder, undefined);
  }

  #change(holder: ListHolder, held: number | undefined): void {
    const { list } = this.#collector;
    if (list !== undefined)
      this.#context.limits.change(list.name, (held ?? 0) - (holder.held ?? 0));
    holder.held = held;
  }
}
