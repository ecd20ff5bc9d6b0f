import { createDecipheriv, createHash } from 'node:crypto';
import { ConfigError } from '../errors.ts';
import { Secret } from '../secret.ts';

/**
 * Recovers the application secret from its encrypted Base64 form (interface 5.1): AES-128-CBC, key and
 * initialisation vector from the two halves of the MD5 hex of the application id, zero padding.
 *
 * @throws ConfigError when the text is not such a form for this application id.
 */
export function recoverAppSecret(encrypted: Secret, appId: string): Secret {
  const digest = createHash('md5').update(appId, 'utf8').digest('hex');
  const key = Buffer.from(digest.slice(0, 16), 'ascii');
  const vector = Buffer.from(digest.slice(16), 'ascii');
  try {
    const decipher = createDecipheriv('aes-128-cbc', key, vector).setAutoPadding(false);
    const padded = Buffer.concat([
      decipher.update(encrypted.reveal(), 'base64'),
      decipher.final(),
    ]).toString('utf8');
    const secret = padded.replace(/\0+$/, '');
    if (/^[\x20-\x7e]+$/.test(secret)) return new Secret(secret);
  } catch {
    // The reason would be OpenSSL's, about blocks; the sentence below says what to do about it.
  }
  throw new ConfigError([
    'SOLAR_APP_SECRET_ENCRYPTED: [secret] does not decrypt with this SOLAR_APP_ID; accepted: the encrypted application secret in Base64 that belongs to the application id',
  ]);
}
