import { outcomeOf } from '../base/errors.ts';
import type { Outcome } from '../client/exchange/transport.ts';
import { leastOf } from '../model/units.ts';
import type { Collector } from './collector.ts';
import { joined, type Labels } from './metric.ts';
import { type CollectionContext, type Shown, type ShownValue, Target } from './target.ts';

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

/** What a target offers, whatever it is about. */
export type AnyTarget = Pick<
  Target<never, unknown, unknown>,
  'turn' | 'isDue' | 'isFetching' | 'snapshot' | 'refresh' | 'outdate'
>;

/** What a run offers, whatever it asks about. */
export type AnyRun = Pick<
  Run<never, unknown, unknown>,
  'name' | 'goOnFrom' | 'forget' | 'ended' | 'outcome' | 'nextFetchAtMs' | 'shown' | 'shownTargets'
> & {
  readonly targets: Iterable<AnyTarget>;
};

/** A target, and the run that has let it go. */
interface Moving<Subject, Fetched, Value> {
  readonly target: Target<Subject, Fetched, Value>;
  readonly run: Run<Subject, Fetched, Value>;
}

/** Runs one collector for one station: keeps what it asks about, and how the last round went. */
export class Run<Subject, Fetched, Value = Fetched> {
  readonly collector: Collector<Subject, Fetched, Value>;
  readonly context: CollectionContext;
  readonly #labels: Labels;
  readonly #idLabel: string | undefined;
  readonly #targets = new Map<string, Target<Subject, Fetched, Value>>();
  #last: CollectorOutcome | undefined;
  #reported: Outcome = 'ok';
  /** Whether a target came from another station since the last round. */
  #hasTakenOver = false;

  /**
   * @param labels - carried by every sample and log line.
   * @param idLabel - the label for the id of a target; absent: none.
   */
  constructor(
    collector: Collector<Subject, Fetched, Value>,
    context: CollectionContext,
    labels: Labels,
    idLabel?: string,
  ) {
    this.collector = collector;
    this.context = context;
    this.#labels = labels;
    this.#idLabel = idLabel;
  }

  get name(): string {
    return this.collector.name;
  }

  get targets(): Iterable<Target<Subject, Fetched, Value>> {
    return this.#targets.values();
  }

  /** Replaces what is asked about, by id: what is known keeps its answer, here or at the station that has let it go. */
  follow(subjects: ReadonlyMap<string, Subject>): void {
    this.letGo(subjects);
    for (const [id, subject] of subjects) {
      const known = this.#targets.get(id) ?? this.#takeOver(id);
      if (known !== undefined) known.subject = subject;
      else this.#targets.set(id, new Target(this, subject, this.#labelsOf(id)));
    }
  }

  /**
   * Asks about nothing but these any more.
   *
   * @param isMoving - whether another station will ask about it, so that nothing of it is forgotten.
   */
  letGo(ids: { has(id: string): boolean }, isMoving: (id: string) => boolean = () => false): void {
    for (const [id, target] of this.#targets) {
      if (ids.has(id)) continue;
      this.#targets.delete(id);
      if (isMoving(id)) this.context.moving.set(`${this.name} ${id}`, { target, run: this });
      else this.collector.forget?.(this.context.api, target.subject);
    }
  }

  #takeOver(id: string): Target<Subject, Fetched, Value> | undefined {
    const name = `${this.name} ${id}`;
    const moving = this.context.moving.get(name) as Moving<Subject, Fetched, Value> | undefined;
    if (moving === undefined) return undefined;
    this.context.moving.delete(name);
    const { target, run } = moving;
    this.#last ??= run.#last;
    this.#hasTakenOver = true;
    target.moveTo(this, this.#labelsOf(id));
    this.#targets.set(id, target);
    return target;
  }

  /** Goes on from the answers and the last round of another run of the same collector. */
  goOnFrom(previous: AnyRun): void {
    // Names are unique: a run of the same name has the same types.
    const same = previous as Run<Subject, Fetched, Value>;
    this.#last = same.#last;
    this.#reported = same.#reported;
    for (const [id, target] of this.#targets) {
      const snapshot = same.#targets.get(id)?.snapshot;
      if (snapshot !== undefined) target.restore(snapshot);
    }
  }

  /** Asks about nothing any more. */
  forget(): void {
    this.follow(new Map());
  }

  #labelsOf(id: string): Labels {
    return this.#idLabel === undefined
      ? this.#labels
      : joined(this.#labels, { [this.#idLabel]: id });
  }

  target(id: string): Target<Subject, Fetched, Value> | undefined {
    return this.#targets.get(id);
  }

  /** Takes note that fetches have ended which were started together, or were running already. */
  ended(startedAtMs: number, wereStarted: boolean): void {
    // Whoever only waits for running fetches does not start a round, unless another station began them.
    if (!wereStarted && !this.#hasTakenOver) return;
    this.#hasTakenOver = false;
    const { clock, changed } = this.context;
    const targets = [...this.#targets.values()];
    // Before everything was asked about, it is not known how a round goes.
    if (this.#last === undefined && targets.some(({ isAnswered }) => !isAnswered)) return;
    const nowMs = clock.nowMs();
    const failed = targets.filter(({ lastError }) => lastError !== undefined);
    const isSuccess = failed.length === 0;
    const code = isSuccess ? 'ok' : outcomeOf(failed[0]?.lastError);
    // The budget itself logs that it is used up, once for all collectors.
    if (code !== this.#reported && code !== 'SERVICE_BUDGET_USED_UP') this.#report(code, failed);
    this.#last = {
      ...{ collector: this.name, isSuccess, code, isServed: true },
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

  /** Returns how the last round went, as the same object until that changes; absent before the first, and without targets. */
  outcome(): CollectorOutcome | undefined {
    if (this.#last === undefined || this.#targets.size === 0) return undefined;
    const isServed = [...this.#targets.values()].every((target) => target.isServed);
    if (this.#last.isServed !== isServed) this.#last = { ...this.#last, isServed };
    return this.#last;
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
