import { Pause, type PauseState } from './pause.ts';

const MINUTE_MS = 60_000;
const PAUSES_MS = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 120 * MINUTE_MS];

/** What has to be kept of a breaker. */
export interface BreakerState {
  /** In a row. */
  readonly refusals: number;
  readonly pause: PauseState;
  /** Attempts in a row that the program did not live to see the end of. */
  readonly unfinished: number;
}

/**
 * Keeps a refused account from being locked: after each refusal in a row the next attempt has to
 * wait longer, 1 min, 5 min, 30 min, then 2 h.
 */
export class LoginBreaker {
  #refusals: number;
  #unfinished: number;
  readonly #pause: Pause;

  constructor(state?: BreakerState) {
    this.#refusals = state?.refusals ?? 0;
    this.#unfinished = state?.unfinished ?? 0;
    this.#pause = new Pause(state?.pause);
  }

  get state(): BreakerState {
    return {
      refusals: this.#refusals,
      pause: this.#pause.state,
      unfinished: this.#unfinished,
    };
  }

  /** Whether the last thing that was heard is a refusal. */
  get isRefused(): boolean {
    return this.#refusals > 0;
  }

  /** The end of the pause, or absent when an attempt is allowed. */
  blockedUntilMs(nowMs: number): number | undefined {
    return this.#pause.endsAtMs(nowMs);
  }

  /**
   * What to keep before an attempt, for a program that may be killed during it: the next start may try
   * once more, and after that each attempt without an end counts as refused.
   */
  stateDuringAttempt(nowMs: number): BreakerState {
    const presumed = new LoginBreaker(this.state);
    if (this.#unfinished > 0) presumed.refused(nowMs);
    return { ...presumed.state, unfinished: this.#unfinished + 1 };
  }

  refused(nowMs: number): void {
    this.#unfinished = 0;
    // Callers that were under way together were refused once.
    if (this.blockedUntilMs(nowMs) !== undefined) return;
    const pauseMs = PAUSES_MS[Math.min(this.#refusals, PAUSES_MS.length - 1)] ?? 0;
    this.#refusals += 1;
    this.#pause.begin(pauseMs, nowMs);
  }

  /** The attempt ended without a word about the credentials. */
  unanswered(): void {
    this.#unfinished = 0;
  }

  accepted(): void {
    this.#refusals = 0;
    this.#unfinished = 0;
    this.#pause.begin(0, 0);
  }
}
