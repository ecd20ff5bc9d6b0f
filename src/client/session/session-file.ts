import { z } from 'zod';
import { SERVICE_ERROR_CODES } from '../../base/errors.ts';
import { isBelievable } from '../../base/instant.ts';
import { jsonOrNothing, KeptFile, type StateFile } from '../../base/kept-file.ts';
import type { Logger } from '../../base/log.ts';
import { Secret } from '../../base/secret.ts';
import { type CredentialOptions, credentialTexts, digestCredentials } from './credentials.ts';
import { BREAKER_KINDS, type SavedSession, type SessionStorage } from './session.ts';
import { REFRESH_FORMS } from './tokens.ts';

/** Grows when an older program could no longer read what a newer one writes. */
const VERSION = 2;
/** Of a file of this version, the tokens are used; a pause that it holds is over. */
const VERSION_BEFORE = 1;
/** The longest pause that a service can ask for: see retry.ts. */
const LONGEST_PAUSE_MS = 24 * 3_600_000;

const instant = z.number().refine(isBelievable);
const text = z.string().min(1);
const secret = text.transform((value) => new Secret(value));
const count = z.number().int().min(0);

const fileSchema = z.object({
  version: z.literal([VERSION, VERSION_BEFORE]),
  salt: text,
  credentials: text,
  session: z.object({
    tokens: z
      .object({
        accessToken: secret,
        refreshToken: secret.optional(),
        accessExpiresAtMs: instant.optional(),
        refreshExpiresAtMs: instant.optional(),
        receivedAtMs: instant.optional(),
        refreshForm: z.enum(REFRESH_FORMS).optional(),
      })
      .optional(),
    breaker: z
      .object({
        kind: z.enum(BREAKER_KINDS),
        failures: count,
        untilMs: instant,
        lengthMs: z.number().min(0).max(LONGEST_PAUSE_MS),
        code: z.enum(SERVICE_ERROR_CODES).optional(),
      })
      .optional(),
    unfinished: count.default(0),
  }),
});

/** A session, and the credentials that it belongs to. */
export interface OwnedSession {
  readonly salt: string;
  /** The salted digest of the credentials: see credentials.ts. */
  readonly credentials: string;
  readonly session: SavedSession;
}

/** Writes a session as text, including its tokens: only for a file that nobody else may read. */
export function encodeSession({ salt, credentials, session }: OwnedSession): string {
  const { tokens, breaker, unfinished } = session;
  const revealed = tokens && {
    ...tokens,
    accessToken: tokens.accessToken.reveal(),
    refreshToken: tokens.refreshToken?.reveal(),
    hasImplausibleExpiry: undefined,
  };
  const saved = {
    tokens: revealed,
    breaker: breaker && { ...breaker, error: undefined },
    unfinished,
  };
  return `${JSON.stringify({ version: VERSION, salt, credentials, session: saved })}\n`;
}

/** Reads what {@link encodeSession} wrote; absent when it is anything else, or of another version. */
export function decodeSession(written: string): OwnedSession | undefined {
  return fileSchema.safeParse(jsonOrNothing(written)).data;
}

/** Whether a session belongs to these credentials. It takes a while on purpose. */
export async function isOwnedBy(
  { salt, credentials }: OwnedSession,
  options: CredentialOptions,
): Promise<boolean> {
  return (await digestCredentials(credentialTexts(options), salt)) === credentials;
}

export interface SessionFileOptions {
  readonly file: StateFile;
  readonly credentials: CredentialOptions;
  /** Returns random text, which salts the digest of new credentials. */
  readonly newSalt: () => string;
  readonly log: Logger;
}

/**
 * Opens the file that keeps a session across restarts. One that cannot be read is set aside, and one that belongs
 * to other credentials is not used; neither keeps the program from starting.
 */
export async function openSessionFile(options: SessionFileOptions): Promise<SessionStorage> {
  const { credentials, newSalt, log } = options;
  const texts = {
    foreign: 'not a session of this version',
    setAside: 'the saved session cannot be used and was set aside',
    failing: 'the session cannot be kept in --state.dir: a restart will have to log in',
    again: 'the session is kept in --state.dir again',
  };
  const file = new KeptFile(options.file, texts, log);
  const found = await file.read(decodeSession);
  const isOurs = found !== undefined && (await isOwnedBy(found, credentials));
  if (found !== undefined && !isOurs)
    log.info({}, 'the saved session belongs to other credentials and is not used');
  const salt = isOurs ? found.salt : newSalt();
  const digest = isOurs
    ? found.credentials
    : await digestCredentials(credentialTexts(credentials), salt);
  let writing = Promise.resolve();
  let newest: string | undefined;
  return {
    saved: isOurs ? found.session : undefined,
    save: (session) => {
      const written = encodeSession({ salt, credentials: digest, session });
      if (written === newest) return writing;
      newest = written;
      writing = writing.then(async () => {
        // The same session is then written again when it is next saved.
        if (!(await file.write(written))) newest = undefined;
      });
      return writing;
    },
  };
}
