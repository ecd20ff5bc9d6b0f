import { ServiceError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { Secret } from '../../base/secret.ts';
import { singleFlight } from '../../base/concurrency.ts';
import type { ClientObserver } from '../exchange/transport.ts';
import { TOKEN_EXPIRED_CODE } from '../exchange/decode.ts';
import { CurrentState, type CurrentStateOptions } from './current-state.ts';
import { pauseEndMs } from './pause.ts';
import { RenewalReport, renewTokens, type TokenApi } from './renewal.ts';
import {
  blockedUntil,
  endpointRefused,
  isTokenRefused,
  reauthenticationRequired,
} from './session-errors.ts';
import {
  duringAttempt,
  freshTokenAccepted,
  freshTokenRefused,
  reasonToWait,
  reauthenticationNeeded,
  refusedTokensForgotten,
  renewalFailed,
  renewalSucceeded,
  type SavedState,
  tokenAccepted,
  tokensRefused,
} from './session-state.ts';
import { type SessionStatus, statusOf } from './session-status.ts';
import { isUnexpired, needsRenewal, type TokenSet } from './tokens.ts';

export interface SessionOptions extends CurrentStateOptions {
  readonly auth: TokenApi;
  readonly random: () => number;
  readonly observer: ClientObserver;
  readonly log: Logger;
}

/**
 * Keeps one token alive (interface 5.3): renews it early, once for all callers, by refresh and then by
 * login, and never in a loop. What it knows is one immutable state: see session-state.ts.
 */
export class Session {
  readonly #options: SessionOptions;
  readonly #report: RenewalReport;
  readonly #state: CurrentState;
  readonly #renew = singleFlight(() => this.#startRenewal());
  #isHandedOver = false;
  #renewing: Promise<unknown> = Promise.resolve();

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#report = new RenewalReport(options.observer, options.log);
    this.#state = new CurrentState(options);
  }

  /**
   * Stops renewing and saving, because another session goes on with the tokens. Resolves to the state
   * that the other one needs, after a running renewal has ended.
   */
  async handOver(): Promise<SavedState> {
    this.#isHandedOver = true;
    await this.#renewing;
    return this.#state.value;
  }

  status(): SessionStatus {
    const nowMs = this.#state.nowMs();
    return statusOf(this.#state.value, this.#options.auth.canLogIn, nowMs);
  }

  /** Obtains a token unless there is a usable one. */
  async authenticate(): Promise<void> {
    await this.#usableTokens();
  }

  /**
   * Runs `request` with a usable access token. A refused token is renewed once and the request repeated
   * once; a second refusal means that re-authentication is required.
   *
   * @param isOptional - whether the service may lack this endpoint. Its HTTP 401 or 403 may then mean
   * just that, and does not count against the token; the code for an expired token still does.
   */
  async withToken<T>(request: (accessToken: Secret) => Promise<T>, isOptional = false): Promise<T> {
    const tokens = await this.#usableTokens();
    try {
      const answer = await request(tokens.accessToken);
      this.#state.apply(tokenAccepted);
      return answer;
    } catch (error) {
      if (!isTokenRefused(error)) throw error;
      if (isOptional && error.serviceCode !== TOKEN_EXPIRED_CODE)
        return this.#repeatIfReplaced(request, tokens, error);
      return this.#repeat(request, await this.#replacementFor(tokens, error));
    }
  }

  /**
   * Where another request renewed the token while this one was on its way, the refusal was of the old one
   * and says nothing of the endpoint.
   */
  async #repeatIfReplaced<T>(
    request: (accessToken: Secret) => Promise<T>,
    refused: TokenSet,
    refusal: ServiceError,
  ): Promise<T> {
    await this.#renewing;
    const { tokens } = this.#state.value;
    if (tokens === undefined || tokens === refused) throw endpointRefused(refusal);
    try {
      return await request(tokens.accessToken);
    } catch (error) {
      throw isTokenRefused(error) ? endpointRefused(error) : error;
    }
  }

  async #repeat<T>(request: (accessToken: Secret) => Promise<T>, tokens: TokenSet): Promise<T> {
    try {
      const answer = await request(tokens.accessToken);
      const { freshTokens } = this.#state.value;
      this.#state.apply(freshTokenAccepted);
      if (this.#state.value.freshTokens !== freshTokens) await this.#saveUnlessHandedOver();
      return answer;
    } catch (error) {
      if (!isTokenRefused(error)) throw error;
      // Without this pause, an endpoint that refuses every token would mean one renewal per scrape.
      this.#state.apply(freshTokenRefused);
      await this.#saveUnlessHandedOver();
      throw reauthenticationRequired(`a renewed token was refused: ${error.message}`, error);
    }
  }

  async #usableTokens(): Promise<TokenSet> {
    const nowMs = this.#state.nowMs();
    // Where nothing else can be had, the service may accept tokens that it refused before.
    if (!this.#options.auth.canLogIn && reasonToWait(this.#state.value, nowMs) === undefined)
      this.#state.apply(refusedTokensForgotten);
    const { tokens: held, refusedTokens } = this.#state.value;
    const tokens = held === refusedTokens ? undefined : held;
    if (tokens !== undefined && !needsRenewal(tokens, this.#state.timeOfTokensMs())) return tokens;
    try {
      return await this.#renew();
    } catch (error) {
      // The renewal was early, and the token works until it expires.
      if (tokens !== undefined && isUnexpired(tokens, this.#state.timeOfTokensMs())) return tokens;
      throw error;
    }
  }

  async #replacementFor(refused: TokenSet, cause: unknown): Promise<TokenSet> {
    // Another request may have renewed it while ours was on its way.
    const { tokens } = this.#state.value;
    if (tokens !== undefined && tokens !== refused) return tokens;
    const nowMs = this.#state.nowMs();
    const blockedUntilMs = pauseEndMs(this.#state.value.freshTokens.pause, nowMs);
    if (blockedUntilMs !== undefined) throw blockedUntil(blockedUntilMs, cause);
    try {
      return await this.#renew();
    } catch (error) {
      this.#state.apply((state) => tokensRefused(state, refused));
      throw error;
    }
  }

  #startRenewal(): Promise<TokenSet> {
    const renewed = this.#renewed();
    this.#renewing = renewed.catch(() => undefined);
    return renewed;
  }

  async #renewed(): Promise<TokenSet> {
    if (this.#isHandedOver)
      throw new ServiceError('SERVICE_UNREACHABLE', 'another session goes on with the tokens');
    try {
      const nowMs = this.#state.nowMs();
      const reason = reasonToWait(this.#state.value, nowMs);
      if (reason !== undefined) throw reason;
      await this.#state.save(duringAttempt(this.#state.value, nowMs));
      return await this.#attempt();
    } catch (error) {
      if (isTokenRefused(error)) this.#state.apply(reauthenticationNeeded);
      throw error;
    } finally {
      // The service may have cancelled the old pair, so the new one is saved before it is used.
      await this.#state.save();
    }
  }

  async #attempt(): Promise<TokenSet> {
    const { auth, random } = this.#options;
    try {
      const { tokens: held } = this.#state.value;
      const tokens = await renewTokens(held, auth, this.#state.timeOfTokensMs(), this.#report);
      this.#state.apply((state) => renewalSucceeded(state, tokens));
      return tokens;
    } catch (error) {
      this.#state.apply((state, nowMs) => renewalFailed(state, error, nowMs, random()));
      throw error;
    }
  }

  /** After a hand-over the other session saves newer state, which must not be overwritten. */
  async #saveUnlessHandedOver(): Promise<void> {
    if (!this.#isHandedOver) await this.#state.save();
  }
}
