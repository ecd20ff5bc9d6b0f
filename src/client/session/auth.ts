import { createHash, createHmac } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { outcomeOf, ServiceError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { openEnvelope } from '../exchange/decode.ts';
import { isBudgetUsedUp } from '../exchange/request-bucket.ts';
import { isRetryable } from '../exchange/retry.ts';
import {
  addressOf,
  type ClientObserver,
  type Outcome,
  type RenewalMethod,
  type ServiceRequest,
  type Transport,
} from '../exchange/transport.ts';
import {
  accountOf,
  type AppIdentity,
  appIdentityOf,
  type CredentialOptions,
} from './credentials.ts';
import { isTokenRefused, reauthenticationRequired, type TokenIssuer } from './session.ts';
import { canRefresh, decodeTokens, type TokenSet } from './tokens.ts';

export interface AuthOptions {
  readonly credentials: CredentialOptions;
  readonly urls: { readonly login: URL; readonly refresh: URL };
  /** Its service clock is the one that dates tokens. */
  readonly transport: Pick<Transport, 'send' | 'serviceClock'>;
  readonly clock: Clock;
  /** Returns 32 lowercase hex characters from 16 random bytes. */
  readonly newNonce: () => string;
  readonly observer: Pick<ClientObserver, 'renewalEnded'>;
  readonly log: Logger;
}

const HEADERS = {
  accept: 'application/json',
  'accept-language': 'en',
  'content-type': 'application/json; charset=utf-8',
} as const;

/** Asks the two endpoints that issue tokens (interface 4, endpoints 1 and 2), and says how that went. */
export class Auth implements TokenIssuer {
  readonly #options: AuthOptions;
  readonly #app: AppIdentity | undefined;
  readonly canLogIn: boolean;
  #loggedFailure: Outcome | undefined;
  #hasLoggedExpiry = false;

  /** @throws ConfigError when the encrypted application secret does not fit the application id. */
  constructor(options: AuthOptions) {
    this.#options = options;
    this.#app = appIdentityOf(options.credentials);
    this.canLogIn = accountOf(options.credentials) !== undefined && this.#app !== undefined;
  }

  /** Refreshes, else logs in, in the order of interface 5.3. */
  async renew(held: TokenSet | undefined, nowMs: number): Promise<TokenSet> {
    let refusal: ServiceError | undefined;
    // Where nothing else can be had, a refresh token that has expired is tried as well: our clock may have been
    // wrong when it came.
    if (held?.refreshToken !== undefined && (canRefresh(held, nowMs) || !this.canLogIn)) {
      try {
        return await this.#watch('refresh', () => this.#refresh(held));
      } catch (error) {
        if (!(error instanceof ServiceError) || isRetryable(error.code)) throw error;
        // A wrong path says nothing about the token. Logging in may still work, where there is an account.
        if (!isRefusal(error) && !this.canLogIn) throw error;
        refusal = error;
      }
    }
    if (!this.canLogIn) {
      const why = refusal?.message ?? 'the access token is refused and cannot be renewed';
      throw reauthenticationRequired(why, refusal);
    }
    try {
      const tokens = await this.#watch('login', () => this.#logIn());
      return { ...tokens, refreshForm: held?.refreshForm };
    } catch (error) {
      throw isRefusal(error) ? reauthenticationRequired(error.message, error) : error;
    }
  }

  #logIn(): Promise<TokenSet> {
    const { account, password } = this.#options.credentials;
    const hashed = password && hashOf('md5', password.reveal());
    return this.#ask('login', { account, password: hashed }, this.#app);
  }

  /** Sends the body of the interface and, where that is refused, the signed pair (field notes 1.1). */
  async #refresh(held: TokenSet, form = held.refreshForm ?? 'refresh-token'): Promise<TokenSet> {
    const isPair = form === 'signed-pair';
    const accessToken = isPair ? held.accessToken.reveal() : undefined;
    const fields = { accessToken, refreshToken: held.refreshToken?.reveal() };
    try {
      const renewed = await this.#ask('refresh', fields, isPair ? this.#app : undefined);
      const refreshToken = renewed.refreshToken ?? held.refreshToken;
      return { ...renewed, refreshToken, refreshForm: form };
    } catch (error) {
      // A service that expects the pair may also call the shorter body a bad request.
      const isRefused = isRefusal(error) || outcomeOf(error) === 'SERVICE_REQUEST_REJECTED';
      const isPairWorthIt = !isPair && held.refreshForm === undefined && this.#app !== undefined;
      if (!isRefused || !isPairWorthIt) throw error;
      return this.#refresh(held, 'signed-pair');
    }
  }

  #ask(operation: RenewalMethod, fields: object, signer?: AppIdentity): Promise<TokenSet> {
    const { urls, transport, clock, newNonce } = this.#options;
    const request = tokenRequest(urls[operation], fields, signer, newNonce);
    const address = addressOf(request.url);
    return transport.send(operation, request, (payload) => {
      // The service's message may contain the account, so errors do not quote it.
      const envelope = openEnvelope(payload, address, false);
      return decodeTokens(envelope, address, clock.nowMs(), transport.serviceClock.aheadMs);
    });
  }

  /** Counts and logs how a request for tokens ends. It logs a fault that lasts only once. */
  async #watch(method: RenewalMethod, request: () => Promise<TokenSet>): Promise<TokenSet> {
    const { observer, log } = this.#options;
    try {
      const tokens = await request();
      observer.renewalEnded(method, 'ok');
      log.info({ method }, 'session renewed');
      this.#loggedFailure = undefined;
      // Such a service repeats it at every renewal.
      if (tokens.hasImplausibleExpiry === true && !this.#hasLoggedExpiry) {
        this.#hasLoggedExpiry = true;
        log.warn(
          { method },
          'the service states an implausible token expiry, which is not used; is the clock of this machine right?',
        );
      }
      return tokens;
    } catch (error) {
      // Nothing was sent.
      if (isBudgetUsedUp(error)) throw error;
      const code = outcomeOf(error);
      observer.renewalEnded(method, code);
      // An outage tries again every minute; a line for each attempt would flood the log.
      if (this.#loggedFailure !== code) log.warn({ method, err: error }, 'session not renewed');
      this.#loggedFailure = code;
      throw error;
    }
  }
}

