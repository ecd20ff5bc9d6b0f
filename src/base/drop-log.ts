import type { DropReason, NoteDropped } from './limits.ts';
import type { Logger } from './log.ts';

/** More lists than this that are over a limit at a time are counted, but not logged. */
const MOST_LOGGED = 100;

/** Counts what limits leave out, and logs each list that is over a limit once, until it was within again. */
export class DropLog {
  readonly #log: Logger;
  readonly #count: NoteDropped;
  /** The lists that were over a limit when they were last read. */
  readonly #over = new Set<string>();

  /** @param count - is told of everything that is left out. */
  constructor(log: Logger, count: NoteDropped) {
    this.#log = log;
    this.#count = count;
  }

  /**
   * Reads a list, and takes up what limits leave out of it.
   *
   * @param list - names the list in the log, always alike.
   */
  reading<T>(list: string, read: (noteDropped: NoteDropped) => T): T {
    const over: { readonly reason: DropReason; readonly dropped: number }[] = [];
    const value = read((reason, dropped) => {
      this.#count(reason, dropped);
      over.push({ reason, dropped });
    });
    const [first] = over;
    if (first !== undefined) this.#logOnce(list, first.reason, first.dropped);
    else this.#over.delete(list);
    return value;
  }

  /** Takes up how many entries a limit left out of a list; 0 where it is within. */
  note(list: string, reason: DropReason, dropped: number): void {
    this.reading(list, (noteDropped) => {
      if (dropped > 0) noteDropped(reason, dropped);
    });
  }

  #logOnce(list: string, limit: DropReason, dropped: number): void {
    if (this.#over.has(list) || this.#over.size >= MOST_LOGGED) return;
    this.#over.add(list);
    this.#log.warn({ list, limit, dropped }, 'a list is over its limit: the rest is left out');
  }
}
