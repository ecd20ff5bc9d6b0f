import type { Clock } from '../../base/clock.ts';

/** Ignores smaller differences: an answer takes time to arrive and is dated in whole seconds. */
const TOLERANCE_MS = 60_000;

/**
 * Tells the time of the service by the date of its answers. With it, a machine whose clock is wrong still
 * asks for the right hour, and compares a reading with the clock that dated it.
 */
export class ServiceClock {
  readonly #clock: Clock;
  #aheadMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Learns the difference from the date of an answer that has just arrived. */
  observe(dateMs: number): void {
    const aheadMs = dateMs - this.#clock.nowMs();
    this.#aheadMs = Math.abs(aheadMs) <= TOLERANCE_MS ? 0 : aheadMs;
  }

  /** How far the service is ahead of this machine; 0 while they agree within a minute. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  nowMs(): number {
    return this.#clock.nowMs() + this.#aheadMs;
  }
}
