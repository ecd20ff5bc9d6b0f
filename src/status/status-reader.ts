import type { Clock } from '../base/clock.ts';
import { turn } from '../base/turns.ts';
import type { Collection } from '../collectors/collection.ts';
import type { Shown } from '../collectors/target.ts';
import type { RefreshTracker } from '../metrics/scrape.ts';
import type { AccountView, SelfMetrics } from '../metrics/self.ts';
import { type Made, VersionedCache } from '../metrics/versioned-cache.ts';
import type { DayCurve } from '../model/day-curve.ts';
import { leastOf } from '../model/units.ts';
import { describeStatus, type StatusParts, withSessions } from './describe-status.ts';
import type { Status } from './status.ts';

/** What the status needs of an account. */
export type StatusAccount = Pick<AccountView, 'account' | 'sessionStatus' | 'isSimulated'> & {
  readonly counts: Pick<AccountView['counts'], 'requestCounts'>;
};

export interface StatusReaderOptions {
  readonly collection: Pick<Collection, 'refresh' | 'status' | 'version' | 'nextFetchAtMs'> & {
    readonly shownStations: () => Iterable<Iterable<Shown>>;
    readonly station: StatusParts['valuesOf'];
    /** Today's curve of a station, at an instant of that day. */
    readonly dayCurve: (
      stationId: string,
      account: string | undefined,
      atMs: number,
    ) => DayCurve | undefined;
  };
  readonly self: Pick<SelfMetrics, 'version'>;
  readonly accounts: readonly StatusAccount[];
  readonly areCredentialsIgnored: boolean;
  readonly version: string;
  readonly telemetryPath: string;
  readonly refreshes: RefreshTracker;
  readonly clock: Clock;
}

/** Who asks within this time gets the same status, and so the pages that were made of it. */
const SAME_FOR_MS = 1000;

/** Reads the status; like a scrape, it asks the service only for what is due. */
export class StatusReader {
  readonly #options: StatusReaderOptions;
  /** Described once per change, because that takes a while for a thousand devices. */
  readonly #statuses: VersionedCache<Status>;
  #last: { readonly described: Status; readonly status: Status } | undefined;

  constructor(options: StatusReaderOptions) {
    this.#options = options;
    this.#statuses = new VersionedCache(options, () => this.#describe());
  }

  /**
   * Returns the status of this moment, or of up to a second ago if nothing has changed since. Waits at most
   * `waitMs` for the service; a refresh that takes longer goes on in the background.
   */
  async read(waitMs: number): Promise<Status> {
    const { collection, clock, refreshes } = this.#options;
    const settled = this.#statuses.settled();
    if (settled !== undefined) return this.#withTime(settled);
    if (clock.nowMs() >= collection.nextFetchAtMs)
      await refreshes.waitAtMost(waitMs, () => collection.refresh());
    return this.#withTime(await this.#statuses.current());
  }

  #withTime(described: Status): Status {
    const { clock, accounts } = this.#options;
    const nowMs = clock.nowMs();
    if (this.#last?.described === described) {
      const ageMs = nowMs - this.#last.status.atMs;
      if (ageMs >= 0 && ageMs < SAME_FOR_MS) return this.#last.status;
    }
    const sessions = accounts.map(({ sessionStatus }) => sessionStatus());
    const status = { ...withSessions(described, sessions), atMs: nowMs };
    this.#last = { described, status };
    return status;
  }

  async #describe(): Promise<Made<Status>> {
    const { collection, accounts, clock } = this.#options;
    const { version, telemetryPath, areCredentialsIgnored } = this.#options;
    const requests = await Promise.all(accounts.map(({ counts }) => counts.requestCounts()));
    // Each of these looks at every device.
    if (turn.isOver()) await turn.next();
    // Asked before anything is described: a status that is kept is of one instant, because whatever changes
    // or has to be withdrawn from here on outdates it at once.
    const untilMs = leastOf(untilOf(collection.shownStations()));
    if (turn.isOver()) await turn.next();
    const statuses = collection.status();
    if (turn.isOver()) await turn.next();
    const atMs = clock.nowMs();
    const value = await describeStatus({
      atMs,
      version,
      telemetryPath,
      areCredentialsIgnored,
      accounts: accounts.map(({ account, sessionStatus, isSimulated }, index) => ({
        account,
        session: sessionStatus(),
        isSimulated: isSimulated(),
        requests: requests[index] ?? [],
      })),
      statuses,
      valuesOf: (stationId, account) => collection.station(stationId, account),
      curveOf: (stationId, account) => collection.dayCurve(stationId, account, atMs),
    });
    return { value, untilMs };
  }
}

/** Yields when something else is shown of each target. */
function* untilOf(stations: Iterable<Iterable<Shown>>): Generator<number> {
  for (const station of stations) for (const { untilMs } of station) yield untilMs;
}
