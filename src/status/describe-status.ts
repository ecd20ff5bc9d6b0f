import type { SessionStatus } from '../client/session/session-status.ts';
import type { CollectorOutcome } from '../collectors/run/rounds.ts';
import type { StationStatus } from '../collectors/station-collection.ts';
import type { RequestCount } from '../metrics/self.ts';
import { describeStation, type StationValues } from './describe-station.ts';
import type { CollectorStatus, StationPageStatus, Status } from './status.ts';

/** Everything that a status is made of. */
export interface StatusParts {
  readonly atMs: number;
  readonly version: string;
  readonly telemetryPath: string;
  readonly isSimulated: boolean;
  readonly areCredentialsIgnored: boolean;
  readonly session: SessionStatus;
  /** How the account and its stations are doing. */
  readonly statuses: readonly StationStatus[];
  /** The collected values of a station; absent for one that is not collected. */
  readonly valuesOf: (stationId: string) => StationValues | undefined;
  readonly requests: readonly RequestCount[];
}

/** Describes everything that is known, station by station. */
export function describeStatus({ statuses, valuesOf, requests, ...rest }: StatusParts): Status {
  let account: readonly CollectorStatus[] = [];
  const stations: StationPageStatus[] = [];
  for (const { stationId, isUp, outcomes } of statuses) {
    const collectors = outcomes.map(describeOutcome);
    const values = stationId === undefined ? undefined : valuesOf(stationId);
    if (stationId === undefined) account = collectors;
    else if (values !== undefined)
      stations.push(describeStation({ stationId, isUp, collectors }, values));
  }
  return { ...rest, account, stations, requests };
}

function describeOutcome({
  collector,
  code,
  durationSeconds,
  lastSuccessAtMs,
  isServed,
}: CollectorOutcome): CollectorStatus {
  return { collector, code, durationSeconds, lastSuccessAtMs, isServed };
}
