import type { Clock } from '../base/clock.ts';
import { outcomeOf, ServiceError } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import { backOffMs } from '../client/exchange/retry.ts';
import type { Outcome } from '../client/exchange/transport.ts';
import { greatestOf, leastOf } from '../model/units.ts';
import type { CacheLifetimes, Collector, CollectorApi } from './collector.ts';
import { type Labels, type Sample, samplesOf } from './metric.ts';

/** A clock that was set back by less than this was only adjusted. */
const ADJUSTED_MS = 60_000;
/** How long a doubtful value counts as fresh. */
const DOUBTFUL_TTL_MS = 5 * 60_000;

/** What every target depends on. */
export interface TargetContext {
  readonly api: CollectorApi;
  readonly clock: Clock;
  readonly random: () => number;
  readonly lifetimes: CacheLifetimes;
  readonly log: Logger;
  /** Called after every fetch, because something on the page may have changed. */
  readonly changed: () => void;
}

/** The immutable result of one fetch; its age counts from the request. */
export interface Snapshot<T> {
  readonly value: T;
  readonly fetchedAtMs: number;
}

/**
 * What is shown of a target. It is the same object until something else is shown, so its rendered lines can be kept for
 * as long.
 */
export interface Shown {
  /** When something else is shown, even if nothing is fetched. */
  readonly untilMs: number;
  readonly samples: () => Iterable<Sample>;
}

/** The shown value of a target, at the instant of the call. */
export interface ShownValue<Value> {
  readonly value: Value;
}

/** One thing that a collector asks about: its last answer, when it is asked again, and what is shown of it. */
export class Target<Subject = unknown, Fetched = unknown, Value = unknown> {
  readonly collector: Collector<Subject, Fetched, Value>;
  /** Unique among the targets of a collector at a station. */
  readonly id: string;
  /** Carried by every sample and log line. */
  readonly labels: Labels;
  /** The input of the fetch. */
  subject: Subject;
  /** When the last fetch began; -Infinity before the first one. */
  askedAtMs = -Infinity;
  isAnswered = false;
  /** The last good answer, however old. Use it to decide what to fetch, not to show it. */
  snapshot: Snapshot<Fetched> | undefined;
  /** Why the last fetch failed, or what is wrong with its value; undefined after a success, and before any fetch. */
  lastError: unknown;
  /** When a fetch last succeeded without a problem; -Infinity before. */
  lastSuccessAtMs = -Infinity;
  durationSeconds = 0;
  readonly #context: TargetContext;
  #dueAtMs = -Infinity;
  #servedUntilMs = -Infinity;
  #failures = 0;
  #shown: (Shown & ShownValue<Value>) | undefined;
  #lasting: Shown | undefined;

  constructor(
    collector: Collector<Subject, Fetched, Value>,
    id: string,
    subject: Subject,
    labels: Labels,
    context: TargetContext,
  ) {
    this.collector = collector;
    this.id = id;
    this.subject = subject;
    this.labels = labels;
    this.#context = context;
  }

  /** When the next fetch is due: at once if the clock was set back, because the age of the answer is unknown then. */
  get nextFetchAtMs(): number {
    return this.askedAtMs > this.#adjustedNowMs ? -Infinity : this.#dueAtMs;
  }

  /** Whether the last good answer may still be shown. */
  get isServed(): boolean {
    const { fetchedAtMs = Infinity } = this.snapshot ?? {};
    return this.#nowMs < this.#servedUntilMs && fetchedAtMs <= this.#adjustedNowMs;
  }

  /** Replaces the subject, which may change what is shown. */
  describe(subject: Subject): void {
    this.subject = subject;
    this.#shown = undefined;
    this.#lasting = undefined;
  }

