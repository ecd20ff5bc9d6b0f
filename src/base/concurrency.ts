import { nextTurn } from './clock.ts';
import { Queue } from './queue.ts';
import { Slices } from './turns.ts';

/** Collapses overlapping calls into one; each call after it settles starts afresh. */
export function singleFlight<T>(run: () => Promise<T>): () => Promise<T> {
  let inFlight: Promise<T> | undefined;
  return () =>
    (inFlight ??= run().finally(() => {
      inFlight = undefined;
    }));
}

/**
 * Runs one at a time. Calls made during a run share the next one, with the argument of the last of them, so
 * that its answer misses nothing that had happened before they were made.
 */
export function oneAtATime<T, Given = void>(
  run: (given: Given) => Promise<T>,
): (given: Given) => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  let last: Given;
  return (given) => {
    last = given;
    next ??= running.then(() => {
      next = undefined;
      const started = run(last);
      running = started.catch(() => undefined);
      return started;
    });
    return next;
  };
}

/** Runs a task as soon as fewer than the limit are running; waiting tasks start in order. */
export type ConcurrencyLimit = <T>(task: () => Promise<T>) => Promise<T>;

/** Creates a limit of `limit` tasks at a time. */
export function limitConcurrency(limit: number): ConcurrencyLimit {
  const waiting = new Queue<() => void>();
  let running = 0;

  return async (task) => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await task();
    } finally {
      // The slot passes directly to the next waiting task, so that a new one cannot overtake it.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}

/** A task that asks the service takes so long to start. */
const START_MICROSECONDS = 30;

/** Starts a task for each entry, many of them in slices, and waits for all. */
export async function startEach<T>(
  entries: Iterable<T>,
  start: (entry: T) => Promise<void>,
): Promise<void> {
  const started: Promise<void>[] = [];
  const slices = new Slices();
  for (const entry of entries) {
    started.push(start(entry));
    if (slices.isOver(START_MICROSECONDS)) await nextTurn();
  }
  await Promise.all(started);
}
