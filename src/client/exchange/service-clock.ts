import type { Clock } from '../../base/clock.ts';
import { isBelievable } from '../../base/instant.ts';
import type { Logger } from '../../base/log.ts';

/** Ignores smaller differences: an answer takes time to arrive and is dated in whole seconds. */
const TOLERANCE_MS = 60_000;
/** How many successive answers have to agree: one server of several may have a wrong clock. */
const CONFIRMATIONS = 3;

/**
 * Tells the time of the service by the date of its answers. With it, a machine whose clock is wrong still
 * asks for the right hour, and compares a reading with the clock that dated it.
 */
export class ServiceClock {
  readonly #clock: Clock;
  readonly #log: Pick<Logger, 'warn'> | undefined;
  #hasWarned = false;
  /** By how much the last answers were ahead of us, the newest last. */
  #observedMs: readonly number[] = [];
  #isConfirmed = false;
  #aheadMs = 0;

  /** @param log - is told once of a date that nobody can believe. */
  constructor(clock: Clock, log?: Pick<Logger, 'warn'>) {
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * Learns the difference from the date of an answer that has just arrived. Until answers have agreed
   * for the first time, the one that is closest to our clock counts. A date that nobody can believe is
   * ignored.
   */
  observe(dateMs: number): void {
    if (!isBelievable(dateMs)) {
      this.#warnOnce();
      return;
    }
    const observedMs = dateMs - this.#clock.nowMs();
    this.#observedMs = [...this.#observedMs, observedMs].slice(-CONFIRMATIONS);
    const ascendingMs = this.#observedMs.toSorted((one, other) => one - other);
    const [leastMs = observedMs] = ascendingMs;
    const isAgreed =
      ascendingMs.length === CONFIRMATIONS &&
      (ascendingMs.at(-1) ?? observedMs) - leastMs <= TOLERANCE_MS;
    if (isAgreed) this.#isConfirmed = true;
    else if (this.#isConfirmed) return;
    const aheadMs = isAgreed ? (ascendingMs[1] ?? observedMs) : closestToZero(this.#observedMs);
    this.#aheadMs = Math.abs(aheadMs) <= TOLERANCE_MS ? 0 : aheadMs;
  }

  #warnOnce(): void {
    if (!this.#hasWarned)
      this.#log?.warn(
        {},
        'the service dates answers outside of 1970 to 2199: no such date is used',
      );
    this.#hasWarned = true;
  }

  /** How far the service is ahead of this machine; 0 while they agree within a minute. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  nowMs(): number {
    return this.#clock.nowMs() + this.#aheadMs;
  }
}

function closestToZero(differencesMs: readonly number[]): number {
  return differencesMs.reduce((closest, candidate) =>
    Math.abs(candidate) < Math.abs(closest) ? candidate : closest,
  );
}
