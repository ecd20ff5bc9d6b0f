import { type Clock, CLOCK_STEP_MS } from '../clock.ts';
import type { Collection } from '../collectors/collection.ts';
import type { SelfMetrics } from './self.ts';

export interface ChangingParts {
  readonly collection: Pick<Collection, 'version' | 'nextFetchAtMs' | 'nextWithdrawalAtMs'>;
  readonly self: Pick<SelfMetrics, 'version'>;
  readonly clock: Clock;
}

interface Kept<Value> {
  readonly value: Value;
  readonly version: number;
  /** Earlier than that only a clock that was set back can show. */
  readonly sinceMs: number;
  readonly nextWithdrawalAtMs: number;
  readonly nextFetchAtMs: number;
}

/**
 * Keeps what was made of everything that is known, until something of it is fetched, counted or
 * withdrawn, or the clock is set back.
 */
export class UntilChanged<Value> {
  readonly #parts: ChangingParts;
  #kept: Kept<Value> | undefined;

  constructor(parts: ChangingParts) {
    this.#parts = parts;
  }

  /** What was made last, while it still holds. */
  current(): Value | undefined {
    const kept = this.#unchanged();
    return kept !== undefined && this.#parts.clock.nowMs() < kept.nextWithdrawalAtMs
      ? kept.value
      : undefined;
  }

  /** Like {@link current}, while there is nothing to ask the service about either. */
  settled(): Value | undefined {
    const kept = this.#unchanged();
    const settledUntilMs = Math.min(kept?.nextFetchAtMs ?? 0, kept?.nextWithdrawalAtMs ?? 0);
    return this.#parts.clock.nowMs() < settledUntilMs ? kept?.value : undefined;
  }

  /** Makes it anew; what changes meanwhile is a change. */
  async make(make: () => Promise<Value>): Promise<Value> {
    const { collection, clock } = this.#parts;
    const version = this.#version();
    const { nextFetchAtMs, nextWithdrawalAtMs } = collection;
    const sinceMs = clock.nowMs() - CLOCK_STEP_MS;
    const value = await make();
    this.#kept = { value, version, sinceMs, nextFetchAtMs, nextWithdrawalAtMs };
    return value;
  }

  #unchanged(): Kept<Value> | undefined {
    const kept = this.#kept;
    if (kept?.version !== this.#version()) return undefined;
    return this.#parts.clock.nowMs() >= kept.sinceMs ? kept : undefined;
  }

  #version(): number {
    return this.#parts.collection.version + this.#parts.self.version;
  }
}
