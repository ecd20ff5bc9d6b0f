import type { Clock } from '../base/clock.ts';
import { outcomeOf, ServiceError } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import { backOffMs } from '../client/exchange/retry.ts';
import type { Outcome } from '../client/exchange/transport.ts';
import { leastOf } from '../model/units.ts';
import type { CacheLifetimes, Collector, CollectorApi } from './collector.ts';
import { joined, type Labels, type Sample, samplesOf } from './metric.ts';

/** A clock that was set back by less was only adjusted. */
const ADJUSTED_MS = 60_000;
/** How long a doubtful value counts as fresh. */
const DOUBTFUL_TTL_MS = 5 * 60_000;

/** What every part of a collection depends on. */
export interface CollectionContext {
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
  readonly value: Value;
}

/** One thing that a collector asks about: its last answer, when it is asked again, and what is shown of it. */
export class Target<Subject = unknown, Fetched = unknown, Value = unknown> {
  /** What the question needs. */
  subject: Subject;
  /** Carried by every sample and log line. */
  readonly labels: Labels;
  /** The run that asks about it. */
  readonly run: Run<Subject, Fetched, Value>;
  /** Grows with every fetch of the account: what was asked about first is first again. */
  turn = -Infinity;
  /** How many answers and failures there were. */
  answers = 0;
  /** The last good answer, however old: for deciding what to fetch, not for showing. */
  snapshot: Snapshot<Fetched> | undefined;
  /** Why the last fetch failed, or what is wrong with its value; absent when all is well or there was none yet. */
  lastError: unknown;
  #askedAtMs = -Infinity;
  #dueAtMs = -Infinity;
  #servedUntilMs = -Infinity;
  #failures = 0;
  #running: Promise<void> | undefined;
  #shown: (Shown & ShownValue<Value>) | undefined;
  #lasting: Shown | undefined;

  constructor(run: Run<Subject, Fetched, Value>, subject: Subject, labels: Labels) {
    this.run = run;
    this.subject = subject;
    this.labels = labels;
  }

  /** When the next fetch is due: at once where the clock was set back, because the age of the answer is not known then. */
  get nextFetchAtMs(): number {
    const isAhead = this.#askedAtMs > this.run.context.clock.nowMs() + ADJUSTED_MS;
    return isAhead ? -Infinity : this.#dueAtMs;
  }

  /** Whether a fetch was due at a time; one that is running is due until it ends. */
  isDue(atMs: number): boolean {
    return atMs >= this.nextFetchAtMs;
  }

  /** Whether a fetch is running, which a refresh would join. */
  get isFetching(): boolean {
    return this.#running !== undefined;
  }

  get isAnswered(): boolean {
    return this.answers > 0;
  }

  /** Whether the last good answer may still be shown. */
  get isServed(): boolean {
    const { fetchedAtMs = Infinity } = this.snapshot ?? {};
    const nowMs = this.run.context.clock.nowMs();
    return nowMs < this.#servedUntilMs && fetchedAtMs <= nowMs + ADJUSTED_MS;
  }

  /** Joins the fetch that is running, or starts one if it is due. Never rejects. */
  async refresh(): Promise<void> {
    if (!this.isFetching && !this.isDue(this.run.context.clock.nowMs())) return;
    this.#running ??= this.#fetch().finally(() => (this.#running = undefined));
    await this.#running;
  }

  /** Takes note that something has changed, beside the time and the answer, on which it depends what is shown. */
  reconsider(): void {
    this.#shown = undefined;
    this.#lasting = undefined;
  }

