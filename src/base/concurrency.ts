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

/** Runs a task as soon as it may; waiting tasks start in the order of the calls. */
export type ConcurrencyLimit = <T>(task: () => Promise<T>) => Promise<T>;

/** One of those who share the slots: how many it holds, and what starts its tasks that wait for one. */
interface Owner {
  held: number;
  readonly waiting: (() => void)[];
}

/**
 * Limits how many tasks run at once, and shares these slots fairly among owners whose tasks may take long or
 * hang. An owner without a task gets any free slot; a further one only while it holds fewer than are free. So
 * owners whose tasks all hang leave as many slots free as each holds: one has half of the slots, two busy ones a
 * third each. An owner that is alone has them all.
 *
 * @returns the limit of the owner with this name; without a name, that of tasks that need not share.
 */
export function shareSlots(slots: number): (name?: string) => ConcurrencyLimit {
  const nobody: Owner = { held: 0, waiting: [] };
  const owners = new Map<string, Owner>();
  /** Those with waiting tasks, first who had no turn for the longest time. */
  const queue = new Set<Owner>();
  let free = slots;

  function startWaiting(): void {
    // Of those who wait, only who holds a slot can be passed over: not many, however many wait.
    for (const owner of queue) {
      if (free === 0) return;
      const needNotShare = owner === nobody || owners.size === 1;
      if (owner.held >= free && !needNotShare) continue;
      owner.held += 1;
      free -= 1;
      const start = owner.waiting.shift();
      queue.delete(owner);
      if (owner.waiting.length > 0) queue.add(owner);
      start?.();
    }
  }

  return (name) => {
    const owner = (name === undefined ? nobody : owners.get(name)) ?? { held: 0, waiting: [] };
    if (name !== undefined) owners.set(name, owner);
    const run = async <T>(task: () => Promise<T>): Promise<T> => {
      try {
        return await task();
      } finally {
        owner.held -= 1;
        free += 1;
        startWaiting();
      }
    };
    return (task) =>
      new Promise((resolve) => {
        owner.waiting.push(() => resolve(run(task)));
        queue.add(owner);
        startWaiting();
      });
  };
}
