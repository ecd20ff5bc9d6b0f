import { createHmac, randomBytes } from 'node:crypto';

/**
 * Makes a function that stands for an attempt to log in without telling it: nobody finds a password by
 * its digest, not even with a list of passwords, because the key is this process's own.
 */
export function loginDigests(
  key: Buffer = randomBytes(32),
): (...parts: readonly string[]) => string {
  return (...parts) => createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64');
}
