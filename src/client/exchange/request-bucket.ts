import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { singleFlight } from '../../base/concurrency.ts';
import { ServiceError } from '../../base/errors.ts';
import { isBelievable } from '../../base/instant.ts';
import { type KeptFile, keptFile, type StateFile } from '../../base/kept-file.ts';
import type { Logger } from '../../base/log.ts';
import { isOver, leftMs, type Wait, waitFor } from '../../base/wait.ts';
import { greatestOf, leastOf } from '../../model/units.ts';

const DAY_MS = 86_400_000;
/** So many seconds' requests may go out at once, of a rate and of a budget. */
const RATE_BURST_SECONDS = 5;
const BUDGET_BURST_SECONDS = 3600;
/** What is due never gets the rest of a budget: a log-in may come, or a repetition. */
const PLANNABLE_RATIO = 0.98;
/** A day has about so many writes; a program that is killed loses as small a part of the budget. */
const WRITES_PER_DAY = 200;

const fileSchema = z.object({
  /** Grows when an older program could no longer read what a newer one writes. */
  version: z.literal(1),
  /** Midnight, UTC. */
  startsAtMs: z.number().refine(isBelievable),
  spent: z.number().int().min(0),
});
const TEXTS = {
  foreign: 'not a count of this version',
  setAside: 'the count of requests cannot be used, was set aside and begins at 0',
  // A full disk must not stop the readings.
  failing: 'the count of requests cannot be kept in --state.dir: a restart begins it anew',
  again: 'the count of requests is kept in --state.dir again',
};

export interface RequestLimits {
  /** How many requests are sent per second at most, on average; absent for any number. */
  readonly ratePerSecond?: number | undefined;
  /** How many requests of any kind are sent per day, by UTC, at most; absent for any number. */
  readonly dailyBudget?: number | undefined;
}

interface Day {
  /** Until midnight, UTC: no longer than that, however the clock is set. */
  readonly rest: Wait;
  /** The requests that were sent, those that other programs have counted among them. */
  spent: number;
  /** The requests that the file counts: with the rest of our last block, which may still be sent. */
  counted: number;
}

/** Whether a request was not sent because those of the day are used up. */
export function isBudgetUsedUp(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code === 'SERVICE_BUDGET_USED_UP';
}

/**
 * The requests that an account may send. By a rate, a budget or both, a token comes every now and then: what is due
 * starts when it gets one. A request that nobody planned, such as a log-in, a repetition or a second page, goes out
 * without one and leaves a debt, which comes first.
 *
 * All requests of a day are counted, over reloads and, with a file, over restarts. Programs share the file: each adds a
 * block of requests to it before it sends the first of them. So one that is killed has counted a few more than it sent.
 * Two that add within the milliseconds between reading and writing may count a block once.
 */
export class RequestBucket {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #file: KeptFile | undefined;
  #rate = Infinity;
  #budget = Infinity;
  /** Tokens of a rate and of a budget. They come evenly, and no more than come within so many seconds. */
  #levels: { tokens: number; perSecond: () => number; burstSeconds: number }[] = [];
  #filledAtMs = 0;
  /** The fetches under way, and those of them whose token waits for the first request. */
  #running = 0;
  #reserved = 0;
  #lastDay: Day | undefined;
  #isUsedUp = false;

  /** @param file - keeps the count of the day; absent: it is kept in memory only. */
  constructor(clock: Clock, log: Logger, file?: StateFile) {
    this.#clock = clock;
    this.#log = log;
    this.#file = file && keptFile(file, TEXTS, log);
  }

  /** Returns a bucket that goes on with the count of a file, which is set aside when it cannot be used. */
  static async open(clock: Clock, log: Logger, file?: StateFile): Promise<RequestBucket> {
    const bucket = new RequestBucket(clock, log, file);
    await bucket.#read();
    return bucket;
  }

  /** Sets the limits; there are none before. */
  limit({ ratePerSecond = Infinity, dailyBudget = Infinity }: RequestLimits): void {
    this.#fill();
    const before = this.#levels;
    const tokensOf = (burstSeconds: number): number =>
      before.find((level) => level.burstSeconds === burstSeconds)?.tokens ?? Infinity;
    this.#rate = ratePerSecond;
    this.#budget = dailyBudget;
    // After a debt, or with another program beside, what is left of a budget comes evenly until midnight.
    const evenly = (): number =>
      Math.min(dailyBudget / DAY_MS, this.#plannable / this.#restOfDayMs) * 1000;
    this.#levels = [
      {
        // A reload goes on with what was left.
        tokens: tokensOf(RATE_BURST_SECONDS),
        perSecond: () => ratePerSecond,
        burstSeconds: RATE_BURST_SECONDS,
      },
      {
        tokens: tokensOf(BUDGET_BURST_SECONDS),
        perSecond: evenly,
        burstSeconds: BUDGET_BURST_SECONDS,
      },
    ].filter(({ perSecond }) => perSecond() < Infinity);
  }

