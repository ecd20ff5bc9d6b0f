import { z } from 'zod';
import type { Clock, Runtime } from '../../base/clock.ts';
import { ServiceError, type ServiceErrorOptions } from '../../base/errors.ts';
import { isPlausibleTime } from '../../base/instant.ts';
import { SECOND_ACCOUNT } from '../../base/remedies.ts';
import { durationWords, type Secret } from '../../base/shown.ts';
import { isOver, NO_WAIT, waitFor } from '../../base/wait.ts';
import { isTokenCode, TOKEN_EXPIRED_CODE } from '../exchange/envelope.ts';
import { isFinalRefusal } from '../exchange/retry.ts';
import type { TokenSource } from '../exchange/transport.ts';
import {
  blocked,
  type Breaker,
  breakerSchema,
  opened,
  pausedUntilMs,
  reasonToWait,
  restored,
} from './breaker.ts';
import {
  canBeSent,
  canRefresh,
  RENEWAL_LEAD_MS,
  renewAtMs,
  type TokenSet,
  tokensSchema,
} from './tokens.ts';

const MINUTE_MS = 60_000;
/** If so many sessions end early within an hour of each other, another client of the account ends them. */
const OFTEN = 2;
const OFTEN_MS = 60 * MINUTE_MS;
/** How long the other client may keep the session after it ended ours. */
const SHARED_PAUSE_MS = 5 * MINUTE_MS;
/** How long a token counts as accepted, at most, after another endpoint accepted it: it may end meanwhile. */
const LONGEST_VOUCHED_MS = 5 * MINUTE_MS;
const count = z.number().int().min(0);

/** The part of a session that is kept across a restart. */
export const sessionSchema = z.object({
  tokens: tokensSchema.optional(),
  breaker: breakerSchema.optional(),
  /** Consecutive attempts to renew during which the program was killed. */
  unfinished: count.default(0),
  /** Consecutive tokens that ended early, and when the last one did, by the clock of the service. */
  replaced: z.object({ count, atMs: z.number().refine(isPlausibleTime) }).optional(),
});

export type SavedSession = z.output<typeof sessionSchema>;

/** Where a session is kept beyond this program. */
export interface SessionStorage {
  /** The state that an earlier session with the same credentials saved. */
  readonly saved: SavedSession | undefined;
  /** Resolves when the session is saved. Never rejects. */
  save(session: SavedSession): Promise<unknown>;
}

/** The source of a session's tokens. */
export interface TokenIssuer {
  /** The clock of the service, which dates the tokens. */
  readonly serviceClock: Pick<Clock, 'nowMs'>;
  /** Whether there is an account to log in with. */
  readonly canLogIn: boolean;
  /** The remedy for a refused token where no account can log in. */
  readonly remedy?: string | undefined;
  /**
   * Rejects with `SERVICE_AUTH_REJECTED` when only the user can help, else with the failure of the service.
   *
   * @param isEarly - whether the held access token still works.
   */
  renew(held: TokenSet | undefined, isEarly?: boolean): Promise<TokenSet>;
}

/** What the metrics and the status page show of a session; it holds no secret. */
export interface SessionStatus {
  /** How the session gets its next token: by logging in, by refreshing, not at all; `none` without a token. */
  readonly mode: 'account' | 'refresh_token' | 'access_token' | 'none';
  readonly accessExpiresAtMs: number | undefined;
  readonly isReauthenticationRequired: boolean;
  /** Whether another client of the same account ends the session again and again. */
  readonly isShared: boolean;
  /** When the pause after a refusal ends; absent when no attempt has to wait. */
  readonly blockedUntilMs: number | undefined;
}

export interface Session extends TokenSource {
  readonly status: () => SessionStatus;
  /** Obtains a token unless there is a usable one. */
  readonly authenticate: () => Promise<unknown>;
  /** Replaces the issuer after a reload; the new one has the same credentials. */
  readonly renewBy: (issuer: TokenIssuer) => void;
  /** Resolves once no renewal is under way; from then on, the session neither renews nor saves. */
  readonly end: () => Promise<void>;
}

/**
 * Keeps one token alive (service.md#session): renews it early, once for all callers, and never in a loop.
 *
 * @param storage - absent when the session lives in memory only.
 * @param noteReplaced - is called for each token that ended early; says whether that begins to happen often.
 */
