import type { Logger } from '../log.ts';
import { systemReason } from '../shown.ts';
import { digestOf } from './credentials-digest.ts';
import {
  decodeSession,
  encodeSession,
  type OwnedSession,
  type SavedSession,
  type SessionKeeper,
} from './saved-session.ts';

/** A file that holds one text, whole or not at all. */
export interface StateFile {
  /** The text; absent when there is none yet. Rejects when it cannot be read. */
  read(): Promise<string | undefined>;
  /** Replaces the text; resolves once it would survive a power cut. */
  write(text: string): Promise<void>;
  /** Moves the file out of the way; resolves to where it is now. */
  setAside(): Promise<string>;
}

export interface TokenStoreOptions {
  readonly file: StateFile;
  /** Everything that makes it another session when it changes. */
  readonly credentials: readonly (string | undefined)[];
  /** Random text, for credentials that are new here. */
  readonly newSalt: () => string;
  readonly log: Logger;
}

/**
 * Keeps a session across restarts. What others left in the file, or what cannot be read, is no session
 * of ours and never a reason to fail.
 */
export class TokenStore implements SessionKeeper {
  /** What an earlier session with the same credentials left behind. */
  readonly saved: SavedSession | undefined;
  readonly #file: StateFile;
  readonly #log: Logger;
  readonly #owner: Omit<OwnedSession, 'session'>;
  #writing: Promise<void> = Promise.resolve();
  #newest: string | undefined;
  #isFailing = false;

  private constructor(
    options: TokenStoreOptions,
    { session, ...owner }: Partial<OwnedSession> & Omit<OwnedSession, 'session'>,
  ) {
    this.saved = session;
    this.#file = options.file;
    this.#log = options.log;
    this.#owner = owner;
  }

  /** Reads what is there; what cannot be read is set aside. */
  static async open(options: TokenStoreOptions): Promise<TokenStore> {
    const { credentials, newSalt, log } = options;
    const found = await readSession(options);
    if (found !== undefined) {
      const isOurs = (await digestOf(credentials, found.salt)) === found.credentials;
      if (isOurs) return new TokenStore(options, found);
      log.info({}, 'the saved session belongs to other credentials and is not used');
    }
    const salt = newSalt();
    return new TokenStore(options, { salt, credentials: await digestOf(credentials, salt) });
  }

  /** Writes the session down, one after the other and only what has changed. Never rejects. */
  save(session: SavedSession): Promise<void> {
    const text = encodeSession({ ...this.#owner, session });
    if (text === this.#newest) return this.#writing;
    this.#newest = text;
    this.#writing = this.#writing.then(() => this.#write(text));
    return this.#writing;
  }

  async #write(text: string): Promise<void> {
    try {
      await this.#file.write(text);
      if (this.#isFailing) this.#log.info({}, 'the session is kept in --state.dir again');
      this.#isFailing = false;
    } catch (error) {
      this.#newest = undefined;
      if (!this.#isFailing)
        this.#log.warn(
          { reason: systemReason(error) },
          'the session cannot be kept in --state.dir: a restart will have to log in',
        );
      this.#isFailing = true;
    }
  }
}

async function readSession({ file, log }: TokenStoreOptions): Promise<OwnedSession | undefined> {
  const [text, reason] = await file.read().then(
    (read) => [read, 'not a session of this version'] as const,
    (error: unknown) => ['', systemReason(error)] as const,
  );
  if (text === undefined) return undefined;
  const session = decodeSession(text);
  if (session !== undefined) return session;
  const place = await file.setAside().catch((error: unknown) => `nowhere (${systemReason(error)})`);
  log.warn({ reason, place }, 'the saved session cannot be used and was set aside');
  return undefined;
}