  /** Returns what is shown now, as the same object until that changes; undefined where nothing may be shown. */
  shown(): (Shown & ShownValue<Value>) | undefined {
    if (this.snapshot === undefined || !this.isServed) return undefined;
    if (this.#shown === undefined || this.#nowMs >= this.#shown.untilMs)
      this.#shown = this.#shownFrom(this.snapshot.value);
    return this.#shown;
  }

  /** Returns the same for the samples that outlive the answer. */
  lasting(): Shown | undefined {
    const { lasting } = this.collector;
    const nowMs = this.#nowMs;
    if (lasting !== undefined && (this.#lasting === undefined || nowMs >= this.#lasting.untilMs)) {
      const { subject, labels } = this;
      const endsAtMs = (this.snapshot?.fetchedAtMs ?? -Infinity) + lasting.servedForMs;
      const untilMs = Math.min(endsAtMs, lasting.changesAtMs(subject, nowMs));
      const samples = (): Iterable<Sample> => lasting.samples(subject, labels);
      this.#lasting = nowMs < endsAtMs ? { untilMs, samples } : undefined;
    }
    return this.#lasting;
  }

  /** Asks the service, and keeps the answer or the error. Never rejects. */
  async fetch(): Promise<void> {
    const { api, clock, lifetimes, log, random, changed } = this.#context;
    this.askedAtMs = clock.nowMs();
    const context = {
      previous: this.snapshot?.value,
      lifetimes,
      log,
      nowMs: () => clock.nowMs(),
    };
    try {
      const value = await this.collector.fetch(api, this.subject, context);
      this.#failures = 0;
      this.lastError = this.#keep({ value, fetchedAtMs: this.askedAtMs });
    } catch (error) {
      this.lastError = error;
      this.#failures += 1;
      const requested = error instanceof ServiceError ? error.retryAfterMs : undefined;
      this.#dueAtMs = clock.nowMs() + (requested ?? backOffMs(this.#failures, random));
    }
    if (this.lastError === undefined) this.lastSuccessAtMs = clock.nowMs();
    this.durationSeconds = Math.max(0, clock.nowMs() - this.askedAtMs) / 1000;
    this.isAnswered = true;
    changed();
  }

  /** Keeps a value; returns what is wrong with it although it is shown, undefined when nothing is wrong. */
  #keep(snapshot: Snapshot<Fetched>): ServiceError | undefined {
    const { value, fetchedAtMs } = snapshot;
    const validity = this.collector.validity(this.#context.lifetimes, value, fetchedAtMs);
    const { dueAtMs, servedUntilMs, isDoubtful = false, problem } = validity;
    const ttlMs = isDoubtful ? DOUBTFUL_TTL_MS : Infinity;
    this.snapshot = snapshot;
    this.#servedUntilMs = servedUntilMs;
    this.#dueAtMs = Math.min(dueAtMs, fetchedAtMs + Math.max(ttlMs, problem?.retryAfterMs ?? 0));
    this.describe(this.subject);
    return problem;
  }

  #shownFrom(fetched: Fetched): Shown & ShownValue<Value> {
    const { collector, labels, subject } = this;
    const { lifetimes } = this.#context;
    // A value whose parts do not age is shown as it was fetched.
    const shown = collector.shownAt?.(this.#nowMs, fetched, lifetimes, subject) ?? {
      untilMs: Infinity,
      value: fetched as unknown as Value,
    };
    return {
      untilMs: Math.min(this.#servedUntilMs, shown.untilMs),
      samples: () => samplesOf(collector.metrics, shown.value, labels),
      get value() {
        return shown.value;
      },
    };
  }

  get #nowMs(): number {
    return this.#context.clock.nowMs();
  }

  get #adjustedNowMs(): number {
    return this.#nowMs + ADJUSTED_MS;
  }
}

/** The outcome of a collector for a station, or for the account. */
export interface CollectorOutcome {
  readonly collector: string;
  readonly isSuccess: boolean;
  /** The code of the first failure; `ok` without one. */
  readonly code: Outcome;
  /** The first failure; undefined without one. */
  readonly error: unknown;
  /** How long the longest of the last fetches of its targets took. */
  readonly durationSeconds: number;
  /** When the failing targets last succeeded (the earliest), else when any target did; absent before the first time. */
  readonly lastSuccessAtMs: number | undefined;
  /** Whether the last good answer about every target may still be shown. */
  readonly isServed: boolean;
}

/** Returns the outcome of a collector by its targets; undefined without targets, or before each was answered once. */
export function collectorOutcome(targets: readonly Target[]): CollectorOutcome | undefined {
  const [first] = targets;
  if (first === undefined || targets.some(({ isAnswered }) => !isAnswered)) return undefined;
  const failed = targets.filter(({ lastError }) => lastError !== undefined);
  const isSuccess = failed.length === 0;
  const error = failed[0]?.lastError;
  const lastSuccessAtMs = isSuccess
    ? greatestOf(targets.map((target) => target.lastSuccessAtMs))
    : leastOf(failed.map((target) => target.lastSuccessAtMs));
  return {
    collector: first.collector.name,
    isSuccess,
    error,
    code: isSuccess ? 'ok' : outcomeOf(error),
    durationSeconds: greatestOf(targets.map(({ durationSeconds }) => durationSeconds)),
    lastSuccessAtMs: lastSuccessAtMs === -Infinity ? undefined : lastSuccessAtMs,
    isServed: targets.every(({ isServed }) => isServed),
  };
}
