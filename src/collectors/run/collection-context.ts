import type { Clock } from '../../base/clock.ts';
import type { DropLog } from '../../base/drop-log.ts';
import type { Logger } from '../../base/log.ts';
import type { CacheLifetimes, CollectorApi } from '../collector.ts';
import type { Labels } from '../metric.ts';
import type { SharedLimits } from '../shared-limits.ts';

/** What every part of a collection depends on. */
export interface CollectionContext {
  readonly api: CollectorApi;
  /** Carried first by every sample, status and log line; absent: none. */
  readonly labels?: Labels | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  /** Returns a number that is greater than every one before: who was asked first is first again. */
  readonly nextTurn: () => number;
  readonly lifetimes: CacheLifetimes;
  readonly log: Logger;
  readonly limits: SharedLimits;
  /** Takes up what limits leave out. */
  readonly drops: DropLog;
  /** Called after every fetch, because something on the page may have changed. */
  readonly changed: () => void;
}
