import type { Clock } from '../clock.ts';

/** Answers take a moment to arrive, and their date has whole seconds: so much says nothing yet. */
const TOLERANCE_MS = 60_000;

/**
 * What time it is for the service, by the date of its answers. A machine whose own clock is wrong
 * then still asks for the right hour, and judges the age of a reading by the clock that dated it.
 */
export class ServiceClock {
  readonly #clock: Clock;
  #aheadMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes up the date of an answer that has just arrived. */
  observe(dateMs: number): void {
    const aheadMs = dateMs - this.#clock.nowMs();
    this.#aheadMs = Math.abs(aheadMs) <= TOLERANCE_MS ? 0 : aheadMs;
  }

  /** How far the service is ahead of us; 0 while the two agree within a minute. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  nowMs(): number {
    return this.#clock.nowMs() + this.#aheadMs;
  }
}
