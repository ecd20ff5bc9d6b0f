import { randomBytes } from 'node:crypto';

/** The program's source of time; tests inject their own. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  nowMs(): number;
  /** Milliseconds since an arbitrary start: it never goes back, even when the clock of the machine is set. */
  monotonicMs(): number;
  /** Resolves after `durationMs`, or as soon as `signal` aborts. */
  sleep(durationMs: number, signal?: AbortSignal): Promise<void>;
}

/** The machine's clock; a sleeping program may still exit. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep: (durationMs, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) {
        resolve();
        return;
      }
      // The listener is removed, because a signal often outlives a great many sleeps.
      const wake = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const timer = setTimeout(wake, durationMs).unref();
      signal?.addEventListener('abort', wake);
    }),
};

/** Calls `ended` after `durationMs`, unless the returned function is called first; the program may still exit. */
export function startTimer(durationMs: number, ended: () => void): () => void {
  const timer = setTimeout(ended, durationMs).unref();
  return () => clearTimeout(timer);
}

/** Time and randomness, which tests replace by their own. */
export interface Runtime {
  readonly clock: Clock;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
  /** Returns 32 lowercase hex characters from 16 random bytes. */
  readonly newNonce: () => string;
}

/** The clock and the random numbers of this machine. */
export const systemRuntime: Runtime = {
  clock: systemClock,
  random: Math.random,
  newNonce: () => randomBytes(16).toString('hex'),
};
