import { ServiceError } from '../errors.ts';
import type { Secret } from '../secret.ts';
import { singleFlight } from '../single-flight.ts';
import { LoginBreaker } from './login-breaker.ts';
import { latestEnd } from './pause.ts';
import {
  blockedUntil,
  endpointRefused,
  isTokenRefused,
  reauthenticationRequired,
} from './reauthentication.ts';
import { RestrainedRenewal, type RestrainedRenewalOptions } from './restrained-renewal.ts';
import type { SavedSession, SessionKeeper } from './saved-session.ts';
import { TOKEN_EXPIRED_CODE } from './service-codes.ts';
import type { SessionMode, SessionStatus } from './session-status.ts';
import { canRefresh, isUnexpired, needsRenewal, type TokenSet } from './tokens.ts';

export interface SessionOptions extends RestrainedRenewalOptions {
  /** Tokens from the configuration; absent when logging in (interface 5.3: the modes' order). */
  readonly givenTokens?: TokenSet | undefined;
  /** Keeps the session beyond this program; absent when nothing is kept. */
  readonly keeper?: SessionKeeper | undefined;
}

/**
 * Keeps one token alive (interface 5.3): renews it early, once for all callers, by refresh and then by
 * login, and never in a loop.
 */
export class Session {
  readonly #options: SessionOptions;
  readonly #renewal: RestrainedRenewal;
  readonly #renew = singleFlight(() => this.#renewNow());
  /** Opens when the service refuses a token that it has just handed out. */
  readonly #freshTokens: LoginBreaker;
  #tokens: TokenSet | undefined;
  /** The set that was refused and could not be replaced yet: not sent again. */
  #refused: TokenSet | undefined;
  #isReauthenticationRequired: boolean;
  #isHandedOver = false;
  #renewing: Promise<unknown> = Promise.resolve();

  constructor(options: SessionOptions) {
    const { givenTokens, keeper } = options;
    const saved = keeper?.saved;
    this.#options = options;
    this.#renewal = new RestrainedRenewal(options, saved);
    this.#freshTokens = new LoginBreaker(saved?.freshTokens);
    this.#isReauthenticationRequired = this.#renewal.isRefused || this.#freshTokens.isRefused;
    this.#tokens = saved?.tokens ?? givenTokens;
  }

  /**
   * Lets another session go on with the tokens: this one renews them no more. Resolves, once a renewal
   * under way has ended, to all that the other one has to know.
   */
  async handOver(): Promise<SavedSession> {
    this.#isHandedOver = true;
    await this.#renewing;
    return this.#state();
  }

  #state(): SavedSession {
    return {
      tokens: this.#tokens,
      ...this.#renewal.state,
      freshTokens: this.#freshTokens.state,
    };
  }

  status(): SessionStatus {
    const nowMs = this.#nowMs();
    return {
      mode: this.#mode(nowMs),
      accessExpiresAtMs: this.#tokens?.accessExpiresAtMs,
      isReauthenticationRequired: this.#isReauthenticationRequired,
      blockedUntilMs: latestEnd(
        this.#renewal.blockedUntilMs(nowMs),
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
      if (this.#freshTokens.isRefused) {
        this.#freshTokens.accepted();
        await this.#keep();
      }
      return this.#accepted(answer);
    } catch (error) {
      if (!isTokenRefused(error)) throw error;
      // Without this pause, an endpoint that refuses every token would mean one renewal per scrape.
      this.#freshTokens.refused(this.#nowMs());
      this.#isReauthenticationRequired = true;
      await this.#keep();
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
    // Where nothing else can be had, a token that was refused may be accepted again.
    if (!this.#options.auth.canLogIn && !this.#renewal.isHeldBack(nowMs)) this.#refused = undefined;
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
    if (blockedUntilMs !== undefined) throw blockedUntil(blockedUntilMs, cause);
    try {
      return await this.#renew();
    } catch (error) {
      this.#refused = refused;
      throw error;
    }
  }

  #renewNow(): Promise<TokenSet> {
    const renewed = this.#renewed();
    this.#renewing = renewed.catch(() => undefined);
    return renewed;
  }

  async #renewed(): Promise<TokenSet> {
    if (this.#isHandedOver)
      throw new ServiceError('SERVICE_UNREACHABLE', 'another session goes on with the tokens');
    const attempting = (during: Partial<SavedSession>): Promise<void> => this.#keep(during);
    try {
      this.#tokens = await this.#renewal.obtain(this.#tokens, attempting);
      return this.#tokens;
    } catch (error) {
      if (isTokenRefused(error)) this.#isReauthenticationRequired = true;
      throw error;
    } finally {
      // The old pair may be worth nothing from here on: the new one is used only once it is kept.
      await this.#save(this.#state());
    }
  }

  /** Nothing once another session has gone on: what it keeps is newer. */
  async #keep(during?: Partial<SavedSession>): Promise<void> {
    if (!this.#isHandedOver) await this.#save({ ...this.#state(), ...during });
  }

  async #save(state: SavedSession): Promise<void> {
    await this.#options.keeper?.save(state);
  }

  #nowMs(): number {
    return this.#options.clock.nowMs();
  }
}
