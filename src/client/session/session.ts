import type { Clock } from '../../base/clock.ts';
import { singleFlight } from '../../base/concurrency.ts';
import { ServiceError, type ServiceErrorCode } from '../../base/errors.ts';
import type { Secret } from '../../base/secret.ts';
import { elapsedMs, startStopwatch, type Stopwatch } from '../../base/wait.ts';
import { isBudgetUsedUp } from '../exchange/request-bucket.ts';
import { backOffMs } from '../exchange/retry.ts';
import { TOKEN_EXPIRED_CODE } from '../exchange/decode.ts';
import { canRefresh, isUnexpired, needsRenewal, type TokenSet } from './tokens.ts';

const REQUIRED = 're-authentication is required: ';
const BEFORE_RESTART = 'no token could be had before the last restart; the pause goes on';
const MINUTE_MS = 60_000;
/** The pause after each consecutive refusal, which keeps the account from being locked. */
const REFUSAL_PAUSES_MS = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS];
const LONGEST_REFUSAL_PAUSE_MS = 120 * MINUTE_MS;

/** Refused credentials, tokens that were refused just after they were issued, or no answer at all. */
export const BREAKER_KINDS = ['credentials', 'fresh-tokens', 'outage'] as const;

/** Why the service is not asked for tokens, and for how long. */
export interface Breaker {
  readonly kind: (typeof BREAKER_KINDS)[number];
  /** Consecutive failures of this kind. */
  readonly failures: number;
  readonly untilMs: number;
  readonly lengthMs: number;
  /** How it failed last; unknown after a restart. */
  readonly error?: Error | undefined;
  /** How an outage failed; absent for a bug. */
  readonly code?: ServiceErrorCode | undefined;
}

/** What the next session goes on with, after a restart or a reload. */
export interface SavedSession {
  readonly tokens?: TokenSet | undefined;
  readonly breaker?: Breaker | undefined;
  /** Consecutive attempts to renew during which the program was killed. */
  readonly unfinished: number;
}

/** Where a session is kept beyond this program. */
export interface SessionStorage {
  /** What an earlier session with the same credentials left. */
  readonly saved: SavedSession | undefined;
  /** Resolves when the session is saved. Never rejects. */
  save(session: SavedSession): Promise<void>;
}

/** From where a session gets its tokens. */
export interface TokenIssuer {
  /** Whether there is an account to log in with. */
  readonly canLogIn: boolean;
  /**
   * Returns new tokens for those that the session holds. Rejects with `SERVICE_AUTH_REJECTED` when only the user can
   * help, and else with the fault that kept the service from answering.
   */
  renew(held: TokenSet | undefined, nowMs: number): Promise<TokenSet>;
}

/** What the metrics and the status page show of a session; it holds no secret. */
export interface SessionStatus {
  /** How the session gets its next token: by logging in, by refreshing, not at all; `none` without a token. */
  readonly mode: 'account' | 'refresh_token' | 'access_token' | 'none';
  readonly accessExpiresAtMs: number | undefined;
  readonly isReauthenticationRequired: boolean;
  /** When the pause after a refusal ends; absent when no attempt has to wait. */
  readonly blockedUntilMs: number | undefined;
}

export interface SessionOptions {
  readonly issuer: TokenIssuer;
  /** Tokens from the configuration; absent when logging in (interface 5.3: the modes' order). */
  readonly configuredTokens?: TokenSet | undefined;
  /** Absent when the session lives in memory only. */
  readonly storage?: SessionStorage | undefined;
  readonly clock: Clock;
  /** Returns a number from 0 to 1, which spreads clients that failed together. */
  readonly random: () => number;
}

/**
 * Keeps one token alive (interface 5.3): renews it early, once for all callers, and never in a loop. Its waits end
 * as soon as either clock of the machine says so: see wait.ts.
 */
