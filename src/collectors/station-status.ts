import type { Labels } from './metric.ts';
import type { CollectorOutcome } from './run/rounds.ts';

/** How a station is doing; without a station id, how the account is doing. */
export interface StationStatus {
  readonly stationId: string | undefined;
  /** Those of the account, where the page is of several. */
  readonly labels?: Labels | undefined;
  /** Absent while that is not known yet. */
  readonly isUp: boolean | undefined;
  readonly outcomes: readonly CollectorOutcome[];
}

/** Returns a status, as the same object as the last one where it says the same. */
export function sameStatus(last: StationStatus | undefined, status: StationStatus): StationStatus {
  if (last === undefined || last.isUp !== status.isUp) return status;
  return isSameList(last.outcomes, status.outcomes) ? last : status;
}

function isSameList<T>(one: readonly T[], other: readonly T[]): boolean {
  return one.length === other.length && one.every((entry, index) => entry === other[index]);
}
