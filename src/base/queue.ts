/** The front of an array is cut off when so many entries of it are gone, and they are half of it. */
const CUT_AT = 1024;

/**
 * A queue of any length. To take the first entry off an array of thousands moves all the others.
 */
export class Queue<Entry> {
  #entries: (Entry | undefined)[] = [];
  #first = 0;

  get length(): number {
    return this.#entries.length - this.#first;
  }

  push(entry: Entry): void {
    this.#entries.push(entry);
  }

  /** Returns the first entry and removes it; undefined when there is none. */
  shift(): Entry | undefined {
    if (this.#first === this.#entries.length) return undefined;
    const entry = this.#entries[this.#first];
    this.#entries[this.#first] = undefined;
    this.#first += 1;
    if (this.#first >= CUT_AT && 2 * this.#first >= this.#entries.length) {
      this.#entries = this.#entries.slice(this.#first);
      this.#first = 0;
    }
    return entry;
  }
}
