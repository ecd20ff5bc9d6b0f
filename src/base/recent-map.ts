/** More than the devices and stations of any account; beyond it, forgotten ones are learnt again. */
export const MOST_REMEMBERED = 25_000;

/**
 * A map with at most `most` entries, because its keys come from outside and may be many. It drops the entry that was
 * used longest ago.
 */
export class RecentMap<Key, Value> {
  readonly #most: number;
  /** The entries in the order of their last use. */
  readonly #entries = new Map<Key, Value>();

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Returns a value, which counts as a use. */
  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  /** Returns a value without counting that as a use. */
  peek(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  set(key: Key, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    const [oldest = key] = this.#entries.keys();
    if (this.#entries.size > this.#most) this.#entries.delete(oldest);
  }

  /** Returns the value of a key, made now where there is none. */
  getOrMake(key: Key, make: () => Value): Value {
    const known = this.get(key);
    if (known !== undefined) return known;
    const made = make();
    this.set(key, made);
    return made;
  }
}
