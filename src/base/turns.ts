import { nextTurn, systemClock } from './clock.ts';

/** Resolves when the caller may go on. */
export type Turns = () => Promise<void>;

/**
 * Lets so many callers go on in each turn of the event loop, in the order of their calls. Answers that arrive
 * together are read a few at a time, so that whoever else is ready has a turn in between.
 */
export function takeTurns(perTurn: number): Turns {
  const waiting: (() => void)[] = [];
  let free = perTurn;
  let isNextTurnComing = false;

  function startTurn(): void {
    free = perTurn;
    for (const goOn of waiting.splice(0, perTurn)) {
      free -= 1;
      goOn();
    }
    isNextTurnComing = free < perTurn;
    if (isNextTurnComing) void nextTurn().then(startTurn);
  }

  return () => {
    if (!isNextTurnComing) void nextTurn().then(startTurn);
    isNextTurnComing = true;
    if (free > 0) {
      free -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve) => waiting.push(resolve));
  };
}

/** Others wait so long for their turn. */
const MICROSECONDS_PER_SLICE = 3000;

/** Adds up how long work takes, so that others have their turn between its slices: `if (slices.isOver(2)) await nextTurn()`. */
export class Slices {
  #microseconds = 0;

  /** Takes note of work that takes about so long, and returns whether it is time for others. */
  isOver(microseconds: number): boolean {
    this.#microseconds += microseconds;
    if (this.#microseconds < MICROSECONDS_PER_SLICE) return false;
    this.#microseconds = 0;
    return true;
  }
}

/** Takes all that is made one after the other, each within so many microseconds; others have their turn in between. */
export async function allInTurns<T>(made: Iterable<T>, microseconds: number): Promise<T[]> {
  const slices = new Slices();
  const all: T[] = [];
  for (const one of made) {
    all.push(one);
    if (slices.isOver(microseconds)) await nextTurn();
  }
  return all;
}

/** Others wait about so long for their turn. */
const SLICE_MS = 8;

/**
 * Lets others have their turn by the clock: `if (slice.isOver()) await slice.next()`. Tasks that run side by side may
 * share a slice.
 */
export class TimeSlice {
  #sinceMs = systemClock.monotonicMs();
  #nextTurn: Promise<void> | undefined;

  /** Whether it is time for others. */
  isOver(): boolean {
    return systemClock.monotonicMs() - this.#sinceMs >= SLICE_MS;
  }

  /** Resolves when others have had their turn. */
  async next(): Promise<void> {
    // Whoever goes on before may use up the whole of the next slice.
    while (this.isOver())
      await (this.#nextTurn ??= nextTurn().then(() => {
        this.#nextTurn = undefined;
        this.#sinceMs = systemClock.monotonicMs();
      }));
  }
}
