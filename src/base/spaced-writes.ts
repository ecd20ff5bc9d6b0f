import type { Clock } from './clock.ts';
import { oneAtATime } from './concurrency.ts';

/** How far apart writes are, so that changes that come together share one. */
const SPACING_MS = 60_000;

/** Writes a file that changes all the time: one write at a time, at most once a minute, and once more at the end. */
export class SpacedWrites {
  readonly #closing = new AbortController();
  readonly #writeInTime: () => Promise<void>;
  #endedAtMs = -Infinity;

  /** @param write - writes what has changed, if anything has; it may want to write more at the end. Never rejects. */
  constructor(clock: Clock, write: (isEnd: boolean) => Promise<void>) {
    this.#writeInTime = oneAtATime(async () => {
      const { signal } = this.#closing;
      const waitMs = this.nextAtMs - clock.nowMs();
      // It is longer only after the clock was set back.
      if (!signal.aborted && waitMs > 0 && waitMs <= SPACING_MS) await clock.sleep(waitMs, signal);
      await write(signal.aborted);
      this.#endedAtMs = clock.nowMs();
    });
  }

  /** When the next write may begin. */
  get nextAtMs(): number {
    return this.#endedAtMs + SPACING_MS;
  }

  /** Takes note that something may have changed. Nobody waits for the write. */
  soon(): void {
    void this.#writeInTime();
  }

  /** Writes at once what is not written yet. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#writeInTime();
  }
}
