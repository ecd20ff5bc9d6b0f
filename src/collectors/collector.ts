import type { ServiceApi } from '../client/api.ts';
import type { Device, Station } from '../model/station.ts';
import type { CollectorMetric } from './metric.ts';

/** How long answers count as fresh, and how long readings may be served at all. */
export interface CacheLifetimes {
  readonly readingsTtlMs: number;
  readonly summaryTtlMs: number;
  readonly devicesTtlMs: number;
  readonly settingsTtlMs: number;
  readonly alarmsTtlMs: number;
  readonly maxAgeMs: number;
}

/** When a snapshot is due again, and when it is withdrawn, both counted from its fetch. */
export interface Lifetime {
  readonly ttlMs: number;
  readonly servedForMs: number;
}

export interface StationTarget {
  readonly station: Station;
  /** Those in its device list; none before it was read. */
  readonly devices: readonly Device[];
}

export interface DeviceTarget {
  readonly station: Station;
  readonly device: Device;
}

/** What to ask of a target, how often, and which metrics come of it. */
export interface Collector<Target, Fetched, Shown = Fetched> {
  readonly name: string;
  readonly lifetime: (lifetimes: CacheLifetimes) => Lifetime;
  readonly fetch: (api: ServiceApi, target: Target) => Promise<Fetched>;
  /** How what may be shown changes while nothing is fetched; not at all where left out. */
  readonly ageing?: Ageing<Fetched, Shown>;
  /** When, by our clock, a value is over: withdrawn then, and due, whatever its lifetime. */
  readonly endsAtMs?: (value: Fetched) => number;
  /** Whether a value is so unlikely that it is asked for again soon, whatever its lifetime. */
  readonly isDoubtful?: (value: Fetched) => boolean;
  readonly metrics: readonly CollectorMetric<Shown>[];
}

/** A value of which parts grow too old, each at its own time. */
export interface Ageing<Fetched, Shown> {
  readonly shownAt: (value: Fetched, nowMs: number, lifetimes: CacheLifetimes) => Shown;
  /** The first instant after `nowMs` at which less is shown. */
  readonly changesAtMs: (value: Fetched, nowMs: number, lifetimes: CacheLifetimes) => number;
}

/** For what is live or nothing: withdrawn at the maximum age, and so due at the latest then. */
export function liveFor(ttlMs: number, maxAgeMs: number): Lifetime {
  return { ttlMs: Math.min(ttlMs, maxAgeMs), servedForMs: maxAgeMs };
}

/** For what changes slowly: served on for the maximum age after it became due. */
export function slowlyChanging(ttlMs: number, maxAgeMs: number): Lifetime {
  return { ttlMs, servedForMs: ttlMs + maxAgeMs };
}
