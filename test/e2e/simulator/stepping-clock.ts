import type { Clock } from '../../../src/base/clock.ts';

/** A clock that stands still; sleeping moves it on at once. */
export class SteppingClock implements Clock {
  readonly sleptMs: number[] = [];
  #nowMs: number;

  constructor(now: string) {
    this.#nowMs = Date.parse(now);
  }

  nowMs(): number {
    return this.#nowMs;
  }

  advance(durationMs: number): void {
    this.#nowMs += durationMs;
  }

  sleep(durationMs: number): Promise<void> {
    this.sleptMs.push(durationMs);
    this.advance(durationMs);
    return Promise.resolve();
  }
}
