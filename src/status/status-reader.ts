import type { Clock } from '../base/clock.ts';
import { reasonOf, remedyFor } from '../base/remedies.ts';
import { turn } from '../base/turns.ts';
import type { SessionStatus } from '../client/session/session.ts';
import type { Collection } from '../collectors/collection.ts';
import type { DayCurves } from '../collectors/day-curves.ts';
import type { CollectorOutcome, Shown } from '../collectors/run.ts';
import { leastOf } from '../model/units.ts';
import type { AllCollections } from '../metrics/scrape.ts';
import type { AccountView, SelfMetrics } from '../metrics/self.ts';
import { versionedCache } from '../metrics/versioned-cache.ts';
import { describeStation, type StationValues } from './describe-station.ts';
import { text } from './known-fields.ts';
import { accountProblems } from './problems.ts';
import type { CollectorStatus, StationPageStatus, Status } from './status.ts';

/** What the status needs of an account. */
export type StatusAccount = Pick<AccountView, 'account' | 'sessionStatus' | 'isSimulated'> & {
  readonly counts: Pick<AccountView['counts'], 'requestCounts'>;
  readonly collection: Pick<Collection, 'status'> & {
    readonly station: (stationId: string) => StationValues | undefined;
  };
  readonly dayCurves: Pick<DayCurves, 'of'>;
};

export interface StatusReaderOptions {
  readonly collection: Omit<AllCollections, 'status'>;
  readonly self: Pick<SelfMetrics, 'version'>;
  readonly accounts: readonly StatusAccount[];
  readonly areCredentialsIgnored: boolean;
  readonly version: string;
  readonly telemetryPath: string;
  readonly clock: Clock;
}

/** What is said of an account until something changes. */
type DescribedAccount = Awaited<ReturnType<typeof describeAccount>>;

/** Who asks within this time gets the same status, and so the pages that were made of it. */
const SAME_FOR_MS = 1000;

/**
 * Returns what reads the status: that of this moment, or of up to a second ago if nothing has changed since. Like a
 * scrape, it asks the service only for what is due, and waits at most `waitMs`.
 */
export function statusReader(options: StatusReaderOptions): (waitMs: number) => Promise<Status> {
  const { collection, accounts, clock, version, telemetryPath, areCredentialsIgnored } = options;
  let last: { readonly accounts: readonly DescribedAccount[]; readonly status: Status } | undefined;

  /** Described once per change, account by account, because that takes a while; others have their turn in between. */
  const describing = versionedCache(options, async () => {
    // Asked before anything is described: a status that is kept is of one instant, because whatever changes
    // or has to be withdrawn from here on outdates it at once.
    const untilMs = leastOf(untilOf(collection.shownStations()));
    const value: DescribedAccount[] = [];
    for (const account of accounts) value.push(await describeAccount(account, clock.nowMs()));
    return { value, untilMs };
  });

  function statusOf(described: readonly DescribedAccount[]): Status {
    const atMs = clock.nowMs();
    if (last?.accounts === described) {
      const ageMs = atMs - last.status.atMs;
      if (ageMs >= 0 && ageMs < SAME_FOR_MS) return last.status;
    }
    // A session changes without any change of what was collected.
    const now = described.map((account) => ({ ...account, session: account.sessionStatus() }));
    const status: Status = {
      ...{ atMs, version, telemetryPath },
      isSimulated: described.every(({ isSimulated }) => isSimulated),
      areCredentialsIgnored,
      problems: now.flatMap(({ named, session, collectors, stations }) => [
        ...accountProblems({ session, collectors, ...named }, stations.length > 0),
      ]),
      session: now.map(({ session }) => session).reduce(worseOf),
      account: described.flatMap(({ named, collectors }) =>
        collectors.map((collector) => ({ ...named, ...collector })),
      ),
      ...(described.length > 1 && {
        accounts: now.map(({ named, isSimulated, session, collectors }) => {
          return { ...named, isSimulated, session, collectors };
        }),
      }),
      stations: described.flatMap(({ stations }) => stations),
      requests: described.flatMap(({ named, requests }) =>
        requests.map((count) => ({ ...named, ...count })),
      ),
    };
    last = { accounts: described, status };
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

async function describeAccount(
  { account, sessionStatus, isSimulated, counts, collection, dayCurves }: StatusAccount,
  nowMs: number,
) {
  const named = account === undefined ? {} : { account };
  let collectors: readonly CollectorStatus[] = [];
  const stations: StationPageStatus[] = [];
  for (const { stationId, isUp, outcomes } of collection.status()) {
    const described = outcomes.map(describeOutcome);
    const values = stationId === undefined ? undefined : collection.station(stationId);
    if (stationId === undefined) collectors = described;
    else if (values !== undefined) {
      const station = { ...named, stationId, isUp, collectors: described };
      const curve = dayCurves.of(stationId, nowMs);
      stations.push(await describeStation(station, values, curve));
      if (turn.isOver()) await turn.next();
    }
  }
  const requests = await counts.requestCounts();
  return { named, sessionStatus, isSimulated: isSimulated(), collectors, stations, requests };
}

function describeOutcome({ isSuccess, error, ...outcome }: CollectorOutcome): CollectorStatus {
  if (isSuccess) return outcome;
  return { ...outcome, ...text('reason', reasonOf(error)), remedy: remedyFor(error) };
}

/** Returns the session that needs a person more, for who looks at one alone: else the first. */
function worseOf(one: SessionStatus, other: SessionStatus): SessionStatus {
  const needOf = ({ isReauthenticationRequired, blockedUntilMs }: SessionStatus): number =>
    2 * Number(isReauthenticationRequired) + Number(blockedUntilMs !== undefined);
  return needOf(other) > needOf(one) ? other : one;
}
