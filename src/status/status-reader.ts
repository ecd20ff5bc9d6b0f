import type { Clock } from '../base/clock.ts';
import { reasonOf, remedyFor } from '../base/remedies.ts';
import type { DayCurves } from '../collectors/day-curves.ts';
import type { CollectorOutcome, Shown } from '../collectors/target.ts';
import { leastOf } from '../model/units.ts';
import type { Collected } from '../metrics/scrape.ts';
import type { AccountView, SelfMetrics } from '../metrics/self.ts';
import { versionedCache } from '../metrics/versioned-cache.ts';
import { describeStation, type StationValues, text } from './describe.ts';
import { accountProblems } from './problems.ts';
import type { CollectorStatus, StationPageStatus, Status } from './status.ts';

export interface StatusReaderOptions {
  readonly collection: Collected;
  readonly stationOf: (stationId: string) => StationValues | undefined;
  readonly self: Pick<SelfMetrics, 'version' | 'requestCounts'>;
  readonly account: Pick<AccountView, 'sessionStatus' | 'isSimulated'>;
  readonly dayCurves: Pick<DayCurves, 'of'>;
  readonly areCredentialsIgnored: boolean;
  readonly version: string;
  readonly telemetryPath: string;
  readonly clock: Clock;
}

/** What is said until something changes. */
type Described = Pick<Status, 'isSimulated' | 'account' | 'stations' | 'requests'>;

/** Who asks within this time gets the same status, and so the pages that were made of it. */
const SAME_FOR_MS = 1000;

/**
 * Returns what reads the status: that of this moment, or of up to a second ago if nothing has changed since. Like a
 * scrape, it asks the service only for what is due, and waits at most `waitMs`.
 */
export function statusReader(options: StatusReaderOptions): (waitMs: number) => Promise<Status> {
  const { collection, account, clock, version, telemetryPath, areCredentialsIgnored } = options;
  let last: { readonly described: Described; readonly status: Status } | undefined;

  /** Described once per change, station by station, because that takes a while; others have their turn in between. */
  const describing = versionedCache(options, async () => {
    // Asked before anything is described: a status that is kept is of one instant, because whatever changes
    // or has to be withdrawn from here on outdates it at once.
    const untilMs = leastOf(untilOf(collection.shownStations()));
    return { value: await describe(options, clock.nowMs()), untilMs };
  });

  function statusOf(described: Described): Status {
    const atMs = clock.nowMs();
    if (last?.described === described) {
      const ageMs = atMs - last.status.atMs;
      if (ageMs >= 0 && ageMs < SAME_FOR_MS) return last.status;
    }
    // A session changes without any change of what was collected.
    const session = account.sessionStatus();
    const problems = [...accountProblems({ ...described, session })];
    const { isSimulated, ...lists } = described;
    const status: Status = {
      atMs,
      version,
      telemetryPath,
      isSimulated,
      areCredentialsIgnored,
      problems,
      session,
      ...lists,
    };
    last = { described, status };
    return status;
  }

  return async (waitMs) => {
    await collection.refresh(waitMs);
    return statusOf(await describing.current());
  };
}

/** Yields when something else is shown of each target. */
function* untilOf(stations: Iterable<Iterable<Shown>>): Generator<number> {
  for (const station of stations) for (const { untilMs } of station) yield untilMs;
}

async function describe(
  { account, self, collection, stationOf, dayCurves }: StatusReaderOptions,
  nowMs: number,
): Promise<Described> {
  let ofAccount: readonly CollectorStatus[] = [];
  const stations: StationPageStatus[] = [];
  for (const { stationId, isUp, outcomes } of collection.status()) {
    const collectors = outcomes.map(describeOutcome);
    const values = stationId === undefined ? undefined : stationOf(stationId);
    if (stationId === undefined) ofAccount = collectors;
    else if (values !== undefined) {
      const curve = dayCurves.of(stationId, nowMs);
      stations.push(await describeStation({ stationId, isUp, collectors }, values, curve));
    }
  }
  const requests = await self.requestCounts();
  return { isSimulated: account.isSimulated(), account: ofAccount, stations, requests };
}

function describeOutcome({ isSuccess, error, ...outcome }: CollectorOutcome): CollectorStatus {
  if (isSuccess) return outcome;
  return { ...outcome, ...text('reason', reasonOf(error)), remedy: remedyFor(error) };
}
