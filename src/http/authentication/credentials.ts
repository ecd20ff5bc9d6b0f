import { createHmac, randomBytes } from 'node:crypto';
import type { Secret } from '../../base/shown.ts';

/** The name and password of a log-in. */
export interface Credentials {
  readonly user: string;
  readonly password: string;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reads the header of basic authentication (RFC 7617, in UTF-8); undefined when it is anything else. */
export function readCredentials(authorization: string | undefined): Credentials | undefined {
  const [, encoded] = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization ?? '') ?? [];
  if (encoded === undefined || encoded.length % 4 !== 0) return undefined;
  const text = decoded(encoded);
  const colonAt = text?.indexOf(':') ?? -1;
  if (text === undefined || colonAt < 0) return undefined;
  return { user: text.slice(0, colonAt), password: text.slice(colonAt + 1) };
}

function decoded(encoded: string): string | undefined {
  try {
    return decoder.decode(Buffer.from(encoded, 'base64'));
  } catch {
    return undefined;
  }
}

/**
 * Creates a function that turns a log-in attempt into a digest. The digest does not reveal the password,
 * not even to somebody with a list of passwords, because its key is random and never leaves this process.
 */
export function loginDigests(
  key: Buffer = randomBytes(32),
): (...parts: readonly string[]) => string {
  return (...parts) => createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64');
}

/** Returns one hash of each cost that the users have. */
export function hashesOfEachCost(users: ReadonlyMap<string, Secret>): readonly string[] {
  // In a fixed order, so that no other order of the users makes another choice.
  const hashes = [...users.values()].map((hash) => hash.reveal()).sort();
  return [...new Map(hashes.map((hash) => [costOf(hash), hash])).values()];
}

function costOf(hash: string): string {
  return hash.slice('$2b$'.length, '$2b$10'.length);
}

/**
 * Chooses the hash that a name is compared with when it is unknown. The same name always gets the same one, also after
 * a restart, so that an unknown name takes as long as that of some user, every time. The hashes themselves are the
 * keys of the choice, so that nobody without them can foresee it.
 */
export function standInFor(user: string, hashes: readonly string[]): string {
  const [only = '', ...others] = hashes;
  if (others.length === 0) return only;
  const ranked = hashes.map((hash) => ({
    hash,
    rank: createHmac('sha256', hash).update(user).digest('hex'),
  }));
  return ranked.reduce((a, b) => (a.rank > b.rank ? a : b)).hash;
}
