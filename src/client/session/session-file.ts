import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { ServiceError } from '../../base/errors.ts';
import { durationWords } from '../../base/shown.ts';
import { jsonOrNothing, keptFile, type StateFile } from '../../base/kept-file.ts';
import type { Logger } from '../../base/log.ts';
import {
  type CredentialOptions,
  credentialTexts,
  digestCredentials,
  newTokenRemedy,
} from './credentials.ts';
import {
  type SavedSession,
  sessionSchema,
  type SessionStorage,
  type TokenIssuer,
} from './session.ts';
import type { TokenSet } from './tokens.ts';

/** Grows when an older program can no longer read the file of a newer one. */
const VERSION = 2;
const TEXTS = {
  foreign: 'not a session of this version',
  setAside: 'the saved session cannot be used and was set aside',
  failing: 'the session cannot be kept in --state.dir: a restart will have to log in',
  again: 'the session is kept in --state.dir again',
};
/** How long an exporter usually takes to renew its session. */
const RENEWAL_MS = 2000;

const text = z.string().min(1);
/** The content of the file. Its tokens are in clear text, so other users must not read it. */
const fileSchema = z.object({
  /** The tokens of a file of version 1 are used; a pause in it is ignored. */
  version: z.literal([VERSION, 1]),
  salt: text,
  /** The salted digest of the credentials that the session belongs to: see credentials.ts. */
  credentials: text,
  session: sessionSchema,
});

export type OwnedSession = z.output<typeof fileSchema>;

/** Encodes a session, without what only the running program knows. */
export function encodeSession(owned: Omit<OwnedSession, 'version'>): string {
  return `${JSON.stringify(z.encode(fileSchema, { ...owned, version: VERSION }))}\n`;
}

/** Decodes a session; undefined unless {@link encodeSession} wrote it, in this version or the one before. */
export function decodeSession(written: string): OwnedSession | undefined {
  return fileSchema.safeParse(jsonOrNothing(written)).data;
}

/**
 * Opens the file that keeps a session across restarts. A file that cannot be read is set aside, and a session that
 * belongs to other credentials is not used. The program starts in either case.
 *
 * @param newSalt - returns random text, which salts the digest of the credentials.
 */
export async function openSessionFile(
  stateFile: StateFile,
  credentials: CredentialOptions,
  newSalt: () => string,
  log: Logger,
): Promise<SessionStorage> {
  const file = keptFile(stateFile, TEXTS, log);
  const found = await file.read(fileSchema);
  const salt = found?.salt ?? newSalt();
  const owner = await digestCredentials(credentialTexts(credentials), salt);
  const isOurs = found?.credentials === owner;
  if (found !== undefined && !isOurs)
    log.info({}, 'the saved session belongs to other credentials and is not used');
  return {
    saved: isOurs ? found.session : undefined,
    save: (session) => file.write(encodeSession({ salt, credentials: owner, session })),
  };
}

/**
 * Takes tokens from the session file of a running exporter, and only reads that file. It neither logs in nor refreshes:
 * that would end the exporter's session or, with a wrong password, lock the account. Resolves to undefined where the
 * session belongs to other credentials.
 */
export async function issuerOf(
  file: Pick<StateFile, 'read'>,
  credentials: CredentialOptions,
  clock: Clock,
): Promise<TokenIssuer | undefined> {
  const ofOthers = unusable(
    'the running exporter that uses --state.dir has other credentials now',
    'run the command again: it then has a session of its own',
  );

  /** Resolves to the session as it is now; absent where the exporter has not tried to log in yet. */
  async function read(): Promise<SavedSession | undefined> {
    const written = await file.read();
    if (written === undefined) return undefined;
    const found = decodeSession(written);
    if (found === undefined)
      throw unusable(
        `the session of the running exporter that uses --state.dir cannot be read: ${TEXTS.foreign}`,
        'run the command of the same version, as the same user; or without --state.dir, which logs in once more',
      );
    if ((await digestCredentials(credentialTexts(credentials), found.salt)) !== found.credentials)
      throw ofOthers;
    return found.session;
  }

  async function renew(held: TokenSet | undefined): Promise<TokenSet> {
    let session = await read();
    // An attempt that is under way ends soon.
    if (session !== undefined && session.unfinished > 0) {
      await clock.sleep(RENEWAL_MS);
      session = await read();
    }
    const { tokens, breaker } = session ?? {};
    const isOther = tokens?.accessToken.reveal() !== held?.accessToken.reveal();
    if (tokens && isOther && clock.nowMs() < (tokens.accessExpiresAtMs ?? Infinity)) return tokens;
    const isRefused = breaker !== undefined && breaker.kind !== 'outage';
    const retryAfterMs = isRefused ? breaker.untilMs - clock.nowMs() : 0;
    if (retryAfterMs > 0) {
      const why = `the service refused the running exporter. Its next try is in ${durationWords(retryAfterMs)}.`;
      const remedy = newTokenRemedy(credentials);
      throw new ServiceError('SERVICE_AUTH_REJECTED', why, { remedy, retryAfterMs });
    }
    const lack = tokens === undefined ? 'has not logged in' : 'has not renewed its session';
    const attempt = breaker?.code ? `, and its last attempt ended with ${breaker.code}` : '';
    throw unusable(
      `the running exporter that uses --state.dir ${lack}${attempt}: is it scraped? Scrape it, or stop it`,
      'a scrape makes the exporter renew its session: open its /metrics, or let Prometheus do so; without a running exporter, this command renews the session itself',
    );
  }

  // Any other failure is reported once a token is needed.
  const found = await read().catch((error: unknown) => error);
  return found === ofOthers ? undefined : { serviceClock: clock, canLogIn: false, renew };
}

/** Returns the error for having no token now; the file may change soon. */
function unusable(why: string, remedy: string): ServiceError {
  return new ServiceError('SERVICE_AUTH_REJECTED', why, { remedy, retryAfterMs: RENEWAL_MS });
}
