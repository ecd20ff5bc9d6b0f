import { createDecipheriv, createHash, createHmac, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { ConfigError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';

const DIGEST_BYTES = 32;
const scryptAsync = promisify<string, string, number, Buffer>(scrypt);

/** What the signature of a login covers (interface 5.1). */
export interface SignatureInput {
  readonly appId: string;
  /** Lowercase hex SHA-256 of the exact bytes sent. */
  readonly bodyHash: string;
  /** 32 lowercase hex characters, new for each request. */
  readonly nonce: string;
}

/** Returns the headers of a signed request, including the signature (interface 5.1). */
export function signedHeaders(input: SignatureInput, appSecret: string): Record<string, string> {
  return { ...headerPairs(input), 'IOT-Open-Sign': sign(input, appSecret) };
}

/** Signs as interface 5.1 prescribes: sorted pairs, Base64, HMAC-SHA256, MD5 hex of the raw digest. */
export function sign(input: SignatureInput, appSecret: string): string {
  const pairs = Object.entries(headerPairs(input))
    .map(([name, value]) => `${name}=${value}`)
    .sort();
  const encoded = Buffer.from(pairs.join('&'), 'utf8').toString('base64');
  const digest = createHmac('sha256', appSecret).update(encoded).digest();
  return createHash('md5').update(digest).digest('hex');
}

/** Returns the lowercase hex SHA-256 of a request body. */
export function hashBody(body: string): string {
  return createHash('sha256').update(body, 'utf8').digest('hex');
}

/** Hashes a password as the service expects it: lowercase hex MD5 (interface 4, endpoint 1). */
export function hashPassword(password: string): string {
  return createHash('md5').update(password, 'utf8').digest('hex');
}

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
    // OpenSSL's reason speaks of blocks; the message below says what to do.
  }
  throw new ConfigError([
    'SOLAR_APP_SECRET_ENCRYPTED: [secret] does not decrypt with this SOLAR_APP_ID; accepted: the encrypted application secret in Base64 that belongs to the application id',
  ]);
}

/**
 * Returns a digest by which two sets of credentials can be compared without keeping them: 32 bytes in
 * Base64. The hash is slow on purpose, so that passwords cannot be guessed from it in bulk.
 *
 * @param credentials - every value whose change starts another session.
 * @param salt - random text, stored beside the digest.
 */
export async function digestCredentials(
  credentials: readonly (string | undefined)[],
  salt: string,
): Promise<string> {
  const digest = await scryptAsync(JSON.stringify(credentials), salt, DIGEST_BYTES);
  return digest.toString('base64');
}

function headerPairs({ appId, bodyHash, nonce }: SignatureInput): Record<string, string> {
  return {
    'IOT-Open-AppID': appId,
    'IOT-Open-Body-Hash': bodyHash,
    'IOT-Open-Nonce': nonce,
  };
}
