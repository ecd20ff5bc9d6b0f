import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { oneAtATime } from '../../base/concurrency.ts';
import { isBelievable } from '../../base/instant.ts';
import { jsonOrNothing, KeptFile, type StateFile } from '../../base/kept-file.ts';
import type { Logger } from '../../base/log.ts';
import { dayAt, newDay, type SpentDay } from './spent-day.ts';

/** Grows when an older program could no longer read what a newer one writes. */
const VERSION = 1;
/** A day has at most so many writes; a program that is killed loses as small a part of the budget. */
const WRITES_PER_DAY = 200;

const instant = z.number().refine(isBelievable);
const fileSchema = z.object({
  version: z.literal(VERSION),
  startsAtMs: instant,
  spent: z.number().int().min(0),
  setBackToMs: instant.optional(),
});

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
 * The file is ahead of the count by a small part of the budget, so that it need not be written at every request: a
 * program that is killed has counted a few more than it sent, and never fewer.
 */
export class SpentRequests {
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #file: KeptFile | undefined;
  readonly #write = oneAtATime((day: () => SpentDay) => this.#writeNow(day()));
  #day: SpentDay;
  /** What the file says. */
  #written: SpentDay | undefined;
  #sent = 0;

  constructor({ file, clock, log }: SpentRequestsOptions) {
    this.#clock = clock;
    this.#file = file && new KeptFile(file, TEXTS, log);
    this.#day = newDay(clock.nowMs());
  }

  /** Reads the file, and sets it aside when it cannot be used. */
  static async open(options: SpentRequestsOptions): Promise<SpentRequests> {
    const requests = new SpentRequests(options);
    const day = await requests.#file?.read(decodeDay);
    if (day !== undefined) requests.#day = day;
    requests.#written = day;
    return requests;
  }

  /** How many requests were sent since the program started. */
  get sent(): number {
    return this.#sent;
  }

  /** How many were sent today. */
  get today(): number {
    return this.#today().spent;
  }

  /**
   * Counts a request that is about to be sent. Resolves once the count would survive the end of the program, to whether
   * it may be sent: false once the limit of the day is reached. Never rejects.
   *
   * @param limit - absent: there is none, and nothing is written.
   */
  async spend(limit?: number): Promise<boolean> {
    const day = this.#today();
    const isAllowed = limit === undefined || day.spent < limit;
    if (isAllowed) {
      this.#sent += 1;
      this.#day = { ...day, spent: day.spent + 1 };
    }
    if (limit !== undefined && !this.#isCovered()) await this.#write(() => this.#ahead(limit));
    return isAllowed;
  }

  /** Writes how many were really sent. */
  async close(): Promise<void> {
    if (this.#written !== undefined) await this.#write(() => this.#today());
  }

  #today(): SpentDay {
    this.#day = dayAt(this.#day, this.#clock.nowMs());
    return this.#day;
  }

  /** Whether the file says at least as much as the count. */
  #isCovered(): boolean {
    const { startsAtMs, spent, setBackToMs } = this.#day;
    const written = this.#written;
    if (this.#file === undefined) return true;
    return (
      written?.startsAtMs === startsAtMs &&
      written.setBackToMs === setBackToMs &&
      spent <= written.spent
    );
  }

  #ahead(limit: number): SpentDay {
    const day = this.#today();
    return { ...day, spent: Math.min(limit, day.spent + Math.floor(limit / WRITES_PER_DAY)) };
  }

  async #writeNow(day: SpentDay): Promise<void> {
    const text = `${JSON.stringify({ version: VERSION, ...day })}\n`;
    if ((await this.#file?.write(text)) !== false) this.#written = day;
  }
}

function decodeDay(text: string): SpentDay | undefined {
  const { success, data } = fileSchema.safeParse(jsonOrNothing(text));
  if (!success) return undefined;
  const { startsAtMs, spent, setBackToMs } = data;
  return { startsAtMs, spent, setBackToMs };
}
