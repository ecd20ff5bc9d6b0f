import type { SessionStatus } from '../client/session-status.ts';
import type { Clock } from '../clock.ts';
import type { Collection } from '../collectors/collection.ts';
import type { Refreshes } from '../metrics/refreshes.ts';
import type { SelfMetrics } from '../metrics/self.ts';
import { UntilChanged } from '../metrics/until-changed.ts';
import { describeStatus } from './describe-status.ts';
import type { Status } from './status.ts';

export interface StatusReaderOptions {
  readonly collection: Pick<
    Collection,
    'refresh' | 'samples' | 'status' | 'version' | 'nextFetchAtMs' | 'nextWithdrawalAtMs'
  >;
  readonly self: Pick<SelfMetrics, 'requestCounts' | 'version'>;
  readonly sessionStatus: () => SessionStatus;
  readonly version: string;
  readonly telemetryPath: string;
  readonly refreshes: Refreshes;
  readonly clock: Clock;
}

/** Reads the status as a scrape reads the page: what is due is asked for, and nothing else. */
export class StatusReader {
  readonly #options: StatusReaderOptions;
  /** A thousand devices have some 14,000 samples: they are gone through once per change. */
  readonly #statuses: UntilChanged<Status>;

  constructor(options: StatusReaderOptions) {
    this.#options = options;
    this.#statuses = new UntilChanged(options);
  }

  /** Waits at most `waitMs` for the service; a refresh that takes longer goes on by itself. */
  async read(waitMs: number): Promise<Status> {
    const { collection, clock, refreshes, sessionStatus } = this.#options;
    if (clock.nowMs() >= collection.nextFetchAtMs)
      await refreshes.within(waitMs, () => collection.refresh());
    const status = this.#statuses.current() ?? (await this.#statuses.make(() => this.#describe()));
    return { ...status, atMs: clock.nowMs(), session: sessionStatus() };
  }

  async #describe(): Promise<Status> {
    const { collection, self, sessionStatus, version, telemetryPath, clock } = this.#options;
    return describeStatus({
      atMs: clock.nowMs(),
      version,
      telemetryPath,
      session: sessionStatus(),
      statuses: collection.status(),
      samples: collection.samples(),
      requests: await self.requestCounts(),
    });
  }
}
