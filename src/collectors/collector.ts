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

/** When a snapshot is due again, and when it is withdrawn, both counted from its fetch. */
interface Lifetime {
  readonly ttlMs: number;
  readonly servedForMs: number;
}

export interface StationSubject {
  readonly station: Station;
  /** The devices in its device list; none before the list was read. */
  readonly devices: readonly Device[];
}

/** What a device list is asked for. */
export interface DeviceListSubject {
  readonly station: Station;
  /** Whether the list of another station has a device. */
  readonly isListedElsewhere: (deviceId: string) => boolean;
}

/** What the station list is asked for. */
export interface AccountSubject {
  /** Returns the known devices of a station. */
  readonly devicesOf: (stationId: string) => readonly Device[];
}

export interface DeviceSubject {
  readonly station: Station;
  readonly device: Device;
}

/** What a fetch goes on from. */
export interface FetchContext<Fetched> {
  /** The value fetched before, however old; absent before the first. */
  readonly previous: Fetched | undefined;
  /** The age at which readings are withdrawn. */
  readonly maxAge: MaxAge;
  readonly nowMs: () => number;
  readonly log: Logger;
}

/** What collectors may ask the service: they change nothing there, and occupy no device. */
export type CollectorApi = Omit<ServiceApi, 'changeSettings' | 'readSettingsFromDevice'>;

/** What to ask about a subject, how often, and which metrics are read from the answer. */
export interface Collector<Subject, Fetched, Shown = Fetched> {
  readonly name: string;
  readonly lifetime: (lifetimes: CacheLifetimes, value: Fetched) => Lifetime;
  readonly fetch: (
    api: CollectorApi,
    subject: Subject,
    context: FetchContext<Fetched>,
  ) => Promise<Fetched>;
  /** Lets go of what the client knows of a subject that is there no more. */
  readonly forget?: (api: CollectorApi, subject: Subject) => void;
  /** What is wrong with a value that is shown all the same; the collector fails then. */
  readonly problemOf?: (value: Fetched) => ServiceError | undefined;
  /** How parts of a fetched value grow too old to show; left out where only the whole value does. */
  readonly ageing?: Ageing<Fetched, Shown>;
  /** When, by our clock, a value ends: it is withdrawn and fetched again then, whatever its lifetime. */
  readonly endsAtMs?: (value: Fetched) => number;
  /** When, by our clock, a value fetched at that time is due again at the latest, whatever its lifetime. */
  readonly dueAtMs?: (value: Fetched, fetchedAtMs: number) => number;
  /** Whether a value is so unlikely that it is fetched again soon, whatever its lifetime. */
  readonly isDoubtful?: (value: Fetched) => boolean;
  readonly metrics: readonly Metric<Shown>[];
  /** What is shown of a subject for longer than its value. */
  readonly lasting?: Lasting<Subject> | undefined;
}

/** What is shown of a subject for a while after each value, whatever becomes of the value. */
export interface Lasting<Subject> {
  /** Counted from the last fetch that succeeded. */
  readonly servedForMs: number;
  readonly samples: (subject: Subject, labels: Labels) => Iterable<Sample>;
  /** The first instant after `nowMs` at which something else may be shown. */
  readonly changesAtMs: (subject: Subject, nowMs: number) => number;
}

/** How the parts of a value grow too old, each at its own time. */
export interface Ageing<Fetched, Shown> {
  readonly shownAt: (value: Fetched, nowMs: number, lifetimes: CacheLifetimes) => Shown;
  /** The first instant after `nowMs` at which less is shown. */
  readonly changesAtMs: (value: Fetched, nowMs: number, lifetimes: CacheLifetimes) => number;
}

/** Returns the lifetime of values that change slowly: served for the maximum age after they became due. */
export function slowlyChanging(ttlMs: number, maxAge: MaxAge): Lifetime {
  return { ttlMs, servedForMs: ttlMs + maxAgeMs(maxAge) };
}
