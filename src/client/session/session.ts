import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { SERVICE_ERROR_CODES, ServiceError, type ServiceErrorOptions } from '../../base/errors.ts';
import { boundedMs, isBelievable } from '../../base/instant.ts';
import { Secret } from '../../base/secret.ts';
import { elapsedMs, leftMs, NO_WAIT, startStopwatch, waitFor } from '../../base/wait.ts';
import { TOKEN_EXPIRED_CODE } from '../exchange/decode.ts';
import { isBudgetUsedUp } from '../exchange/request-bucket.ts';
import { backOffMs } from '../exchange/retry.ts';

const REQUIRED = 're-authentication is required: ';
const BEFORE_RESTART = 'no token could be had before the last restart; the pause goes on';
const MINUTE_MS = 60_000;
/** The pause after each consecutive refusal, which keeps the account from being locked. */
const REFUSAL_PAUSES_MS = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS];
const LONGEST_REFUSAL_PAUSE_MS = 120 * MINUTE_MS;
/** The longest pause that a service can ask for: see retry.ts. */
const LONGEST_PAUSE_MS = 24 * 60 * MINUTE_MS;
/** A token is renewed this long before it expires (interface 5.3). */
const RENEWAL_LEAD_MS = 5 * MINUTE_MS;
/** How long a token without an expiry is used after a renewal. */
const ASSUMED_LIFETIME_MS = 60 * MINUTE_MS;

const secret = z.codec(z.string().min(1), z.instanceof(Secret), {
  decode: (written) => new Secret(written),
  encode: (token) => token.reveal(),
});
const instant = z.codec(z.number().refine(isBelievable), z.number(), {
  decode: (atMs) => atMs,
  encode: boundedMs,
});
const count = z.number().int().min(0);

/** What a login or a refresh answers with (interface 2.2). */
const tokensSchema = z.object({
  accessToken: secret,
  refreshToken: secret.optional(),
  /** When the access token expires; absent when unknown. */
  accessExpiresAtMs: instant.optional(),
  refreshExpiresAtMs: instant.optional(),
  /** When the set arrived here; absent for tokens from the configuration. */
  receivedAtMs: instant.optional(),
  /** The body of a refresh that the service accepted (field notes 1.1); the interface has the first. */
  refreshForm: z.enum(['refresh-token', 'signed-pair']).optional(),
});

/** Why the service is not asked for tokens, and for how long. */
const breakerSchema = z.object({
  /** Refused credentials, tokens that were refused just after they were issued, or no answer at all. */
  kind: z.enum(['credentials', 'fresh-tokens', 'outage']),
  /** Consecutive failures of this kind. */
  failures: count,
  untilMs: instant,
  lengthMs: z.number().min(0).max(LONGEST_PAUSE_MS),
  /** How an outage failed; absent for a bug. */
  code: z.enum(SERVICE_ERROR_CODES).optional(),
});

/** What a session goes on with after a restart or a reload. */
export const sessionSchema = z.object({
  tokens: tokensSchema.optional(),
  breaker: breakerSchema.optional(),
  /** Consecutive attempts to renew during which the program was killed. */
  unfinished: count.default(0),
});

