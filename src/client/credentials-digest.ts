import { scrypt } from 'node:crypto';

const BYTES = 32;

/**
 * Tells credentials apart without keeping them: base64 of 32 bytes that only guessing one password
 * after the other, slowly, leads back from.
 *
 * @param credentials - everything that makes it another session when it changes.
 * @param salt - random text, kept beside the digest.
 */
export function digestOf(
  credentials: readonly (string | undefined)[],
  salt: string,
): Promise<string> {
  return new Promise((resolve, reject) => {
    scrypt(JSON.stringify(credentials), salt, BYTES, (error, digest) => {
      if (error === null) resolve(digest.toString('base64'));
      else reject(error);
    });
  });
}
