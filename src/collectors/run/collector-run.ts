import { leastOf } from '../../model/units.ts';
import type { Collector, Lifetime } from '../collector.ts';
import type { Labels } from '../metric.ts';
import type { Snapshot, SnapshotCacheOptions } from '../snapshot-cache.ts';
import type { CollectionContext } from './collection-context.ts';
import type { DueRun } from './due-queue.ts';
import { Followed, type FollowedTarget, type FollowingRun } from './followed.ts';
import { LimitedList } from './limited-list.ts';
import { type CollectorOutcome, Rounds } from './rounds.ts';
import type { ShownSamples, ShownSource, ShownTarget, ShownValue } from './shown-target.ts';

/** The collectors of lists before which nothing else can be asked for. */
const LISTS: ReadonlySet<string> = new Set(['stations', 'devices']);

/** Runs one collector for one station: keeps a cache per target, and how the last round went. */
export class CollectorRun<Target, Value, Shown = Value>
  implements FollowingRun<Target, Value, Shown>, DueRun
{
  readonly #collector: Collector<Target, Value, Shown>;
  readonly #context: CollectionContext;
  /** Carried by every sample and log line of this run. */
  readonly labels: Labels;
  readonly #followed = new Map<string, Followed<Target, Value, Shown>>();
  readonly #rounds: Rounds;
  readonly #lists: LimitedList<Value>;
  readonly #source: ShownSource<Value, Shown>;
  readonly #cacheOptions: SnapshotCacheOptions<Value>;
  /** Whether a target came from another run since the last round. */
  #hasTakenOver = false;

  constructor(
    collector: Collector<Target, Value, Shown>,
    context: CollectionContext,
    labels: Labels,
  ) {
    this.#collector = collector;
    this.#context = context;
    this.labels = labels;
    this.#rounds = new Rounds(collector.name, context, labels);
    this.#lists = new LimitedList(collector, context);
    this.#source = { collector, lifetimes: context.lifetimes };
    const { lifetimes, clock, random, nextTurn } = context;
    const { dueAtMs, endsAtMs, isDoubtful, problemOf } = collector;
    const lifetime = (value: Value): Lifetime => collector.lifetime(lifetimes, value);
    const times = { lifetime, dueAtMs, endsAtMs, isDoubtful, problemOf };
    this.#cacheOptions = { ...times, clock, random, nextTurn };
  }

  /** Replaces the targets, by id: known ones keep their caches, and missing ones are forgotten. */
  follow(targets: ReadonlyMap<string, FollowedTarget<Target>>): void {
    this.forgetAllBut(targets);
    for (const [id, followed] of targets) this.followOne(id, followed);
  }

  /** Forgets the targets that are none of these. */
  forgetAllBut(ids: { has(id: string): boolean }): void {
    for (const [id, followed] of this.#followed) if (!ids.has(id)) this.#forget(id, followed);
  }

  /** Follows one more target; a known one keeps its cache. */
  followOne(id: string, followed: FollowedTarget<Target>): void {
    const known = this.#followed.get(id);
    if (known !== undefined) known.target = followed.target;
    else this.#followed.set(id, this.#followedFrom(followed));
  }

  /** Takes a target over from another run of the same collector, with a fetch that may be under way. */
  takeOver(id: string, previous: CollectorRun<Target, Value, Shown>): void {
    const followed = previous.#followed.get(id);
    if (followed === undefined) return;
    previous.#followed.delete(id);
    followed.moveTo(this);
    this.#hasTakenOver = true;
    if (!this.#rounds.hasEnded) this.#rounds.adopt(previous.#rounds);
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
    for (const [id, { target, own, cache }] of previous.#followed) {
      const followed = this.#followedFrom({ target, labels: own });
      followed.cache.adopt(cache, isRetrying);
      this.#lists.hold(followed, cache.latest()?.value);
      this.#followed.set(id, followed);
    }
  }

  /** Takes up what was fetched of a target at an earlier time, as far as the limits allow. */
  restore(id: string, { value, fetchedAtMs }: Snapshot<Value>): void {
    const followed = this.#followed.get(id);
    if (followed === undefined) return;
    followed.cache.restore({ value: this.#lists.limited(followed, value, undefined), fetchedAtMs });
  }

  /** Returns the targets that were due at a time and still are, with those that are being fetched. */
  *due(atMs: number): Generator<Followed<Target, Value, Shown>> {
    for (const followed of this.#followed.values())
      if (followed.cache.isDueAt(atMs)) yield followed;
  }

  ended(startedAtMs: number, wereStarted: boolean): void {
    // Whoever only joins running fetches does not start a round, unless another run began them.
    if (!wereStarted && !this.#hasTakenOver) return;
    this.#hasTakenOver = false;
    const targets = [...this.#followed.values()];
    // Before everything was asked about, it is not known how a round goes.
    if (!this.#rounds.hasEnded && targets.some(({ cache }) => !cache.isAnswered)) return;
    this.#rounds.ended(startedAtMs, targets);
    this.#context.changed();
  }

  get name(): string {
    return this.#collector.name;
  }

  get isFirstList(): boolean {
    if (!LISTS.has(this.name) || this.#rounds.hasEnded) return false;
    return [...this.#followed.values()].every(({ cache }) => cache.latest() === undefined);
  }

  /**
   * Returns how the last round went, as the same object until that changes; absent before the first has
   * ended, and without targets.
   */
  outcome(): CollectorOutcome | undefined {
    return this.#followed.size === 0 ? undefined : this.#rounds.outcome(this.#isServed());
  }

  /** Whether the last good answer about every target may still be shown. */
  #isServed(): boolean {
    for (const { cache } of this.#followed.values())
      if (cache.servable() === undefined) return false;
    return true;
  }

  /** Returns the value last fetched for a target, however old. */
  latest(id: string): Value | undefined {
    return this.snapshot(id)?.value;
  }

  /** Returns that value, and when it was fetched. */
  snapshot(id: string): Snapshot<Value> | undefined {
    return this.#followed.get(id)?.cache.latest();
  }

  /** When the next fetch is due; never, without targets. */
  get nextFetchAtMs(): number {
    return leastOf(Array.from(this.#followed.values(), ({ cache }) => cache.nextFetchAtMs));
  }

  /** When the next value has to be withdrawn from the page. */
  get nextWithdrawalAtMs(): number {
    return leastOf(
      Array.from(this.#followed.values(), (followed) =>
        Math.min(
          this.#shownOf(followed)?.untilMs ?? Infinity,
          this.#lastingOf(followed)?.untilMs ?? Infinity,
        ),
      ),
    );
  }

  /** Returns what may be shown now, by target id: the values that the samples are read from. */
  shown(): ReadonlyMap<string, ShownValue<Shown>> {
    const values = new Map<string, ShownValue<Shown>>();
    for (const [id, followed] of this.#followed) {
      const shown = this.#shownOf(followed);
      if (shown !== undefined) values.set(id, shown);
    }
    return values;
  }

  /** Takes note that something has changed, beside the time and the values, on which it depends what is shown. */
  reconsiderShown(): void {
    for (const followed of this.#followed.values()) followed.reconsiderShown();
  }

  /** Returns each target of which anything may be shown now. */
  *shownTargets(): Generator<ShownSamples> {
    // A list of its own, because targets may come and go between the slices of a page.
    for (const followed of [...this.#followed.values()]) {
      const shown = this.#shownOf(followed);
      if (shown !== undefined) yield shown;
      const lasting = this.#lastingOf(followed);
      if (lasting !== undefined) yield lasting;
    }
  }

  #lastingOf(followed: Followed<Target, Value, Shown>): ShownSamples | undefined {
    const { lasting } = this.#collector;
    return lasting && followed.lastingAt(this.#context.clock.nowMs(), lasting);
  }

  #shownOf(followed: Followed<Target, Value, Shown>): ShownTarget<Value, Shown> | undefined {
    return followed.shownAt(this.#context.clock.nowMs(), this.#source);
  }

  #followedFrom(followed: FollowedTarget<Target>): Followed<Target, Value, Shown> {
    return new Followed(this, followed, this.#cacheOptions);
  }

  fetched(): void {
    this.#context.changed();
  }

  async fetch(
    followed: Followed<Target, Value, Shown>,
    previous: Value | undefined,
  ): Promise<Value> {
    const { api, clock, lifetimes, log } = this.#context;
    const value = await this.#collector.fetch(api, followed.target, {
      previous,
      maxAge: lifetimes.maxAgeMs,
      nowMs: () => clock.nowMs(),
      log,
    });
    return this.#lists.limited(followed, value, previous);
  }
}
