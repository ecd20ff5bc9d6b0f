import type { Clock } from '../../base/clock.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Patience } from '../../client/client.ts';
import { backOffMs, isRetryable } from '../../client/exchange/retry.ts';

/** A service that has answered nothing for so long will not soon. */
const LONGEST_SILENCE_MS = 3_600_000;
/** Also when a pause of the session ends at this very moment. */
const SHORTEST_WAIT_MS = 500;

/** The person has asked to stop, and a request was being waited for. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError';
}

export interface PatienceOptions {
  readonly clock: Clock;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
  /** Ends every wait. */
  readonly stop: AbortSignal;
  /** Is told when a wait begins, and how long it is. */
  readonly onWait: (waitMs: number, error: ServiceError) => void;
}

/**
 * Waits out failures of the service that end by themselves: an outage, a limit of requests, a pause of the
 * session. It waits for as long as the service says, or else longer from failure to failure.
 */
export class ServicePatience {
  readonly #options: PatienceOptions;
  /** Since when every request has failed; absent while requests succeed. */
  #failingSinceMs: number | undefined;
  #failures = 0;

  constructor(options: PatienceOptions) {
    this.#options = options;
  }

  /**
   * Sends a request until it succeeds.
   *
   * @throws ServiceError what cannot succeed by waiting, or has not for an hour; StoppedError.
   */
  readonly ask: Patience = async (ask) => {
    for (;;) {
      try {
        const answer = await ask();
        [this.#failures, this.#failingSinceMs] = [0, undefined];
        return answer;
      } catch (error) {
        await this.#waitAfter(error);
      }
    }
  };

  async #waitAfter(error: unknown): Promise<void> {
    const { clock, random, stop, onWait } = this.#options;
    if (!(error instanceof ServiceError && canPass(error))) throw error;
    this.#failures += 1;
    this.#failingSinceMs ??= clock.nowMs();
    const waitMs = Math.max(
      SHORTEST_WAIT_MS,
      error.retryAfterMs ?? backOffMs(this.#failures, random),
    );
    if (clock.nowMs() + waitMs - this.#failingSinceMs > LONGEST_SILENCE_MS) throw error;
    if (!stop.aborted) {
      onWait(waitMs, error);
      await clock.sleep(waitMs, stop);
    }
    if (stop.aborted) throw new StoppedError('stopped while the service was being waited for');
  }
}

/** Whether a failure can pass by itself. A session that pauses says until when. */
function canPass({ code, retryAfterMs }: ServiceError): boolean {
  return isRetryable(code) || retryAfterMs !== undefined;
}
