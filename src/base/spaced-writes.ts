import type { Clock } from './clock.ts';
import { oneAtATime } from './concurrency.ts';

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

/** @param write - writes what has changed, if anything has; it may want to write more at the end. Never rejects. */
export function spacedWrites(clock: Clock, write: (isEnd: boolean) => Promise<void>): SpacedWrites {
  const closing = new AbortController();
  const { signal } = closing;
  let nextAtMonotonicMs = -Infinity;
  const leftMs = (): number => Math.max(0, nextAtMonotonicMs - clock.monotonicMs());
  const writeInTime = oneAtATime(async () => {
    if (!signal.aborted && leftMs() > 0) await clock.sleep(leftMs(), signal);
    await write(signal.aborted);
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
