/** Collapses overlapping calls into one; each call after it settles starts afresh. */
export function singleFlight<T>(run: () => Promise<T>): () => Promise<T> {
  let inFlight: Promise<T> | undefined;
  return () =>
    (inFlight ??= run().finally(() => {
      inFlight = undefined;
    }));
}
