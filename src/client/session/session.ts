import { z } from 'zod';
import { SERVICE_ERROR_CODES, ServiceError, type ServiceErrorOptions } from '../../base/errors.ts';
import { isBelievable } from '../../base/instant.ts';
import type { Runtime } from '../../base/clock.ts';
import { Secret } from '../../base/shown.ts';
import { elapsedMs, leftMs, startStopwatch, type Wait, waitFor } from '../../base/wait.ts';
import { TOKEN_EXPIRED_CODE } from '../exchange/decode.ts';
import { backOffMs, LONGEST_RETRY_AFTER_MS } from '../exchange/retry.ts';
import type { TokenSource } from '../exchange/transport.ts';

const MINUTE_MS = 60_000;
/** The pause after each consecutive refusal, which keeps the account from being locked. */
const REFUSAL_PAUSES_MINUTES = [1, 5, 30];
const LONGEST_REFUSAL_PAUSE_MINUTES = 120;
/** A token is renewed this long before it expires (service.md#session). */
const RENEWAL_LEAD_MS = 5 * MINUTE_MS;
/** How long a token without an expiry is used after a renewal. */
const ASSUMED_LIFETIME_MS = 60 * MINUTE_MS;

const secret = z.codec(z.string().min(1), z.instanceof(Secret), {
  decode: (written) => new Secret(written),
  encode: (token) => token.reveal(),
});
const instant = z.number().refine(isBelievable);
const count = z.number().int().min(0);

/** What a login or a refresh answers with (service.md#tokens). */
const tokensSchema = z.object({
  accessToken: secret,
  refreshToken: secret.optional(),
  /** When the access token expires; absent when unknown. */
  accessExpiresAtMs: instant.optional(),
  refreshExpiresAtMs: instant.optional(),
  /** When the set arrived here; absent for tokens from the configuration. */
  receivedAtMs: instant.optional(),
  /** The body of a refresh that the service accepted (service.md#tokens): the specified one is the first. */
  refreshForm: z.enum(['refresh-token', 'signed-pair']).optional(),
});

