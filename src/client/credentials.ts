import type { Secret } from '../secret.ts';
import { recoverAppSecret } from './app-secret.ts';
import type { Account, AppIdentity } from './auth-requests.ts';
import type { TokenSet } from './tokens.ts';

/** Who asks, and how that is proved. */
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

/** The account to log in with; absent in the token modes. */
export function accountOf({ account, password }: CredentialOptions): Account | undefined {
  return account === undefined || password === undefined ? undefined : { account, password };
}

/**
 * What signs a login; absent where nothing is signed.
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

/** Tokens from the configuration; with an account they are not used (interface 5.3: the modes' order). */
export function givenTokensOf(options: CredentialOptions): TokenSet | undefined {
  const { accessToken, refreshToken } = options;
  if (accessToken === undefined || accountOf(options) !== undefined) return undefined;
  return { accessToken, refreshToken };
}

/** Everything that makes it another session when it changes; secrets among it, not to be shown. */
export function credentialTexts(options: CredentialOptions): readonly (string | undefined)[] {
  const { authUrl, account, password, appId, appSecret, appSecretEncrypted } = options;
  const given = givenTokensOf(options);
  const secrets = [
    password,
    appSecret,
    appSecretEncrypted,
    given?.accessToken,
    given?.refreshToken,
  ];
  return [authUrl, account, appId, ...secrets.map((secret) => secret?.reveal())];
}
