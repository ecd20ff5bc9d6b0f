import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';

/** A limit that nobody reached for so long is logged again when somebody does. */
const EPISODE_GAP_MS = 60_000;

/** Logs that clients reach a limit: one line when it begins, however often it happens until it has ended. */
export class LimitLog {
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #lastReachedAtMs = new Map<string, number>();

  constructor(log: Logger, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  /** Notes that a limit was reached; `message` says which one and what happens at it. */
  reached(message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    const nowMs = this.#clock.nowMs();
    const lastAtMs = this.#lastReachedAtMs.get(message) ?? Number.NEGATIVE_INFINITY;
    this.#lastReachedAtMs.set(message, nowMs);
    // A clock that was set back costs a line, and never hides one.
    if (Math.abs(nowMs - lastAtMs) >= EPISODE_GAP_MS) this.#log.warn(fields, message);
  }
}
