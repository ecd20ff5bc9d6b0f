import type { Logger } from '../../log.ts';
import type { Secret } from '../../secret.ts';
import { type Reply, textReply } from '../reply.ts';
import { readCredentials } from './credentials.ts';
import { loginDigests } from './login-digest.ts';
import type { PasswordVerifier } from './password-worker.ts';
import { Recent } from './recent.ts';

/** Comparisons that may wait at once; each takes a tenth of a second or more. */
const MOST_COMPARISONS = 8;
const MOST_REMEMBERED = 256;

const UNAUTHORIZED = textReply(401, 'Unauthorized.', {
  'www-authenticate': 'Basic realm="solar-exporter", charset="UTF-8"',
});
const TOO_MANY = textReply(503, 'Too many logins at once; try again later.', {
  'retry-after': '1',
});

/** Lets users in by name and password; what was compared once is remembered by its digest. */
export class Authenticator {
  readonly #verifier: PasswordVerifier;
  readonly #digest = loginDigests();
  // Two of them, so that no number of guesses makes us forget who was let in.
  readonly #accepted = new Recent(MOST_REMEMBERED);
  readonly #refused = new Recent(MOST_REMEMBERED);
  readonly #comparisons = new Map<string, Promise<boolean>>();

  readonly #log: Logger;
  #isRefusalTold = false;

  constructor(verifier: PasswordVerifier, log: Logger) {
    this.#verifier = verifier;
    this.#log = log;
  }

  /** Undefined for who may come in, else what to answer; a promise only when there is a password to compare. */
  refusal(
    users: ReadonlyMap<string, Secret>,
    authorization: string | undefined,
  ): Reply | undefined | Promise<Reply | undefined> {
    const credentials = readCredentials(authorization);
    if (credentials === undefined) return UNAUTHORIZED;
    const { user, password } = credentials;
    const known = users.get(user);
    // An unknown name takes as long as that of the first user, and is refused whatever comes of it.
    const [any] = users.values();
    const hash = (known ?? any)?.reveal() ?? '';
    const isKnown = known !== undefined;
    const digest = this.#digest(isKnown ? 'known' : 'unknown', user, hash, password);
    if (this.#accepted.has(digest)) {
      this.#isRefusalTold = false;
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

  /** One line when refusals begin, and again after somebody was let in: never the name, which may be a password. */
  #refuse(): Reply {
    if (!this.#isRefusalTold) this.#log.warn({}, 'log-in refused: unknown user or wrong password');
    this.#isRefusalTold = true;
    return UNAUTHORIZED;
  }

  /** Lets go of the thread that compares. */
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