  /** Returns what is shown now, as the same object until something else is; absent where nothing may be shown. */
  shown(): (Shown & ShownValue<Value>) | undefined {
    if (this.snapshot === undefined || !this.isServed) return undefined;
    const nowMs = this.run.context.clock.nowMs();
    if (this.#shown === undefined || nowMs >= this.#shown.untilMs)
      this.#shown = this.#shownFrom(this.snapshot.value, nowMs);
    return this.#shown;
  }

  /** Returns the same of what is shown for longer than the answer. */
  lasting(): Shown | undefined {
    const { lasting } = this.run.collector;
    const nowMs = this.run.context.clock.nowMs();
    if (lasting !== undefined && (this.#lasting === undefined || nowMs >= this.#lasting.untilMs)) {
      const { subject, labels } = this;
      const endsAtMs = (this.snapshot?.fetchedAtMs ?? -Infinity) + lasting.servedForMs;
      const untilMs = Math.min(endsAtMs, lasting.changesAtMs(subject, nowMs));
      const samples = (): Iterable<Sample> => lasting.samples(subject, labels);
      this.#lasting = nowMs < endsAtMs ? { untilMs, samples } : undefined;
    }
    return this.#lasting;
  }

  #shownFrom(fetched: Fetched, fromMs: number): Shown & ShownValue<Value> {
    const { labels, subject } = this;
    const { collector, context } = this.run;
    // What does not age is shown as it was fetched.
    const shown = collector.shownAt?.(fromMs, fetched, context.lifetimes, subject) ?? {
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

  async #fetch(): Promise<void> {
    const { collector } = this.run;
    const { api, clock, lifetimes, log, random, changed } = this.run.context;
    this.#askedAtMs = clock.nowMs();
    try {
      const value = await collector.fetch(api, this.subject, {
        previous: this.snapshot?.value,
        lifetimes,
        nowMs: () => clock.nowMs(),
        log,
      });
      this.#failures = 0;
      this.lastError = this.#keep({ value, fetchedAtMs: this.#askedAtMs });
    } catch (error) {
      this.answers += 1;
      this.lastError = error;
      this.#failures += 1;
      const asked = error instanceof ServiceError ? error.retryAfterMs : undefined;
      this.#dueAtMs = clock.nowMs() + (asked ?? backOffMs(this.#failures, random));
    }
    changed();
  }

  /** Takes up an answer. Returns what is wrong with a value that is shown all the same; absent when nothing is. */
  #keep(snapshot: Snapshot<Fetched>): ServiceError | undefined {
    const { collector, context } = this.run;
    const { value, fetchedAtMs } = snapshot;
    const validity = collector.validity(context.lifetimes, value, fetchedAtMs);
    const { dueAtMs, servedUntilMs, isDoubtful = false, problem } = validity;
    const ttlMs = isDoubtful ? DOUBTFUL_TTL_MS : Infinity;
    this.answers += 1;
    this.snapshot = snapshot;
    this.#servedUntilMs = servedUntilMs;
    this.#dueAtMs = Math.min(dueAtMs, fetchedAtMs + Math.max(ttlMs, problem?.retryAfterMs ?? 0));
    this.reconsider();
    return problem;
  }
}

/** How the last round of a collector went; a round is one pass that asked the service anything. */
export interface CollectorOutcome {
  readonly collector: string;
  readonly isSuccess: boolean;
  /** The code of the first failure; `ok` without one. */
  readonly code: Outcome;
  /** The first failure; undefined without one. */
  readonly error: unknown;
  readonly durationSeconds: number;
  readonly lastSuccessAtMs: number | undefined;
  /** Whether the last good answer about every target may still be shown. */
  readonly isServed: boolean;
}

export interface RunOptions {
  /** Whether the targets are devices, whose ids their samples carry. */
  readonly isOfDevices?: boolean;
  /** Called when what was asked is answered; may ask on. */
  readonly answered?: () => Promise<void> | void;
}

/** Runs one collector for one station: keeps what it asks about, and how the last round went. */
export class Run<Subject = unknown, Fetched = unknown, Value = Fetched> {
  readonly collector: Collector<Subject, Fetched, Value>;
  readonly context: CollectionContext;
  readonly #labels: Labels;
  readonly #options: RunOptions;
  readonly #targets = new Map<string, Target<Subject, Fetched, Value>>();
  #last: Omit<CollectorOutcome, 'isServed'> | undefined;
  /** How many answers the targets had at the end of the last round. */
  #answers = 0;
  #reported: Outcome = 'ok';

  /** @param labels - carried by every sample and log line. */
  constructor(
    collector: Collector<Subject, Fetched, Value>,
    context: CollectionContext,
    labels: Labels,
    options: RunOptions = {},
  ) {
    this.collector = collector;
    this.context = context;
    this.#labels = labels;
    this.#options = options;
  }

