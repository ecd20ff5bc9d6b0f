import { ServiceError } from '../errors.ts';

/** Whether the service refused a token, or what was to be exchanged for one. */
export function isTokenRefused(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code === 'SERVICE_AUTH_REJECTED';
}

/** The end of what the program can do by itself: only new credentials help. */
export function reauthenticationRequired(
  why: string,
  cause: unknown,
  retryAfterMs?: number,
): ServiceError {
  return new ServiceError('SERVICE_AUTH_REJECTED', `re-authentication is required: ${why}`, {
    cause,
    retryAfterMs,
  });
}

/**
 * What is refused without asking, so that an account is not locked.
 *
 * @param retryAfterMs - how long there is no use in asking for anything; absent when there may be.
 */
export function blockedUntil(untilMs: number, cause: unknown, retryAfterMs?: number): ServiceError {
  const until = new Date(untilMs).toISOString();
  const why = `the service refused; no attempt before ${until}`;
  return reauthenticationRequired(why, cause, retryAfterMs);
}

/** What one endpoint refuses and all others accept is no news about the token. */
export function endpointRefused(error: ServiceError): ServiceError {
  const message = `${error.message}, with a token that other endpoints accept`;
  return new ServiceError('SERVICE_REQUEST_REJECTED', message, { cause: error });
}
