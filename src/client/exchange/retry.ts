import { ServiceError, type ServiceErrorCode } from '../../base/errors.ts';
import { isPlausibleTime } from '../../base/instant.ts';

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
const JITTER_RATIO = 0.2;
/** The longest pause after an outage, even where the service asks for a longer one. */
export const LONGEST_OUTAGE_PAUSE_MS = 15 * 60_000;

/** The service understood the request and refused it, or its answer cannot be decoded. */
const FINAL_CODES: ReadonlySet<ServiceErrorCode> = new Set([
  'SERVICE_REQUEST_REJECTED',
  'SERVICE_API_REFUSED',
  'SERVICE_PAYLOAD_INVALID',
]);

/** Whether repeating the request soon is useless. A refused token says nothing about the request. */
export function isFinalRefusal(error: unknown): error is ServiceError {
  return error instanceof ServiceError && FINAL_CODES.has(error.code);
}

/** Whether the same request can succeed later without any change. */
export function isRetryable(code: ServiceErrorCode): boolean {
  return code !== 'SERVICE_AUTH_REJECTED' && !FINAL_CODES.has(code);
}

/**
 * Returns the pause after consecutive failures (1 and up): 1 s, doubling, never over 60 s. `random` varies it by up to
 * a fifth, to spread clients that failed at the same time.
 */
export function backOffMs(failures: number, random: () => number): number {
  const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1));
  return Math.min(LONGEST_PAUSE_MS, pauseMs * (1 + JITTER_RATIO * (2 * random() - 1)));
}

/**
 * Converts a `Retry-After` header, in seconds or as an HTTP date, to milliseconds from now, without a limit. Returns
 * undefined when it is missing, names an implausible time, or asks for no pause.
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

/** Returns {@link askedPauseMs}, but at most the longest pause after an outage. */
export function retryAfterMs(
  header: string | string[] | undefined,
  nowMs: number,
): number | undefined {
  const pauseMs = askedPauseMs(header, nowMs);
  return pauseMs && Math.min(LONGEST_OUTAGE_PAUSE_MS, pauseMs);
}
