import type { Clock } from '../base/clock.ts';
import type { DropLog } from '../base/limits.ts';
import { ServiceError } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import { isBudgetUsedUp } from '../client/exchange/request-bucket.ts';
import { backOffMs } from '../client/exchange/retry.ts';
import type { CacheLifetimes, Collector, CollectorApi } from './collector.ts';
import { type Labels, type Sample, samplesOf } from './metric.ts';

/** How long a doubtful value counts as fresh at first; the time doubles whenever the value is repeated. */
const DOUBTFUL_TTL_MS = 60_000;

/** What every part of a collection depends on. */
export interface CollectionContext {
  readonly api: CollectorApi;
  /** Carried first by every sample, status and log line; absent: none. */
  readonly labels?: Labels | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  /** Returns a number that is greater than every one before: who was asked first is first again. */
  readonly nextTurn: () => number;
  readonly lifetimes: CacheLifetimes;
  readonly log: Logger;
  /** Takes up what limits leave out. */
  readonly drops: DropLog;
  /** Called after every fetch, because something on the page may have changed. */
  readonly changed: () => void;
  /** Targets that one station has let go and another one takes over, by collector and id. */
  readonly moving: Map<string, unknown>;
}

/** The immutable result of one fetch; its age counts from the request. */
export interface Snapshot<T> {
  readonly value: T;
  readonly fetchedAtMs: number;
}

/**
 * What is shown of a target. Another object takes its place as soon as something else is shown, so that what was made
 * of its samples stays right for as long as it is there.
 */
export interface Shown {
  /** When something else is shown, even if nothing is fetched. */
  readonly untilMs: number;
  readonly samples: () => Iterable<Sample>;
}

/** What is shown of a target as a value, that of the instant at which it was asked for. */
export interface ShownValue<Value> {
  /** Computed whenever it is read, which takes a while for all devices of a large station. */
  readonly value: Value;
}

/** The run that asks about a target. */
export interface TargetRun<Subject, Fetched, Value> {
  readonly collector: Collector<Subject, Fetched, Value>;
  readonly context: CollectionContext;
}

/** One thing that a collector asks about: its last answer, when it is asked again, and what is shown of it. */
export class Target<Subject, Fetched, Value> {
  /** What the question needs. */
  subject: Subject;
  /** Carried by every sample and log line. */
  labels: Labels;
  /** The number of the last fetch that sent anything. */
  turn = -Infinity;
  /** Why the last fetch failed, or what is wrong with its value; absent when all is well or there was none yet. */
  lastError: unknown;
  #run: TargetRun<Subject, Fetched, Value>;
  #snapshot: Snapshot<Fetched> | undefined;
  #servedUntilMs = -Infinity;
  #nextFetchAtMs = -Infinity;
  #failures = 0;
  #doubts = 0;
  #running: Promise<void> | undefined;
  #shown: (Shown & ShownValue<Value>) | undefined;
  #lasting: Shown | undefined;

  constructor(run: TargetRun<Subject, Fetched, Value>, subject: Subject, labels: Labels) {
    this.#run = run;
    this.subject = subject;
    this.labels = labels;
  }

  /** Leaves it to the run of another station, with a fetch that may be running. */
  moveTo(run: TargetRun<Subject, Fetched, Value>, labels: Labels): void {
    this.#run = run;
    this.labels = labels;
    this.reconsider();
  }

  /** Whether a fetch was due at a time; one that is running is due until it ends. */
  isDue(atMs: number): boolean {
    return atMs >= this.#nextFetchAtMs;
  }

  get nextFetchAtMs(): number {
    return this.#nextFetchAtMs;
  }

  /** Whether a fetch is running, which a refresh would join. */
  get isFetching(): boolean {
    return this.#running !== undefined;
  }

  /** Whether any fetch has ended. */
  get isAnswered(): boolean {
    return this.#snapshot !== undefined || this.lastError !== undefined;
  }

  /** Whether the last good answer may still be shown. */
  get isServed(): boolean {
    return this.#run.context.clock.nowMs() < this.#servedUntilMs;
  }

  /** The last good answer, however old: for deciding what to fetch, not for showing. */
  get snapshot(): Snapshot<Fetched> | undefined {
    return this.#snapshot;
  }

