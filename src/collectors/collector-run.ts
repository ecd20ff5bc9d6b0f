import type { ServiceApi } from '../client/api.ts';
import type { Outcome } from '../client/observer.ts';
import type { Clock } from '../clock.ts';
import { outcomeOf } from '../errors.ts';
import type { Logger } from '../log.ts';
import type { CacheLifetimes, Collector } from './collector.ts';
import type { Labels, Sample } from './metric.ts';
import type { CollectorOutcome, Run } from './run.ts';
import { SnapshotCache } from './snapshot-cache.ts';

/** What every part of a collection needs from outside. */
export interface CollectionContext {
  readonly api: ServiceApi;
  readonly clock: Clock;
  readonly random: () => number;
  readonly lifetimes: CacheLifetimes;
  readonly log: Logger;
  /** Told after every fetch that something on the page may have changed. */
  readonly changed: () => void;
}

/** A target and the labels that its samples carry beside those of the run. */
export interface FollowedTarget<Target> {
  readonly target: Target;
  readonly labels?: Labels;
}

interface Followed<Target, Value> {
  target: Target;
  /** Those of the run and of the target together. */
  labels: Labels;
  readonly cache: SnapshotCache<Value>;
}

/** One collector at work for one station: a cache per target, and how the last round went. */
export class CollectorRun<Target, Value, Shown = Value> implements Run {
  readonly #collector: Collector<Target, Value, Shown>;
  readonly #context: CollectionContext;
  readonly #labels: Labels;
  readonly #followed = new Map<string, Followed<Target, Value>>();
  #outcome: Omit<CollectorOutcome, 'isServed'> | undefined;

  /** @param labels - those that every sample and log line of this run carries. */
  constructor(
    collector: Collector<Target, Value, Shown>,
    context: CollectionContext,
    labels: Labels,
  ) {
    this.#collector = collector;
    this.#context = context;
    this.#labels = labels;
  }

  /** Takes up new targets, by id, brings known ones up to date, and forgets all others. */
  follow(targets: ReadonlyMap<string, FollowedTarget<Target>>): void {
    for (const id of this.#followed.keys()) if (!targets.has(id)) this.#followed.delete(id);
    for (const [id, { target, labels }] of targets) {
      const known = this.#followed.get(id);
      if (known !== undefined) known.target = target;
      else this.#followed.set(id, this.#followedFrom(target, { ...this.#labels, ...labels }));
    }
  }

  /** Goes on from what another run of the same collector brought. */
  adopt(previous: CollectorRun<Target, Value, Shown>, isRetrying: boolean): void {
    this.#outcome = previous.#outcome;
    for (const [id, { target, labels, cache }] of previous.#followed) {
      const followed = this.#followedFrom(target, labels);
      followed.cache.adopt(cache, isRetrying);
      this.#followed.set(id, followed);
    }
  }

  /** Fetches what is due, or joins a fetch under way. Never rejects. */
  async refresh(): Promise<void> {
    const due = [...this.#followed.values()].filter(({ cache }) => cache.isDue());
    // Whoever only waits for fetches under way is part of the round that began them.
    const isRound = due.some(({ cache }) => !cache.isFetching);
    const startedAtMs = this.#context.clock.nowMs();
    await Promise.all(due.map(({ cache }) => cache.refreshIfDue()));
    if (isRound) this.#roundEnded(startedAtMs);
  }

  get name(): string {
    return this.#collector.name;
  }

  outcome(): CollectorOutcome | undefined {
    if (this.#followed.size === 0 || this.#outcome === undefined) return undefined;
    const isServed = [...this.#followed.values()].every(
      ({ cache }) => cache.servable() !== undefined,
    );
    return { ...this.#outcome, isServed };
  }

  /** The value last fetched for a target, however old. */
  latest(id: string): Value | undefined {
    return this.#followed.get(id)?.cache.latest()?.value;
  }

  get nextFetchAtMs(): number {
    return least(this.#followed, ({ cache }) => cache.nextFetchAtMs);
  }

  get nextWithdrawalAtMs(): number {
    const nowMs = this.#context.clock.nowMs();
    const { lifetimes } = this.#context;
    const { ageing } = this.#collector;
    return least(this.#followed, ({ cache }) => {
      const snapshot = cache.servable();
      if (snapshot === undefined) return Number.POSITIVE_INFINITY;
      const changesAtMs = ageing?.changesAtMs(snapshot.value, nowMs, lifetimes);
      return Math.min(cache.withdrawnAtMs, changesAtMs ?? Number.POSITIVE_INFINITY);
    });
  }

  *samples(): Generator<Sample> {
    const nowMs = this.#context.clock.nowMs();
    const { lifetimes } = this.#context;
    const { ageing } = this.#collector;
    for (const { cache, labels } of this.#followed.values()) {
      const snapshot = cache.servable();
      if (snapshot === undefined) continue;
      const { value } = snapshot;
      // What does not age is shown as it was fetched.
      const shown = ageing?.shownAt(value, nowMs, lifetimes) ?? (value as unknown as Shown);
      for (const { name, read } of this.#collector.metrics) {
        for (const point of read(shown)) {
          // Most points add no labels; those of a target then share one object, and its rendering.
          const own = point.labels === undefined ? labels : { ...labels, ...point.labels };
          yield { name, labels: own, value: point.value };
        }
      }
    }
  }

  #followedFrom(target: Target, labels: Labels): Followed<Target, Value> {
    const { api, clock, random, lifetimes, changed } = this.#context;
    const lifetime = this.#collector.lifetime(lifetimes);
    const followed: Followed<Target, Value> = {
      target,
      labels,
      // The target may have been brought up to date by the time it is asked.
      cache: new SnapshotCache(() => this.#collector.fetch(api, followed.target), {
        lifetime,
        endsAtMs: this.#collector.endsAtMs,
        isDoubtful: this.#collector.isDoubtful,
        clock,
        random,
        changed,
      }),
    };
    return followed;
  }

  #roundEnded(startedAtMs: number): void {
    const nowMs = this.#context.clock.nowMs();
    const failed = [...this.#followed.values()].filter(
      ({ cache }) => cache.lastError !== undefined,
    );
    const [first] = failed;
    const code = first === undefined ? 'ok' : outcomeOf(first.cache.lastError);
    if (code !== (this.#outcome?.code ?? 'ok')) this.#report(code, failed);
    this.#outcome = {
      collector: this.#collector.name,
      isSuccess: failed.length === 0,
      code,
      durationSeconds: (nowMs - startedAtMs) / 1000,
      lastSuccessAtMs: failed.length === 0 ? nowMs : this.#outcome?.lastSuccessAtMs,
    };
    this.#context.changed();
  }

  /** One line when a collector starts failing, fails differently, or recovers; none in between. */
  #report(code: Outcome, failed: readonly Followed<Target, Value>[]): void {
    const [first] = failed;
    const { log } = this.#context;
    const collector = this.#collector.name;
    if (first === undefined) {
      log.info({ collector, ...this.#labels }, 'collector recovered');
      return;
    }
    const counts = { failed: failed.length, targets: this.#followed.size };
    const level = code === 'UNEXPECTED' ? 'error' : 'warn';
    // The first to fail stands for all: its labels say where to look.
    log[level](
      { collector, ...first.labels, code, ...counts, err: first.cache.lastError },
      'collector failed',
    );
  }
}

function least<T>(targets: ReadonlyMap<string, T>, instantOf: (target: T) => number): number {
  let earliest = Number.POSITIVE_INFINITY;
  for (const target of targets.values()) earliest = Math.min(earliest, instantOf(target));
  return earliest;
}
