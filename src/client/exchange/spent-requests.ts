import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { oneAtATime } from '../../base/concurrency.ts';
import { isBelievable } from '../../base/instant.ts';
import { jsonOrNothing, KeptFile, type StateFile } from '../../base/kept-file.ts';
import type { Logger } from '../../base/log.ts';

const DAY_MS = 86_400_000;
/** Grows when an older program could no longer read what a newer one writes. */
const VERSION = 1;
/** A day has about so many writes; a program that is killed loses as small a part of the budget. */
const WRITES_PER_DAY = 200;

const instant = z.number().refine(isBelievable);
const daySchema = z.object({
  /** Midnight, UTC. */
  startsAtMs: instant,
  spent: z.number().int().min(0),
  /** The day that a clock showed which was set back since; absent where none was. */
  setBackToMs: instant.optional(),
});
const fileSchema = daySchema.extend({ version: z.literal(VERSION) });

/** How many requests were taken on a day; an immutable value, replaced with every change. */
export type SpentDay = z.output<typeof daySchema>;

const TEXTS = {
  foreign: 'not a count of this version',
  setAside: 'the count of requests cannot be used, was set aside and begins at 0',
  // A full disk must not stop the readings.
  failing: 'the count of requests cannot be kept in --state.dir: a restart begins it anew',
  again: 'the count of requests is kept in --state.dir again',
};

export interface SpentRequestsOptions {
  /** Absent: the count is kept in memory only. */
  readonly file?: StateFile | undefined;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly log: Logger;
}

/**
 * Counts the requests to the service, of all kinds, by day. The count outlives reloads and, with a file, restarts.
 *
 * Programs share the file: each takes requests in blocks, and adds a block to what the file says before it sends the
 * first of it. So a program that is killed has counted a few more than it sent, and never fewer. Two that add at the
 * same instant, within the milliseconds between reading and writing, may count a block once.
 */
export class SpentRequests {
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #file: KeptFile | undefined;
  readonly #takeBlock = oneAtATime((limit: number) => this.#takeBlockNow(limit));
  /** What all programs have taken, as far as known. */
  #day: SpentDay;
  /** What is left of the last block. */
  #unused = 0;

  constructor({ file, clock, log }: SpentRequestsOptions) {
    this.#clock = clock;
    this.#file = file && new KeptFile(file, TEXTS, log);
    this.#day = newDay(clock.nowMs());
  }

  /** Reads the file, and sets it aside when it cannot be used. */
  static async open(options: SpentRequestsOptions): Promise<SpentRequests> {
    const requests = new SpentRequests(options);
    await requests.#read();
    return requests;
  }

  /** How many were sent today, as far as known. */
  get today(): number {
    return this.#today().spent - this.#unused;
  }

  /**
   * Counts a request that is about to be sent. Resolves once the count would survive the end of the program, to whether
   * it may be sent: false once the limit of the day is reached. Never rejects.
   *
   * @param limit - absent: there is none, and nothing is written.
   */
  async spend(limit?: number): Promise<boolean> {
    if (limit === undefined) {
      const day = this.#today();
      this.#day = { ...day, spent: day.spent + 1 };
      return true;
    }
    // A block may be gone when it was waited for, and may be too large for a limit that became smaller.
    while (this.#today().spent < limit && this.#unused === 0) await this.#takeBlock(limit);
    if (this.#unused === 0 || this.today >= limit) return false;
    this.#unused -= 1;
    return true;
  }

  /** Gives back what is left of the last block. */
  async close(): Promise<void> {
    if (this.#unused === 0) return;
    await this.#read();
    await this.#write({ ...this.#today(), spent: this.today });
  }

  async #takeBlockNow(limit: number): Promise<void> {
    if (this.#unused > 0) return;
    await this.#read();
    const day = this.#today();
    const block = Math.min(Math.ceil(limit / WRITES_PER_DAY), limit - day.spent);
    if (block <= 0) return;
    const taken = { ...day, spent: day.spent + block };
    await this.#write(taken);
    if (this.#today() !== day) return;
    this.#day = taken;
    this.#unused = block;
  }

  /** Takes up what other programs have taken. A file that could not be written says less than is known. */
  async #read(): Promise<void> {
    const read = await this.#file?.read(decodeDay);
    if (read === undefined) return;
    const [day, today] = [dayAt(read, this.#clock.nowMs()), this.#today()];
    if (day.startsAtMs !== today.startsAtMs || day.spent > today.spent) this.#day = day;
    // For whoever starts after the next midnight of a clock that was set back.
    if (day.startsAtMs === read.startsAtMs && day.setBackToMs !== read.setBackToMs)
      await this.#write(day);
  }

  async #write(day: SpentDay): Promise<void> {
    await this.#file?.write(`${JSON.stringify({ version: VERSION, ...day })}\n`);
  }

  #today(): SpentDay {
    const day = dayAt(this.#day, this.#clock.nowMs());
    if (day.startsAtMs !== this.#day.startsAtMs) this.#unused = 0;
    return (this.#day = day);
  }
}

function decodeDay(text: string): SpentDay | undefined {
  const { success, data } = fileSchema.safeParse(jsonOrNothing(text));
  if (!success) return undefined;
  const { startsAtMs, spent, setBackToMs } = data;
  return { startsAtMs, spent, setBackToMs };
}

/** Returns a day on which nothing was sent yet. */
export function newDay(nowMs: number): SpentDay {
  return { startsAtMs: startOf(nowMs), spent: 0 };
}

/**
 * Returns what counts at a time: nothing is spent when a new day has begun. A clock that is set back to another day
 * begins no new one, so that it gives no requests away; the next midnight that it shows does, so that nobody waits for
 * longer than a day. The count holds again when the clock is put right meanwhile, as it is some time after a machine has
 * started.
 */
export function dayAt(day: SpentDay, nowMs: number): SpentDay {
  const { startsAtMs, spent, setBackToMs } = day;
  const todayMs = startOf(nowMs);
  if (todayMs === startsAtMs) return setBackToMs === undefined ? day : { startsAtMs, spent };
  if (todayMs > Math.min(startsAtMs, setBackToMs ?? Infinity)) return newDay(nowMs);
  return todayMs === setBackToMs ? day : { ...day, setBackToMs: todayMs };
}

/** Returns when the next day begins, by the clock as it is now. */
export function nextDayAtMs(nowMs: number): number {
  return startOf(nowMs) + DAY_MS;
}

function startOf(instantMs: number): number {
  return Math.floor(instantMs / DAY_MS) * DAY_MS;
}
