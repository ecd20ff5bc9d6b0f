/** So many fetches of every target are assumed to have cost one request each, before any was seen. */
const ASSUMED_ROUNDS = 10;
/** After so many fetches of every target, those before count half. */
const REMEMBERED_ROUNDS = 100;

/**
 * Learns how many requests a fetch costs on average: most cost one; learning a device costs a few more once a day, and
 * so does a log-in. Fetches that fail do not count, because some of them send nothing.
 */
export class RequestCost {
  #requests = 0;
  #fetches = 0;
  #sentBefore: number;

  /** @param sentRequests - how many were sent so far. */
  constructor(sentRequests: number) {
    this.#sentBefore = sentRequests;
  }

  /**
   * Takes note of a fetch that has ended.
   *
   * @param sentRequests - how many were sent so far.
   * @param targets - how many things are asked about.
   */
  fetched(isSuccess: boolean, sentRequests: number, targets: number): void {
    const requests = sentRequests - this.#sentBefore;
    this.#sentBefore = sentRequests;
    if (!isSuccess) return;
    this.#requests += requests;
    this.#fetches += 1;
    if (this.#fetches <= REMEMBERED_ROUNDS * Math.max(1, targets)) return;
    this.#requests /= 2;
    this.#fetches /= 2;
  }

  /** Returns the requests of one fetch. */
  perFetch(targets: number): number {
    const assumed = ASSUMED_ROUNDS * Math.max(1, targets);
    return (this.#requests + assumed) / (this.#fetches + assumed);
  }
}
