import type { Clock } from '../../base/clock.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { leastOf } from '../../model/units.ts';
import { nextDayAtMs, type SpentRequests } from './spent-requests.ts';

/** So many seconds' requests may go out at once, of a rate and of a budget. */
const RATE_BURST_SECONDS = 5;
const BUDGET_BURST_SECONDS = 3600;
/** What is due never gets the last part of a budget: a log-in may come, or a repetition. */
const IN_HAND_RATIO = 0.02;
const DAY_SECONDS = 86_400;
/** About what a timer of Node.js can hold: it would run out at once for anything longer. */
const LONGEST_WAIT_MS = 24 * DAY_SECONDS * 1000;
/** So little is missing only because numbers are rounded. */
const ROUNDED = 1e-6;

/** What is left of the requests of a day. */
export interface BudgetStatus {
  /** How many requests a day may have. */
  readonly dailyRequests: number;
  readonly remainingRequests: number;
  /** When all of them are there again. */
  readonly resetsAtMs: number;
}

export interface RequestBucketOptions {
  /** How many requests are sent per second at most, on average; absent for any number. */
  readonly ratePerSecond?: number | undefined;
  /** How many requests are sent per day, by UTC, at most; absent for any number. */
  readonly dailyBudget?: number | undefined;
  readonly spent: SpentRequests;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Tokens that come evenly, as long as there are fewer than the most. */
interface Level {
  tokens: number;
  readonly perSecond: () => number;
  readonly most: () => number;
}

/** Whether a request was not sent because those of the day are used up. */
export function isBudgetUsedUp(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code === 'SERVICE_BUDGET_USED_UP';
}

/**
 * The requests that an account may send. By a rate, a budget or both, a token comes every now and then: what is due
 * starts when it gets one. A request that nobody planned, such as a log-in, a repetition or a second page, goes out
 * without a token and leaves a debt, which comes first.
 */
export class RequestBucket {
  readonly #options: RequestBucketOptions;
  readonly #levels: readonly Level[];
  #filledAtMs: number;
  /** The fetches under way, and how many of their tokens wait for the first request. */
  #running = 0;
  #credit = 0;
  #isUsedUp = false;

  constructor(options: RequestBucketOptions) {
    this.#options = options;
    const { ratePerSecond: rate, dailyBudget, clock } = options;
    this.#filledAtMs = clock.monotonicMs();
    const levels: Level[] = [];
    if (rate !== undefined) {
      const most = Math.max(1, RATE_BURST_SECONDS * rate);
      levels.push({ tokens: most, perSecond: () => rate, most: () => most });
    }
    if (dailyBudget !== undefined) {
      const perSecond = (): number => this.#evenly(dailyBudget);
      const most = (): number => Math.max(1, BUDGET_BURST_SECONDS * perSecond());
      levels.push({ tokens: most(), perSecond, most });
    }
    this.#levels = levels;
  }

