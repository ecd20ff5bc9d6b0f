import type { Clock } from '../../src/base/clock.ts';

interface Sleeper {
  readonly wakeAtMs: number;
  readonly wake: () => void;
}

/** A clock that stands still until it is advanced; sleepers wake when their time has come. */
export class FakeClock implements Clock {
  #nowMs: number;
  #monotonicMs = 0;
  #sleepers: readonly Sleeper[] = [];

  constructor(now = '2026-08-24T08:00:00Z') {
    this.#nowMs = Date.parse(now);
  }

  nowMs(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      signal?.addEventListener('abort', wake);
      this.#sleepers = [...this.#sleepers, { wakeAtMs: this.#monotonicMs + durationMs, wake }];
    });
  }

  /** How many are asleep. */
  get sleeperCount(): number {
    return this.#sleepers.length;
  }

  /** Sets the clock without any time passing: positive is ahead. */
  misset(byMs: number): void {
    this.#nowMs += byMs;
  }

  /** Lets time pass. */
  advance(durationMs: number): void {
    this.#nowMs += durationMs;
    this.#monotonicMs += durationMs;
    const due = this.#sleepers.filter(({ wakeAtMs }) => wakeAtMs <= this.#monotonicMs);
    this.#sleepers = this.#sleepers.filter((sleeper) => !due.includes(sleeper));
    for (const { wake } of due.toSorted((one, other) => one.wakeAtMs - other.wakeAtMs)) wake();
  }
}
