import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';

/** Waits for refreshes, but only so long; one that takes longer goes on in the background. */
export class RefreshTracker {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #running = new Set<Promise<void>>();

  constructor({ clock, log }: { readonly clock: Clock; readonly log: Logger }) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Starts a refresh and waits for it, but at most `waitMs`. Never rejects. */
  async waitAtMost(waitMs: number, refresh: () => Promise<void>): Promise<void> {
    const refreshed = this.track(refresh);
    const timeout = new AbortController();
    await Promise.race([refreshed, this.#clock.sleep(waitMs, timeout.signal)]);
    timeout.abort();
  }

  /** Starts a refresh; resolves when it has ended. Never rejects. */
  track(refresh: () => Promise<void>): Promise<void> {
    const refreshed = refresh().catch((error: unknown) => {
      this.#log.error({ err: error }, 'refresh failed unexpectedly');
    });
    this.#running.add(refreshed);
    void refreshed.then(() => this.#running.delete(refreshed));
    return refreshed;
  }

  /** Resolves when every refresh started so far has ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }
}
