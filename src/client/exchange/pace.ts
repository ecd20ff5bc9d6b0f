import type { Clock } from '../../base/clock.ts';

/** How many requests may go out at once. */
const BURST = 10;
/** An unplanned request waits no longer than this for the rate. */
const LONGEST_WAIT_MS = 3_600_000;

/**
 * The pace of requests (`--request.rate`): tokens come evenly, and a fetch that is due starts when it gets one. An
 * unplanned request, such as a log-in, a retry or a second page, goes out without a token and leaves a debt, which is
 * paid first.
 */
export class RequestPace {
  readonly #clock: Clock;
  #perSecond = Infinity;
  #tokens = BURST;
  #filledAtMs: number;
  /** How many fetches are under way, and how many tokens are reserved for their first requests. */
  #running = 0;
  #reserved = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#filledAtMs = clock.monotonicMs();
  }

  /** Sets the rate; there is no limit before. Spent tokens stay spent. */
  limit(perSecond = Infinity): void {
    this.#fill();
    this.#perSecond = perSecond;
  }

  /** How many requests may be sent per second, on average. */
  get perSecond(): number {
    return this.#perSecond;
  }

  /** How long it is until there is a token. */
  get waitMs(): number {
    if (this.#perSecond === Infinity) return 0;
    this.#fill();
    const seconds = (1 + this.#reserved - this.#tokens) / this.#perSecond;
    // Less than a millisecond is only a rounding error.
    return Math.floor(Math.max(0, seconds) * 1000);
  }

  /** Starts a fetch that is due, if there is a token for it. */
  start<T>(fetch: () => Promise<T>): Promise<T> | undefined {
    if (this.waitMs > 0) return undefined;
    this.#reserved += 1;
    this.#running += 1;
    return fetch().finally(() => {
      this.#running -= 1;
      // A fetch that sent nothing leaves its token to others.
      this.#reserved = Math.min(this.#reserved, this.#running);
    });
  }

  /**
   * Takes the token of a request that is about to be sent.
   *
   * Waits while the debt is large and no fetch is under way: a command, for example, sends only unplanned requests.
   * Further requests of a fetch do not wait, because a scrape may wait for the fetch.
   */
  async spend(): Promise<void> {
    if (this.#perSecond === Infinity) return;
    this.#fill();
    this.#reserved = Math.max(0, this.#reserved - 1);
    this.#tokens -= 1;
    const owed = -BURST - 1 - this.#tokens;
    if (this.#running === 0 && owed > 0)
      await this.#clock.sleep(Math.min(LONGEST_WAIT_MS, (owed / this.#perSecond) * 1000));
  }

  #fill(): void {
    const nowMs = this.#clock.monotonicMs();
    const come = ((nowMs - this.#filledAtMs) / 1000) * this.#perSecond;
    this.#filledAtMs = nowMs;
    this.#tokens = Math.min(BURST + this.#reserved, this.#tokens + (come || 0));
  }
}