export function createSession(
  firstIssuer: TokenIssuer,
  { clock, random }: Pick<Runtime, 'clock' | 'random'>,
  configuredTokens?: TokenSet,
  storage?: SessionStorage,
  noteReplaced: (isOftenNow: boolean) => void = () => undefined,
): Session {
  const { saved } = storage ?? {};
  let issuer = firstIssuer;
  // Saved tokens are newer than those from the configuration.
  let tokens = saved?.tokens ?? configuredTokens;
  /** Whether the service has accepted these tokens: assumed for saved and configured ones, false once it only refused them. */
  let isProven: boolean | undefined = true;
  let breaker = saved?.breaker && restored(saved.breaker, clock);
  let unfinished = saved?.unfinished ?? 0;
  let replaced = saved?.replaced;
  let renewing: Promise<Secret> | undefined;
  /** The access token that was refused and is not replaced yet; it is not sent again. */
  let refused: Secret | undefined;
  /** Whether a token that worked was refused long before its end; false again once its successor is accepted. */
  let hasEndedEarly = false;
  /** How long the last acceptance by another endpoint counts, and how many there were for these tokens. */
  let [vouched, vouchers] = [NO_WAIT, 0];
  let asking: Promise<unknown> | undefined;
  let isReauthenticationRequired =
    breaker?.kind === 'credentials' ||
    (breaker?.kind === 'fresh-tokens' && breaker.code === undefined);
  let hasEnded = false;

  const nowMs = (): number => issuer.serviceClock.nowMs();
  const open = (kind: Breaker['kind'], error?: unknown): Breaker =>
    opened(breaker, kind, { clock, random }, error);
  /** Whether one endpoint refuses fresh tokens that others accept: the other endpoints do not wait then. */
  const isOfOneEndpoint = (): boolean =>
    breaker?.code === 'SERVICE_REQUEST_REJECTED' && breaker.kind === 'fresh-tokens';
  const isOften = (): boolean =>
    replaced !== undefined && replaced.count >= OFTEN && nowMs() - replaced.atMs < OFTEN_MS;
  const save = async (changes?: Partial<SavedSession>): Promise<void> => {
    if (!hasEnded) await storage?.save({ tokens, breaker, unfinished, replaced, ...changes });
  };

  async function renewOnce(isEarly: boolean): Promise<Secret> {
    if (hasEnded) throw new ServiceError('SERVICE_UNREACHABLE', 'the session has ended');
    const reason = reasonToWait(breaker, clock, issuer.remedy);
    if (reason !== undefined) {
      isReauthenticationRequired ||= areCredentialsRefused(reason);
      throw reason;
    }
    // The program may be killed during an attempt. The first time is ignored; each further time counts as a refusal.
    const noted = unfinished > 0 ? open('credentials') : breaker;
    await save({ breaker: noted, unfinished: unfinished + 1 });
    unfinished = 0;
    try {
      // A refresh whose tokens never worked would bring such tokens again. A log-in may not.
      const isUseless = isProven === false && tokens?.isRefreshed === true && issuer.canLogIn;
      const held = tokens && isUseless ? { ...tokens, refreshToken: undefined } : tokens;
      tokens = await issuer.renew(held, isEarly);
      isProven = undefined;
      [vouched, vouchers] = [NO_WAIT, 0];
      if (breaker?.kind !== 'fresh-tokens') breaker = undefined;
      return tokens.accessToken;
    } catch (error) {
      const isRefusal = areCredentialsRefused(error);
      isReauthenticationRequired ||= isRefusal;
      breaker = open(isRefusal ? 'credentials' : 'outage', error);
      throw error;
    } finally {
      // The service may have cancelled the old pair, so the new one is saved before it is used.
      await save();
    }
  }

  const renew = (isEarly = false): Promise<Secret> =>
    (renewing ??= renewOnce(isEarly).finally(() => {
      renewing = undefined;
    }));

  async function usableToken(): Promise<Secret> {
    const held = tokens;
    if (held === undefined || held.accessToken === refused || !canBeSent(held.accessToken))
      return renew();
    if (nowMs() < renewAtMs(held)) return held.accessToken;
    const isEarly = (): boolean => nowMs() < (held.accessExpiresAtMs ?? Infinity);
    return renew(isEarly()).catch((error: unknown) => {
      // The token works until it expires.
      if (isEarly()) return held.accessToken;
      throw error;
    });
  }

  /** Notes that the service accepted a token. */
  async function accepted(token: Secret, isRepeated: boolean): Promise<void> {
    isReauthenticationRequired = false;
    if (token === tokens?.accessToken) isProven = true;
    if (!isRepeated || !(hasEndedEarly || breaker?.kind === 'fresh-tokens')) return;
    if (breaker?.kind === 'fresh-tokens' && !isOfOneEndpoint()) breaker = undefined;
    if (hasEndedEarly) {
      const [before, atMs] = [replaced, nowMs()];
      const isNext = before !== undefined && atMs - before.atMs < OFTEN_MS;
      replaced = { count: isNext ? before.count + 1 : 1, atMs };
      hasEndedEarly = false;
      noteReplaced(replaced.count === OFTEN);
    }
    await save();
  }

  /**
   * Asks another endpoint whether it accepts a token that one endpoint refused. Returns its refusal, or why it cannot
   * tell; undefined where it accepts the token. The latter two hold for a while, longer each time.
   */
  async function refusalElsewhere(
    token: Secret,
    askElsewhere: (token: Secret) => Promise<unknown>,
  ): Promise<unknown> {
    let fault: unknown;
    try {
      await (asking ??= askElsewhere(token).finally(() => {
        asking = undefined;
      }));
    } catch (error) {
      if (mayBeOfToken(error)) return error;
      // A refusal for another reason means that the token was accepted.
      if (!isFinalRefusal(error)) fault = error;
    }
    if (token === tokens?.accessToken) {
      if (fault === undefined) await accepted(token, false);
      vouched = waitFor(Math.min(LONGEST_VOUCHED_MS, MINUTE_MS * 2 ** vouchers), clock);
      vouchers += 1;
    }
    return fault;
  }

  /** Returns why a refused token is not replaced now; undefined when it may be replaced. */
  function reasonToKeep(refusal: ServiceError): ServiceError | undefined {
    const isPaused = breaker?.kind === 'fresh-tokens' && !isOfOneEndpoint();
    const untilMs = isPaused ? pausedUntilMs(breaker, clock) : undefined;
    // Requests to other endpoints may work, so the error asks for no pause.
    if (untilMs !== undefined)
      return refusal.isDoubtful
        ? onTheWay(refusal)
        : blocked(untilMs - nowMs(), refusal, { remedy: issuer.remedy });
    const sharedMs = isOften()
      ? SHARED_PAUSE_MS - (nowMs() - (tokens?.receivedAtMs ?? -Infinity))
      : 0;
    if (sharedMs <= 0) return undefined;
    const message = `${refusal.message}: somebody else ended the session; next log-in in ${durationWords(sharedMs)}`;
    const options = { cause: refusal, remedy: SECOND_ACCOUNT, isDoubtful: true };
    return new ServiceError('SERVICE_AUTH_REJECTED', message, options);
  }

  /**
   * Returns the error for an endpoint that refuses a fresh token, and delays the next renewal for it. Where another
   * endpoint accepts the token or cannot tell, the token counts as good.
   */
  async function freshRefused(error: ServiceError, elsewhere: unknown): Promise<ServiceError> {
    const refusal = refusalOf(error, elsewhere);
    isReauthenticationRequired ||= areCredentialsRefused(refusal);
    hasEndedEarly = false;
    // Without this pause, an endpoint that refuses every token would cause one renewal per scrape.
    breaker = open('fresh-tokens', mayBeOfToken(elsewhere) ? refusal : lacking(error));
    await save();
    return refusal;
  }

  /** Returns what the refusal of a fresh token means, by what another endpoint answered to it. */
  function refusalOf(error: ServiceError, elsewhere: unknown): ServiceError {
    if (elsewhere === undefined) return lacking(error);
    if (!mayBeOfToken(elsewhere)) return error.isDoubtful ? error : inDoubt(error);
    const why = `a renewed token was refused: ${error.message}`;
    return error.isDoubtful
      ? new ServiceError('SERVICE_BLOCKED', why, { cause: error })
      : reauthenticationRequired(why, { cause: error, remedy: issuer.remedy });
  }

  /**
   * Sends a request. If its token is refused, the token is renewed once and the request repeated once: at once where
   * the refusal is certainly about the token, else only where another endpoint refuses the token, too.
   */
  async function withToken<T>(
    request: (accessToken: Secret) => Promise<T>,
    isOptional = false,
    askElsewhere: (accessToken: Secret) => Promise<unknown> = () => Promise.resolve(),
  ): Promise<T> {
    // Without a log-in, try a refused token again: the service may accept it now.
    if (!issuer.canLogIn && reasonToWait(breaker, clock) === undefined) refused = undefined;
    /** Why no other endpoint could tell about the token that was renewed all the same. */
    let untold: unknown;
    for (let isRepeated = false; ; isRepeated = true) {
      const token = await usableToken();
      try {
        const answer = await request(token);
        await accepted(token, isRepeated);
        return answer;
      } catch (error) {
        if (!mayBeOfToken(error)) throw error;
        if (token === tokens?.accessToken) isProven ??= false;
        const { code, serviceCode } = error;
        const isRefused = code === 'SERVICE_AUTH_REJECTED';
        // An HTTP 401 or 403 may mean that the service lacks the endpoint; the code for an expired token never does.
        const isPaused = isOfOneEndpoint() && pausedUntilMs(breaker, clock) !== undefined;
        let isCertain =
          isRefused && !isPaused && (!isOptional || serviceCode === TOKEN_EXPIRED_CODE);
        if (!isCertain) {
          await renewing?.catch(() => undefined);
          // Another request may have renewed the token while ours was on its way.
          if (tokens?.accessToken !== token) continue;
          if (untold !== undefined) throw await freshRefused(error, untold);
          const mayBeMissing = isOptional && (isRefused || code === 'SERVICE_REQUEST_REJECTED');
          const canRenew = issuer.canLogIn || tokens.refreshToken !== undefined;
          const isTold = isTokenCode(serviceCode);
          const isWorth = isProven && isOver(vouched, clock) && (canRenew || isTold);
          const elsewhere =
            mayBeMissing || isWorth ? await refusalElsewhere(token, askElsewhere) : undefined;
          if (elsewhere === undefined) throw isRefused ? lacking(error) : error;
          if (!mayBeOfToken(elsewhere)) {
            if (mayBeMissing || isRefused) throw inDoubt(error);
            if (isPaused || !canRenew) throw error;
            untold = elsewhere;
          } else isCertain = elsewhere.code === 'SERVICE_AUTH_REJECTED' || (!canRenew && isTold);
          if (!isCertain && !canRenew) throw onTheWay(error);
        }
        if (isRepeated)
          throw isCertain
            ? await freshRefused(error, await refusalElsewhere(token, askElsewhere))
            : onTheWay(error);
        if (tokens?.accessToken === token) {
          const reason = reasonToKeep(error);
          if (reason !== undefined) throw reason;
          const leftMs = (tokens.accessExpiresAtMs ?? 0) - nowMs();
          hasEndedEarly = isProven === true && leftMs > RENEWAL_LEAD_MS;
          if (isCertain) refused = token;
          // A token is kept that may only be blocked on its way.
          else
            await renew().catch((failure: unknown) => {
              throw areCredentialsRefused(failure) ? failure : onTheWay(error);
            });
        }
      }
    }
  }

  function status(): SessionStatus {
    const expiresAtMs = tokens?.accessExpiresAtMs;
    const withTokens = tokens && canRefresh(tokens, nowMs()) ? 'refresh_token' : 'access_token';
    const withoutAccount = tokens === undefined ? 'none' : withTokens;
    const isOfCredentials =
      breaker?.kind === 'credentials' ||
      (breaker?.kind === 'fresh-tokens' && isReauthenticationRequired);
    return {
      mode: issuer.canLogIn ? 'account' : withoutAccount,
      accessExpiresAtMs: expiresAtMs && expiresAtMs - nowMs() + clock.nowMs(),
      isReauthenticationRequired,
      isShared: isOften(),
      blockedUntilMs: isOfCredentials ? pausedUntilMs(breaker, clock) : undefined,
    };
  }

  return {
    withToken,
    status,
    authenticate: usableToken,
    renewBy: (next) => {
      issuer = next;
    },
    end: async () => {
      while (renewing !== undefined) await renewing.catch(() => undefined);
      hasEnded = true;
    },
  };
}

