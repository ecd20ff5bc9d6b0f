import type { SessionStatus } from '../client/session/session-status.ts';
import type { Clock } from '../base/clock.ts';
import type { Collection } from '../collectors/collection.ts';
import type { RefreshTracker } from '../metrics/refresh-tracker.ts';
import type { SelfMetrics } from '../metrics/self.ts';
import { VersionedCache } from '../metrics/versioned-cache.ts';
import { describeStatus, type StatusParts } from './describe-status.ts';
import type { Status } from './status.ts';

export interface StatusReaderOptions {
  readonly collection: Pick<
    Collection,
    'refresh' | 'status' | 'version' | 'nextFetchAtMs' | 'nextWithdrawalAtMs'
  > & { readonly station: StatusParts['valuesOf'] };
  readonly self: Pick<SelfMetrics, 'requestCounts' | 'version'>;
  readonly sessionStatus: () => SessionStatus;
  readonly isSimulated: () => boolean;
  readonly areCredentialsIgnored: boolean;
  readonly version: string;
  readonly telemetryPath: string;
  readonly refreshes: RefreshTracker;
  readonly clock: Clock;
}

/** Reads the status; like a scrape, it asks the service only for what is due. */
export class StatusReader {
  readonly #options: StatusReaderOptions;
  /** Described once per change, because that takes a while for a thousand devices. */
  readonly #statuses: VersionedCache<Status>;

  constructor(options: StatusReaderOptions) {
    this.#options = options;
    this.#statuses = new VersionedCache(options);
  }

  /** Waits at most `waitMs` for the service; a refresh that takes longer goes on in the background. */
  async read(waitMs: number): Promise<Status> {
    const { collection, clock, refreshes, sessionStatus } = this.#options;
    if (clock.nowMs() >= collection.nextFetchAtMs)
      await refreshes.waitAtMost(waitMs, () => collection.refresh());
    const status = this.#statuses.current() ?? (await this.#statuses.make(() => this.#describe()));
    return { ...status, atMs: clock.nowMs(), session: sessionStatus() };
  }

  async #describe(): Promise<Status> {
    const { collection, self, sessionStatus, isSimulated, clock } = this.#options;
    const { version, telemetryPath, areCredentialsIgnored } = this.#options;
    // Counted first: nothing is awaited after it, so that everything else is of one instant.
    const requests = await self.requestCounts();
    return describeStatus({
      atMs: clock.nowMs(),
      version,
      telemetryPath,
      isSimulated: isSimulated(),
      areCredentialsIgnored,
      session: sessionStatus(),
      statuses: collection.status(),
      valuesOf: (stationId) => collection.station(stationId),
      requests,
    });
  }
}
