import { startEach } from '../../base/concurrency.ts';
import { leastOf } from '../../model/extremes.ts';
import type { Collector } from '../collector.ts';
import { type Labels, type Sample, samplesOf } from '../metric.ts';
import { SnapshotCache } from '../snapshot-cache.ts';
import type { CollectionContext } from './collection-context.ts';
import { LimitedList, type ListHolder } from './limited-list.ts';
import { type CollectorOutcome, Rounds } from './rounds.ts';
import { nextWithdrawalAtMs, shownValue } from './shown-value.ts';

/** A target, and the labels that its samples carry beside those of the run. */
export interface FollowedTarget<Target> {
  readonly target: Target;
  readonly labels?: Labels;
}

interface Followed<Target, Value, Shown> extends ListHolder {
  /** The run that has it now. */
  run: CollectorRun<Target, Value, Shown>;
  target: Target;
  /** The labels of the run and of the target together. */
  labels: Labels;
  readonly cache: SnapshotCache<Value>;
}

/** Runs one collector for one station: keeps a cache per target, and how the last round went. */
export class CollectorRun<Target, Value, Shown = Value> {
  readonly #collector: Collector<Target, Value, Shown>;
  readonly #context: CollectionContext;
  readonly #labels: Labels;
  readonly #followed = new Map<string, Followed<Target, Value, Shown>>();
  readonly #rounds: Rounds;
  readonly #lists: LimitedList<Value>;
  /** Whether a target came from another run since the last refresh. */
  #hasTakenOver = false;

  /** @param labels - carried by every sample and log line of this run. */
  constructor(
    collector: Collector<Target, Value, Shown>,
    context: CollectionContext,
    labels: Labels,
  ) {
    this.#collector = collector;
    this.#context = context;
    this.#labels = labels;
    this.#rounds = new Rounds(collector.name, context, labels);
    this.#lists = new LimitedList(collector, context);
  }

