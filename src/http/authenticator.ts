import { createHmac, randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { Clock } from '../base/clock.ts';
import { limitConcurrency } from '../base/concurrency.ts';
import { RecentMap } from '../base/recent-map.ts';
import type { Secret } from '../base/shown.ts';
import type { LimitLog } from './limits.ts';
import { type Reply, textReply } from './reply.ts';

const MOST_ACCEPTED = 256;
/** So many log-ins wait to be compared, and as many again that were turned away before. */
const MOST_WAITING = 32;
/** Of those that were turned away: more than come in half a minute, and less than a megabyte. */
const MOST_TURNED_AWAY = 8192;
/** Whoever finds no place hears it only then, so that few come back at once. Prometheus has given up by then. */
const TURNED_AWAY_AFTER_MS = 10_000;
/** Before each comparison, which holds everything up: connections are accepted, and short requests answered. */
const PAUSE_MS = 30;

const UNAUTHORIZED = textReply(401, 'Unauthorized.', {
  'www-authenticate': 'Basic realm="solar-exporter", charset="UTF-8"',
});
const TOO_MANY = textReply(503, 'Too many log-ins wait to be compared; try again.', {
  'retry-after': '1',
});

type Users = ReadonlyMap<string, Secret>;

/** Whether a password is the one that a bcrypt hash was made of. */
export type ComparePassword = (password: string, hash: string) => Promise<boolean>;

/** Loads bcrypt when it is first needed: most exporters have no users. */
export const compareWithBcrypt: ComparePassword = async (password, hash) =>
  (await import('bcryptjs')).compare(password, hash);

export interface AuthenticatorOptions {
  readonly compare: ComparePassword;
  readonly clock: Clock;
  readonly limitReached: LimitLog;
  /** Whoever waits for a comparison when it aborts is turned away. */
  readonly stopped: AbortSignal;
}

/**
 * Creates a function that resolves to undefined for an accepted user, else to the answer. It remembers accepted log-ins
 * by their digest, and compares others one at a time. Whoever knows the password asks again with the same one, and who
 * guesses does not: so a second attempt may wait where a first one may not.
 */
export function createAuthenticator(options: AuthenticatorOptions) {
  const { compare, clock, limitReached, stopped } = options;
  // As many listen as are turned away.
  setMaxListeners(0, stopped);
  // A digest under this key reveals no password, not even to somebody with a list of them: it never leaves this process.
  const key = randomBytes(32);
  const accepted = new RecentMap<string, true>(MOST_ACCEPTED);
  const turnedAway = new RecentMap<string, true>(MOST_TURNED_AWAY);
  const alone = limitConcurrency(1);
  let waiting = 0;

  async function compareNext(
    login: string,
    isRight: () => Promise<boolean>,
  ): Promise<Reply | undefined> {
    await clock.sleep(PAUSE_MS, stopped);
    if (stopped.aborted) return TOO_MANY;
    // Somebody else may have waited with the same one.
    if (accepted.peek(login) === undefined && !(await isRight())) {
      // Never the name, which may be a password.
      limitReached('log-in refused: unknown user or wrong password');
      return UNAUTHORIZED;
    }
    accepted.set(login, true);
    return undefined;
  }

  return async (users: Users, authorization?: string): Promise<Reply | undefined> => {
    const credentials = readCredentials(authorization);
    if (credentials === undefined) return UNAUTHORIZED;
    const [user, password] = credentials;
    const isKnown = users.has(user);
    // An unknown name takes as long as one that is known.
    const [anybody] = users.values();
    const hash = (users.get(user) ?? anybody)?.reveal() ?? '';
    const parts = JSON.stringify([isKnown, user, hash, password]);
    const login = createHmac('sha256', key).update(parts).digest('base64');
    if (accepted.peek(login) === true) return undefined;
    const places = turnedAway.peek(login) === true ? 2 * MOST_WAITING : MOST_WAITING;
    if (waiting >= places) {
      turnedAway.set(login, true);
      await clock.sleep(TURNED_AWAY_AFTER_MS, stopped);
      limitReached('log-ins turned away: too many wait to be compared');
      return TOO_MANY;
    }
    waiting += 1;
    const isRight = async () => (await compare(password, hash)) && isKnown;
    return alone(() => compareNext(login, isRight)).finally(() => (waiting -= 1));
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
