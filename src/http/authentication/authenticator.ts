import type { Logger } from '../../base/log.ts';
import type { Secret } from '../../base/secret.ts';
import { type Reply, textReply } from '../reply.ts';
import { loginDigests, readCredentials } from './credentials.ts';

import type { PasswordVerifier } from './password-worker.ts';

/** The comparisons that may be pending at once; each takes a tenth of a second or more. */
const MOST_COMPARISONS = 8;
const MOST_REMEMBERED = 256;

const UNAUTHORIZED = textReply(401, 'Unauthorized.', {
  'www-authenticate': 'Basic realm="solar-exporter", charset="UTF-8"',
});
const TOO_MANY = textReply(503, 'Too many logins at once; try again later.', {
  'retry-after': '1',
});

/** Authenticates users by name and password; it remembers the outcome of each attempt by its digest. */
export class Authenticator {
  readonly #verifier: PasswordVerifier;
  readonly #digest = loginDigests();
  // Two sets, so that no number of wrong guesses displaces an accepted log-in.
  readonly #accepted = new Recent(MOST_REMEMBERED);
  readonly #refused = new Recent(MOST_REMEMBERED);
  readonly #comparisons = new Map<string, Promise<boolean>>();

  readonly #log: Logger;
  #isRefusalLogged = false;

  constructor(verifier: PasswordVerifier, log: Logger) {
    this.#verifier = verifier;
    this.#log = log;
  }

  /** Returns undefined for an accepted user, else the answer; a promise only when a password has to be compared. */
  refusal(
    users: ReadonlyMap<string, Secret>,
    authorization: string | undefined,
  ): Reply | undefined | Promise<Reply | undefined> {
    const credentials = readCredentials(authorization);
    if (credentials === undefined) return UNAUTHORIZED;
    const { user, password } = credentials;
    const known = users.get(user);
    // An unknown name is compared with the hash of the first user, so that it takes as long, and is always refused.
    const [any] = users.values();
    const hash = (known ?? any)?.reveal() ?? '';
    const isKnown = known !== undefined;
    const digest = this.#digest(isKnown ? 'known' : 'unknown', user, hash, password);
    if (this.#accepted.has(digest)) {
      this.#isRefusalLogged = false;
      return undefined;
    }
    if (this.#refused.has(digest)) return this.#refuse();

    const comparison = this.#comparisons.get(digest) ?? this.#compare(digest, password, hash);
    if (comparison === undefined) return TOO_MANY;
    return comparison.then((isRight) => {
      const isAccepted = isRight && isKnown;
      (isAccepted ? this.#accepted : this.#refused).add(digest);
      return isAccepted ? undefined : this.#refuse();
    });
  }

  /**
   * Refuses a log-in. It logs the first refusal, and the next one only after an accepted log-in; never the
   * name, which may be a mistyped password.
   */
  #refuse(): Reply {
    if (!this.#isRefusalLogged)
      this.#log.warn({}, 'log-in refused: unknown user or wrong password');
    this.#isRefusalLogged = true;
    return UNAUTHORIZED;
  }

  /** Stops the thread that compares passwords. */
  stop(): Promise<void> {
    return this.#verifier.stop();
  }

  #compare(digest: string, password: string, hash: string): Promise<boolean> | undefined {
    if (this.#comparisons.size >= MOST_COMPARISONS) return undefined;
    const comparison = this.#verifier
      .verify(password, hash)
      .finally(() => this.#comparisons.delete(digest));
    this.#comparisons.set(digest, comparison);
    return comparison;
  }
}

/** Remembers the last few texts that were added. */
class Recent {
  readonly #limit: number;
  readonly #texts = new Set<string>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  has(text: string): boolean {
    return this.#texts.has(text);
  }

  add(text: string): void {
    this.#texts.add(text);
    const [oldest] = this.#texts;
    if (this.#texts.size > this.#limit && oldest !== undefined) this.#texts.delete(oldest);
  }
}