  get name(): string {
    return this.collector.name;
  }

  get targets(): Iterable<Target<Subject, Fetched, Value>> {
    return this.#targets.values();
  }

  /** Replaces what is asked about, by id: what is known keeps its answer. */
  follow(subjects: ReadonlyMap<string, Subject>): void {
    for (const id of this.#targets.keys()) if (!subjects.has(id)) this.#targets.delete(id);
    for (const [id, subject] of subjects) {
      const target = this.#targets.get(id) ?? new Target(this, subject, this.#labelsOf(id));
      this.#targets.set(id, target);
      target.subject = subject;
      target.reconsider();
    }
  }

  #labelsOf(id: string): Labels {
    return this.#options.isOfDevices === true
      ? joined(this.#labels, { device_id: id })
      : this.#labels;
  }

  target(id: string): Target<Subject, Fetched, Value> | undefined {
    return this.#targets.get(id);
  }

  /** Takes note that fetches have ended which were started together, or were running already. */
  async ended(startedAtMs: number): Promise<void> {
    this.#endRound(startedAtMs);
    await this.#options.answered?.();
  }

  #endRound(startedAtMs: number): void {
    const { clock, changed } = this.context;
    const targets = [...this.#targets.values()];
    const answers = targets.reduce((sum, target) => sum + target.answers, 0);
    // Whoever only waited for running fetches does not end a round once more.
    if (answers === this.#answers) return;
    // Before everything was asked about, it is not known how a round goes.
    if (this.#last === undefined && targets.some(({ isAnswered }) => !isAnswered)) return;
    this.#answers = answers;
    const nowMs = clock.nowMs();
    const failed = targets.filter(({ lastError }) => lastError !== undefined);
    const isSuccess = failed.length === 0;
    const code = isSuccess ? 'ok' : outcomeOf(failed[0]?.lastError);
    if (code !== this.#reported) this.#report(code, failed);
    this.#last = {
      ...{ collector: this.name, isSuccess, code, error: failed[0]?.lastError },
      durationSeconds: Math.max(0, nowMs - startedAtMs) / 1000,
      lastSuccessAtMs: isSuccess ? nowMs : this.#last?.lastSuccessAtMs,
    };
    changed();
  }

  /** Logs one line when a collector starts to fail, fails differently, or recovers; none in between. */
  #report(code: Outcome, failed: readonly Target<Subject, Fetched, Value>[]): void {
    this.#reported = code;
    const [first] = failed;
    const { log } = this.context;
    const collector = this.name;
    if (first === undefined) {
      log.info({ collector, ...this.#labels }, 'collector recovered');
      return;
    }
    const counts = { failed: failed.length, targets: this.#targets.size };
    const level = code === 'UNEXPECTED' ? 'error' : 'warn';
    // The first failed target stands for all: its labels say where to look.
    log[level](
      { collector, ...first.labels, code, ...counts, err: first.lastError },
      'collector failed',
    );
  }

  /** Returns how the last round went; absent before the first, and without targets. */
  outcome(): CollectorOutcome | undefined {
    if (this.#last === undefined || this.#targets.size === 0) return undefined;
    return { ...this.#last, isServed: [...this.targets].every(({ isServed }) => isServed) };
  }

  /** When the next fetch is due; never, without targets. */
  get nextFetchAtMs(): number {
    return leastOf(Array.from(this.#targets.values(), ({ nextFetchAtMs }) => nextFetchAtMs));
  }

  /** Returns what may be shown now as values, by target id. */
  shown(): ReadonlyMap<string, ShownValue<Value>> {
    const values = new Map<string, ShownValue<Value>>();
    for (const [id, target] of this.#targets) {
      const shown = target.shown();
      if (shown !== undefined) values.set(id, shown);
    }
    return values;
  }

  /** Returns what may be shown now, target after target. */
  *shownTargets(): Generator<Shown> {
    // A list of its own, because targets may come and go while a page is written.
    for (const target of [...this.#targets.values()]) {
      const [shown, lasting] = [target.shown(), target.lasting()];
      if (shown !== undefined) yield shown;
      if (lasting !== undefined) yield lasting;
    }
  }
}
