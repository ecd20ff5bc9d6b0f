import type { Clock } from '../base/clock.ts';
import { oneAtATime } from '../base/concurrency.ts';
import type { Collection } from '../collectors/collection.ts';
import type { SelfMetrics } from './self.ts';

/** The sources of changes: what is collected of all stations or of one, the counts, and the time. */
export interface ChangeSources {
  readonly collection: Pick<Collection, 'version' | 'nextFetchAtMs'>;
  /** Absent for a value that holds no counts. */
  readonly self?: Pick<SelfMetrics, 'version'>;
  readonly clock: Clock;
}

/** A value, and until when it is correct if nothing changes: at that time, a part of it has to be withdrawn. */
export interface Made<Value> {
  readonly value: Value;
  readonly untilMs: number;
}

/** A value that is made once per change. */
export interface VersionedCache<Value> {
  /** Returns the last value while it is still correct, else a new one, which is made once for all callers. */
  current(): Promise<Value>;
  /** Returns the last value while it is still correct and no fetch is due. */
  settled(): Value | undefined;
}

/**
 * Keeps a value made from the collection and the counts until either changes, a collected value has to
 * be withdrawn, or the clock is set back.
 *
 * @param make - makes the value of this moment.
 */
export function versionedCache<Value>(
  { collection, self, clock }: ChangeSources,
  make: () => Promise<Made<Value>>,
): VersionedCache<Value> {
  type Cached = Made<Value> & Record<'version' | 'madeAtMs' | 'nextFetchAtMs', number>;
  let cached: Cached | undefined;
  const versionNow = (): number => collection.version + (self?.version ?? 0);

  function correct(): Value | undefined {
    const nowMs = clock.nowMs();
    // A time in the future means that the clock was set back.
    if (cached?.version !== versionNow() || nowMs < cached.madeAtMs) return undefined;
    return nowMs < cached.untilMs ? cached.value : undefined;
  }

  const remake = oneAtATime(async () => {
    // The value may have been made for another caller in the meantime.
    const known = correct();
    if (known !== undefined) return known;
    // The version is read first, so that a change during `make` makes the new value outdated.
    const now = {
      version: versionNow(),
      nextFetchAtMs: collection.nextFetchAtMs,
      madeAtMs: clock.nowMs(),
    };
    const made = await make();
    cached = { ...made, ...now };
    return made.value;
  });

  return {
    current: async () => correct() ?? remake(),
    settled: () => (clock.nowMs() >= (cached?.nextFetchAtMs ?? 0) ? undefined : correct()),
  };
}
