/** Of so many devices the points are asked for at once; the first questions about further ones are spread. */
const ASKED_AT_ONCE = 10;
const SPREAD_MS = 900_000;
/** Multiples of the golden ratio, less their whole part, lie evenly apart, however many there are. */
const GOLDEN_RATIO = (1 + Math.sqrt(5)) / 2;

/**
 * Spreads the first questions about the devices of an account: the first page of a fleet need not wait for counts
 * that begin at 0, or go on where they were.
 */
export class FirstQuestions {
  readonly #atOnce = new Set<string>();
  #multiple = 0;

  /** Returns how long the first question about a device has to wait. One that may come at once may fail, and come again. */
  waitMs(deviceId: string): number {
    if (this.#atOnce.size < ASKED_AT_ONCE) this.#atOnce.add(deviceId);
    if (this.#atOnce.has(deviceId)) return 0;
    this.#multiple += GOLDEN_RATIO;
    return (this.#multiple % 1) * SPREAD_MS;
  }
}
