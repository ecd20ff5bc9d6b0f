import { ServiceError, type ServiceErrorCode } from '../errors.ts';
import { Pause, type PauseState } from './pause.ts';
import { backOffMs } from './retry.ts';

/** What has to be kept of an outage. */
export interface OutageState {
  /** In a row. */
  readonly failures: number;
  readonly pause: PauseState;
  /** How the last attempt failed; absent for a fault that was not the service's. */
  readonly code?: ServiceErrorCode | undefined;
}

/** Keeps a session from asking for tokens again and again while the service cannot answer at all. */
export class RenewalOutage {
  #failures: number;
  #lastFailure: Error | undefined;
  readonly #pause: Pause;

  constructor(state?: OutageState) {
    this.#failures = state?.failures ?? 0;
    // A fault of ours is no reason to wait after a restart.
    this.#pause = new Pause(state?.code === undefined ? undefined : state.pause);
    this.#lastFailure = failureBefore(state?.code);
  }

  get state(): OutageState {
    const error = this.#lastFailure;
    const code = error instanceof ServiceError ? error.code : undefined;
    return { failures: this.#failures, pause: this.#pause.state, code };
  }

  /** Why nothing is asked for now, and for how long; absent when an attempt is allowed. */
  failureDuringPause(nowMs: number): Error | undefined {
    const endsAtMs = this.#pause.endsAtMs(nowMs);
    if (endsAtMs === undefined) return undefined;
    const error = this.#lastFailure;
    if (!(error instanceof ServiceError)) return error;
    // Whoever waits for a token waits for the end of the pause, and not for longer.
    const retryAfterMs = endsAtMs - nowMs;
    return new ServiceError(error.code, error.message, { cause: error.cause, retryAfterMs });
  }

  /** Pauses for as long as the service asked for, or as the back-off says. */
  failed(error: unknown, nowMs: number, random: () => number): void {
    this.#lastFailure = error instanceof Error ? error : new Error(String(error));
    this.#failures += 1;
    const retryAfterMs = error instanceof ServiceError ? error.retryAfterMs : undefined;
    this.#pause.begin(retryAfterMs ?? backOffMs(this.#failures, random), nowMs);
  }

  ended(): void {
    this.#failures = 0;
    this.#lastFailure = undefined;
    this.#pause.begin(0, 0);
  }
}

/** Of a failure before the last restart only its code is known. */
function failureBefore(code: ServiceErrorCode | undefined): ServiceError | undefined {
  return code === undefined
    ? undefined
    : new ServiceError(code, 'no token could be had before the last restart; the pause goes on');
}