export type TokenSet = z.output<typeof tokensSchema>;
/** `error` is how it failed last: only the running program knows it. */
type Breaker = z.output<typeof breakerSchema> & { error?: Error | undefined };
export type SavedSession = z.output<typeof sessionSchema> & { breaker?: Breaker | undefined };

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
  renew(held: TokenSet | undefined): Promise<TokenSet>;
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
  #state: SavedSession;
  #sinceTokens;
  #pause = NO_WAIT;
  #renewing: Promise<Secret> | undefined;
  /** The access token that was refused and is not replaced yet; it is not sent again. */
  #refused: Secret | undefined;
  #isReauthenticationRequired: boolean;
  #isHandedOver = false;

  constructor(options: SessionOptions) {
    const { storage, configuredTokens, clock } = options;
    // Saved tokens are newer than those from the configuration.
    const { tokens = configuredTokens, breaker, unfinished = 0 } = storage?.saved ?? {};
    this.#options = options;
    this.#state = { tokens, breaker, unfinished };
    this.#sinceTokens = startStopwatch(clock, tokens?.receivedAtMs);
    if (breaker !== undefined) {
      const { untilMs, lengthMs } = breaker;
      this.#pause = { stopwatch: startStopwatch(clock, untilMs - lengthMs), lengthMs };
    }
    this.#isReauthenticationRequired = breaker !== undefined && breaker.kind !== 'outage';
  }

  /**
   * Stops renewing and saving, because another session goes on with the tokens. Resolves to what the
   * other one needs, after a running renewal has ended.
   */
  async handOver(): Promise<SavedSession> {
    while (this.#renewing !== undefined) await this.#renewing.catch(() => undefined);
    this.#isHandedOver = true;
    return this.#state;
  }

  status(): SessionStatus {
    const { issuer, clock } = this.#options;
    const { tokens, breaker } = this.#state;
    const tokensNowMs = this.#tokensNowMs();
    const expiresAtMs = tokens?.accessExpiresAtMs;
    const withTokens = tokens && canRefresh(tokens, tokensNowMs) ? 'refresh_token' : 'access_token';
    const withoutAccount = tokens === undefined ? 'none' : withTokens;
    return {
      mode: issuer.canLogIn ? 'account' : withoutAccount,
      accessExpiresAtMs: expiresAtMs && expiresAtMs - tokensNowMs + clock.nowMs(),
      isReauthenticationRequired: this.#isReauthenticationRequired,
      blockedUntilMs: breaker?.kind === 'outage' ? undefined : this.#pausedUntilMs(),
    };
  }

  /** Obtains a token unless there is a usable one. */
  async authenticate(): Promise<void> {
    await this.#usableToken();
  }

  /**
   * Runs `request` with a usable access token. A refused token is renewed once and the request repeated
   * once; a second refusal means that re-authentication is required.
   *
   * @param isOptional - whether the service may lack this endpoint. Its HTTP 401 or 403 may then mean
   * just that, and does not count against the token; the code for an expired token still does.
   */
  async withToken<T>(request: (accessToken: Secret) => Promise<T>, isOptional = false): Promise<T> {
    const token = await this.#usableToken();
    try {
      return await this.#send(request, token);
    } catch (error) {
      if (!isTokenRefused(error)) throw error;
      const mayBeLacking = isOptional && error.serviceCode !== TOKEN_EXPIRED_CODE;
      if (mayBeLacking) await this.#renewing?.catch(() => undefined);
      // Another request may have renewed it while ours was on its way.
      const newest = this.#state.tokens?.accessToken ?? token;
      if (newest !== token) return this.#repeat(request, newest, mayBeLacking);
      if (mayBeLacking) throw endpointRefused(error);
      const untilMs = this.#pausedUntilMs();
      // Requests to other endpoints may work, so that none is told to wait.
      if (untilMs !== undefined && this.#state.breaker?.kind === 'fresh-tokens')
        throw blocked(untilMs, error);
      this.#refused = token;
      return this.#repeat(request, await this.#renew(), false);
    }
  }

  async #send<T>(request: (accessToken: Secret) => Promise<T>, token: Secret): Promise<T> {
    const answer = await request(token);
    this.#isReauthenticationRequired = false;
    return answer;
  }

  async #repeat<T>(
    request: (accessToken: Secret) => Promise<T>,
    token: Secret,
    mayBeLacking: boolean,
  ): Promise<T> {
    try {
      const answer = await this.#send(request, token);
      if (this.#state.breaker?.kind === 'fresh-tokens' && !mayBeLacking) {
        this.#change({ breaker: undefined });
        await this.#save();
      }
      return answer;
    } catch (error) {
      if (!isTokenRefused(error)) throw error;
      if (mayBeLacking) throw endpointRefused(error);
      const why = `a renewed token was refused: ${error.message}`;
      const refusal = reauthenticationRequired(why, { cause: error });
      this.#isReauthenticationRequired = true;
      // Without this pause, an endpoint that refuses every token would mean one renewal per scrape.
      this.#fail('fresh-tokens', refusal);
      await this.#save();
      throw refusal;
    }
  }

  async #usableToken(): Promise<Secret> {
    // Where nothing else can be had, the service may accept a token that it refused before.
    if (!this.#options.issuer.canLogIn && this.#reasonToWait() === undefined)
      this.#refused = undefined;
    const { tokens } = this.#state;
    if (tokens === undefined || tokens.accessToken === this.#refused) return this.#renew();
    if (this.#tokensNowMs() < renewAtMs(tokens)) return tokens.accessToken;
    return this.#renew().catch((error: unknown) => {
      // The renewal was early, and the token works until it expires.
      if (this.#tokensNowMs() < (tokens.accessExpiresAtMs ?? Infinity)) return tokens.accessToken;
      throw error;
    });
  }

  #renew(): Promise<Secret> {
    this.#renewing ??= this.#renewed().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #renewed(): Promise<Secret> {
    const { issuer, clock } = this.#options;
    if (this.#isHandedOver)
      throw new ServiceError('SERVICE_UNREACHABLE', 'another session goes on with the tokens');
    try {
      const reason = this.#reasonToWait();
      if (reason !== undefined) throw reason;
      await this.#noteAttempt();
      const tokens = await issuer.renew(this.#state.tokens).catch((error: unknown) => {
        // Without a budget nothing was sent, so that nothing is known of the service.
        if (!isBudgetUsedUp(error))
          this.#fail(isTokenRefused(error) ? 'credentials' : 'outage', error);
        throw error;
      });
      const { breaker } = this.#state;
      this.#sinceTokens = startStopwatch(clock, tokens.receivedAtMs);
      this.#change({ tokens, breaker: breaker?.kind === 'fresh-tokens' ? breaker : undefined });
      return tokens.accessToken;
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
    const { unfinished } = this.#state;
    const breaker = unfinished > 0 ? this.#opened('credentials') : this.#state.breaker;
    await this.#save({ ...this.#state, breaker, unfinished: unfinished + 1 });
    this.#change({ unfinished: 0 });
  }

  /** Counts a failure; callers that failed together count once. */
  #fail(kind: Breaker['kind'], error: unknown): void {
    if (this.#state.breaker?.kind === kind && this.#pausedUntilMs() !== undefined) return;
    const breaker = this.#opened(kind, error);
    this.#change({ breaker });
    this.#pause = waitFor(breaker.lengthMs, this.#options.clock);
  }

  /** Opens the breaker, or keeps it open for longer: the pause grows with each consecutive failure of a kind. */
  #opened(kind: Breaker['kind'], error?: unknown): Breaker {
    const { clock, random } = this.#options;
    const before = this.#state.breaker;
    const isOutage = kind === 'outage';
    const failures = before?.kind === kind ? before.failures + 1 : 1;
    // An outage between refusals does not make them forgotten.
    const isBetween = isOutage && before?.kind === 'credentials';
    const fault = error instanceof ServiceError ? error : undefined;
    const lengthMs =
      fault?.retryAfterMs ??
      (isOutage
        ? backOffMs(isBetween ? Infinity : failures, random)
        : (REFUSAL_PAUSES_MS[failures - 1] ?? LONGEST_REFUSAL_PAUSE_MS));
    return {
      ...(isBetween ? before : { kind, failures }),
      untilMs: clock.nowMs() + lengthMs,
      lengthMs,
      error: error instanceof Error ? error : undefined,
      code: isOutage ? fault?.code : undefined,
    };
  }

  /** Returns why no renewal is attempted now; absent when an attempt is allowed. */
  #reasonToWait(): Error | undefined {
    const { breaker } = this.#state;
    const untilMs = this.#pausedUntilMs();
    if (untilMs === undefined || breaker === undefined || breaker.kind === 'fresh-tokens')
      return undefined;
    const { kind, error, code } = breaker;
    // The caller may try again when the pause ends, which is sooner than the service first asked for.
    const retryAfterMs = untilMs - this.#options.clock.nowMs();
    // A bug is unknown after a restart, and no reason to wait.
    if (code === undefined)
      return kind === 'outage' ? error : blocked(untilMs, error, retryAfterMs);
    const message = error?.message ?? BEFORE_RESTART;
    return new ServiceError(code, message, { cause: error?.cause, retryAfterMs });
  }

  /** Returns when the pause ends, by the clock of the machine; absent when it is over. */
  #pausedUntilMs(): number | undefined {
    const { clock } = this.#options;
    const pauseMs = this.#state.breaker === undefined ? 0 : leftMs(this.#pause, clock);
    return pauseMs > 0 ? clock.nowMs() + pauseMs : undefined;
  }

  /** Returns the time by the clock that dated the tokens, even if it was set back since. */
  #tokensNowMs(): number {
    return this.#sinceTokens.startedAtMs + elapsedMs(this.#sinceTokens, this.#options.clock);
  }

  #change(change: Partial<SavedSession>): void {
    this.#state = { ...this.#state, ...change };
  }

  /** Saves the session, unless another one has newer tokens, which must not be overwritten. */
  async #save(session = this.#state): Promise<void> {
    if (!this.#isHandedOver) await this.#options.storage?.save(session);
  }
}