  /** Replaces the targets, by id: known ones keep their caches, and missing ones are forgotten. */
  follow(targets: ReadonlyMap<string, FollowedTarget<Target>>): void {
    for (const [id, followed] of this.#followed) if (!targets.has(id)) this.#forget(id, followed);
    for (const [id, { target, labels }] of targets) {
      const known = this.#followed.get(id);
      if (known !== undefined) known.target = target;
      else this.#followed.set(id, this.#followedFrom(target, { ...this.#labels, ...labels }));
    }
  }

  /** Takes a target over from another run of the same collector, with a fetch that may be under way. */
  takeOver(id: string, previous: CollectorRun<Target, Value, Shown>): void {
    const followed = previous.#followed.get(id);
    if (followed === undefined) return;
    previous.#followed.delete(id);
    followed.run = this;
    this.#hasTakenOver = true;
    if (this.#rounds.last === undefined) this.#rounds.adopt(previous.#rounds);
    followed.labels = { ...followed.labels, ...this.#labels };
    this.#followed.set(id, followed);
  }

  #forget(id: string, followed: Followed<Target, Value, Shown>): void {
    this.#followed.delete(id);
    this.#lists.release(followed);
    this.#collector.forget?.(this.#context.api, followed.target);
  }

  /** Takes over the targets, caches and outcome of another run of the same collector. */
  adopt(previous: CollectorRun<Target, Value, Shown>, isRetrying: boolean): void {
    this.#rounds.adopt(previous.#rounds);
    for (const [id, { target, labels, cache }] of previous.#followed) {
      const followed = this.#followedFrom(target, labels);
      followed.cache.adopt(cache, isRetrying);
      this.#lists.hold(followed, cache.latest()?.value);
      this.#followed.set(id, followed);
    }
  }

  /** Fetches what is due, or joins a running fetch. Never rejects. */
  async refresh(): Promise<void> {
    const due = [...this.#followed.values()].filter(({ cache }) => cache.isDue());
    // A caller that only joins running fetches does not start a round, unless another run began them.
    const isRound = this.#hasTakenOver || due.some(({ cache }) => !cache.isFetching);
    this.#hasTakenOver = false;
    const startedAtMs = this.#context.clock.nowMs();
    await startEach(due, ({ cache }) => cache.refreshIfDue());
    if (!isRound) return;
    this.#rounds.ended(startedAtMs, [...this.#followed.values()]);
    this.#context.changed();
  }

  get name(): string {
    return this.#collector.name;
  }

  /** Returns how the last round went; absent before the first has ended, and without targets. */
  outcome(): CollectorOutcome | undefined {
    const { last } = this.#rounds;
    if (this.#followed.size === 0 || last === undefined) return undefined;
    const isServed = [...this.#followed.values()].every(
      ({ cache }) => cache.servable() !== undefined,
    );
    return { ...last, isServed };
  }

  /** Returns the value last fetched for a target, however old. */
  latest(id: string): Value | undefined {
    return this.#followed.get(id)?.cache.latest()?.value;
  }

  /** When the next fetch is due; never, without targets. */
  get nextFetchAtMs(): number {
    return leastOf(this.#each(({ cache }) => cache.nextFetchAtMs));
  }

  /** When the next value has to be withdrawn from the page. */
  get nextWithdrawalAtMs(): number {
    const nowMs = this.#context.clock.nowMs();
    const { lifetimes } = this.#context;
    const { ageing } = this.#collector;
    return leastOf(this.#each(({ cache }) => nextWithdrawalAtMs(ageing, cache, nowMs, lifetimes)));
  }

  /** Returns what may be shown now, by target id: the values that the samples are read from. */
  shown(): ReadonlyMap<string, Shown> {
    const shown = new Map<string, Shown>();
    for (const { id, value } of this.#shownTargets()) shown.set(id, value);
    return shown;
  }

  /** Reads every sample that may be shown now. */
  *samples(): Generator<Sample> {
    for (const { value, labels } of this.#shownTargets())
      for (const sample of samplesOf(this.#collector.metrics, value, labels)) yield sample;
  }

  #followedFrom(target: Target, labels: Labels): Followed<Target, Value, Shown> {
    const { clock, random, lifetimes } = this.#context;
    const followed: Followed<Target, Value, Shown> = {
      run: this,
      target,
      labels,
      held: 0,
      // The target and its run may be others than when the cache was made.
      cache: new SnapshotCache((previous) => followed.run.#fetch(followed, previous), {
        lifetime: (value) => this.#collector.lifetime(lifetimes, value),
        dueAtMs: this.#collector.dueAtMs,
        endsAtMs: this.#collector.endsAtMs,
        isDoubtful: this.#collector.isDoubtful,
        problemOf: this.#collector.problemOf,
        clock,
        random,
        changed: () => followed.run.#context.changed(),
      }),
    };
    return followed;
  }

  async #fetch(
    followed: Followed<Target, Value, Shown>,
    previous: Value | undefined,
  ): Promise<Value> {
    const { api, clock, log } = this.#context;
    const value = await this.#collector.fetch(api, followed.target, {
      previous,
      others: () => this.#valuesBut(followed),
      nowMs: () => clock.nowMs(),
      log,
    });
    return this.#lists.limited(followed, value, previous);
  }

  *#valuesBut(one: Followed<Target, Value, Shown>): Generator<Value> {
    for (const followed of this.#followed.values()) {
      const snapshot = followed === one ? undefined : followed.cache.latest();
      if (snapshot !== undefined) yield snapshot.value;
    }
  }

  /** A generator, so that the values of a thousand devices are not held at once. */
  *#shownTargets(): Generator<{
    readonly id: string;
    readonly labels: Labels;
    readonly value: Shown;
  }> {
    const nowMs = this.#context.clock.nowMs();
    const { lifetimes } = this.#context;
    const { ageing } = this.#collector;
    // A list of its own, because targets may come and go between the slices of a page.
    for (const [id, { cache, labels }] of [...this.#followed]) {
      const snapshot = cache.servable();
      if (snapshot === undefined) continue;
      const value = shownValue(ageing, snapshot.value, nowMs, lifetimes);
      yield { id, labels, value };
    }
  }

  #each<T>(read: (followed: Followed<Target, Value, Shown>) => T): readonly T[] {
    return Array.from(this.#followed.values(), read);
  }
}
