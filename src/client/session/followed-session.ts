import type { Clock } from '../../base/clock.ts';
import { ServiceError } from '../../base/errors.ts';
import type { StateFile } from '../../base/kept-file.ts';
import { systemReason } from '../../base/shown.ts';
import type { CredentialOptions } from './credentials.ts';
import { reauthenticationRequired, type SavedSession, type TokenIssuer } from './session.ts';
import { decodeSession, isOwnedBy } from './session-file.ts';
import { isUnexpired } from './tokens.ts';

/** How long an exporter usually takes to renew its session. */
const RENEWAL_MS = 2000;

/** The session file that a running exporter keeps. It is only read. */
export type FollowedFile = Pick<StateFile, 'read'>;

/** Whether a session belongs to other credentials than these. Never rejects. */
export async function isOfOthers(
  file: FollowedFile,
  credentials: CredentialOptions,
): Promise<boolean> {
  const text = await file.read().catch(() => undefined);
  const found = text === undefined ? undefined : decodeSession(text);
  return found !== undefined && !(await isOwnedBy(found, credentials));
}

/**
 * Takes tokens from the file in which a running exporter keeps its session. Nothing is logged in or refreshed, which would
 * end the exporter's session or, with a wrong password, lock the account.
 */
export function issuerOf(
  file: FollowedFile,
  credentials: CredentialOptions,
  clock: Clock,
): TokenIssuer {
  return {
    canLogIn: false,
    renew: async (held) => {
      let session = await read(file, credentials);
      // An attempt that is under way ends soon.
      if (session !== undefined && session.unfinished > 0) {
        await clock.sleep(RENEWAL_MS);
        session = await read(file, credentials);
      }
      const tokens = session?.tokens;
      const isOther = tokens?.accessToken.reveal() !== held?.accessToken.reveal();
      if (tokens !== undefined && isOther && isUnexpired(tokens, clock.nowMs())) return tokens;
      throw noOtherToken(session, clock.nowMs());
    },
  };
}

/** Reads the session as it is now; absent where the exporter has not tried to log in yet. */
async function read(
  file: FollowedFile,
  credentials: CredentialOptions,
): Promise<SavedSession | undefined> {
  const text = await file.read().catch((error: unknown) => {
    throw cannotBeRead(systemReason(error));
  });
  if (text === undefined) return undefined;
  const found = decodeSession(text);
  if (found === undefined) throw cannotBeRead('not a session of this version');
  if (await isOwnedBy(found, credentials)) return found.session;
  throw unusable(
    'the running exporter that uses --state.dir has other credentials now',
    'run the command again: it then has a session of its own',
  );
}

function cannotBeRead(reason: string): ServiceError {
  return unusable(
    `the session of the running exporter that uses --state.dir cannot be read: ${reason}`,
    'run the command of the same version, as the same user; or without --state.dir, which logs in once more',
  );
}

/** Says that the exporter has no other token: the service refused it, or nobody scrapes it. */
function noOtherToken(session: SavedSession | undefined, nowMs: number): ServiceError {
  const { tokens, breaker } = session ?? {};
  if (breaker !== undefined && breaker.kind !== 'outage' && breaker.untilMs > nowMs) {
    const until = new Date(breaker.untilMs).toISOString();
    const why = `the service refused the running exporter, which makes no attempt before ${until}`;
    return reauthenticationRequired(why, undefined, breaker.untilMs - nowMs);
  }
  const lack = tokens === undefined ? 'has not logged in' : 'has not renewed its session';
  const fault = breaker?.code;
  const attempt = fault === undefined ? '' : `, and its last attempt ended with ${fault}`;
  return unusable(
    `the running exporter that uses --state.dir ${lack}${attempt}: is it scraped? Scrape it, or stop it`,
    'a scrape makes the exporter renew its session: open its /metrics, or let Prometheus do so; without a running exporter, this command renews the session itself',
  );
}

/** The file may be another one the next moment. */
function unusable(why: string, remedy: string): ServiceError {
  return new ServiceError('SERVICE_AUTH_REJECTED', why, { remedy, retryAfterMs: RENEWAL_MS });
}
