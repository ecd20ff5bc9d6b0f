import { ServiceError, type ServiceErrorCode } from '../../base/errors.ts';
import { isBelievable } from '../../base/instant.ts';

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
const JITTER_RATIO = 0.2;
const LONGEST_RETRY_AFTER_MS = 24 * 3_600_000;

/** Whether the same request can succeed later without anybody changing anything. */
export function isRetryable(code: ServiceErrorCode): boolean {
  switch (code) {
    case 'SERVICE_UNREACHABLE':
    case 'SERVICE_TIMEOUT':
    case 'SERVICE_SERVER_ERROR':
    case 'SERVICE_RATE_LIMITED':
    case 'SERVICE_BUDGET_USED_UP':
      return true;
    case 'SERVICE_REQUEST_REJECTED':
    case 'SERVICE_AUTH_REJECTED':
    case 'SERVICE_API_REFUSED':
    case 'SERVICE_PAYLOAD_INVALID':
      return false;
  } // no default: a new code does not compile until it is decided here
}

/**
 * Whether the service understood the request and refused it, so that repeating it soon is useless. A
 * refused token does not count, because it says nothing about the request.
 */
export function isFinalRefusal(error: unknown): error is ServiceError {
  return (
    error instanceof ServiceError &&
    !isRetryable(error.code) &&
    error.code !== 'SERVICE_AUTH_REJECTED'
  );
}

/**
 * Returns the pause after consecutive failures (1 and up): 1 s, doubling, ±20 %, never over 60 s.
 *
 * @param random - returns a number from 0 to 1; it spreads clients that failed at the same time.
 */
export function backOffMs(failures: number, random: () => number): number {
  const doubled = FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 10);
  const jitter = 1 + JITTER_RATIO * (2 * random() - 1);
  return Math.min(LONGEST_PAUSE_MS, Math.min(LONGEST_PAUSE_MS, doubled) * jitter);
}

/**
 * Reads a `Retry-After` header, in seconds or as an HTTP date, as milliseconds from now, at most a day.
 * Returns undefined when it is missing, names a time that nobody can believe, or asks for no pause: then
 * {@link backOffMs} applies.
 */
export function retryAfterMs(
  header: string | string[] | undefined,
  nowMs: number,
): number | undefined {
  if (typeof header !== 'string') return undefined;
  const isLength = /^\d+$/.test(header);
  const endsAtMs = Date.parse(header);
  if (!isLength && !isBelievable(endsAtMs)) return undefined;
  const pauseMs = isLength ? Number(header) * 1000 : endsAtMs - nowMs;
  return pauseMs > 0 ? Math.min(LONGEST_RETRY_AFTER_MS, pauseMs) : undefined;
}
