import { outcomeOf, ServiceError } from '../../base/errors.ts';
import type { Secret } from '../../base/secret.ts';
import { ENDPOINTS } from '../endpoints.ts';
import { openEnvelope } from '../exchange/decode.ts';
import type { SendRequest } from '../exchange/transport.ts';
import { addressOf, type ServiceClock, type ServiceRequest } from '../exchange/transport.ts';
import { hashBody, hashPassword, signedHeaders } from './signature.ts';
import type { TokenSet } from './tokens.ts';

/** The application that signs requests; logging in needs one. */
export interface AppIdentity {
  readonly appId: string;
  readonly appSecret: Secret;
}

export interface Account {
  readonly account: string;
  readonly password: Secret;
}

/** The two bodies of a refresh that services are known to accept; the interface has the first. */
type RefreshForm = 'refresh-token' | 'signed-pair';

export interface AuthApiOptions {
  readonly loginUrl: URL;
  readonly refreshUrl: URL;
  readonly account?: Account | undefined;
  readonly app?: AppIdentity | undefined;
  /** Sends one request, decodes the answer, and reports how both went. */
  readonly send: SendRequest;
  readonly nowMs: () => number;
  /** The service dates its tokens by this clock. */
  readonly serviceClock: Pick<ServiceClock, 'aheadMs'>;
  /** Returns 32 lowercase hex characters from 16 random bytes. */
  readonly newNonce: () => string;
}

const HEADERS = {
  accept: 'application/json',
  'accept-language': 'en',
  'content-type': 'application/json; charset=utf-8',
} as const;

/** Whether the service understood the request and refused it: the token, the pair or the password. */
export function isRefusal(error: unknown): error is ServiceError {
  return (
    error instanceof ServiceError &&
    (error.code === 'SERVICE_AUTH_REJECTED' || error.code === 'SERVICE_API_REFUSED')
  );
}

/** Asks the two endpoints that issue tokens (interface 4, endpoints 1 and 2). */
export class AuthApi {
  readonly #options: AuthApiOptions;
  /** The body that the service has accepted; absent until it accepts one. */
  #acceptedForm: RefreshForm | undefined;

  constructor(options: AuthApiOptions) {
    this.#options = options;
  }

  /** Whether there is an account to log in with. */
  get canLogIn(): boolean {
    return this.#options.account !== undefined && this.#options.app !== undefined;
  }

  /** Logs in once; rejects with `SERVICE_AUTH_REJECTED` when there is no account. */
  async logIn(): Promise<TokenSet> {
    const { account, app, loginUrl, newNonce } = this.#options;
    if (account === undefined || app === undefined)
      throw new ServiceError('SERVICE_AUTH_REJECTED', 'there is no account to log in with');
    return this.#fetchTokens('login', loginRequest(loginUrl, account, app, newNonce()));
  }

  /**
   * Exchanges the refresh token. When the service refuses the interface's body, this sends the signed
   * pair once, and remembers which of the two forms the service accepts (field notes 1.1).
   */
  async refresh(tokens: TokenSet): Promise<TokenSet> {
    if (this.#acceptedForm === 'signed-pair') return this.#refreshAs('signed-pair', tokens);
    try {
      return await this.#refreshAs('refresh-token', tokens);
    } catch (error) {
      // A service that expects the pair may also call the shorter body a bad request.
      const isRefused = isRefusal(error) || outcomeOf(error) === 'SERVICE_REQUEST_REJECTED';
      const isWorthAnotherForm = isRefused && this.#acceptedForm === undefined;
      if (!isWorthAnotherForm || this.#options.app === undefined) throw error;
      return this.#refreshAs('signed-pair', tokens);
    }
  }

  async #refreshAs(form: RefreshForm, tokens: TokenSet): Promise<TokenSet> {
    const renewed = await this.#fetchTokens('refresh', this.#refreshRequest(form, tokens));
    this.#acceptedForm = form;
    return { ...renewed, refreshToken: renewed.refreshToken ?? tokens.refreshToken };
  }

  #refreshRequest(form: RefreshForm, tokens: TokenSet): ServiceRequest {
    const { refreshUrl, app, newNonce } = this.#options;
    if (tokens.refreshToken === undefined)
      throw new ServiceError('SERVICE_AUTH_REJECTED', 'there is no refresh token');
    return form === 'signed-pair' && app !== undefined
      ? pairRefreshRequest(refreshUrl, tokens, app, newNonce())
      : refreshRequest(refreshUrl, tokens.refreshToken);
  }

  async #fetchTokens(operation: 'login' | 'refresh', request: ServiceRequest): Promise<TokenSet> {
    const address = addressOf(request.url);
    const { nowMs, serviceClock, send } = this.#options;
    return send(operation, request, (payload) =>
      // The service's message may contain the account, so errors do not quote it.
      ENDPOINTS[operation].decode(
        openEnvelope(payload, address, false),
        address,
        nowMs(),
        serviceClock.aheadMs,
      ),
    );
  }
}

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
