import type { StateFile } from '../../base/kept-file.ts';
import { systemReason } from '../../base/shown.ts';
import { decodeSession, type OwnedSession } from './session-file.ts';
import type { SavedState } from './session-state.ts';
import { digestCredentials } from './signature.ts';

/** What the session file of a running exporter says at the moment. */
export type FollowedState =
  | { readonly kind: 'session'; readonly session: SavedState }
  /** There is no file: the exporter has not tried to log in yet. */
  | { readonly kind: 'none' }
  /** The session belongs to other credentials than ours. */
  | { readonly kind: 'of-others' }
  | { readonly kind: 'unusable'; readonly reason: string };

export interface FollowedFileOptions {
  /** The file that the exporter keeps. It is only read. */
  readonly file: Pick<StateFile, 'read'>;
  /** Every value whose change starts another session. */
  readonly credentials: readonly (string | undefined)[];
}

/** Reads the session file that a running exporter keeps. It never writes the file, nor sets it aside. */
export class FollowedFile {
  readonly #options: FollowedFileOptions;
  /** The owner that was compared last, since comparing is slow on purpose: see signature.ts. */
  #compared:
    (Pick<OwnedSession, 'salt' | 'credentials'> & { readonly isOurs: boolean }) | undefined;

  constructor(options: FollowedFileOptions) {
    this.#options = options;
  }

  /** Reads the file as it is now. Never rejects. */
  async read(): Promise<FollowedState> {
    const { file } = this.#options;
    try {
      const text = await file.read();
      if (text === undefined) return { kind: 'none' };
      const found = decodeSession(text);
      if (found === undefined) return { kind: 'unusable', reason: 'not a session of this version' };
      const isOurs = await this.#isOurs(found);
      return isOurs ? { kind: 'session', session: found.session } : { kind: 'of-others' };
    } catch (error) {
      return { kind: 'unusable', reason: systemReason(error) };
    }
  }

  async #isOurs({ salt, credentials }: OwnedSession): Promise<boolean> {
    const known = this.#compared;
    if (known?.salt === salt && known.credentials === credentials) return known.isOurs;
    const isOurs = (await digestCredentials(this.#options.credentials, salt)) === credentials;
    this.#compared = { salt, credentials, isOurs };
    return isOurs;
  }
}
