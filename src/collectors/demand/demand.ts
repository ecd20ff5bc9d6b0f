import { LEAST_WAIT_MS } from '../../model/postponed.ts';

/** How often collectors would ask if nothing were postponed. */
export interface Demand {
  /** How many things they ask about. */
  readonly targets: number;
  readonly fetchesPerSecond: number;
  /** The same if each asked as often as its waits count where they are stretched. */
  readonly weightedPerSecond: number;
}

export const NO_DEMAND: Demand = { targets: 0, fetchesPerSecond: 0, weightedPerSecond: 0 };

/**
 * Returns what is asked for so often: one interval for each thing that is asked about.
 *
 * @param weightMs - the longest that a wait counts as, where waits are stretched.
 */
export function demandOf(intervalsMs: readonly number[], weightMs = Infinity): Demand {
  let [fetchesPerSecond, weightedPerSecond] = [0, 0];
  for (const intervalMs of intervalsMs) {
    fetchesPerSecond += 1000 / Math.max(LEAST_WAIT_MS, intervalMs);
    weightedPerSecond += 1000 / Math.max(LEAST_WAIT_MS, Math.min(intervalMs, weightMs));
  }
  return { targets: intervalsMs.length, fetchesPerSecond, weightedPerSecond };
}

/** Adds up what several collectors want. */
export function sumOfDemands(demands: Iterable<Demand>): Demand {
  let [targets, fetchesPerSecond, weightedPerSecond] = [0, 0, 0];
  for (const demand of demands) {
    targets += demand.targets;
    fetchesPerSecond += demand.fetchesPerSecond;
    weightedPerSecond += demand.weightedPerSecond;
  }
  return { targets, fetchesPerSecond, weightedPerSecond };
}

/** Compares two instants; both may be those of things that were never asked about. */
export function byAge(oneAtMs: number, otherAtMs: number): number {
  return oneAtMs === otherAtMs ? 0 : oneAtMs - otherAtMs;
}
