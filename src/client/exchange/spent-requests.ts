import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { oneAtATime } from '../../base/concurrency.ts';
import { isBelievable } from '../../base/instant.ts';
import type { Logger } from '../../base/log.ts';
import { systemReason } from '../../base/shown.ts';
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

/** A file that holds one text, which is replaced as a whole. */
export interface SpentFile {
  read(): Promise<string | undefined>;
  write(text: string): Promise<void>;
  setAside(): Promise<string>;
}

export interface SpentRequestsOptions {
  /** Absent: the count is kept in memory only. */
  readonly file?: SpentFile | undefined;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly log: Logger;
}

/**
 * Counts the requests to the service, of all kinds, by day. The count outlives reloads and, with a file, restarts.
 * The file is ahead of the count by a small part of the budget, so that it need not be written at every request: a
 * program that is killed has counted a few more than it sent, and never fewer.
 */
export class SpentRequests {
  readonly #options: SpentRequestsOptions;
  readonly #write = oneAtATime((day: () => SpentDay) => this.#writeNow(day()));
  #day: SpentDay;
  /** What the file says. */
  #written: SpentDay | undefined;
  #sent = 0;
  #isFailing = false;

  constructor(options: SpentRequestsOptions, day: SpentDay = newDay(options.clock.nowMs())) {
    this.#options = options;
    this.#day = day;
  }

  /** Reads the file, and sets it aside when it cannot be used. */
  static async open(options: SpentRequestsOptions): Promise<SpentRequests> {
    const day = options.file && (await readDay(options.file, options.log));
    const requests = new SpentRequests(options, day);
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
    this.#day = dayAt(this.#day, this.#options.clock.nowMs());
    return this.#day;
  }

  /** Whether the file says at least as much as the count. */
  #isCovered(): boolean {
    const { startsAtMs, spent, setBackToMs } = this.#day;
    const written = this.#written;
    if (this.#options.file === undefined) return true;
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
    const { file, log } = this.#options;
    try {
      await file?.write(`${JSON.stringify({ version: VERSION, ...day })}\n`);
      if (this.#isFailing) log.info({}, 'the count of requests is kept in --state.dir again');
      this.#isFailing = false;
      this.#written = day;
    } catch (error) {
      // A full disk must not stop the readings.
      if (!this.#isFailing)
        log.warn(
          { reason: systemReason(error) },
          'the count of requests cannot be kept in --state.dir: a restart begins it anew',
        );
      this.#isFailing = true;
    }
  }
}

async function readDay(file: SpentFile, log: Logger): Promise<SpentDay | undefined> {
  const [text, reason] = await file.read().then(
    (read) => [read, 'not a count of this version'] as const,
    (error: unknown) => ['', systemReason(error)] as const,
  );
  if (text === undefined) return undefined;
  const { success, data } = fileSchema.safeParse(parseJson(text));
  if (success) {
    const { startsAtMs, spent, setBackToMs } = data;
    return { startsAtMs, spent, setBackToMs };
  }
  const place = await file.setAside().catch((error: unknown) => `nowhere (${systemReason(error)})`);
  log.warn(
    { reason, place },
    'the count of requests cannot be used, was set aside and begins at 0',
  );
  return undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
