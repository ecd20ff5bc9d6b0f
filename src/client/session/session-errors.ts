import { ServiceError } from '../../base/errors.ts';

const REQUIRED = 're-authentication is required: ';

/** Whether the service refused an access token, a refresh token or a log-in. */
export function isTokenRefused(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code === 'SERVICE_AUTH_REJECTED';
}

/** Says that the program can do nothing more by itself: the user has to provide new credentials. */
export function reauthenticationRequired(
  why: string,
  cause: unknown,
  retryAfterMs?: number,
): ServiceError {
  return new ServiceError('SERVICE_AUTH_REJECTED', `${REQUIRED}${why}`, { cause, retryAfterMs });
}

/**
 * Says that the service was not asked, because one more refusal might lock the account.
 *
 * @param cause - the refusal, where it is known: after a restart it is not.
 * @param retryAfterMs - how long every request is going to fail like this; absent when others may work.
 */
export function blockedUntil(untilMs: number, cause: unknown, retryAfterMs?: number): ServiceError {
  const until = new Date(untilMs).toISOString();
  const refusal = cause instanceof Error ? cause.message.replace(REQUIRED, '') : undefined;
  const why = `${refusal ?? 'the service refused'}; no attempt before ${until}`;
  return reauthenticationRequired(why, cause, retryAfterMs);
}

/** Says that one endpoint refused a token which others accept, so the token is not to blame. */
export function endpointRefused(error: ServiceError): ServiceError {
  const message = `${error.message}, with a token that other endpoints accept`;
  return new ServiceError('SERVICE_REQUEST_REJECTED', message, { cause: error });
}
