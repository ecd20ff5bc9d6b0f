/** Collapses overlapping calls into one; the next call after that one settles starts a new one. */
export function singleFlight<T>(run: () => Promise<T>): () => Promise<T> {
  let inFlight: Promise<T> | undefined;
  return () =>
    (inFlight ??= run().finally(() => {
      inFlight = undefined;
    }));
}

/**
 * Runs one at a time. Calls made during a run share the next run, with the argument of the last of them. So the
 * result includes everything that happened before each call.
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

/** Runs a task as soon as a slot is free; waiting tasks start in the order of the calls. */
export type ConcurrencyLimit = <T>(task: () => Promise<T>) => Promise<T>;

/** Limits how many tasks run at once; the task that has waited longest is next. */
export function limitConcurrency(slots: number): ConcurrencyLimit {
  const waiting: (() => void)[] = [];
  let free = slots;
  return async (task) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((start) => waiting.push(start));
    try {
      return await task();
    } finally {
      const start = waiting.shift();
      if (start === undefined) free += 1;
      else start();
    }
  };
}