/** Why the service is not asked for tokens, and for how long. */
const breakerSchema = z.object({
  /** Refused credentials, tokens that were refused just after they were issued, or no answer at all. */
  kind: z.enum(['credentials', 'fresh-tokens', 'outage']),
  /** Consecutive failures of this kind. */
  failures: count,
  untilMs: instant,
  lengthMs: z.number().min(0).max(LONGEST_RETRY_AFTER_MS),
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
export type SavedSession = z.output<typeof sessionSchema>;
/** With what only the running program knows, over a reload as well: how it failed last. */
type Breaker = z.output<typeof breakerSchema> & Wait & { readonly error?: Error | undefined };

/** Where a session is kept beyond this program. */
export interface SessionStorage {
  /** What an earlier session with the same credentials left. */
  readonly saved: SavedSession | undefined;
  /** Resolves when the session is saved. Never rejects. */
  save(session: SavedSession): Promise<unknown>;
}

/** From where a session gets its tokens. */
export interface TokenIssuer {
  /** Whether there is an account to log in with. */
  readonly canLogIn: boolean;
  /** Rejects with `SERVICE_AUTH_REJECTED` when only the user can help, and else with the fault of the service. */
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

export interface Session extends TokenSource {
  readonly status: () => SessionStatus;
  /** Obtains a token unless there is a usable one. */
  readonly authenticate: () => Promise<unknown>;
  /** Stops renewing and saving once a running renewal has ended: another session goes on with what this resolves to. */
  readonly handOver: () => Promise<SavedSession>;
}

/**
 * Keeps one token alive (service.md#session): renews it early, once for all callers, and never in a loop.
 *
 * @param storage - absent when the session lives in memory only.
 */
export function createSession(
  issuer: TokenIssuer,
  { clock, random }: Pick<Runtime, 'clock' | 'random'>,
  configuredTokens?: TokenSet,
  storage?: SessionStorage,
): Session {
  const { saved } = storage ?? {};
  // Saved tokens are newer than those from the configuration.
  let tokens = saved?.tokens ?? configuredTokens;
  let sinceTokens = startStopwatch(clock, tokens?.receivedAtMs);
  let breaker: Breaker | undefined = saved?.breaker && {
    ...saved.breaker,
    stopwatch: startStopwatch(clock, saved.breaker.untilMs - saved.breaker.lengthMs),
  };
  let unfinished = saved?.unfinished ?? 0;
  let renewing: Promise<Secret> | undefined;
  /** The access token that was refused and is not replaced yet; it is not sent again. */
  let refused: Secret | undefined;
  let isReauthenticationRequired = breaker !== undefined && breaker.kind !== 'outage';
  let isHandedOver = false;

  /** Returns the time by the clock that dated the tokens, even if it was set back since: see wait.ts. */
  const tokensNowMs = (): number => sinceTokens.startedAtMs + elapsedMs(sinceTokens, clock);

  /** Returns when the pause ends, by the clock of the machine; absent when it is over. */
  function pausedUntilMs(): number | undefined {
    const pauseMs = breaker === undefined ? 0 : leftMs(breaker, clock);
    return pauseMs > 0 ? clock.nowMs() + pauseMs : undefined;
  }

  /** Saves the session, unless another one has newer tokens, which must not be overwritten. */
  async function save(session: SavedSession = { tokens, breaker, unfinished }): Promise<void> {
    if (!isHandedOver) await storage?.save(session);
  }

  /** Opens the breaker: the pause grows with each consecutive failure of a kind. Those within a pause count once. */
  function opened(kind: Breaker['kind'], error?: unknown): Breaker {
    const before = breaker;
    if (before?.kind === kind && pausedUntilMs() !== undefined) return before;
    const isOutage = kind === 'outage';
    const failures = before?.kind === kind ? before.failures + 1 : 1;
    // An outage between refusals does not make them forgotten.
    const isBetween = isOutage && before?.kind === 'credentials';
    const fault = error instanceof ServiceError ? error : undefined;
    const ownPauseMs = isOutage
      ? backOffMs(isBetween ? Infinity : failures, random)
      : (REFUSAL_PAUSES_MINUTES[failures - 1] ?? LONGEST_REFUSAL_PAUSE_MINUTES) * MINUTE_MS;
    const lengthMs = fault?.retryAfterMs ?? ownPauseMs;
    return {
      ...(isBetween ? before : { kind, failures }),
      ...waitFor(lengthMs, clock),
      untilMs: clock.nowMs() + lengthMs,
      code: isOutage ? fault?.code : undefined,
      error: error instanceof Error ? error : undefined,
    };
  }

  /** Returns why no renewal is attempted now; absent when an attempt is allowed. */
  function reasonToWait(): Error | undefined {
    const untilMs = pausedUntilMs();
    const { kind, code, error } = breaker ?? {};
    if (untilMs === undefined || kind === 'fresh-tokens') return undefined;
    // The caller may try again when the pause ends, which is sooner than the service first asked for.
    const retryAfterMs = untilMs - clock.nowMs();
    // A bug is unknown after a restart, and no reason to wait.
    if (code === undefined)
      return kind === 'outage' ? error : blocked(untilMs, error, retryAfterMs);
    const beforeRestart = 'no token could be had before the last restart; the pause goes on';
    const message = error?.message ?? beforeRestart;
    return new ServiceError(code, message, { cause: error?.cause, retryAfterMs });
  }

  async function renewed(): Promise<Secret> {
    if (isHandedOver)
      throw new ServiceError('SERVICE_UNREACHABLE', 'another session goes on with the tokens');
    const reason = reasonToWait();
    if (reason !== undefined) {
      isReauthenticationRequired ||= isTokenRefused(reason);
      throw reason;
    }
    // The program may be killed during an attempt. The first time is free; each further one is a refusal.
    const noted = unfinished > 0 ? opened('credentials') : breaker;
    await save({ tokens, breaker: noted, unfinished: unfinished + 1 });
    unfinished = 0;
    try {
      tokens = await issuer.renew(tokens);
      sinceTokens = startStopwatch(clock, tokens.receivedAtMs);
      if (breaker?.kind !== 'fresh-tokens') breaker = undefined;
      return tokens.accessToken;
    } catch (error) {
      const isRefusal = isTokenRefused(error);
      isReauthenticationRequired ||= isRefusal;
      breaker = opened(isRefusal ? 'credentials' : 'outage', error);
      throw error;
    } finally {
      // The service may have cancelled the old pair, so the new one is saved before it is used.
      await save();
    }
  }

  function renew(): Promise<Secret> {
    return (renewing ??= renewed().finally(() => {
      renewing = undefined;
    }));
  }

  async function usableToken(): Promise<Secret> {
    const held = tokens;
    if (held === undefined || held.accessToken === refused) return renew();
    if (tokensNowMs() < renewAtMs(held)) return held.accessToken;
    return renew().catch((error: unknown) => {
      // The renewal was early, and the token works until it expires.
      if (tokensNowMs() < (held.accessExpiresAtMs ?? Infinity)) return held.accessToken;
      throw error;
    });
  }

  /** Renews a refused token once and repeats the request once; a second refusal means re-authentication. */
  async function withToken<T>(
    request: (accessToken: Secret) => Promise<T>,
    isOptional = false,
  ): Promise<T> {
    // Where nothing else can be had, the service may accept a token that it refused before.
    if (!issuer.canLogIn && reasonToWait() === undefined) refused = undefined;
    for (let isRepeated = false; ; isRepeated = true) {
      const token = await usableToken();
      try {
        const answer = await request(token);
        isReauthenticationRequired = false;
        if (isRepeated && breaker?.kind === 'fresh-tokens') {
          breaker = undefined;
          await save();
        }
        return answer;
      } catch (error) {
        if (!isTokenRefused(error)) throw error;
        // An HTTP 401 or 403 may mean that the service lacks the endpoint; the code for an expired token never does.
        if (isOptional && error.serviceCode !== TOKEN_EXPIRED_CODE) {
          await renewing?.catch(() => undefined);
          // Another request may have renewed the token while ours was on its way.
          if (tokens?.accessToken !== token) continue;
          const message = `${error.message}, with a token that other endpoints accept`;
          throw new ServiceError('SERVICE_REQUEST_REJECTED', message, { cause: error });
        }
        if (isRepeated) {
          const why = `a renewed token was refused: ${error.message}`;
          const refusal = reauthenticationRequired(why, { cause: error });
          isReauthenticationRequired = true;
          // Without this pause, an endpoint that refuses every token would mean one renewal per scrape.
          breaker = opened('fresh-tokens', refusal);
          await save();
          throw refusal;
        }
        const untilMs = breaker?.kind === 'fresh-tokens' ? pausedUntilMs() : undefined;
        // Requests to other endpoints may work, so that none is told to wait.
        if (tokens?.accessToken === token && untilMs !== undefined) throw blocked(untilMs, error);
        refused = token;
      }
    }
  }

  function status(): SessionStatus {
    const nowMs = tokensNowMs();
    const expiresAtMs = tokens?.accessExpiresAtMs;
    const withTokens = tokens && canRefresh(tokens, nowMs) ? 'refresh_token' : 'access_token';
    const withoutAccount = tokens === undefined ? 'none' : withTokens;
    return {
      mode: issuer.canLogIn ? 'account' : withoutAccount,
      accessExpiresAtMs: expiresAtMs && expiresAtMs - nowMs + clock.nowMs(),
      isReauthenticationRequired,
      blockedUntilMs: breaker?.kind === 'outage' ? undefined : pausedUntilMs(),
    };
  }

  async function handOver(): Promise<SavedSession> {
    while (renewing !== undefined) await renewing.catch(() => undefined);
    isHandedOver = true;
    return { tokens, breaker, unfinished };
  }

  return { withToken, status, authenticate: usableToken, handOver };
}

/** Returns when the access token has to be renewed (service.md#session). */
export function renewAtMs(tokens: TokenSet): number {
  const { accessExpiresAtMs, receivedAtMs = -Infinity, refreshToken } = tokens;
  // The specification says "renew". A service that never states an expiry would be asked at every call.
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

/** Says of a session that worked that the user has to provide new credentials. */
export function reauthenticationRequired(why: string, options?: ServiceErrorOptions): ServiceError {
  const message = `re-authentication is required: ${why}`;
  return new ServiceError('SERVICE_AUTH_REJECTED', message, options);
}

/** Says that the service was not asked, because one more refusal might lock the account. */
function blocked(untilMs: number, refusal: Error | undefined, retryAfterMs?: number): ServiceError {
  const reason = refusal?.message ?? 'the service refused';
  const why = `${reason}; no attempt before ${new Date(untilMs).toISOString()}`;
  return new ServiceError('SERVICE_AUTH_REJECTED', why, { cause: refusal, retryAfterMs });
}
