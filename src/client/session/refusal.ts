import { ServiceError, type ServiceErrorOptions } from '../../base/errors.ts';
import { isTokenCode } from '../exchange/envelope.ts';

/** Whether an answer is a refused token, or may be one. */
export function mayBeOfToken(error: unknown): error is ServiceError {
  return (
    error instanceof ServiceError && (error.code === 'SERVICE_AUTH_REJECTED' || error.isDoubtful)
  );
}

/** Whether a refusal is in words that are used for a token that has ended. */
export function saysEnded(error: unknown): boolean {
  return (
    error instanceof ServiceError &&
    (error.code === 'SERVICE_AUTH_REJECTED' || isTokenCode(error.serviceCode))
  );
}

/** Whether the service refused a token or a log-in, and only other credentials can help. */
export function areCredentialsRefused(error: unknown): error is ServiceError {
  return (
    error instanceof ServiceError && error.code === 'SERVICE_AUTH_REJECTED' && !error.isDoubtful
  );
}

/** Returns the error for a session that worked and now needs new credentials from the user. */
export function reauthenticationRequired(why = '', options?: ServiceErrorOptions): ServiceError {
  const message = `The service no longer accepts this token. Get a new one.${why && ` (${why})`}`;
  return new ServiceError('SERVICE_AUTH_REJECTED', message, options);
}

/**
 * Returns what the refusal of a token means where the token is kept.
 *
 * @param elsewhere - how another endpoint refuses the token, or why it cannot tell; undefined where it accepts it.
 */
export function meaningOf(error: ServiceError, elsewhere: unknown): ServiceError {
  const isRejected = error.code === 'SERVICE_AUTH_REJECTED';
  if (elsewhere === undefined) return isRejected ? lacking(error) : error;
  if (mayBeOfToken(elsewhere) || !isRejected) return onTheWay(error);
  const options = { cause: error, isDoubtful: true };
  return new ServiceError('SERVICE_AUTH_REJECTED', error.message, options);
}

/** Returns the error for an endpoint that the service lacks: it refuses a token that others accept. */
export function lacking(error: ServiceError): ServiceError {
  const message = `${error.message}, with a token that other endpoints accept`;
  return new ServiceError('SERVICE_REQUEST_REJECTED', message, { cause: error });
}

/** Returns the error for a refusal that is due to neither endpoint nor token; a reason of the service is kept. */
export function onTheWay(error: ServiceError): ServiceError {
  if (error.code === 'SERVICE_API_REFUSED' || error.code === 'SERVICE_BLOCKED') return error;
  return new ServiceError('SERVICE_BLOCKED', error.message, { cause: error });
}
