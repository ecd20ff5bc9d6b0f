import type { Clock } from '../base/clock.ts';
import { oneAtATime } from '../base/concurrency.ts';
import type { Collection } from '../collectors/collection.ts';
import type { SelfMetrics } from './self.ts';

/** Where changes come from: what is collected of all stations or of one, what is counted, and the time. */
export interface ChangeSources {
  readonly collection: Pick<Collection, 'version' | 'nextFetchAtMs'>;
  /** Absent for a value that holds no counts. */
  readonly self?: Pick<SelfMetrics, 'version'>;
  readonly clock: Clock;
}

/** A value, and until when it is right if nothing changes: then something in it has to be withdrawn. */
export interface Made<Value> {
  readonly value: Value;
  readonly untilMs: number;
}

interface Cached<Value> extends Made<Value> {
  readonly version: number;
  readonly madeAtMs: number;
  readonly nextFetchAtMs: number;
}

/**
 * Keeps a value made from the collection and the counts until either changes, a collected value has to
 * be withdrawn, or the clock is set back.
 */
export class VersionedCache<Value> {
  readonly #sources: ChangeSources;
  readonly #remake: () => Promise<Value>;
  #cached: Cached<Value> | undefined;

  /** @param make - makes the value of this moment. */
  constructor(sources: ChangeSources, make: () => Promise<Made<Value>>) {
    this.#sources = sources;
    // What one caller waited for may have been made for another since.
    this.#remake = oneAtATime(async () => this.#correct() ?? this.#make(make));
  }

  /** Returns the last value while it is still correct, else a new one, which is made once for all who ask. */
  async current(): Promise<Value> {
    return this.#correct() ?? this.#remake();
  }

  /** Returns the last value while it is still correct and no fetch is due. */
  settled(): Value | undefined {
    const isFetchDue = this.#sources.clock.nowMs() >= (this.#cached?.nextFetchAtMs ?? 0);
    return isFetchDue ? undefined : this.#correct();
  }

  /** A change that happens meanwhile makes the new value outdated at once. */
  async #make(make: () => Promise<Made<Value>>): Promise<Value> {
    const { collection, clock } = this.#sources;
    const version = this.#version();
    const { nextFetchAtMs } = collection;
    const madeAtMs = clock.nowMs();
    const made = await make();
    this.#cached = { ...made, version, madeAtMs, nextFetchAtMs };
    return made.value;
  }

  #correct(): Value | undefined {
    const cached = this.#cached;
    const nowMs = this.#sources.clock.nowMs();
    // Its time is to come where the clock was set back.
    const isRight = cached?.version === this.#version() && nowMs >= cached.madeAtMs;
    return isRight && nowMs < cached.untilMs ? cached.value : undefined;
  }

  #version(): number {
    return this.#sources.collection.version + (this.#sources.self?.version ?? 0);
  }
}
