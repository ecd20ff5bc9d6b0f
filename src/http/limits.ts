import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';

/** A limit that nobody reached for so long is logged again when somebody does. */
const EPISODE_GAP_MS = 60_000;

/** Notes that a limit was reached; `message` says which one and what happens at it. */
export type LimitLog = (message: string, fields?: Readonly<Record<string, unknown>>) => void;

/** Logs that clients reach a limit: one line when it begins, however often it happens until it has ended. */
export function createLimitLog(log: Logger, clock: Clock): LimitLog {
  const lastReachedAtMs = new Map<string, number>();
  return (message, fields = {}) => {
    const nowMs = clock.nowMs();
    const lastAtMs = lastReachedAtMs.get(message) ?? Number.NEGATIVE_INFINITY;
    lastReachedAtMs.set(message, nowMs);
    // A clock that was set back costs a line, and never hides one.
    if (Math.abs(nowMs - lastAtMs) >= EPISODE_GAP_MS) log.warn(fields, message);
  };
}

/** `rate_limit` of a web configuration: so many requests at once, and one more after each interval. */
export interface RateLimit {
  readonly intervalMs: number;
  readonly burst: number;
}

/** Creates a function that counts a request and returns whether it is one too many. Another limit begins anew. */
export function createRateLimiter(clock: Clock): (limit: RateLimit) => boolean {
  let current: RateLimit | undefined;
  /** When as many requests may come at once as ever. */
  let fullAtMs = 0;
  return (limit) => {
    const nowMs = clock.monotonicMs();
    const isSame = current?.intervalMs === limit.intervalMs && current.burst === limit.burst;
    current = limit;
    const nextFullAtMs = Math.max(nowMs, isSame ? fullAtMs : 0) + limit.intervalMs;
    if (nextFullAtMs - nowMs > limit.burst * limit.intervalMs) return true;
    fullAtMs = nextFullAtMs;
    return false;
  };
}
