import { ServiceError } from '../../base/errors.ts';
import type { FollowedState } from './followed-file.ts';
import { reauthenticationRequired } from './session-errors.ts';

const MINUTE_MS = 60_000;

/**
 * Says that the exporter got no token that works, however long the command waited.
 *
 * @param state - what its session file says in the end.
 */
export function notRenewed(state: FollowedState, waitedMs: number): ServiceError {
  const session = state.kind === 'session' ? state.session : undefined;
  const lack = session?.tokens === undefined ? 'has not logged in' : 'has not renewed its session';
  const outage = session?.outage.code;
  const attempt = outage === undefined ? '' : `, and its last attempt ended with ${outage}`;
  return new ServiceError(
    'SERVICE_AUTH_REJECTED',
    `the running exporter that uses --state.dir ${lack} for ${waitedMs / MINUTE_MS} minutes${attempt}: is it scraped? Scrape it, or stop it`,
    {
      remedy:
        'a scrape makes the exporter renew its session: open its /metrics, or let Prometheus do so; without a running exporter, this command renews the session itself',
    },
  );
}

/** Says that the service refuses one token of the exporter after the other. */
export function tokensRefused(refusal: ServiceError): ServiceError {
  const why = `the tokens of the running exporter are refused: ${refusal.message}`;
  return reauthenticationRequired(why, refusal);
}

/** Says that the service refused the exporter, which therefore waits before it asks for a token again. */
export function exporterPauses(untilMs: number, nowMs: number): ServiceError {
  const until = new Date(untilMs).toISOString();
  const why = `the service refused the running exporter, which makes no attempt before ${until}`;
  return reauthenticationRequired(why, undefined, untilMs - nowMs);
}

/** Says that the exporter has changed to other credentials, by a reload or a restart. */
export function hasOtherCredentials(): ServiceError {
  return new ServiceError(
    'SERVICE_AUTH_REJECTED',
    'the running exporter that uses --state.dir has other credentials now',
    { remedy: 'run the command again: it then has a session of its own' },
  );
}

/** Says that the session file of the exporter cannot be used; logging in beside it might end its session. */
export function cannotBeFollowed(reason: string): ServiceError {
  return new ServiceError(
    'SERVICE_AUTH_REJECTED',
    `the session of the running exporter that uses --state.dir cannot be read: ${reason}`,
    {
      remedy:
        'run the command of the same version, as the same user; or without --state.dir, which logs in once more',
    },
  );
}
