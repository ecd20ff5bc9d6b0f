import type { Clock } from '../clock.ts';
import { outcomeOf, ServiceError } from '../errors.ts';
import type { Logger } from '../log.ts';
import type { Secret } from '../secret.ts';
import { singleFlight } from '../single-flight.ts';
import { type AuthApi, isRefusal } from './auth-api.ts';
import { LoginBreaker } from './login-breaker.ts';
import type { ClientObserver, Outcome, RenewalMethod } from './observer.ts';
import { backOffMs, isRetryable } from './retry.ts';
import { isUnexpired, needsRenewal, type TokenSet } from './tokens.ts';

export interface SessionOptions {
  readonly auth: Pick<AuthApi, 'canLogIn' | 'logIn' | 'refresh'>;
  /** Tokens from the configuration; absent when logging in (interface 5.3: the modes' order). */
  readonly givenTokens?: TokenSet | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly observer: ClientObserver;
  readonly log: Logger;
}

/** What may be shown of a session. */
export interface SessionStatus {
  readonly accessExpiresAtMs: number | undefined;
  readonly isReauthenticationRequired: boolean;
}

/**
 * Keeps one token alive (interface 5.3): renews it early, once for all callers, by refresh and then by
 * login, and never in a loop.
 */
export class Session {
  readonly #options: SessionOptions;
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
  #reportedFailure: Outcome | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#tokens = options.givenTokens;
  }

  status(): SessionStatus {
    return {
      accessExpiresAtMs: this.#tokens?.accessExpiresAtMs,
      isReauthenticationRequired: this.#isReauthenticationRequired,
    };
  }

  /** Makes sure that a token is at hand. */
  async authenticate(): Promise<void> {
    await this.#usableTokens();
  }

  /**
   * Runs `request` with a usable access token. One that is refused is renewed once and the request
   * repeated once; a second refusal means that re-authentication is required.
   */
  async withToken<T>(request: (accessToken: Secret) => Promise<T>): Promise<T> {
    const tokens = await this.#usableTokens();
    try {
      return this.#accepted(await request(tokens.accessToken));
    } catch (error) {
      if (!isTokenRefused(error)) throw error;
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
      throw this.#reauthenticationRequired('a renewed token was refused', error);
    }
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
      this.#tokens = await this.#obtain();
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
      this.#credentials.refused(this.#nowMs());
      return;
    }
    this.#failedRenewals += 1;
    const retryAfterMs = error instanceof ServiceError ? error.retryAfterMs : undefined;
    const pauseMs = retryAfterMs ?? backOffMs(this.#failedRenewals, this.#options.random);
    this.#pausedUntilMs = this.#nowMs() + pauseMs;
  }

  /** Refresh first, then login, then nobody can help but the user (interface 5.3). */
  async #obtain(): Promise<TokenSet> {
    const { auth } = this.#options;
    const refreshed = await this.#refreshed();
    if (refreshed instanceof ServiceError || refreshed === undefined) {
      if (auth.canLogIn) return this.#loggedIn();
      const why = refreshed?.message ?? 'the access token is refused and cannot be renewed';
      throw this.#reauthenticationRequired(why, refreshed);
    }
    return refreshed;
  }

  /** New tokens, the reason why logging in is next, or `undefined` when there is nothing to refresh with. */
  async #refreshed(): Promise<TokenSet | ServiceError | undefined> {
    const tokens = this.#tokens;
    const { auth, clock } = this.#options;
    if (tokens?.refreshToken === undefined) return undefined;
    if ((tokens.refreshExpiresAtMs ?? Infinity) <= clock.nowMs()) return undefined;
    try {
      return await this.#counted('refresh', () => auth.refresh(tokens));
    } catch (error) {
      if (!(error instanceof ServiceError) || isRetryable(error.code)) throw error;
      // A wrong path is no verdict on the token, but where there is a login it is the way on.
      if (!isRefusal(error) && !auth.canLogIn) throw error;
      return error;
    }
  }

  async #loggedIn(): Promise<TokenSet> {
    try {
      return await this.#counted('login', () => this.#options.auth.logIn());
    } catch (error) {
      if (!isRefusal(error)) throw error;
      throw this.#reauthenticationRequired(error.message, error);
    }
  }

  async #counted(method: RenewalMethod, obtain: () => Promise<TokenSet>): Promise<TokenSet> {
    const { observer, log } = this.#options;
    try {
      const tokens = await obtain();
      observer.renewalEnded(method, 'ok');
      log.info({ method }, 'session renewed');
      this.#reportedFailure = undefined;
      return tokens;
    } catch (error) {
      const code = outcomeOf(error);
      observer.renewalEnded(method, code);
      // One line per change: an outage tries again every minute.
      if (this.#reportedFailure !== code) log.warn({ method, err: error }, 'session not renewed');
      this.#reportedFailure = code;
      throw error;
    }
  }

  #reauthenticationRequired(why: string, cause: unknown): ServiceError {
    this.#isReauthenticationRequired = true;
    return new ServiceError('SERVICE_AUTH_REJECTED', `re-authentication is required: ${why}`, {
      cause,
    });
  }

  #blocked(untilMs: number, cause: unknown): ServiceError {
    const until = new Date(untilMs).toISOString();
    const message = `re-authentication is required: the service refused; no attempt before ${until}`;
    return new ServiceError('SERVICE_AUTH_REJECTED', message, { cause });
  }

  #nowMs(): number {
    return this.#options.clock.nowMs();
  }
}

function isTokenRefused(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code === 'SERVICE_AUTH_REJECTED';
}
