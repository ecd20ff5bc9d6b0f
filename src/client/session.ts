import { ServiceError } from '../errors.ts';
import type { Secret } from '../secret.ts';
import { singleFlight } from '../single-flight.ts';
import { LoginBreaker } from './login-breaker.ts';
import { reauthenticationRequired, Renewal, type RenewalOptions } from './renewal.ts';
import { backOffMs } from './retry.ts';
import { TOKEN_EXPIRED_CODE } from './service-codes.ts';
import { canRefresh, isUnexpired, needsRenewal, type TokenSet } from './tokens.ts';

export interface SessionOptions extends RenewalOptions {
  /** Tokens from the configuration; absent when logging in (interface 5.3: the modes' order). */
  readonly givenTokens?: TokenSet | undefined;
  readonly random: () => number;
}

/** How a session can be kept alive: by logging in, by refreshing only, not at all; `none` without a token. */
export type SessionMode = 'account' | 'refresh_token' | 'access_token' | 'none';

/** What may be shown of a session. */
export interface SessionStatus {
  readonly mode: SessionMode;
  readonly accessExpiresAtMs: number | undefined;
  readonly isReauthenticationRequired: boolean;
  /** Until when nothing is asked for because the service refused; absent while nothing is refused. */
  readonly blockedUntilMs: number | undefined;
}

/**
 * Keeps one token alive (interface 5.3): renews it early, once for all callers, by refresh and then by
 * login, and never in a loop.
 */
export class Session {
  readonly #options: SessionOptions;
  readonly #renewal: Renewal;
  readonly #renew = singleFlight(() => this.#renewNow());
  /** Opens when the service refuses to hand out a token. */
  readonly #credentials = new LoginBreaker();
  /** Opens when the service refuses a token that it has just handed out. */
  readonly #freshTokens = new LoginBreaker();
  #tokens: TokenSet | undefined;
  /** The set that was refused and could not be replaced: not sent again before the pause is over. */
  #refused: TokenSet | undefined;
  #isReauthenticationRequired = false;
  #failedRenewals = 0;
  #pausedUntilMs = 0;
  #lastFailure: unknown;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#renewal = new Renewal(options);
    this.#tokens = options.givenTokens;
  }

  status(): SessionStatus {
    const nowMs = this.#nowMs();
    return {
      mode: this.#mode(nowMs),
      accessExpiresAtMs: this.#tokens?.accessExpiresAtMs,
      isReauthenticationRequired: this.#isReauthenticationRequired,
      blockedUntilMs: latest(
        this.#credentials.blockedUntilMs(nowMs),
        this.#freshTokens.blockedUntilMs(nowMs),
      ),
    };
  }

  /** Makes sure that a token is at hand. */
  async authenticate(): Promise<void> {
    await this.#usableTokens();
  }

  /**
   * Runs `request` with a usable access token. One that is refused is renewed once and the request
   * repeated once; a second refusal means that re-authentication is required.
   *
   * @param isOptional - whether the service may lack this endpoint: its HTTP 401 or 403 may then mean
   * just that and says nothing about the token; the code for an expired one still does.
   */
  async withToken<T>(request: (accessToken: Secret) => Promise<T>, isOptional = false): Promise<T> {
    const tokens = await this.#usableTokens();
    try {
      return this.#accepted(await request(tokens.accessToken));
    } catch (error) {
      if (!isTokenRefused(error)) throw error;
      if (isOptional && error.serviceCode !== TOKEN_EXPIRED_CODE) throw endpointRefused(error);
      return this.#repeat(request, await this.#replacementFor(tokens, error));
    }
  }

  async #repeat<T>(request: (accessToken: Secret) => Promise<T>, tokens: TokenSet): Promise<T> {
    try {
      const answer = await request(tokens.accessToken);
      this.#freshTokens.accepted();
      return this.#accepted(answer);
    } catch (error) {
      if (!isTokenRefused(error)) throw error;
      // Without this pause, an endpoint that refuses every token would mean one renewal per scrape.
      this.#freshTokens.refused(this.#nowMs());
      this.#isReauthenticationRequired = true;
      throw reauthenticationRequired('a renewed token was refused', error);
    }
  }

  #mode(nowMs: number): SessionMode {
    if (this.#options.auth.canLogIn) return 'account';
    if (this.#tokens === undefined) return 'none';
    return canRefresh(this.#tokens, nowMs) ? 'refresh_token' : 'access_token';
  }

  #accepted<T>(answer: T): T {
    this.#isReauthenticationRequired = false;
    return answer;
  }

  async #usableTokens(): Promise<TokenSet> {
    const nowMs = this.#nowMs();
    if (this.#credentials.blockedUntilMs(nowMs) === undefined) this.#refused = undefined;
    const tokens = this.#tokens === this.#refused ? undefined : this.#tokens;
    if (tokens !== undefined && !needsRenewal(tokens, nowMs)) return tokens;
    try {
      return await this.#renew();
    } catch (error) {
      // Renewing is early: what we hold works until it expires.
      if (tokens !== undefined && isUnexpired(tokens, this.#nowMs())) return tokens;
      throw error;
    }
  }

  async #replacementFor(refused: TokenSet, cause: unknown): Promise<TokenSet> {
    // Another request may have renewed it while ours was on its way.
    if (this.#tokens !== undefined && this.#tokens !== refused) return this.#tokens;
    const blockedUntilMs = this.#freshTokens.blockedUntilMs(this.#nowMs());
    if (blockedUntilMs !== undefined) throw this.#blocked(blockedUntilMs, cause);
    try {
      return await this.#renew();
    } catch (error) {
      if (isTokenRefused(error)) this.#refused = refused;
      throw error;
    }
  }

  async #renewNow(): Promise<TokenSet> {
    const nowMs = this.#nowMs();
    const blockedUntilMs = this.#credentials.blockedUntilMs(nowMs);
    if (blockedUntilMs !== undefined) throw this.#blocked(blockedUntilMs, this.#lastFailure);
    if (nowMs < this.#pausedUntilMs) throw this.#lastFailure;
    try {
      this.#tokens = await this.#renewal.obtain(this.#tokens);
    } catch (error) {
      this.#renewalFailed(error);
      throw error;
    }
    this.#failedRenewals = 0;
    this.#credentials.accepted();
    return this.#tokens;
  }

  #renewalFailed(error: unknown): void {
    this.#lastFailure = error;
    if (isTokenRefused(error)) {
      this.#isReauthenticationRequired = true;
      this.#credentials.refused(this.#nowMs());
      return;
    }
    this.#failedRenewals += 1;
    const retryAfterMs = error instanceof ServiceError ? error.retryAfterMs : undefined;
    const pauseMs = retryAfterMs ?? backOffMs(this.#failedRenewals, this.#options.random);
    this.#pausedUntilMs = this.#nowMs() + pauseMs;
  }

  #blocked(untilMs: number, cause: unknown): ServiceError {
    const until = new Date(untilMs).toISOString();
    return reauthenticationRequired(`the service refused; no attempt before ${until}`, cause);
  }

  #nowMs(): number {
    return this.#options.clock.nowMs();
  }
}

/** What one endpoint refuses and all others accept is no news about the token. */
function endpointRefused(error: ServiceError): ServiceError {
  const message = `${error.message}, with a token that other endpoints accept`;
  return new ServiceError('SERVICE_REQUEST_REJECTED', message, { cause: error });
}

function isTokenRefused(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code === 'SERVICE_AUTH_REJECTED';
}

function latest(...instantsMs: readonly (number | undefined)[]): number | undefined {
  const known = instantsMs.filter((atMs) => atMs !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}
