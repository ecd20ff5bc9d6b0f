import { vi } from 'vitest';

/** Below the time-out of a test, so that a hang is reported with what was waited for. */
export const PATIENCE_MS = 100_000;

/**
 * Repeats a check until it passes, and returns its result. It gives up only when it hangs: on a busy
 * machine anything may take its time.
 */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: PATIENCE_MS, interval: 50 });
}
