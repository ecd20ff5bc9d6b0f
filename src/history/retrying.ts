import type { Runtime } from '../base/clock.ts';
import { ServiceError } from '../base/errors.ts';
import type { Retry } from '../client/client.ts';
import { backOffMs, isRetryable } from '../client/exchange/retry.ts';

/** A service that has answered nothing for so long will not soon. */
const LONGEST_SILENCE_MS = 3_600_000;
/** Also when a pause of the session ends at this very moment. */
const SHORTEST_WAIT_MS = 500;

/** The person has asked to stop, and a request was being waited for. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError';
}

export interface RetryOptions extends Pick<Runtime, 'clock' | 'random'> {
  /** Ends every wait. */
  readonly stop: AbortSignal;
  /** Is told why a wait begins, and how long it is. */
  readonly onWait: (reason: string, waitMs: number) => void;
}

/**
 * Returns what sends a request until it succeeds: it waits out failures of the service that end by themselves, for as
 * long as the service says, or else longer from failure to failure. It rejects with the `ServiceError` that cannot pass,
 * or has not passed for an hour, and with a {@link StoppedError}.
 */
export function retrying({ clock, random, stop, onWait }: RetryOptions): Retry {
  /** Since when every request has failed; absent while requests succeed. */
  let failingSinceMs: number | undefined;
  let failures = 0;
  return async (ask) => {
    for (;;) {
      try {
        const answer = await ask();
        [failures, failingSinceMs] = [0, undefined];
        return answer;
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        // A session that pauses says until when.
        if (!isRetryable(error.code) && error.retryAfterMs === undefined) throw error;
        failures += 1;
        failingSinceMs ??= clock.nowMs();
        const pauseMs = error.retryAfterMs ?? backOffMs(failures, random);
        const waitMs = Math.max(SHORTEST_WAIT_MS, pauseMs);
        if (clock.nowMs() + waitMs - failingSinceMs > LONGEST_SILENCE_MS) throw error;
        if (!stop.aborted) {
          onWait(`${error.code}: ${error.message}`, waitMs);
          await clock.sleep(waitMs, stop);
        }
        if (stop.aborted) throw new StoppedError(`stopped after ${error.code}`, { cause: error });
      }
    }
  };
}