export class Session {
  readonly #options: SessionOptions;
  readonly #renew = singleFlight(() => {
    const renewed = this.#renewed();
    this.#renewing = renewed.catch(() => undefined);
    return renewed;
  });
  #renewing: Promise<unknown> = Promise.resolve();
  #tokens: TokenSet | undefined;
  #sinceTokens: Stopwatch;
  /** The set that was refused and could not be replaced yet; it is not sent again. */
  #refused: TokenSet | undefined;
  #breaker: Breaker | undefined;
  #sinceBreaker: Stopwatch;
  #unfinished: number;
  #isReauthenticationRequired: boolean;
  #isHandedOver = false;

  constructor(options: SessionOptions) {
    const { storage, configuredTokens, clock } = options;
    const { tokens, breaker, unfinished = 0 } = storage?.saved ?? {};
    this.#options = options;
    // Saved tokens are newer than those from the configuration.
    this.#tokens = tokens ?? configuredTokens;
    this.#sinceTokens = startStopwatch(clock, this.#tokens?.receivedAtMs);
    this.#breaker = breaker;
    this.#sinceBreaker = startStopwatch(clock, breaker && breaker.untilMs - breaker.lengthMs);
    this.#unfinished = unfinished;
    this.#isReauthenticationRequired = breaker !== undefined && breaker.kind !== 'outage';
  }

  /**
   * Stops renewing and saving, because another session goes on with the tokens. Resolves to what the
   * other one needs, after a running renewal has ended.
   */
  async handOver(): Promise<SavedSession> {
    this.#isHandedOver = true;
    await this.#renewing;
    return this.#saved();
  }

  status(): SessionStatus {
    const { issuer, clock } = this.#options;
    const tokensNowMs = this.#tokensNowMs();
    const expiresAtMs = this.#tokens?.accessExpiresAtMs;
    const canRenew = this.#tokens !== undefined && canRefresh(this.#tokens, tokensNowMs);
    const withTokens = canRenew ? 'refresh_token' : 'access_token';
    const withoutAccount = this.#tokens === undefined ? 'none' : withTokens;
    return {
      mode: issuer.canLogIn ? 'account' : withoutAccount,
      accessExpiresAtMs: expiresAtMs && expiresAtMs - tokensNowMs + clock.nowMs(),
      isReauthenticationRequired: this.#isReauthenticationRequired,
      blockedUntilMs: this.#breaker?.kind === 'outage' ? undefined : this.#blockedUntilMs(),
    };
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
      this.#isReauthenticationRequired = false;
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
    const tokens = this.#tokens;
    if (tokens === undefined || tokens === refused) throw endpointRefused(refusal);
    return request(tokens.accessToken).catch((error: unknown) => {
      throw isTokenRefused(error) ? endpointRefused(error) : error;
    });
  }

  async #repeat<T>(request: (accessToken: Secret) => Promise<T>, tokens: TokenSet): Promise<T> {
    const before = this.#breaker;
    try {
      const answer = await request(tokens.accessToken);
      this.#isReauthenticationRequired = false;
      if (this.#breaker?.kind === 'fresh-tokens') this.#breaker = undefined;
      return answer;
    } catch (error) {
      if (!isTokenRefused(error)) throw error;
      this.#isReauthenticationRequired = true;
      // Without this pause, an endpoint that refuses every token would mean one renewal per scrape.
      this.#open('fresh-tokens', error);
      throw reauthenticationRequired(`a renewed token was refused: ${error.message}`, error);
    } finally {
      // After a hand-over the other session saves newer state, which must not be overwritten.
      if (this.#breaker !== before && !this.#isHandedOver) await this.#save();
    }
  }

  async #usableTokens(): Promise<TokenSet> {
    // Where nothing else can be had, the service may accept tokens that it refused before.
    if (!this.#options.issuer.canLogIn && this.#reasonToWait() === undefined)
      this.#refused = undefined;
    const tokens = this.#tokens === this.#refused ? undefined : this.#tokens;
    if (tokens !== undefined && !needsRenewal(tokens, this.#tokensNowMs())) return tokens;
    try {
      return await this.#renew();
    } catch (error) {
      // The renewal was early, and the token works until it expires.
      if (tokens !== undefined && isUnexpired(tokens, this.#tokensNowMs())) return tokens;
      throw error;
    }
  }

  async #replacementFor(refused: TokenSet, refusal: ServiceError): Promise<TokenSet> {
    // Another request may have renewed it while ours was on its way.
    if (this.#tokens !== undefined && this.#tokens !== refused) return this.#tokens;
    const untilMs = this.#blockedUntilMs();
    // Requests to other endpoints may work, so that none is told to wait.
    if (this.#breaker?.kind === 'fresh-tokens' && untilMs !== undefined)
      throw blocked(untilMs, refusal);
    try {
      return await this.#renew();
    } catch (error) {
      this.#refused = refused;
      throw error;
    }
  }

  async #renewed(): Promise<TokenSet> {
    if (this.#isHandedOver)
      throw new ServiceError('SERVICE_UNREACHABLE', 'another session goes on with the tokens');
    try {
      const reason = this.#reasonToWait();
      if (reason !== undefined) throw reason;
      await this.#noteAttempt();
      return await this.#attempt();
    } catch (error) {
      if (isTokenRefused(error)) this.#isReauthenticationRequired = true;
      throw error;
    } finally {
      // The service may have cancelled the old pair, so the new one is saved before it is used.
      await this.#save();
    }
  }

  /** Saves that the program may be killed during an attempt. The first time is free; each further one is a refusal. */
  async #noteAttempt(): Promise<void> {
    const { clock, random } = this.#options;
    const breaker =
      this.#unfinished > 0
        ? opened(this.#breaker, 'credentials', undefined, clock.nowMs(), random)
        : this.#breaker;
    await this.#save({ tokens: this.#tokens, breaker, unfinished: this.#unfinished + 1 });
  }

  async #attempt(): Promise<TokenSet> {
    this.#unfinished = 0;
    try {
      const tokens = await this.#options.issuer.renew(this.#tokens, this.#tokensNowMs());
      this.#tokens = tokens;
      this.#sinceTokens = startStopwatch(this.#options.clock, tokens.receivedAtMs);
      if (this.#breaker?.kind !== 'fresh-tokens') this.#breaker = undefined;
      return tokens;
    } catch (error) {
      // Without a budget nothing was sent, so that nothing is known of the service.
      if (!isBudgetUsedUp(error))
        this.#open(isTokenRefused(error) ? 'credentials' : 'outage', error);
      throw error;
    }
  }

  /** Counts a failure; callers that failed together count once. */
  #open(kind: Breaker['kind'], error: unknown): void {
    if (this.#breaker?.kind === kind && this.#blockedUntilMs() !== undefined) return;
    const { clock, random } = this.#options;
    this.#breaker = opened(this.#breaker, kind, error, clock.nowMs(), random);
    this.#sinceBreaker = startStopwatch(clock);
  }

  /** Returns why no renewal is attempted now; absent when an attempt is allowed. */
  #reasonToWait(): Error | undefined {
    const untilMs = this.#blockedUntilMs();
    if (this.#breaker === undefined || untilMs === undefined) return undefined;
    const { kind, error, code } = this.#breaker;
    if (kind === 'fresh-tokens') return undefined;
    // The caller may try again when the pause ends, which is sooner than the service first asked for.
    const retryAfterMs = untilMs - this.#options.clock.nowMs();
    if (code !== undefined)
      return new ServiceError(code, error?.message ?? BEFORE_RESTART, {
        cause: error?.cause,
        retryAfterMs,
      });
    // A bug is unknown after a restart, and no reason to wait.
    return kind === 'outage' ? error : blocked(untilMs, error, retryAfterMs);
  }

  /** Returns when the pause ends, by the clock of the machine; absent when it is over. */
  #blockedUntilMs(): number | undefined {
    const { clock } = this.#options;
    if (this.#breaker === undefined) return undefined;
    const leftMs = this.#breaker.lengthMs - elapsedMs(this.#sinceBreaker, clock);
    return leftMs > 0 ? clock.nowMs() + leftMs : undefined;
  }

  /** Returns the time by the clock that dated the tokens, even if it was set back since. */
  #tokensNowMs(): number {
    return this.#sinceTokens.startedAtMs + elapsedMs(this.#sinceTokens, this.#options.clock);
  }

  #saved(): SavedSession {
    return { tokens: this.#tokens, breaker: this.#breaker, unfinished: this.#unfinished };
  }

  async #save(session = this.#saved()): Promise<void> {
    await this.#options.storage?.save(session);
  }
}

/** Opens the breaker, or keeps it open for longer: the pause grows with each consecutive failure of a kind. */
function opened(
  before: Breaker | undefined,
  kind: Breaker['kind'],
  error: unknown,
  nowMs: number,
  random: () => number,
): Breaker {
  const failures = before?.kind === kind ? before.failures + 1 : 1;
  // An outage between refusals does not make them forgotten.
  const refused = kind === 'outage' && before?.kind === 'credentials' ? before : undefined;
  const fault = error instanceof ServiceError && kind !== 'fresh-tokens' ? error : undefined;
  const lengthMs =
    fault?.retryAfterMs ??
    (kind === 'outage'
      ? backOffMs(refused === undefined ? failures : Infinity, random)
      : (REFUSAL_PAUSES_MS[failures - 1] ?? LONGEST_REFUSAL_PAUSE_MS));
  return {
    kind: refused?.kind ?? kind,
    failures: refused?.failures ?? failures,
    untilMs: nowMs + lengthMs,
    lengthMs,
    error: error instanceof Error ? error : undefined,
    code: kind === 'outage' ? fault?.code : undefined,
  };
}

/** Whether the service refused an access token, a refresh token or a log-in. */
export function isTokenRefused(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code === 'SERVICE_AUTH_REJECTED';
}

/** Says that the program can do nothing more by itself: the user has to provide new credentials. */
export function reauthenticationRequired(
  why: string,
  cause: unknown,
  retryAfterMs?: number,
): ServiceError {
  return new ServiceError('SERVICE_AUTH_REJECTED', `${REQUIRED}${why}`, { cause, retryAfterMs });
}

/**
 * Says that the service was not asked, because one more refusal might lock the account.
 *
 * @param refusal - unknown after a restart.
 * @param retryAfterMs - how long every request is going to fail like this; absent when others may work.
 */
function blocked(untilMs: number, refusal: Error | undefined, retryAfterMs?: number): ServiceError {
  const reason = refusal?.message.replace(REQUIRED, '') ?? 'the service refused';
  const why = `${reason}; no attempt before ${new Date(untilMs).toISOString()}`;
  return reauthenticationRequired(why, refusal, retryAfterMs);
}

/** Says that one endpoint refused a token which others accept, so the token is not to blame. */
function endpointRefused(refusal: ServiceError): ServiceError {
  const message = `${refusal.message}, with a token that other endpoints accept`;
  return new ServiceError('SERVICE_REQUEST_REJECTED', message, { cause: refusal });
}
