import type { Collector } from '../collector.ts';
import type { SnapshotCacheOptions } from '../snapshot-cache.ts';
import type { CollectionContext } from './collection-context.ts';

/** Returns what the caches of all targets of a run share. */
export function cacheOptionsOf<Value>(
  collector: Pick<
    Collector<never, Value, unknown>,
    'lifetime' | 'dueAtMs' | 'endsAtMs' | 'isDoubtful' | 'problemOf'
  >,
  { lifetimes, postponement, clock, random }: CollectionContext,
): SnapshotCacheOptions<Value> {
  return {
    lifetime: (value) => collector.lifetime(lifetimes, value),
    dueAtMs: collector.dueAtMs,
    endsAtMs: collector.endsAtMs,
    isDoubtful: collector.isDoubtful,
    problemOf: collector.problemOf,
    postponedUntil: postponement?.until,
    clock,
    random,
  };
}
