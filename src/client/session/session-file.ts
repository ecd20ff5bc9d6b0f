import { z } from 'zod';
import { SERVICE_ERROR_CODES } from '../../base/errors.ts';
import { isBelievable } from '../../base/instant.ts';
import { jsonOrNothing, KeptFile, type StateFile } from '../../base/kept-file.ts';
import type { Logger } from '../../base/log.ts';
import { Secret } from '../../base/secret.ts';
import type { Pause } from './pause.ts';
import type { Refusals } from './refusals.ts';
import type { SavedState, SessionStorage } from './session-state.ts';
import { digestCredentials } from './signature.ts';

/** Grows when an older program could no longer read what a newer one writes. */
const VERSION = 1;
/** The longest pause that a service can ask for: see retry.ts. */
const LONGEST_PAUSE_MS = 24 * 3_600_000;

const instant = z.number().refine(isBelievable);
const secret = z
  .string()
  .min(1)
  .transform((text) => new Secret(text));
const count = z.number().int().min(0);
const pause = z.object({
  endsAtMs: instant,
  lengthMs: z.number().min(0).max(LONGEST_PAUSE_MS),
});
const refusals = z.object({ refusals: count, pause, unfinished: count });

const fileSchema = z.object({
  version: z.literal(VERSION),
  salt: z.string().min(1),
  credentials: z.string().min(1),
  session: z.object({
    tokens: z
      .object({
        accessToken: secret,
        refreshToken: secret.optional(),
        accessExpiresAtMs: instant.optional(),
        refreshExpiresAtMs: instant.optional(),
        receivedAtMs: instant.optional(),
      })
      .optional(),
    credentials: refusals,
    outage: z.object({ failures: count, pause, code: z.enum(SERVICE_ERROR_CODES).optional() }),
    freshTokens: refusals,
  }),
});

/** A session, and the credentials that it belongs to. */
export interface OwnedSession {
  readonly salt: string;
  /** The salted digest of the credentials: see signature.ts. */
  readonly credentials: string;
  readonly session: SavedState;
}

/** Writes a session as text, including its tokens: only for a file that nobody else may read. */
export function encodeSession({ salt, credentials, session }: OwnedSession): string {
  const { tokens, outage } = session;
  const text = JSON.stringify({
    version: VERSION,
    salt,
    credentials,
    session: {
      tokens: tokens && {
        accessToken: tokens.accessToken.reveal(),
        refreshToken: tokens.refreshToken?.reveal(),
        accessExpiresAtMs: tokens.accessExpiresAtMs,
        refreshExpiresAtMs: tokens.refreshExpiresAtMs,
        receivedAtMs: tokens.receivedAtMs,
      },
      credentials: encodeRefusals(session.credentials),
      outage: { failures: outage.failures, pause: encodePause(outage.pause), code: outage.code },
      freshTokens: encodeRefusals(session.freshTokens),
    },
  });
  return `${text}\n`;
}

function encodeRefusals({ refusals, pause, unfinished }: Refusals): Refusals {
  return { refusals, pause: encodePause(pause), unfinished };
}

function encodePause({ endsAtMs, lengthMs }: Pause): Pause {
  return { endsAtMs, lengthMs };
}

/** Reads what {@link encodeSession} wrote; absent when it is anything else, or of another version. */
export function decodeSession(text: string): OwnedSession | undefined {
  const result = fileSchema.safeParse(jsonOrNothing(text));
  return result.success ? result.data : undefined;
}

const TEXTS = {
  foreign: 'not a session of this version',
  setAside: 'the saved session cannot be used and was set aside',
  failing: 'the session cannot be kept in --state.dir: a restart will have to log in',
  again: 'the session is kept in --state.dir again',
};

export interface SessionFileOptions {
  readonly file: StateFile;
  /** Every value whose change starts another session. */
  readonly credentials: readonly (string | undefined)[];
  /** Returns random text, which salts the digest of new credentials. */
  readonly newSalt: () => string;
  readonly log: Logger;
}

/**
 * Keeps a session across restarts. A file that cannot be read, or that belongs to other credentials,
 * is not used; it never keeps the program from starting.
 */
export class SessionFile implements SessionStorage {
  readonly saved: SavedState | undefined;
  readonly #file: KeptFile;
  readonly #owner: Omit<OwnedSession, 'session'>;
  #writing: Promise<void> = Promise.resolve();
  #newest: string | undefined;

  private constructor(file: KeptFile, owner: Omit<OwnedSession, 'session'>, saved?: SavedState) {
    this.saved = saved;
    this.#file = file;
    this.#owner = owner;
  }

  /** Reads the file, and sets it aside when it cannot be used. */
  static async open(options: SessionFileOptions): Promise<SessionFile> {
    const { credentials, newSalt, log } = options;
    const file = new KeptFile(options.file, TEXTS, log);
    const found = await file.read(decodeSession);
    if (found !== undefined) {
      const isOurs = (await digestCredentials(credentials, found.salt)) === found.credentials;
      if (isOurs) return new SessionFile(file, found, found.session);
      log.info({}, 'the saved session belongs to other credentials and is not used');
    }
    const salt = newSalt();
    return new SessionFile(file, {
      salt,
      credentials: await digestCredentials(credentials, salt),
    });
  }

  /** Writes the session when it has changed, one write after the other. Never rejects. */
  save(session: SavedState): Promise<void> {
    const text = encodeSession({ ...this.#owner, session });
    if (text === this.#newest) return this.#writing;
    this.#newest = text;
    this.#writing = this.#writing.then(() => this.#write(text));
    return this.#writing;
  }

  async #write(text: string): Promise<void> {
    // The same session is then written again when it is next saved.
    if (!(await this.#file.write(text))) this.#newest = undefined;
  }
}
