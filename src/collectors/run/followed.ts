import { wasSetBack } from '../../base/not-before.ts';
import type { Lasting } from '../collector.ts';
import { joined, type Labels } from '../metric.ts';
import {
  type Snapshot,
  SnapshotCache,
  type SnapshotCacheOptions,
  type SnapshotSource,
} from '../snapshot-cache.ts';
import type { ListHolder } from './limited-list.ts';
import { type ShownSamples, type ShownSource, ShownTarget } from './shown-target.ts';

/** A target, and the labels that its samples carry beside those of the run. */
export interface FollowedTarget<Target> {
  readonly target: Target;
  readonly labels?: Labels | undefined;
}

/** What a run does for the targets that it follows. */
export interface FollowingRun<Target, Value, Shown> {
  readonly labels: Labels;
  fetch(followed: Followed<Target, Value, Shown>, previous: Value | undefined): Promise<Value>;
  /** Takes note of the end of a fetch. */
  fetched(): void;
}

/** A target that a run follows, and what was fetched of it. There are many: whatever they share is not in here. */
export class Followed<Target, Value, Shown> implements ListHolder, SnapshotSource<Value> {
  target: Target;
  /** The labels of the run and of the target together. */
  labels: Labels;
  held: number | undefined = 0;
  readonly cache: SnapshotCache<Value>;
  /** The labels of the target alone. */
  readonly own: Labels | undefined;
  #run: FollowingRun<Target, Value, Shown>;
  /** What was shown of it when that was last asked for. */
  #shown: ShownTarget<Value, Shown> | undefined = undefined;
  /** What was shown of it beyond its value. */
  #lasting: LastingSamples<Value> | undefined = undefined;

  constructor(
    run: FollowingRun<Target, Value, Shown>,
    { target, labels: own }: FollowedTarget<Target>,
    cacheOptions: SnapshotCacheOptions<Value>,
  ) {
    this.#run = run;
    this.target = target;
    this.own = own;
    this.labels = joined(run.labels, own);
    this.cache = new SnapshotCache(this, cacheOptions);
  }

  /** Leaves it to another run of the same collector, with a fetch that may be under way. */
  moveTo(run: FollowingRun<Target, Value, Shown>): void {
    this.#run = run;
    this.labels = joined(run.labels, this.own);
  }

  /** Returns what is shown of it, as the same object until something else is; absent where nothing may be shown. */
  shownAt(nowMs: number, source: ShownSource<Value, Shown>): ShownTarget<Value, Shown> | undefined {
    const { cache, labels } = this;
    if (this.#shown?.holds(cache.latest(), labels, nowMs) === true) return this.#shown;
    const snapshot = cache.servable();
    this.#shown =
      snapshot && new ShownTarget(source, { snapshot, labels }, nowMs, cache.withdrawnAtMs);
    return this.#shown;
  }

  /** Returns what is shown of it for longer than its value, as the same object until something else is. */
  lastingAt(nowMs: number, lasting: Lasting<Target>): ShownSamples | undefined {
    const { cache, labels, target } = this;
    const snapshot = cache.latest();
    const held = this.#lasting;
    const isSame = held?.snapshot === snapshot && held?.labels === labels;
    if (isSame && nowMs >= held.fromMs && nowMs < held.untilMs) return held;
    this.#lasting = undefined;
    if (snapshot === undefined || wasSetBack(snapshot.fetchedAtMs, nowMs)) return undefined;
    const endsAtMs = snapshot.fetchedAtMs + lasting.servedForMs;
    if (nowMs >= endsAtMs) return undefined;
    this.#lasting = {
      snapshot,
      labels,
      fromMs: nowMs,
      untilMs: Math.min(endsAtMs, lasting.changesAtMs(target, nowMs)),
      samples: () => lasting.samples(target, labels),
    };
    return this.#lasting;
  }

  /** Takes note that something has changed, beside the time and the value, on which it depends what is shown. */
  reconsiderShown(): void {
    this.#shown = undefined;
  }

  fetchValue(previous: Value | undefined): Promise<Value> {
    return this.#run.fetch(this, previous);
  }

  changed(): void {
    this.#run.fetched();
  }
}

interface LastingSamples<Value> extends ShownSamples {
  readonly snapshot: Snapshot<Value>;
  readonly labels: Labels;
  readonly fromMs: number;
}
