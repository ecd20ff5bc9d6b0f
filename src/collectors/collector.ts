import type { ServiceError } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import type { ServiceApi } from '../client/client.ts';
import { type MaxAge, maxAgeMs } from '../model/cadence.ts';
import type { Device, Station } from '../model/station.ts';
import type { Labels, Metric, Sample } from './metric.ts';

/** How long answers count as fresh, and how old a reading may be to be shown at all. */
export interface CacheLifetimes {
  /** `auto`: until the next reading of the device can have arrived. */
  readonly readingsTtlMs: number | 'auto';
  readonly summaryTtlMs: number;
  readonly devicesTtlMs: number;
  readonly settingsTtlMs: number;
  readonly alarmsTtlMs: number;
  readonly maxAgeMs: MaxAge;
}

/** How long a value is valid, by its content and the time of its fetch. */
export interface Validity {
  /** When, by our clock, the value is fetched again. */
  readonly dueAtMs: number;
  /** When, by our clock, it is withdrawn. */
  readonly servedUntilMs: number;
  /** Whether it is so unlikely that it is fetched again soon, even before it is due. */
  readonly isDoubtful?: boolean;
  /** What is wrong with a value that is shown nevertheless; the collector counts as failed then. */
  readonly problem?: ServiceError | undefined;
}

export interface StationSubject {
  readonly station: Station;
  /** The devices in its device list; none before the list was read. */
  readonly devices: readonly Device[];
}

export interface DeviceSubject {
  readonly station: Station;
  readonly device: Device;
  /** Whether other devices of the station may send the same values of the whole house; false when left out. */
  readonly isParallel?: boolean;
}

export interface FetchContext<Fetched> {
  /** The previous value, however old; absent at the first fetch. */
  readonly previous: Fetched | undefined;
  readonly lifetimes: CacheLifetimes;
  readonly nowMs: () => number;
  readonly log: Logger;
}

/** The requests that collectors may send: those that change nothing at the service, and occupy no device. */
export type CollectorApi = Omit<ServiceApi, 'changeSettings' | 'readSettingsFromDevice'>;

/**
 * What to ask about a subject, how often, and which metrics are read from the answer. Its functions are methods, so
 * that TypeScript accepts collectors of all types in one list: each one only gets values that it fetched itself.
 */
export interface Collector<Subject = unknown, Fetched = unknown, Shown = Fetched> {
  readonly name: string;
  /** Whether its values do not come from the service, and so wait for no request; false when left out. */
  readonly sendsNothing?: boolean;
  validity(lifetimes: CacheLifetimes, value: Fetched, fetchedAtMs: number): Validity;
  fetch(api: CollectorApi, subject: Subject, context: FetchContext<Fetched>): Promise<Fetched>;
  /** Leaves out the parts that are too old to show; missing where a value only expires as a whole. */
  shownAt?(
    nowMs: number,
    value: Fetched,
    lifetimes: CacheLifetimes,
    subject: Subject,
  ): ShownNow<Shown>;
  readonly metrics: readonly Metric<Shown>[];
  /** Samples of a subject that are shown for longer than its value. */
  readonly lasting?: Lasting<Subject> | undefined;
}

/** Samples of a subject that are shown for a while after each fetch, even after the value itself is withdrawn. */
export interface Lasting<Subject> {
  /** Counted from the last successful fetch. */
  readonly servedForMs: number;
  samples(subject: Subject, labels: Labels): Iterable<Sample>;
  /** The first instant after `nowMs` at which something else may be shown. */
  changesAtMs(subject: Subject, nowMs: number): number;
}

/** What is shown of a value at an instant. */
interface ShownNow<Shown> {
  /** The first instant at which less is shown. */
  readonly untilMs: number;
  readonly value: Shown;
}

/**
 * Returns the validity of values that change slowly: served for the maximum age after they became due.
 *
 * @param endsAtMs - when they are withdrawn and due at the latest, whatever their age.
 */
export function slowlyChanging(
  fetchedAtMs: number,
  ttlMs: number,
  maxAge: MaxAge,
  endsAtMs = Infinity,
): Validity {
  const dueAtMs = fetchedAtMs + ttlMs;
  return {
    dueAtMs: Math.min(dueAtMs, endsAtMs),
    servedUntilMs: Math.min(dueAtMs + maxAgeMs(maxAge), endsAtMs),
  };
}