  /** How many requests may be sent per second from now on, on average. */
  get perSecond(): number {
    return leastOf(this.#levels.map(({ perSecond }) => perSecond()));
  }

  /** How long it is until there is a token. */
  get waitMs(): number {
    this.#fill();
    let waitMs = 0;
    for (const { tokens, perSecond } of this.#levels)
      if (tokens < 1 - ROUNDED) waitMs = Math.max(waitMs, ((1 - tokens) / perSecond()) * 1000);
    return Math.min(LONGEST_WAIT_MS, Math.ceil(waitMs));
  }

  /** Starts a fetch that is due, if there is a token for it. */
  start<T>(fetch: () => Promise<T>): Promise<T> | undefined {
    const isLacking = this.waitMs > 0 || this.#plannable <= this.#credit;
    // When the requests of the day are used up, fetches fail without sending anything: so everybody sees it.
    if (isLacking && this.#remaining > 0) return undefined;
    this.#add(-1);
    this.#credit += 1;
    this.#running += 1;
    return fetch().finally(() => {
      this.#running -= 1;
      // One that sent nothing leaves its token to others.
      this.#add(Math.max(0, this.#credit - this.#running));
      this.#credit = Math.min(this.#credit, this.#running);
    });
  }

  /**
   * Makes sure that a request may be sent, before anything is done for it.
   *
   * @throws ServiceError `SERVICE_BUDGET_USED_UP`.
   */
  check(): void {
    if (this.#remaining === 0) throw this.#usedUp();
  }

  /**
   * Waits while the debt at the rate is large: a command, say, has nothing but unplanned requests. Whatever a fetch asks
   * beside its first request does not wait, because a scrape may wait for the fetch.
   */
  async settle(): Promise<void> {
    const { ratePerSecond: rate, clock } = this.#options;
    const [level] = this.#levels;
    if (rate === undefined || level === undefined || this.#running > 0) return;
    this.#fill();
    const owed = -level.most() - level.tokens;
    if (owed > 0) await clock.sleep(Math.min((owed / rate) * 1000, LONGEST_WAIT_MS));
  }

  /** Takes a request that is about to be sent. Rejects with a ServiceError, `SERVICE_BUDGET_USED_UP`, when none is left. */
  async spend(): Promise<void> {
    const { dailyBudget: dailyRequests, spent, log } = this.#options;
    if (!(await spent.spend(dailyRequests))) throw this.#usedUp();
    if (this.#isUsedUp) log.info({ dailyRequests }, 'the service is asked again: a new day');
    this.#isUsedUp = false;
    if (this.#credit > 0) this.#credit -= 1;
    else this.#add(-1);
  }

  /** Returns what is left of the day; absent without a budget. */
  budget(): BudgetStatus | undefined {
    const { dailyBudget, clock } = this.#options;
    return dailyBudget === undefined
      ? undefined
      : {
          dailyRequests: dailyBudget,
          remainingRequests: this.#remaining,
          resetsAtMs: nextDayAtMs(clock.nowMs()),
        };
  }

  /** What may still be sent today. */
  get #remaining(): number {
    const { dailyBudget = Infinity, spent } = this.#options;
    return Math.max(0, dailyBudget - spent.today);
  }

  /** What of that may be started; all of it without a budget. */
  get #plannable(): number {
    const { dailyBudget = 0 } = this.#options;
    return Math.max(0, this.#remaining - Math.ceil(dailyBudget * IN_HAND_RATIO));
  }

  /** A budget comes evenly. After a debt, or with another program beside, what is left comes evenly until midnight. */
  #evenly(dailyRequests: number): number {
    const nowMs = this.#options.clock.nowMs();
    const secondsLeft = (nextDayAtMs(nowMs) - nowMs) / 1000;
    return Math.min(dailyRequests / DAY_SECONDS, this.#plannable / secondsLeft);
  }

  #fill(): void {
    const nowMs = this.#options.clock.monotonicMs();
    const seconds = (nowMs - this.#filledAtMs) / 1000;
    this.#filledAtMs = nowMs;
    for (const level of this.#levels)
      level.tokens = Math.min(level.most(), level.tokens + seconds * level.perSecond());
  }

  #add(tokens: number): void {
    for (const level of this.#levels) level.tokens += tokens;
  }

  /** Logs it once, whoever asked: what all collectors have to say of it is the same. */
  #usedUp(): ServiceError {
    const { dailyBudget: dailyRequests, clock, log } = this.#options;
    const resetsAtMs = nextDayAtMs(clock.nowMs());
    const until = new Date(resetsAtMs).toISOString();
    if (!this.#isUsedUp)
      log.warn(
        { dailyRequests, until },
        'the requests of the day are used up: the service is not asked',
      );
    this.#isUsedUp = true;
    const message = `the ${dailyRequests} requests of the day (--request.daily-budget) are used up; none before ${until}`;
    const retryAfterMs = resetsAtMs - clock.nowMs();
    return new ServiceError('SERVICE_BUDGET_USED_UP', message, { retryAfterMs });
  }
}
