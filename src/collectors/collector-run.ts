import type { ServiceApi } from '../client/api.ts';
import type { Outcome } from '../client/exchange/send-request.ts';
import type { Clock } from '../base/clock.ts';
import { outcomeOf } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import { startEach } from '../base/concurrency.ts';
import { elapsedMs } from '../base/not-before.ts';
import { leastOf } from '../model/extremes.ts';
import type { DropLog } from '../base/drop-log.ts';
import type { CacheLifetimes, Collector } from './collector.ts';
import type { SharedLimits } from './shared-limits.ts';
import { type Labels, type Sample, samplesOf } from './metric.ts';
import { SnapshotCache } from './snapshot-cache.ts';

/** What every part of a collection depends on. */
export interface CollectionContext {
  readonly api: ServiceApi;
  readonly clock: Clock;
  readonly random: () => number;
  readonly lifetimes: CacheLifetimes;
  readonly log: Logger;
  readonly limits: SharedLimits;
  /** Takes up what limits leave out. */
  readonly drops: DropLog;
  /** Called after every fetch, because something on the page may have changed. */
  readonly changed: () => void;
}

/** A target, and the labels that its samples carry beside those of the run. */
export interface FollowedTarget<Target> {
  readonly target: Target;
  readonly labels?: Labels;
}

/** How the last round of a collector went; a round is one pass that asked the service anything. */
export interface CollectorOutcome {
  readonly collector: string;
  readonly isSuccess: boolean;
  /** The code of the first failure; `ok` without one. */
  readonly code: Outcome;
  readonly durationSeconds: number;
  readonly lastSuccessAtMs: number | undefined;
  /** Whether the last good answer about every target may still be shown. */
  readonly isServed: boolean;
}

interface Followed<Target, Value, Shown> {
  /** The run that has it now. */
  run: CollectorRun<Target, Value, Shown>;
  target: Target;
  /** The labels of the run and of the target together. */
  labels: Labels;
  readonly cache: SnapshotCache<Value>;
  /** How many entries of the shared limit its value has; undefined once it is forgotten. */
  held: number | undefined;
}

/** Runs one collector for one station: keeps a cache per target, and how the last round went. */
export class CollectorRun<Target, Value, Shown = Value> {
  readonly #collector: Collector<Target, Value, Shown>;
  readonly #context: CollectionContext;
  readonly #labels: Labels;
  readonly #followed = new Map<string, Followed<Target, Value, Shown>>();
  #outcome: Omit<CollectorOutcome, 'isServed'> | undefined;
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
    this.#outcome ??= previous.#outcome;
    followed.labels = { ...followed.labels, ...this.#labels };
    this.#followed.set(id, followed);
  }

  #forget(id: string, followed: Followed<Target, Value, Shown>): void {
    this.#followed.delete(id);
    this.#hold(followed, undefined);
    this.#collector.forget?.(this.#context.api, followed.target);
  }

  /** Takes over the targets, caches and outcome of another run of the same collector. */
  adopt(previous: CollectorRun<Target, Value, Shown>, isRetrying: boolean): void {
    this.#outcome = previous.#outcome;
    for (const [id, { target, labels, cache }] of previous.#followed) {
      const followed = this.#followedFrom(target, labels);
      followed.cache.adopt(cache, isRetrying);
      this.#hold(followed, this.#lengthOf(cache.latest()?.value));
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
    if (isRound) this.#roundEnded(startedAtMs);
  }

  get name(): string {
    return this.#collector.name;
  }

  /** Returns how the last round went; absent before the first has ended, and without targets. */
  outcome(): CollectorOutcome | undefined {
    if (this.#followed.size === 0 || this.#outcome === undefined) return undefined;
    const isServed = [...this.#followed.values()].every(
      ({ cache }) => cache.servable() !== undefined,
    );
    return { ...this.#outcome, isServed };
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
    const changes = this.#each(({ cache }) => {
      const snapshot = cache.servable();
      if (snapshot === undefined) return Number.POSITIVE_INFINITY;
      const changesAtMs = ageing?.changesAtMs(snapshot.value, nowMs, lifetimes);
      return Math.min(cache.withdrawnAtMs, changesAtMs ?? Number.POSITIVE_INFINITY);
    });
    return leastOf(changes);
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
    return this.#limited(followed, value, previous);
  }

  /** Leaves out what is over the limits that all stations share. */
  #limited(
    followed: Followed<Target, Value, Shown>,
    value: Value,
    previous: Value | undefined,
  ): Value {
    const { list } = this.#collector;
    if (list === undefined || followed.held === undefined) return value;
    const { limits, drops } = this.#context;
    const length = list.lengthOf(value);
    const most = Math.max(0, limits.mostFor(list.name, followed.held));
    const labels = Object.values(followed.labels).join(', ');
    drops.note(`${this.name} of all, ${labels}`, list.name, Math.max(0, length - most));
    this.#hold(followed, Math.min(length, most));
    return length > most ? list.cut(value, most, previous) : value;
  }

  #lengthOf(value: Value | undefined): number {
    return value === undefined ? 0 : (this.#collector.list?.lengthOf(value) ?? 0);
  }

  #hold(followed: Followed<Target, Value, Shown>, held: number | undefined): void {
    const { list } = this.#collector;
    if (list !== undefined)
      this.#context.limits.change(list.name, (held ?? 0) - (followed.held ?? 0));
    followed.held = held;
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
      const fetched = snapshot.value;
      // What does not age is shown as it was fetched.
      const value = ageing?.shownAt(fetched, nowMs, lifetimes) ?? (fetched as unknown as Shown);
      yield { id, labels, value };
    }
  }

  #each<T>(read: (followed: Followed<Target, Value, Shown>) => T): readonly T[] {
    return Array.from(this.#followed.values(), read);
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
      durationSeconds: elapsedMs(startedAtMs, nowMs) / 1000,
      lastSuccessAtMs: failed.length === 0 ? nowMs : this.#outcome?.lastSuccessAtMs,
    };
    this.#context.changed();
  }

  /** Logs one line when a collector starts to fail, fails differently, or recovers; none in between. */
  #report(code: Outcome, failed: readonly Followed<Target, Value, Shown>[]): void {
    const [first] = failed;
    const { log } = this.#context;
    const collector = this.#collector.name;
    if (first === undefined) {
      log.info({ collector, ...this.#labels }, 'collector recovered');
      return;
    }
    const counts = { failed: failed.length, targets: this.#followed.size };
    const level = code === 'UNEXPECTED' ? 'error' : 'warn';
    // The first failed target stands for all: its labels say where to look.
    log[level](
      { collector, ...first.labels, code, ...counts, err: first.cache.lastError },
      'collector failed',
    );
  }
}