/** Returns when the access token has to be renewed (interface 5.3). */
export function renewAtMs(tokens: TokenSet): number {
  const { accessExpiresAtMs, receivedAtMs = -Infinity, refreshToken } = tokens;
  // The interface says "renew". A service that never states an expiry would be asked at every call.
  if (accessExpiresAtMs === undefined)
    return refreshToken === undefined ? Infinity : receivedAtMs + ASSUMED_LIFETIME_MS;
  const lifetimeMs = accessExpiresAtMs - receivedAtMs;
  // A token that lives no longer than the lead would be renewed at every call.
  return accessExpiresAtMs - (lifetimeMs > RENEWAL_LEAD_MS ? RENEWAL_LEAD_MS : lifetimeMs / 2);
}

/** Whether the set has a refresh token that is not known to have expired. */
export function canRefresh({ refreshToken, refreshExpiresAtMs }: TokenSet, nowMs: number): boolean {
  return refreshToken !== undefined && nowMs < (refreshExpiresAtMs ?? Infinity);
}

/** Whether the service refused an access token, a refresh token or a log-in. */
export function isTokenRefused(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code === 'SERVICE_AUTH_REJECTED';
}

/** Says that the program can do nothing more by itself: the user has to provide new credentials. */
export function reauthenticationRequired(why: string, options: ServiceErrorOptions): ServiceError {
  return new ServiceError('SERVICE_AUTH_REJECTED', `${REQUIRED}${why}`, options);
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
  return reauthenticationRequired(why, { cause: refusal, retryAfterMs });
}

/** Says that one endpoint refused a token which others accept, so the token is not to blame. */
function endpointRefused(refusal: ServiceError): ServiceError {
  const message = `${refusal.message}, with a token that other endpoints accept`;
  return new ServiceError('SERVICE_REQUEST_REJECTED', message, { cause: refusal });
}