/** Whether an answer is a refused token, or may be one. */
function mayBeOfToken(error: unknown): error is ServiceError {
  return (
    error instanceof ServiceError && (error.code === 'SERVICE_AUTH_REJECTED' || error.isDoubtful)
  );
}

/** Whether the service refused a token or a log-in, and only other credentials can help. */
export function areCredentialsRefused(error: unknown): error is ServiceError {
  return (
    error instanceof ServiceError && error.code === 'SERVICE_AUTH_REJECTED' && !error.isDoubtful
  );
}

/** Returns the error for a session that worked and now needs new credentials from the user. */
export function reauthenticationRequired(why = '', options?: ServiceErrorOptions): ServiceError {
  const message = `The service no longer accepts this token. Get a new one.${why && ` (${why})`}`;
  return new ServiceError('SERVICE_AUTH_REJECTED', message, options);
}

/** Returns the error for a refusal whose reason may or may not be the token. */
function inDoubt(error: ServiceError): ServiceError {
  return new ServiceError('SERVICE_AUTH_REJECTED', error.message, {
    cause: error,
    isDoubtful: true,
  });
}

/** Returns the error for an endpoint that the service lacks: it refuses a token that others accept. */
function lacking(error: ServiceError): ServiceError {
  const message = `${error.message}, with a token that other endpoints accept`;
  return new ServiceError('SERVICE_REQUEST_REJECTED', message, { cause: error });
}

/** Returns the error for a refusal that is due to neither endpoint nor token; a reason of the service is kept. */
function onTheWay(error: ServiceError): ServiceError {
  if (error.code === 'SERVICE_API_REFUSED' || error.code === 'SERVICE_BLOCKED') return error;
  return new ServiceError('SERVICE_BLOCKED', error.message, { cause: error });
}
