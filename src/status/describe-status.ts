import type { SessionStatus } from '../client/session-status.ts';
import type { CollectorOutcome } from '../collectors/run.ts';
import type { Sample } from '../collectors/metric.ts';
import type { StationStatus } from '../collectors/station-collection.ts';
import type { RequestCount } from '../metrics/self.ts';
import { StationDraft } from './station-draft.ts';
import type { CollectorStatus, Status } from './status.ts';

/** What a status is made of; the samples are those of the metrics page, so the two cannot disagree. */
export interface StatusParts {
  readonly atMs: number;
  readonly version: string;
  readonly telemetryPath: string;
  readonly session: SessionStatus;
  readonly statuses: readonly StationStatus[];
  readonly samples: Iterable<Sample>;
  readonly requests: readonly RequestCount[];
}

/** Describes everything that is known, station by station. */
export function describeStatus({ statuses, samples, requests, ...rest }: StatusParts): Status {
  const drafts = new Map<string, StationDraft>();
  let account: readonly CollectorStatus[] = [];
  for (const { stationId, isUp, outcomes } of statuses) {
    if (stationId === undefined) account = collectorsOf(outcomes);
    else
      drafts.set(
        stationId,
        new StationDraft({ stationId, isUp, collectors: collectorsOf(outcomes) }),
      );
  }
  for (const sample of samples) drafts.get(sample.labels['station_id'] ?? '')?.add(sample);
  const stations = Array.from(drafts.values(), (draft) => draft.finished());
  return { ...rest, account, stations, requests };
}

function collectorsOf(outcomes: readonly CollectorOutcome[]): readonly CollectorStatus[] {
  return outcomes.map(({ collector, code, durationSeconds, lastSuccessAtMs, isServed }) => ({
    collector,
    code,
    durationSeconds,
    lastSuccessAtMs,
    isServed,
  }));
}
