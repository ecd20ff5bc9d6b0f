import type { Clock } from '../clock.ts';
import type { Logger } from '../log.ts';

/** Refreshes that somebody waits for, each only so long; what takes longer goes on by itself. */
export class Refreshes {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #underWay = new Set<Promise<void>>();

  constructor({ clock, log }: { readonly clock: Clock; readonly log: Logger }) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Waits for a refresh, but at most `waitMs`. Never rejects. */
  async within(waitMs: number, refresh: () => Promise<void>): Promise<void> {
    const refreshed = refresh().catch((error: unknown) => {
      this.#log.error({ err: error }, 'refresh failed unexpectedly');
    });
    this.#underWay.add(refreshed);
    void refreshed.then(() => this.#underWay.delete(refreshed));
    const patience = new AbortController();
    await Promise.race([refreshed, this.#clock.sleep(waitMs, patience.signal)]);
    patience.abort();
  }

  /** Resolves when none of those begun so far is under way. */
  async ended(): Promise<void> {
    await Promise.all(this.#underWay);
  }
}
