import { ServiceError, type ServiceErrorCode } from '../errors.ts';

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
const JITTER_RATIO = 0.2;

/** Whether trying the same request again later can succeed without anyone changing anything. */
export function isRetryable(code: ServiceErrorCode): boolean {
  switch (code) {
    case 'SERVICE_UNREACHABLE':
    case 'SERVICE_TIMEOUT':
    case 'SERVICE_SERVER_ERROR':
    case 'SERVICE_RATE_LIMITED':
      return true;
    case 'SERVICE_REQUEST_REJECTED':
    case 'SERVICE_AUTH_REJECTED':
    case 'SERVICE_API_REFUSED':
    case 'SERVICE_PAYLOAD_INVALID':
      return false;
  } // no default: a new code does not compile until it is decided here
}

/**
 * Whether the service understood and said no, so that asking again soon is no use. A refused token says
 * nothing about the question.
 */
export function isFinalRefusal(error: unknown): error is ServiceError {
  return (
    error instanceof ServiceError &&
    !isRetryable(error.code) &&
    error.code !== 'SERVICE_AUTH_REJECTED'
  );
}

/**
 * The pause after the `failures`-th failure in a row (1 and up): 1 s, doubling, ±20 %, never over 60 s.
 *
 * @param random - a number in 0 to 1, which spreads clients that failed together.
 */
export function backOffMs(failures: number, random: () => number): number {
  const doubled = FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 10);
  const jitter = 1 + JITTER_RATIO * (2 * random() - 1);
  return Math.min(LONGEST_PAUSE_MS, Math.min(LONGEST_PAUSE_MS, doubled) * jitter);
}
