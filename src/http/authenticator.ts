import { createHmac, randomBytes } from 'node:crypto';
import type { Logger } from '../base/log.ts';
import { RecentMap } from '../base/recent-map.ts';
import type { Secret } from '../base/shown.ts';
import type { LimitLog } from './limits.ts';
import { networkOf, PasswordTurns } from './password-turns.ts';
import type { PasswordVerifier } from './password-worker.ts';
import { type Reply, textReply } from './reply.ts';

const MOST_REMEMBERED = 256;
/** Bcrypt ignores what comes after these. */
const LONGEST_PASSWORD_BYTES = 72;

const CHALLENGE = { 'www-authenticate': 'Basic realm="solar-exporter", charset="UTF-8"' };
const UNAUTHORIZED = textReply(401, 'Unauthorized.', CHALLENGE);
const LONG = `a password of more than ${LONGEST_PASSWORD_BYTES} bytes`;
const TOO_LONG = textReply(401, `Unauthorized: ${LONG} is not compared.`, CHALLENGE);
const TOO_MANY = textReply(503, 'Too many log-ins wait to be compared; try again later.', {
  'retry-after': '1',
});

type Users = ReadonlyMap<string, Secret>;

export interface Authenticator {
  /** Resolves to undefined for an accepted user, else to the answer. */
  refusal(users: Users, authorization?: string, address?: string): Promise<Reply | undefined>;
  /** Lets nobody wait any more for a comparison; one that has begun goes on. */
  stopWaiting(): void;
}

/** Creates what authenticates users by name and password; it remembers the outcome of each attempt by its digest. */
export function createAuthenticator(
  verifier: PasswordVerifier,
  log: Logger,
  limitReached: LimitLog,
): Authenticator {
  // A digest under this key reveals no password, not even to somebody with a list of them: it never leaves this process.
  const key = randomBytes(32);
  const turns = new PasswordTurns();
  const comparing = new Map<string, Promise<boolean | undefined>>();
  // Two of them, so that no number of wrong guesses displaces an accepted log-in.
  const accepted = new RecentMap<string, true>(MOST_REMEMBERED);
  const refused = new RecentMap<string, true>(MOST_REMEMBERED);
  let isRefusalLogged = false;

  /** Logs the first refusal, and the next one only after an accepted log-in; never the name, which may be a password. */
  function refuse(reply = UNAUTHORIZED, reason = 'unknown user or wrong password'): Reply {
    if (!isRefusalLogged) log.warn({}, `log-in refused: ${reason}`);
    isRefusalLogged = true;
    return reply;
  }

  return {
    async refusal(users, authorization, address) {
      const credentials = readCredentials(authorization);
      if (credentials === undefined) return UNAUTHORIZED;
      const [user, password] = credentials;
      if (Buffer.byteLength(password) > LONGEST_PASSWORD_BYTES) return refuse(TOO_LONG, LONG);
      const isKnown = users.has(user);
      const hash = users.get(user)?.reveal() ?? standInFor(user, users);
      const parts = JSON.stringify([isKnown, user, hash, password]);
      const login = createHmac('sha256', key).update(parts).digest('base64');
      if (refused.peek(login)) return refuse();
      if (!accepted.peek(login)) {
        const compare = async () => (await verifier.verify(password, hash)) && isKnown;
        // Equal log-ins share one comparison.
        const outcome = comparing.get(login) ?? turns.take(networkOf(address), compare);
        comparing.set(login, outcome);
        const isRight = await outcome.finally(() => comparing.delete(login));
        if (isRight === undefined) {
          limitReached('log-ins turned away: too many wait to be compared');
          return TOO_MANY;
        }
        (isRight ? accepted : refused).set(login, true);
        if (!isRight) return refuse();
      }
      isRefusalLogged = false;
      return undefined;
    },
    stopWaiting: () => turns.stop(),
  };
}

/** Reads name and password of basic authentication (RFC 7617, in UTF-8); undefined when it is anything else. */
function readCredentials(authorization = ''): readonly [string, string] | undefined {
  const [, encoded = ''] = /^basic +(\S+)$/i.exec(authorization) ?? [];
  const text = Buffer.from(encoded, 'base64').toString();
  const colonAt = text.indexOf(':');
  // What is not base64 of UTF-8 does not survive the way back.
  if (colonAt < 0 || Buffer.from(text).toString('base64') !== encoded) return undefined;
  return [text.slice(0, colonAt), text.slice(colonAt + 1)];
}

/**
 * Chooses the hash that an unknown name is compared with, so that it takes as long as that of some user. It is the
 * same for the same name, also after a restart, and nobody without the hashes can foresee it.
 */
function standInFor(user: string, users: Users): string {
  const rank = (hash: string) => createHmac('sha256', hash).update(user).digest('hex');
  const hashes = Array.from(users.values(), (secret) => secret.reveal());
  return hashes.reduce((a, b) => (rank(a) > rank(b) ? a : b));
}
