import type { Secret } from '../secret.ts';
import { hashBody, hashPassword, signedHeaders } from './signature.ts';
import type { ServiceRequest } from './transport.ts';
import type { TokenSet } from './tokens.ts';

/** The application's identity towards the service: needed to sign, and so to log in. */
export interface AppIdentity {
  readonly appId: string;
  readonly appSecret: Secret;
}

export interface Account {
  readonly account: string;
  readonly password: Secret;
}

/** Both forms of the refresh body the service is known to take; the interface has the first. */
export type RefreshForm = 'refresh-token' | 'signed-pair';

const HEADERS = {
  accept: 'application/json',
  'accept-language': 'en',
  'content-type': 'application/json; charset=utf-8',
} as const;

/** Builds the login request: compact body, MD5 password, signature over the exact bytes (interface 4, 5.1). */
export function loginRequest(
  url: URL,
  { account, password }: Account,
  app: AppIdentity,
  nonce: string,
): ServiceRequest {
  const body = JSON.stringify({ account, password: hashPassword(password.reveal()) });
  return { url, body, headers: { ...HEADERS, ...signatureOf(body, app, nonce) } };
}

/** Builds the refresh request of interface endpoint 2. */
export function refreshRequest(url: URL, refreshToken: Secret): ServiceRequest {
  return { url, body: JSON.stringify({ refreshToken: refreshToken.reveal() }), headers: HEADERS };
}

/** Builds the refresh request of field notes 1.1, variant B: both tokens, signed like a login. */
export function pairRefreshRequest(
  url: URL,
  { accessToken, refreshToken }: TokenSet,
  app: AppIdentity,
  nonce: string,
): ServiceRequest {
  const body = JSON.stringify({
    accessToken: accessToken.reveal(),
    refreshToken: refreshToken?.reveal(),
  });
  return { url, body, headers: { ...HEADERS, ...signatureOf(body, app, nonce) } };
}

function signatureOf(body: string, app: AppIdentity, nonce: string): Record<string, string> {
  const input = { appId: app.appId, bodyHash: hashBody(body), nonce };
  return signedHeaders(input, app.appSecret.reveal());
}