/** Whether the service understood the request and refused it: the token, the pair or the password. */
function isRefusal(error: unknown): error is ServiceError {
  return (
    isTokenRefused(error) || (error instanceof ServiceError && error.code === 'SERVICE_API_REFUSED')
  );
}

/** Builds a request for tokens: a compact body and, for an application, a signature over its exact bytes. */
export function tokenRequest(
  url: URL,
  fields: object,
  app: AppIdentity | undefined,
  newNonce: () => string,
): ServiceRequest {
  const body = JSON.stringify(fields);
  if (app === undefined) return { url, body, headers: HEADERS };
  const signed = {
    'IOT-Open-AppID': app.appId,
    'IOT-Open-Body-Hash': hashOf('sha256', body),
    'IOT-Open-Nonce': newNonce(),
  };
  const signature = { 'IOT-Open-Sign': sign(signed, app.appSecret.reveal()) };
  return { url, body, headers: { ...HEADERS, ...signed, ...signature } };
}

/** Signs as interface 5.1 prescribes: sorted pairs, Base64, HMAC-SHA256, MD5 hex of the raw digest. */
function sign(headers: Readonly<Record<string, string>>, appSecret: string): string {
  const pairs = Object.entries(headers)
    .map(([name, value]) => `${name}=${value}`)
    .sort();
  const encoded = Buffer.from(pairs.join('&'), 'utf8').toString('base64');
  const digest = createHmac('sha256', appSecret).update(encoded).digest();
  return createHash('md5').update(digest).digest('hex');
}

/** Hashes a password or a body as lowercase hex (interface 4, endpoint 1, and 5.1). */
function hashOf(algorithm: 'md5' | 'sha256', text: string): string {
  return createHash(algorithm).update(text, 'utf8').digest('hex');
}
