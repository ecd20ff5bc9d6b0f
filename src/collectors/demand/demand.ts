/** How often collectors would ask if nothing were postponed. */
export interface Demand {
  /** How many things they ask about. */
  readonly targets: number;
  readonly fetchesPerSecond: number;
}

/** Adds up what several collectors want. */
export function sumOfDemands(demands: Iterable<Demand>): Demand {
  let [targets, fetchesPerSecond] = [0, 0];
  for (const demand of demands) {
    targets += demand.targets;
    fetchesPerSecond += demand.fetchesPerSecond;
  }
  return { targets, fetchesPerSecond };
}

/** Compares two instants; both may be those of things that were never asked about. */
export function byAge(oneAtMs: number, otherAtMs: number): number {
  return oneAtMs === otherAtMs ? 0 : oneAtMs - otherAtMs;
}
