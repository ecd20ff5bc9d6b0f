/** One line of the report: what was measured, against which limit, and whether it holds. */
export interface Result {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly limit: string;
  readonly isWithin: boolean;
  readonly detail: string;
}

/** The middle one of a few measurements. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
