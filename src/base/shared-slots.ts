import type { ConcurrencyLimit } from './concurrency.ts';
import { Queue } from './queue.ts';

/** One of those who share the slots, and its tasks that wait for one. */
interface Owner {
  held: number;
  readonly waiting: Queue<() => void>;
}

/**
 * Shares slots fairly among owners, whose tasks may take long or hang. Each owner may have one task under way,
 * and a further one while it has fewer than slots are free: of so many tasks that hang, as many slots as they
 * hold stay free for others. Two busy owners have a third of the slots each, nine a tenth. An owner that is
 * alone has them all, twice, because one task may end long after its request does.
 */
export class SharedSlots {
  readonly #slots: number;
  readonly #isShared: () => boolean;
  #held = 0;
  /** Those with waiting tasks, the next one first. */
  readonly #waiting = new Set<Owner>();

  /** @param isShared - whether there is more than one owner. */
  constructor(slots: number, isShared: () => boolean) {
    this.#slots = slots;
    this.#isShared = isShared;
  }

  /** Creates the limit of one owner, whose tasks start in the order of their calls. */
  limit(): ConcurrencyLimit {
    const owner: Owner = { held: 0, waiting: new Queue() };
    return async (task) => {
      if (owner.waiting.length === 0 && this.#mayStart(owner)) this.#take(owner);
      else
        await new Promise<void>((resolve) => {
          owner.waiting.push(resolve);
          this.#waiting.add(owner);
        });
      try {
        return await task();
      } finally {
        owner.held -= 1;
        this.#held -= 1;
        this.#startWaiting(owner);
      }
    };
  }

  #mayStart({ held }: Owner): boolean {
    if (held === 0) return true;
    return held < (this.#isShared() ? this.#slots - this.#held : 2 * this.#slots);
  }

  #take(owner: Owner): void {
    owner.held += 1;
    this.#held += 1;
  }

  /** Starts what may start now: first of those who had no turn for the longest time. */
  #startWaiting(freed: Owner): void {
    // Whoever has nothing under way goes first: everybody else may have to wait.
    if (freed.held === 0) this.#startNext(freed);
    let next = this.#nextOwner();
    while (next !== undefined) {
      this.#startNext(next);
      next = this.#nextOwner();
    }
  }

  /** Returns the first who waits and may start. */
  #nextOwner(): Owner | undefined {
    // Whoever waits has a slot, and gets no other one while all but one are held: nobody has to be looked for.
    if (this.#isShared() && this.#slots - this.#held <= 1) return undefined;
    for (const owner of this.#waiting) if (this.#mayStart(owner)) return owner;
    return undefined;
  }

  #startNext(owner: Owner): void {
    const start = owner.waiting.shift();
    if (start === undefined) return;
    this.#waiting.delete(owner);
    if (owner.waiting.length > 0) this.#waiting.add(owner);
    this.#take(owner);
    start();
  }
}
