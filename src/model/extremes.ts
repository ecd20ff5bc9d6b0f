/** Returns the smallest of these numbers, of which there may be any number; `Infinity` of none. */
export function leastOf(values: Iterable<number>): number {
  let least = Number.POSITIVE_INFINITY;
  for (const value of values) least = Math.min(least, value);
  return least;
}

/** Returns the smallest number that is read from an entry; `Infinity` of none. */
export function leastBy<T>(entries: Iterable<T>, read: (entry: T) => number): number {
  let least = Number.POSITIVE_INFINITY;
  for (const entry of entries) least = Math.min(least, read(entry));
  return least;
}

/** Returns the largest of these numbers, of which there may be any number; `-Infinity` of none. */
export function greatestOf(values: Iterable<number>): number {
  let greatest = Number.NEGATIVE_INFINITY;
  for (const value of values) greatest = Math.max(greatest, value);
  return greatest;
}
