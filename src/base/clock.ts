import { randomBytes } from 'node:crypto';

/** Time as the program sees it; tests inject their own. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  nowMs(): number;
  /** Milliseconds that have passed, from any beginning: it never goes back, however the clock of the machine is set. */
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
      // A signal often outlives a great many sleeps: none leaves its listener there.
      const wake = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const timer = setTimeout(wake, durationMs).unref();
      signal?.addEventListener('abort', wake);
    }),
};

/** Calls `ended` after `durationMs`, unless the returned function is called before; a sleeping program may still exit. */
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
