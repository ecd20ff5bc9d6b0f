import type { ServiceApi } from '../client/api.ts';
import type { Device, Station } from '../model/station.ts';
import type { CollectorMetric } from './metric.ts';

/** How long answers count as fresh, and how long readings may be served at all. */
export interface CacheLifetimes {
  readonly readingsTtlMs: number;
  readonly summaryTtlMs: number;
  readonly devicesTtlMs: number;
  readonly settingsTtlMs: number;
  readonly maxAgeMs: number;
}

/** When a snapshot is due again, and when it is withdrawn, both counted from its fetch. */
export interface Lifetime {
  readonly ttlMs: number;
  readonly servedForMs: number;
}

export interface StationTarget {
  readonly station: Station;
}

export interface DeviceTarget extends StationTarget {
  readonly device: Device;
}

/** What to ask of a target, how often, and which metrics come of it. */
export interface Collector<Target, Value> {
  readonly name: string;
  readonly lifetime: (lifetimes: CacheLifetimes) => Lifetime;
  readonly fetch: (api: ServiceApi, target: Target) => Promise<Value>;
  readonly metrics: readonly CollectorMetric<Value>[];
}

/** For what is live or nothing: withdrawn at the maximum age, and so due at the latest then. */
export function liveFor(ttlMs: number, maxAgeMs: number): Lifetime {
  return { ttlMs: Math.min(ttlMs, maxAgeMs), servedForMs: maxAgeMs };
}

/** For what changes slowly: served on for the maximum age after it became due. */
export function slowlyChanging(ttlMs: number, maxAgeMs: number): Lifetime {
  return { ttlMs, servedForMs: ttlMs + maxAgeMs };
}
