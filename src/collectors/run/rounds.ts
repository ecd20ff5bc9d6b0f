import { outcomeOf } from '../../base/errors.ts';
import { elapsedMs } from '../../base/not-before.ts';
import type { Outcome } from '../../client/exchange/transport.ts';
import type { Labels } from '../metric.ts';
import type { CollectionContext } from './collection-context.ts';

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

/** What a round leaves of a target: its last error, where its last fetch failed. */
export interface AskedTarget {
  readonly labels: Labels;
  readonly cache: { readonly lastError: unknown };
}

/** Keeps how the last round of a collector went, and logs when one goes otherwise than the one before. */
export class Rounds {
  readonly #collector: string;
  readonly #context: CollectionContext;
  readonly #labels: Labels;
  #last: CollectorOutcome | undefined;
  #reported: Outcome = 'ok';

  /** @param labels - carried by every log line, beside the collector. */
  constructor(collector: string, context: CollectionContext, labels: Labels) {
    this.#collector = collector;
    this.#context = context;
    this.#labels = labels;
  }

  /** Whether a round has ended. */
  get hasEnded(): boolean {
    return this.#last !== undefined;
  }

  /** Returns how the last round went, as the same object until that changes; absent before the first has ended. */
  outcome(isServed: boolean): CollectorOutcome | undefined {
    const last = this.#last;
    if (last !== undefined && last.isServed !== isServed) this.#last = { ...last, isServed };
    return this.#last;
  }

  /** Goes on from the last round of another run of the same collector. */
  adopt(previous: Rounds): void {
    this.#last = previous.#last;
    this.#reported = previous.#reported;
  }

  /** Takes note that a round has ended, after which these targets are followed. */
  ended(startedAtMs: number, targets: readonly AskedTarget[]): void {
    const nowMs = this.#context.clock.nowMs();
    const failed = targets.filter(({ cache }) => cache.lastError !== undefined);
    const [first] = failed;
    const code = first === undefined ? 'ok' : outcomeOf(first.cache.lastError);
    // The budget itself logs that it is used up, once for all collectors.
    if (code !== this.#reported && code !== 'SERVICE_BUDGET_USED_UP')
      this.#report(code, failed, targets.length);
    this.#last = {
      collector: this.#collector,
      isSuccess: failed.length === 0,
      code,
      durationSeconds: elapsedMs(startedAtMs, nowMs) / 1000,
      lastSuccessAtMs: failed.length === 0 ? nowMs : this.#last?.lastSuccessAtMs,
      isServed: true,
    };
  }

  /** Logs one line when a collector starts to fail, fails differently, or recovers; none in between. */
  #report(code: Outcome, failed: readonly AskedTarget[], targets: number): void {
    this.#reported = code;
    const [first] = failed;
    const { log } = this.#context;
    const collector = this.#collector;
    if (first === undefined) {
      log.info({ collector, ...this.#labels }, 'collector recovered');
      return;
    }
    const counts = { failed: failed.length, targets };
    const level = code === 'UNEXPECTED' ? 'error' : 'warn';
    // The first failed target stands for all: its labels say where to look.
    log[level](
      { collector, ...first.labels, code, ...counts, err: first.cache.lastError },
      'collector failed',
    );
  }
}
