import { outcomeOf, ServiceError } from '../errors.ts';
import {
  type Account,
  type AppIdentity,
  loginRequest,
  pairRefreshRequest,
  type RefreshForm,
  refreshRequest,
} from './auth-requests.ts';
import { openEnvelope } from './envelope.ts';
import type { SendRequest } from './send-request.ts';
import { decodeTokens, type TokenSet } from './tokens.ts';
import type { ServiceClock } from './service-clock.ts';
import type { ServiceRequest } from './transport.ts';

export interface AuthApiOptions {
  readonly loginUrl: URL;
  readonly refreshUrl: URL;
  readonly account?: Account | undefined;
  readonly app?: AppIdentity | undefined;
  /** Sends one request, decodes the answer, and reports how both went. */
  readonly send: SendRequest;
  readonly nowMs: () => number;
  /** By which the service dates its tokens. */
  readonly serviceClock: Pick<ServiceClock, 'aheadMs'>;
  /** 32 lowercase hex characters from 16 random bytes. */
  readonly newNonce: () => string;
}

/** Whether the service understood the request and said no: to the token, the pair or the password. */
export function isRefusal(error: unknown): error is ServiceError {
  return (
    error instanceof ServiceError &&
    (error.code === 'SERVICE_AUTH_REJECTED' || error.code === 'SERVICE_API_REFUSED')
  );
}

/** The two endpoints that hand out tokens (interface 4, endpoints 1 and 2). */
export class AuthApi {
  readonly #options: AuthApiOptions;
  /** The body that the service was seen to accept; absent until one was. */
  #acceptedForm: RefreshForm | undefined;

  constructor(options: AuthApiOptions) {
    this.#options = options;
  }

  /** Whether there is an account to log in with. */
  get canLogIn(): boolean {
    return this.#options.account !== undefined && this.#options.app !== undefined;
  }

  /** Logs in once; rejects with `SERVICE_AUTH_REJECTED` when there is nothing to log in with. */
  async logIn(): Promise<TokenSet> {
    const { account, app, loginUrl, newNonce } = this.#options;
    if (account === undefined || app === undefined)
      throw new ServiceError('SERVICE_AUTH_REJECTED', 'there is no account to log in with');
    return this.#fetchTokens('login', loginRequest(loginUrl, account, app, newNonce()));
  }

  /**
   * Exchanges the refresh token. A service that refuses the interface's body is offered the signed
   * pair once, and the form it accepts is remembered (field notes 1.1).
   */
  async refresh(tokens: TokenSet): Promise<TokenSet> {
    if (this.#acceptedForm === 'signed-pair') return this.#refreshAs('signed-pair', tokens);
    try {
      return await this.#refreshAs('refresh-token', tokens);
    } catch (error) {
      // A body without the access token may be refused as a bad request, too.
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
    const path = request.url.pathname;
    const { nowMs, serviceClock, send } = this.#options;
    return send(operation, request, (payload) =>
      // The service may echo the account in its words, so they are not quoted.
      decodeTokens(openEnvelope(payload, path, false), path, nowMs(), serviceClock.aheadMs),
    );
  }
}
