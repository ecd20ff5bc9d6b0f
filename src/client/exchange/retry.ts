import { ServiceError, type ServiceErrorCode } from '../../base/errors.ts';
import { isPlausibleTime } from '../../base/instant.ts';

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
const JITTER_RATIO = 0.2;
/** No outage is worth a longer pause, whatever the service asks for. */
export const LONGEST_OUTAGE_PAUSE_MS = 15 * 60_000;

/** The service understood the request and refused it, or answers in a way that nobody understands. */
const FINAL_CODES: ReadonlySet<ServiceErrorCode> = new Set([
  'SERVICE_REQUEST_REJECTED',
  'SERVICE_API_REFUSED',
  'SERVICE_PAYLOAD_INVALID',
]);

/** Whether repeating the request soon is useless. A refused token says nothing about the request. */
export function isFinalRefusal(error: unknown): error is ServiceError {
  return error instanceof ServiceError && FINAL_CODES.has(error.code);
}

/** Whether the same request can succeed later without anybody changing anything. */
export function isRetryable(code: ServiceErrorCode): boolean {
  return code !== 'SERVICE_AUTH_REJECTED' && !FINAL_CODES.has(code);
}

/**
 * Returns the pause after consecutive failures (1 and up): 1 s, doubling, never over 60 s. By up to a fifth, `random`
 * spreads clients that failed at the same time.
 */
export function backOffMs(failures: number, random: () => number): number {
  const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1));
  return Math.min(LONGEST_PAUSE_MS, pauseMs * (1 + JITTER_RATIO * (2 * random() - 1)));
}

/**
 * Reads a `Retry-After` header, in seconds or as an HTTP date, as milliseconds from now, however many. Returns
 * undefined when it is missing, names a time that nobody can believe, or asks for no pause.
 */
export function askedPauseMs(
  header: string | string[] | undefined,
  nowMs: number,
): number | undefined {
  if (typeof header !== 'string') return undefined;
  const dateMs = Date.parse(header);
  const untilMs = isPlausibleTime(dateMs) ? dateMs - nowMs : NaN;
  const pauseMs = /^\d+$/.test(header) ? Number(header) * 1000 : untilMs;
  return pauseMs > 0 ? pauseMs : undefined;
}

/** The same, cut to the longest pause that is kept. */
export function retryAfterMs(
  header: string | string[] | undefined,
  nowMs: number,
): number | undefined {
  const pauseMs = askedPauseMs(header, nowMs);
  return pauseMs && Math.min(LONGEST_OUTAGE_PAUSE_MS, pauseMs);
}
