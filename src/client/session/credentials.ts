import { createDecipheriv, createHash, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { ConfigError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import type { TokenSet } from './tokens.ts';

const DIGEST_BYTES = 32;
const scryptAsync = promisify<string, string, number, Buffer>(scrypt);

/** The options that identify the user to the service. */
export interface CredentialOptions {
  readonly authUrl: string;
  readonly account?: string | undefined;
  readonly password?: Secret | undefined;
  readonly appId?: string | undefined;
  readonly appSecret?: Secret | undefined;
  readonly appSecretEncrypted?: Secret | undefined;
  readonly accessToken?: Secret | undefined;
  readonly refreshToken?: Secret | undefined;
}

export interface Account {
  readonly account: string;
  readonly password: Secret;
}

/** The application that signs requests; logging in needs one. */
export interface AppIdentity {
  readonly appId: string;
  readonly appSecret: Secret;
}

/** Returns the account to log in with; absent in the token modes. */
export function accountOf({ account, password }: CredentialOptions): Account | undefined {
  return account === undefined || password === undefined ? undefined : { account, password };
}

/**
 * Returns the application that signs requests; absent when none is configured.
 *
 * @throws ConfigError when the encrypted secret does not fit the application id.
 */
export function appIdentityOf(options: CredentialOptions): AppIdentity | undefined {
  const { appId, appSecret, appSecretEncrypted } = options;
  if (appId === undefined) return undefined;
  if (appSecret !== undefined) return { appId, appSecret };
  if (appSecretEncrypted === undefined) return undefined;
  return { appId, appSecret: recoverAppSecret(appSecretEncrypted, appId) };
}

/** Returns the tokens from the configuration; an account takes precedence (interface 5.3: the modes' order). */
export function configuredTokensOf(options: CredentialOptions): TokenSet | undefined {
  const { accessToken, refreshToken } = options;
  if (accessToken === undefined || accountOf(options) !== undefined) return undefined;
  return { accessToken, refreshToken };
}

/** Lists every value whose change starts another session. The list contains secrets and must not be shown. */
export function credentialTexts(options: CredentialOptions): readonly (string | undefined)[] {
  const { authUrl, account, password, appId, appSecret, appSecretEncrypted } = options;
  const tokens = configuredTokensOf(options);
  const secrets = [
    password,
    appSecret,
    appSecretEncrypted,
    tokens?.accessToken,
    tokens?.refreshToken,
  ];
  return [authUrl, account, appId, ...secrets.map((secret) => secret?.reveal())];
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