  /** Joins the fetch that is running, or starts one if it is due; resolves to whether it started one. Never rejects. */
  async refresh(): Promise<boolean> {
    const isJoined = this.isFetching;
    if (!isJoined && !this.isDue(this.#run.context.clock.nowMs())) return false;
    this.#running ??= this.#fetch().finally(() => (this.#running = undefined));
    await this.#running;
    return !isJoined;
  }

  /** Takes up what was fetched at an earlier time, by another run of the program. */
  restore(snapshot: Snapshot<Fetched>): void {
    this.#doubts = this.#run.collector.isDoubtful?.(snapshot.value) === true ? 1 : 0;
    this.#keep(snapshot);
  }

  /** Takes note that the clock was set back: how old the answer is, and when the next is due, is not known any more. */
  outdate(): void {
    this.#servedUntilMs = -Infinity;
    this.#nextFetchAtMs = -Infinity;
    this.reconsider();
  }

  /** Takes note that something has changed, beside the time and the answer, on which it depends what is shown. */
  reconsider(): void {
    this.#shown = undefined;
    this.#lasting = undefined;
  }

  /** Returns what is shown now, as the same object until something else is; absent where nothing may be shown. */
  shown(): (Shown & ShownValue<Value>) | undefined {
    const nowMs = this.#run.context.clock.nowMs();
    if (this.#shown === undefined || nowMs >= this.#shown.untilMs) {
      const snapshot = nowMs < this.#servedUntilMs ? this.#snapshot : undefined;
      this.#shown = snapshot && this.#shownFrom(snapshot.value, nowMs);
    }
    return this.#shown;
  }

  /** Returns the same of what is shown for longer than the answer. */
  lasting(): Shown | undefined {
    const { lasting } = this.#run.collector;
    const nowMs = this.#run.context.clock.nowMs();
    if (lasting !== undefined && (this.#lasting === undefined || nowMs >= this.#lasting.untilMs)) {
      const { subject, labels } = this;
      const endsAtMs = (this.#snapshot?.fetchedAtMs ?? -Infinity) + lasting.servedForMs;
      const untilMs = Math.min(endsAtMs, lasting.changesAtMs(subject, nowMs));
      const samples = (): Iterable<Sample> => lasting.samples(subject, labels);
      this.#lasting = nowMs < endsAtMs ? { untilMs, samples } : undefined;
    }
    return this.#lasting;
  }

  #shownFrom(fetched: Fetched, fromMs: number): Shown & ShownValue<Value> {
    const { ageing, metrics } = this.#run.collector;
    const { lifetimes } = this.#run.context;
    const { labels } = this;
    const changesAtMs = ageing?.changesAtMs(fetched, fromMs, lifetimes) ?? Infinity;
    // What does not age is shown as it was fetched.
    const value = (): Value =>
      ageing === undefined
        ? (fetched as unknown as Value)
        : ageing.shownAt(fetched, fromMs, lifetimes);
    return {
      untilMs: Math.min(this.#servedUntilMs, changesAtMs),
      samples: () => samplesOf(metrics, value(), labels),
      get value() {
        return value();
      },
    };
  }

  async #fetch(): Promise<void> {
    const { fetch, isDoubtful, problemOf } = this.#run.collector;
    const { api, clock, lifetimes, log, random, nextTurn, changed } = this.#run.context;
    const startedAtMs = clock.nowMs();
    const lastTurn = this.turn;
    this.turn = nextTurn();
    try {
      const value = await fetch(api, this.subject, {
        previous: this.#snapshot?.value,
        maxAge: lifetimes.maxAgeMs,
        nowMs: () => clock.nowMs(),
        log,
      });
      this.#doubts = isDoubtful?.(value) === true ? this.#doubts + 1 : 0;
      this.#failures = 0;
      this.lastError = problemOf?.(value);
      // The clock may have been set back meanwhile.
      this.#keep({ value, fetchedAtMs: Math.min(startedAtMs, clock.nowMs()) });
    } catch (error) {
      this.lastError = error;
      this.#failures += 1;
      const asked = error instanceof ServiceError ? error.retryAfterMs : undefined;
      this.#nextFetchAtMs = clock.nowMs() + (asked ?? backOffMs(this.#failures, random));
      if (isBudgetUsedUp(error)) this.turn = lastTurn;
    }
    changed();
  }

  #keep(snapshot: Snapshot<Fetched>): void {
    const { lifetime, endsAtMs, dueAtMs } = this.#run.collector;
    const { value, fetchedAtMs } = snapshot;
    const { ttlMs, servedForMs } = lifetime(this.#run.context.lifetimes, value);
    const overAtMs = endsAtMs?.(value) ?? Infinity;
    const doubtfulMs = this.#doubts === 0 ? Infinity : DOUBTFUL_TTL_MS * 2 ** (this.#doubts - 1);
    this.#snapshot = snapshot;
    this.#servedUntilMs = Math.min(fetchedAtMs + servedForMs, overAtMs);
    this.#nextFetchAtMs = Math.min(
      fetchedAtMs + Math.min(ttlMs, doubtfulMs),
      dueAtMs?.(value, fetchedAtMs) ?? Infinity,
      overAtMs,
    );
    this.reconsider();
  }
}
