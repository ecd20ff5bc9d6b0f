import type { Secret } from '../../base/secret.ts';
import type { Account, AppIdentity } from './auth-api.ts';
import { recoverAppSecret } from './signature.ts';
import type { TokenSet } from './tokens.ts';

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
