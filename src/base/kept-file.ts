import type { z } from 'zod';
import type { Clock } from './clock.ts';
import { oneAtATime } from './concurrency.ts';
import type { Logger } from './log.ts';
import { systemReason } from './shown.ts';

/** A file that holds one text, which is replaced as a whole. */
export interface StateFile {
  /** Resolves to the text; absent when there is none yet. Rejects when it cannot be read. */
  read(): Promise<string | undefined>;
  /** Replaces the text, one write after another; resolves once it would survive a power cut. */
  write(text: string): Promise<void>;
  /** Moves the file out of the way; resolves to where it is now. */
  setAside(): Promise<string>;
}

/** What the log says about a file, in the words of what it holds. */
export interface KeptFileTexts {
  /** Why a text that was read is not used: `not a session of this version`. */
  readonly foreign: string;
  /** That the file was set aside, and what follows. */
  readonly setAside: string;
  /** That it cannot be written, and what follows. */
  readonly failing: string;
  /** That it is written again. */
  readonly again: string;
}

/** A file that says in the log, once, when it cannot be used. */
export interface KeptFile {
  /**
   * Resolves to what the file holds; absent when there is no file, or none that can be used. Never rejects.
   *
   * @param schema - accepts what this program writes, and nothing else.
   */
  read<Schema extends z.ZodType>(schema: Schema): Promise<z.output<Schema> | undefined>;
  /** Replaces the text; resolves to whether that succeeded. Never rejects. */
  write(text: string): Promise<boolean>;
}

/**
 * Reads and writes a file of the state directory. Nothing about it keeps the program from working: a file that
 * cannot be used is set aside, and one that cannot be written is tried again the next time. The log says so once.
 */
export function keptFile(file: StateFile, texts: KeptFileTexts, log: Logger): KeptFile {
  let isFailing = false;
  return {
    async read(schema) {
      const [text, reason] = await file.read().then(
        (read) => [read, texts.foreign] as const,
        (error: unknown) => ['', systemReason(error)] as const,
      );
      if (text === undefined) return undefined;
      const { success, data } = schema.safeParse(jsonOrNothing(text));
      if (success) return data;
      const place = await file
        .setAside()
        .catch((error: unknown) => `nowhere (${systemReason(error)})`);
      log.warn({ reason, place }, texts.setAside);
      return undefined;
    },

    async write(text) {
      const error = await file.write(text).catch((caught: unknown) => caught);
      const hasFailed = error !== undefined;
      if (hasFailed && !isFailing) log.warn({ reason: systemReason(error) }, texts.failing);
      if (!hasFailed && isFailing) log.info({}, texts.again);
      isFailing = hasFailed;
      return !hasFailed;
    },
  };
}

/** Returns the value of a JSON text; undefined when it is none. */
export function jsonOrNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** How far apart writes are, so that changes that come together share one. */
const SPACING_MS = 60_000;

/** Writes a file that changes all the time: one write at a time, at most once a minute, and once more at the end. */
export interface SpacedWrites {
  /** How long it is until the next write may begin. */
  leftMs(): number;
  /** Takes note that something may have changed. Nobody waits for the write. */
  soon(): void;
  /** Writes at once what is not written yet. */
  close(): Promise<void>;
}

/** @param write - writes what has changed, if anything has. Never rejects. */
export function spacedWrites(clock: Clock, write: () => Promise<void>): SpacedWrites {
  const closing = new AbortController();
  const { signal } = closing;
  let nextAtMonotonicMs = -Infinity;
  const leftMs = (): number => Math.max(0, nextAtMonotonicMs - clock.monotonicMs());
  const writeInTime = oneAtATime(async () => {
    if (!signal.aborted && leftMs() > 0) await clock.sleep(leftMs(), signal);
    await write();
    nextAtMonotonicMs = clock.monotonicMs() + SPACING_MS;
  });
  return {
    leftMs,
    soon: () => void writeInTime(),
    close: () => {
      closing.abort();
      return writeInTime();
    },
  };
}
