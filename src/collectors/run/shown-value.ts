import type { CacheLifetimes, Collector } from '../collector.ts';
import type { SnapshotCache } from '../snapshot-cache.ts';

type Ageing<Fetched, Shown> = Collector<never, Fetched, Shown>['ageing'];

/** Returns what may be shown of a fetched value now; what does not age is shown as it was fetched. */
export function shownValue<Fetched, Shown>(
  ageing: Ageing<Fetched, Shown>,
  fetched: Fetched,
  nowMs: number,
  lifetimes: CacheLifetimes,
): Shown {
  return ageing?.shownAt(fetched, nowMs, lifetimes) ?? (fetched as unknown as Shown);
}

/** Returns when something of the value in a cache has to be withdrawn from the page; never, where none is shown. */
export function nextWithdrawalAtMs<Fetched, Shown>(
  ageing: Ageing<Fetched, Shown>,
  cache: SnapshotCache<Fetched>,
  nowMs: number,
  lifetimes: CacheLifetimes,
): number {
  const snapshot = cache.servable();
  if (snapshot === undefined) return Number.POSITIVE_INFINITY;
  const changesAtMs = ageing?.changesAtMs(snapshot.value, nowMs, lifetimes);
  return Math.min(cache.withdrawnAtMs, changesAtMs ?? Number.POSITIVE_INFINITY);
}