  /** How many requests may be sent per second from now on, on average. */
  get perSecond(): number {
    return leastOf(this.#levels.map(({ perSecond }) => perSecond()));
  }

  /** How many requests may still be sent today; absent without a budget. */
  get left(): number | undefined {
    return this.#budget < Infinity ? Math.max(0, this.#budget - this.#today().spent) : undefined;
  }

  /** How long it is until there is a token, or a new day. */
  get waitMs(): number {
    this.#fill();
    const needed = 1 + this.#reserved;
    const seconds = this.#levels.map(({ tokens, perSecond }) => (needed - tokens) / perSecond());
    // Less than a millisecond is missing only because numbers are rounded.
    return Math.min(this.#restOfDayMs, Math.floor(Math.max(0, greatestOf(seconds)) * 1000));
  }

  /** Starts a fetch that is due, if there is a token for it. */
  start<T>(fetch: () => Promise<T>): Promise<T> | undefined {
    // When the requests of the day are used up, fetches fail without sending anything: so everybody sees it.
    if (this.waitMs > 0 && this.left !== 0) return undefined;
    this.#reserved += 1;
    this.#running += 1;
    return fetch().finally(() => {
      this.#running -= 1;
      // One that sent nothing leaves its token to others.
      this.#reserved = Math.min(this.#reserved, this.#running);
    });
  }

  /** Throws a ServiceError, `SERVICE_BUDGET_USED_UP`, when no request may be sent, before anything is done for it. */
  check(): void {
    const dailyRequests = this.#budget;
    const wasUsedUp = this.#isUsedUp;
    this.#isUsedUp = this.left === 0;
    if (!this.#isUsedUp) {
      if (wasUsedUp) this.#log.info({ dailyRequests }, 'the service is asked again: a new day');
      return;
    }
    const retryAfterMs = this.#restOfDayMs;
    const until = new Date(this.#clock.nowMs() + retryAfterMs).toISOString();
    // Once, whoever asked: what all collectors have to say of it is the same.
    if (!wasUsedUp)
      this.#log.warn(
        { dailyRequests, until },
        'the requests of the day are used up: the service is not asked',
      );
    const message = `the ${dailyRequests} requests of the day (--request.daily-budget) are used up; none before ${until}`;
    throw new ServiceError('SERVICE_BUDGET_USED_UP', message, { retryAfterMs });
  }

  /**
   * Takes a request that is about to be sent; it then counts, even if the program ends. Rejects as {@link check} throws.
   *
   * Waits while the debt at the rate is large: a command, say, has nothing but unplanned requests. Whatever a fetch asks
   * beside its first request does not wait, because a scrape may wait for the fetch.
   */
  async spend(): Promise<void> {
    this.check();
    this.#fill();
    this.#reserved = Math.max(0, this.#reserved - 1);
    const [tokens = 0] = this.#levels.map((level) => (level.tokens -= 1));
    if (this.#rate < Infinity && this.#running === 0) {
      const owed = -Math.max(1, RATE_BURST_SECONDS * this.#rate) - 1 - tokens;
      if (owed > 0) await this.#clock.sleep(Math.min(DAY_MS, (owed / this.#rate) * 1000));
    }
    // A block may be gone when it was waited for.
    while (this.#budget < Infinity && this.#today().counted <= this.#today().spent) {
      await this.#takeBlock();
      this.check();
    }
    this.#today().spent += 1;
  }

  /** Gives back what is left of the last block. */
  async close(): Promise<void> {
    if (this.#today().counted <= this.#today().spent) return;
    await this.#read();
    await this.#write(this.#today().spent);
  }

  readonly #takeBlock = singleFlight(async () => {
    await this.#read();
    // A day that ends meanwhile keeps its block.
    const day = this.#today();
    const block = Math.min(Math.ceil(this.#budget / WRITES_PER_DAY), this.left ?? 0);
    if (block === 0) return;
    await this.#write(day.spent + block);
    day.counted = day.spent + block;
  });

  /** Takes up what other programs have counted. A file from the future, which would hold for ever, is one of today. */
  async #read(): Promise<void> {
    const read = await this.#file?.read(fileSchema);
    const day = this.#today();
    const startsAtMs = this.#midnightMs;
    if (read === undefined || read.startsAtMs < startsAtMs) return;
    // A file that could not be written says less than is known.
    const byOthers = Math.max(0, read.spent - day.counted);
    day.spent += byOthers;
    day.counted += byOthers;
    if (read.startsAtMs > startsAtMs) await this.#write(day.counted);
  }

  async #write(spent: number): Promise<void> {
    const count = { version: 1, startsAtMs: this.#midnightMs, spent };
    await this.#file?.write(`${JSON.stringify(count)}\n`);
  }

  #today(): Day {
    if (this.#lastDay === undefined || isOver(this.#lastDay.rest, this.#clock)) {
      const restMs = this.#midnightMs + DAY_MS - this.#clock.nowMs();
      this.#lastDay = { rest: waitFor(restMs, this.#clock), spent: 0, counted: 0 };
    }
    return this.#lastDay;
  }

  get #restOfDayMs(): number {
    return leftMs(this.#today().rest, this.#clock);
  }

  /** When the day has begun, in UTC. */
  get #midnightMs(): number {
    return Math.floor(this.#clock.nowMs() / DAY_MS) * DAY_MS;
  }

  /** What may be started today; all of it without a budget. */
  get #plannable(): number {
    return Math.max(0, Math.floor(this.#budget * PLANNABLE_RATIO) - this.#today().spent);
  }

  #fill(): void {
    const nowMs = this.#clock.monotonicMs();
    const seconds = (nowMs - this.#filledAtMs) / 1000;
    this.#filledAtMs = nowMs;
    for (const level of this.#levels) {
      const perSecond = level.perSecond();
      const burst = Math.max(1, level.burstSeconds * perSecond);
      const most = Math.min(this.#plannable, burst + this.#reserved);
      level.tokens = Math.min(most, level.tokens + seconds * perSecond);
    }
  }
}
