import type { z } from 'zod';
import type { Clock } from './clock.ts';
import { oneAtATime } from './concurrency.ts';
import type { Logger } from './log.ts';
import { systemReason } from './shown.ts';

/** A file with one text that is replaced as a whole. */
export interface StateFile {
  /** Resolves to the text; absent when there is none yet. Rejects when it cannot be read. */
  read(): Promise<string | undefined>;
  /** Replaces the text, one write after another; resolves once the text would survive a power cut. */
  write(text: string): Promise<void>;
  /** Moves the file out of the way; resolves to where it is now. */
  setAside(): Promise<string>;
}

/** The log messages about a file, which name its content. */
export interface KeptFileTexts {
  /** Why a text that was read is not used: `not a session of this version`. */
  readonly foreign: string;
  /** Says that the file was set aside, and what follows. */
  readonly setAside: string;
  /** Says that the file cannot be written, and what follows. */
  readonly failing: string;
  /** Says that the file is written again. */
  readonly again: string;
}

/** A file whose faults are logged once and never thrown. */
export interface KeptFile {
  /**
   * Resolves to the content of the file; undefined when there is no usable file. Never rejects.
   *
   * @param schema - accepts what this program writes, and nothing else.
   */
  read<Schema extends z.ZodType>(schema: Schema): Promise<z.output<Schema> | undefined>;
  /** Replaces the text; resolves to whether that succeeded. Never rejects. */
  write(text: string): Promise<boolean>;
}

/**
 * Reads and writes a file of the state directory. A fault of the file does not stop the program: an unusable file is
 * set aside, and a failed write is tried again the next time. The fault is logged once.
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

/** Returns the value of a JSON text; undefined when the text is not JSON. */
export function jsonOrNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The time between writes: changes within it share one write. */
const SPACING_MS = 60_000;

/** Writes a file that changes all the time: one write at a time, at most once a minute, and once more at the end. */
export interface SpacedWrites {
  /** How long until the next write may begin. */
  leftMs(): number;
  /** Notes that something may have changed. The write happens in the background. */
  soon(): void;
  /** Writes unwritten changes at once. */
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
