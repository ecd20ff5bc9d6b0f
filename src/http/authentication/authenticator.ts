import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import { RecentMap } from '../../base/recent-map.ts';
import type { Secret } from '../../base/shown.ts';
import { type Reply, textReply } from '../reply.ts';
import { type Client, networkOf } from './client.ts';
import { ComparisonQueue, MOST_WAITING, type Outcome } from './comparison-queue.ts';
import { hashesOfEachCost, loginDigests, readCredentials, standInFor } from './credentials.ts';
import { GuessCounts } from './guess-counts.ts';
import { LetInNetworks, type NetworkFile } from './let-in-networks.ts';

import type { PasswordVerifier } from './password-worker.ts';

const MOST_REMEMBERED = 256;
/** Bcrypt ignores what comes after these. */
export const LONGEST_PASSWORD_BYTES = 72;

const CHALLENGE = { 'www-authenticate': 'Basic realm="solar-exporter", charset="UTF-8"' };
const UNAUTHORIZED = textReply(401, 'Unauthorized.', CHALLENGE);
const TOO_LONG = textReply(
  401,
  `Unauthorized: a password of more than ${LONGEST_PASSWORD_BYTES} bytes is not compared.`,
  CHALLENGE,
);
const TOO_MANY = textReply(
  503,
  `More than ${MOST_WAITING} log-ins wait to be compared; try again later.`,
  { 'retry-after': '1' },
);

const STOPPING = textReply(503, 'The exporter is stopping.');

type Users = ReadonlyMap<string, Secret>;

export interface AuthenticatorOptions {
  readonly verifier: PasswordVerifier;
  readonly clock: Clock;
  readonly log: Logger;
  /** Keeps over restarts from where somebody was let in; absent: a restart forgets it. */
  readonly letInFile?: NetworkFile | undefined;
}

/** Authenticates users by name and password; it remembers the outcome of each attempt by its digest. */
export class Authenticator {
  readonly #verifier: PasswordVerifier;
  readonly #letIn: LetInNetworks;
  readonly #queue: ComparisonQueue;
  readonly #digest = loginDigests();
  // Two of them, so that no number of wrong guesses displaces an accepted log-in.
  readonly #accepted = new RecentMap<string, true>(MOST_REMEMBERED);
  readonly #refused = new RecentMap<string, true>(MOST_REMEMBERED);
  readonly #hashes = new WeakMap<Users, readonly string[]>();

  readonly #log: Logger;
  #isRefusalLogged = false;
  #isTurningAwayLogged = false;

  private constructor({ verifier, clock, log }: AuthenticatorOptions, letIn: LetInNetworks) {
    this.#verifier = verifier;
    this.#log = log;
    this.#letIn = letIn;
    this.#queue = new ComparisonQueue({
      guesses: new GuessCounts(clock),
      wasLetIn: (network) => letIn.has(network),
    });
  }

  /** Creates an authenticator that knows from where somebody was let in before. */
  static async open(options: AuthenticatorOptions): Promise<Authenticator> {
    const { letInFile: file, clock, log } = options;
    return new Authenticator(options, await LetInNetworks.open({ file, clock, log }));
  }

  /** Returns undefined for an accepted user, else the answer; a promise only when a password has to be compared. */
  refusal(
    users: Users,
    authorization: string | undefined,
    client: Client,
  ): Reply | undefined | Promise<Reply | undefined> {
    const credentials = readCredentials(authorization);
    if (credentials === undefined) return UNAUTHORIZED;
    const { user, password } = credentials;
    if (Buffer.byteLength(password) > LONGEST_PASSWORD_BYTES)
      return this.#refuse(TOO_LONG, `a password of more than ${LONGEST_PASSWORD_BYTES} bytes`);
    const known = users.get(user);
    // An unknown name has the hash of some user, so that it takes as long, and is always refused.
    const standIn = standInFor(user, this.#hashesOf(users));
    const hash = known?.reveal() ?? standIn;
    const isKnown = known !== undefined;
    const login = this.#digest(isKnown ? 'known' : 'unknown', user, hash, password);
    if (this.#accepted.peek(login)) {
      this.#noteLetIn(client);
      return undefined;
    }
    if (this.#refused.peek(login)) return this.#refuse();

    const isAccepted = async (): Promise<boolean> =>
      (await this.#verifier.verify(password, hash)) && isKnown;
    return this.#queue
      .compare(login, client, isAccepted)
      .then((outcome) => this.#answer(outcome, login, client));
  }

  /** Lets nobody wait any more for a comparison; one that has begun goes on. */
  stopWaiting(): void {
    this.#queue.stop();
  }

  /** Stops the thread that compares passwords. */
  async stop(): Promise<void> {
    this.stopWaiting();
    await Promise.all([this.#verifier.stop(), this.#letIn.close()]);
  }

  #answer(outcome: Outcome, login: string, client: Client): Reply | undefined {
    if (outcome === 'stopped') return STOPPING;
    if (outcome === 'turned away') return this.#turnAway();
    if (this.#queue.isEmpty) this.#isTurningAwayLogged = false;
    if (outcome === 'accepted') {
      this.#accepted.set(login, true);
      this.#noteLetIn(client);
      return undefined;
    }
    this.#refused.set(login, true);
    return this.#refuse();
  }

  #noteLetIn({ address }: Client): void {
    this.#isRefusalLogged = false;
    this.#letIn.add(networkOf(address));
  }

  /**
   * Refuses a log-in. It logs the first refusal, and the next one only after an accepted log-in; never the
   * name, which may be a mistyped password.
   */
  #refuse(reply = UNAUTHORIZED, reason = 'unknown user or wrong password'): Reply {
    if (!this.#isRefusalLogged) this.#log.warn({}, `log-in refused: ${reason}`);
    this.#isRefusalLogged = true;
    return reply;
  }

  /** Turns a log-in away. It logs the first one, and the next one only after no log-in had to wait any more. */
  #turnAway(): Reply {
    if (!this.#isTurningAwayLogged)
      this.#log.warn({}, `log-ins turned away: more than ${MOST_WAITING} wait to be compared`);
    this.#isTurningAwayLogged = true;
    return TOO_MANY;
  }

  #hashesOf(users: Users): readonly string[] {
    const found = this.#hashes.get(users) ?? hashesOfEachCost(users);
    this.#hashes.set(users, found);
    return found;
  }
}
