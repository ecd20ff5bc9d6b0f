import { createDecipheriv, createHash, createHmac, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { ConfigError } from '../../base/errors.ts';
import { Secret } from '../../base/shown.ts';
import type { TokenSet } from './tokens.ts';

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
  /** How the user names the access token or its file: `SOLAR_ACCESS_TOKEN_FILE`, `access-token in solar.yaml`. */
  readonly accessTokenName?: string | undefined;
  readonly refreshToken?: Secret | undefined;
}

/** Returns the account to log in with; absent in the token modes. */
export function accountOf({ account, password }: CredentialOptions): string | undefined {
  return password === undefined ? undefined : account;
}

/** Lists what must not be shown, in whole or in parts, where the service repeats who asks. */
export function hiddenOf(options: CredentialOptions): readonly string[] {
  const { account = '', appId = '', password } = options;
  const parts = account.split(/[@\s]+/).filter((part) => part.length > 2);
  const whole = [account, appId, password?.reveal() ?? ''];
  return [...whole, ...parts].filter((text) => text !== '');
}

/** Whether these are enough for a log-in: an account, and an application that signs for it. */
export function canLogInWith(options: CredentialOptions): boolean {
  const { appId, appSecret, appSecretEncrypted } = options;
  const isSigned = appId !== undefined && (appSecret ?? appSecretEncrypted) !== undefined;
  return isSigned && accountOf(options) !== undefined;
}

/**
 * Returns the tokens from the configuration; an account that can log in takes precedence (service.md#session: the
 * modes' order).
 */
export function configuredTokensOf(options: CredentialOptions): TokenSet | undefined {
  const { accessToken, refreshToken } = options;
  if (accessToken === undefined || canLogInWith(options)) return undefined;
  return { accessToken, refreshToken };
}

/** Returns the remedy for a refused token; undefined where an account can log in. */
export function newTokenRemedy(options: CredentialOptions): string | undefined {
  if (canLogInWith(options)) return undefined;
  const { accessTokenName: name = 'SOLAR_ACCESS_TOKEN' } = options;
  const place = /^\S*[_-]file\b/i.test(name) ? `the file that ${name} names` : name;
  return `the token has ended: log in at the portal and put the new one into ${place}`;
}

/** Lists every value whose change starts another session. The list contains secrets and must not be shown. */
export function credentialTexts(options: CredentialOptions): readonly (string | undefined)[] {
  const { authUrl, account, password, appId, appSecret, appSecretEncrypted } = options;
  const { accessToken, refreshToken } = configuredTokensOf(options) ?? {};
  const secrets = [password, appSecret, appSecretEncrypted, accessToken, refreshToken];
  return [authUrl, account, appId, ...secrets.map((secret) => secret?.reveal())];
}

/**
 * Returns a digest by which two lists of credentials can be compared without keeping them: 32 bytes in
 * Base64. The hash is slow on purpose, so that passwords cannot be guessed from it in bulk.
 */
export async function digestCredentials(
  credentials: readonly (string | undefined)[],
  salt: string,
): Promise<string> {
  const digest = await scryptAsync(JSON.stringify(credentials), salt, 32);
  return digest.toString('base64');
}

/** Returns the headers that sign a body (service.md#signature). */
type Sign = (body: string, nonce: string) => Readonly<Record<string, string>>;

/**
 * Returns the function that signs a body (service.md#signature): sorted pairs, Base64, HMAC-SHA256, MD5 hex of the raw
 * digest. Returns undefined when no application is configured; logging in needs one.
 *
 * @throws ConfigError when the encrypted secret does not fit the application id.
 */
export function signerOf(credentials: CredentialOptions): Sign | undefined {
  const { appId, appSecret, appSecretEncrypted: encrypted } = credentials;
  if (appId === undefined) return undefined;
  const secret = appSecret ?? (encrypted && recoverAppSecret(encrypted, appId));
  if (secret === undefined) return undefined;
  return (body, nonce) => {
    const bodyHash = hashOf('sha256', body);
    const signed = `IOT-Open-AppID=${appId}&IOT-Open-Body-Hash=${bodyHash}&IOT-Open-Nonce=${nonce}`;
    const encoded = Buffer.from(signed).toString('base64');
    const digest = createHmac('sha256', secret.reveal()).update(encoded).digest();
    return {
      'IOT-Open-AppID': appId,
      'IOT-Open-Body-Hash': bodyHash,
      'IOT-Open-Nonce': nonce,
      'IOT-Open-Sign': hashOf('md5', digest),
    };
  };
}

/**
 * Recovers the application secret from its encrypted Base64 form (service.md#signature): AES-128-CBC, key and
 * initialisation vector from the two halves of the MD5 hex of the application id, zero padding.
 *
 * @throws ConfigError when the text is not such a form for this application id.
 */
export function recoverAppSecret(encrypted: Secret, appId: string): Secret {
  const digest = hashOf('md5', appId);
  try {
    const decipher = createDecipheriv('aes-128-cbc', digest.slice(0, 16), digest.slice(16));
    const start = decipher.setAutoPadding(false).update(encrypted.reveal(), 'base64');
    const padded = Buffer.concat([start, decipher.final()]).toString('utf8');
    const secret = padded.replace(/\0+$/, '');
    if (/^[\x20-\x7e]+$/.test(secret)) return new Secret(secret);
  } catch {
    // OpenSSL's message mentions only blocks; the message below tells what to do.
  }
  throw new ConfigError([
    'SOLAR_APP_SECRET_ENCRYPTED: [secret] does not decrypt with this SOLAR_APP_ID; accepted: the encrypted application secret in Base64 that belongs to the application id',
  ]);
}

/** Hashes a password or a body as lowercase hex (service.md#tokens, #signature). */
export function hashOf(algorithm: 'md5' | 'sha256', hashed: string | Buffer): string {
  return createHash(algorithm).update(hashed).digest('hex');
}
