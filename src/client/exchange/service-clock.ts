import type { Clock } from '../../base/clock.ts';

/** Smaller differences are ignored: an answer takes time to arrive and is dated in whole seconds. */
const TOLERANCE_MS = 60_000;

/**
 * Derives the time of the service from the dates of its answers. With it, a machine whose clock is wrong still
 * asks for the right hour, and compares a reading with the clock that dated it.
 */
export class ServiceClock {
  /** How far the service is ahead of this machine; 0 while they agree within a minute. */
  aheadMs = 0;
  readonly #clock: Pick<Clock, 'nowMs'>;
  /** By how much the last three answers were ahead. */
  #observedMs: readonly number[] = [];
  /** The difference that three answers agreed on, because one server of several may be wrong. */
  #agreedMs: number | undefined;

  constructor(clock: Pick<Clock, 'nowMs'>) {
    this.#clock = clock;
  }

  /** Whether any answer has shown the time of the service yet. */
  get isKnown(): boolean {
    return this.#observedMs.length > 0;
  }

  nowMs(): number {
    return this.#clock.nowMs() + this.aheadMs;
  }

  /** Notes the date of an answer. Until three dates agree for the first time, the one closest to our clock counts. */
  observe(dateMs: number): void {
    this.#observedMs = [...this.#observedMs, dateMs - this.#clock.nowMs()].slice(-3);
    const [closest = 0] = this.#observedMs.toSorted((a, b) => Math.abs(a) - Math.abs(b));
    const [least = 0, middle = 0, most = Infinity] = this.#observedMs.toSorted((a, b) => a - b);
    if (most - least <= TOLERANCE_MS) this.#agreedMs = middle;
    const aheadMs = this.#agreedMs ?? closest;
    this.aheadMs = Math.abs(aheadMs) <= TOLERANCE_MS ? 0 : aheadMs;
  }
}
