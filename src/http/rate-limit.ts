import type { Clock } from '../base/clock.ts';

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
