import { createHmac, randomBytes } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import { RecentMap } from '../base/recent-map.ts';
import type { Secret } from '../base/shown.ts';
import type { LimitLog } from './limits.ts';
import { type Reply, textReply } from './reply.ts';

const MOST_ACCEPTED = 256;
/** What guesses leave behind before the oldest is forgotten: a megabyte. */
const MOST_REFUSED = 8192;
/** Prometheus has given up by then. */
const LONGEST_WAIT_MS = 10_000;
/** Between two comparisons, which hold everything up: connections are accepted, and short requests answered. */
const PAUSE_MS = 30;
/** Bcrypt ignores what comes after these. */
const LONGEST_PASSWORD_BYTES = 72;

const CHALLENGE = { 'www-authenticate': 'Basic realm="solar-exporter", charset="UTF-8"' };
const UNAUTHORIZED = textReply(401, 'Unauthorized.', CHALLENGE);
const LONG = `a password of more than ${LONGEST_PASSWORD_BYTES} bytes`;
const TOO_LONG = textReply(401, `Unauthorized: ${LONG} is not compared.`, CHALLENGE);
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
  readonly log: Logger;
  readonly limitReached: LimitLog;
  /** Whoever waits for a comparison when it aborts is turned away. */
  readonly stopped: AbortSignal;
}

/** A log-in that waits for its comparison, and everybody who asks with the same one. */
interface Waiting {
  readonly outcome: Promise<boolean | undefined>;
  readonly end: (outcome: Promise<boolean> | undefined) => void;
  readonly compare: () => Promise<boolean>;
  readonly sinceMs: number;
  /** Whether it waited in vain before. Whoever knows the password asks again with the same one, and who guesses does not. */
  readonly wasTurnedAway: boolean;
}

/**
 * Creates a function that resolves to undefined for an accepted user, else to the answer. It remembers the outcome of
 * each log-in by its digest. Others are compared one at a time, whoever asks: first those that were turned away before,
 * then in the order in which they came.
 */
export function createAuthenticator(options: AuthenticatorOptions) {
  const { compare, clock, log, limitReached, stopped } = options;
  // A digest under this key reveals no password, not even to somebody with a list of them: it never leaves this process.
  const key = randomBytes(32);
  // Two of them, so that no number of wrong guesses displaces an accepted log-in.
  const accepted = new RecentMap<string, true>(MOST_ACCEPTED);
  const refused = new RecentMap<string, 'wrong' | 'turned away'>(MOST_REFUSED);
  /** By digest, in the order in which they came. */
  const waiting = new Map<string, Waiting>();
  let isComparing = false;
  let isRefusalLogged = false;

  /** Logs the first refusal, and the next one only after an accepted log-in; never the name, which may be a password. */
  function refuse(reply = UNAUTHORIZED, reason = 'unknown user or wrong password'): Reply {
    if (!isRefusalLogged) log.warn({}, `log-in refused: ${reason}`);
    isRefusalLogged = true;
    return reply;
  }

  /** Resolves to whether the password is right; to undefined for a log-in that waited too long. */
  function outcomeOf(login: string, compareIt: () => Promise<boolean>) {
    const equal = waiting.get(login);
    if (equal !== undefined) return equal.outcome;
    let end: Waiting['end'] = () => undefined;
    const outcome = new Promise<boolean | undefined>((resolve) => (end = resolve));
    const sinceMs = clock.monotonicMs();
    const wasTurnedAway = refused.peek(login) === 'turned away';
    waiting.set(login, { outcome, end, compare: compareIt, sinceMs, wasTurnedAway });
    if (!isComparing) void compareAll();
    return outcome;
  }

  async function compareAll(): Promise<void> {
    isComparing = true;
    while (waiting.size > 0) {
      const endedBeforeMs = stopped.aborted ? Infinity : clock.monotonicMs() - LONGEST_WAIT_MS;
      for (const [login, { sinceMs, end }] of waiting) {
        if (sinceMs >= endedBeforeMs) continue;
        waiting.delete(login);
        end(undefined);
      }
      const inOrder = [...waiting];
      const [login, next] = inOrder.find(([, one]) => one.wasTurnedAway) ?? inOrder[0] ?? [];
      if (login === undefined || next === undefined) break;
      const outcome = next.compare();
      next.end(outcome);
      await outcome.catch(() => undefined);
      waiting.delete(login);
      await clock.sleep(PAUSE_MS, stopped);
    }
    isComparing = false;
  }

  return async (users: Users, authorization?: string): Promise<Reply | undefined> => {
    const credentials = readCredentials(authorization);
    if (credentials === undefined) return UNAUTHORIZED;
    const [user, password] = credentials;
    if (Buffer.byteLength(password) > LONGEST_PASSWORD_BYTES) return refuse(TOO_LONG, LONG);
    const isKnown = users.has(user);
    // An unknown name takes as long as one that is known.
    const [anybody] = users.values();
    const hash = (users.get(user) ?? anybody)?.reveal() ?? '';
    const parts = JSON.stringify([isKnown, user, hash, password]);
    const login = createHmac('sha256', key).update(parts).digest('base64');
    if (refused.peek(login) === 'wrong') return refuse();
    if (!accepted.peek(login)) {
      const isRight = await outcomeOf(login, () => compare(password, hash));
      if (isRight === undefined) {
        refused.set(login, 'turned away');
        limitReached('log-ins turned away: too many wait to be compared');
        return TOO_MANY;
      }
      if (!isRight || !isKnown) {
        refused.set(login, 'wrong');
        return refuse();
      }
      accepted.set(login, true);
    }
    isRefusalLogged = false;
    return undefined;
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
