/** Runs at most `limit` tasks at once; the others wait their turn in order. */
export type ConcurrencyLimit = <T>(task: () => Promise<T>) => Promise<T>;

/** Makes a {@link ConcurrencyLimit}. */
export function limitConcurrency(limit: number): ConcurrencyLimit {
  const waiting: (() => void)[] = [];
  let running = 0;

  return async (task) => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await task();
    } finally {
      // The place passes straight to the next in line, so that no newcomer can slip in between.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
