import { z } from 'zod';
import type { Clock, Runtime } from '../../base/clock.ts';
import { ServiceError } from '../../base/errors.ts';
import { isPlausibleTime } from '../../base/instant.ts';
import { SECOND_ACCOUNT } from '../../base/remedies.ts';
import { durationWords } from '../../base/shown.ts';
import { isOver, NO_WAIT, type Wait, waitFor } from '../../base/wait.ts';
import { TOKEN_EXPIRED_CODE } from '../exchange/envelope.ts';
import { isFinalRefusal } from '../exchange/retry.ts';
import type { TokenSource, WithToken } from '../exchange/transport.ts';
import {
  blocked,
  type Breaker,
  breakerSchema,
  isAboutCredentials,
  isOfAllEndpoints,
  opened,
  pauseMs,
  reasonToWait,
  restored,
} from './breaker.ts';
import {
  areCredentialsRefused,
  lacking,
  mayBeOfToken,
  meaningOf,
  onTheWay,
  reauthenticationRequired,
  saysEnded,
} from './refusal.ts';
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
/** How long a token counts as accepted after another endpoint accepted it: it may end meanwhile. */
const TRUSTED_MS = 5 * MINUTE_MS;
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

/** Tokens, and what the service has said to the access token. */
interface Held {
  readonly tokens: TokenSet;
  /** Whether any endpoint has accepted it; assumed of tokens that this program did not get itself. */
  hasWorked: boolean;
  /** Whether it has certainly ended: it is not sent again. */
  isRefused?: boolean;
  /** Whether it replaces a token that worked and was refused long before its end; counted once it works. */
  isReplacement?: boolean;
  /** For so long, no other endpoint is asked again whether it accepts the token. */
  trusted?: Wait;
}

/**
 * Keeps one token alive (service.md#session): renews it early, once for all callers, and never in a loop.
 *
 * A token that worked earns one renewal. What the new one is refused for is the affair of that endpoint, for
 * which the next renewal waits longer each time.
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
  let breaker = saved?.breaker && restored(saved.breaker, clock);
  let unfinished = saved?.unfinished ?? 0;
  let replaced = saved?.replaced;
  let hasEnded = false;
  let renewing: Promise<Held> | undefined;
  let asking: Promise<unknown> | undefined;
  // Saved tokens are newer than those from the configuration.
  const tokens = saved?.tokens ?? configuredTokens;
  let held: Held | undefined = tokens && {
    tokens,
    hasWorked: canBeSent(tokens.accessToken) && !isOfAllEndpoints(breaker),
  };

  const nowMs = (): number => issuer.serviceClock.nowMs();
  const leftMs = (tokens?: TokenSet): number => (tokens?.accessExpiresAtMs ?? Infinity) - nowMs();
  const open = (kind: Breaker['kind'], error?: unknown): Breaker =>
    opened(breaker, kind, { clock, random }, error);
  /** How long a new token that is refused is not replaced. */
  const newTokensPauseMs = (): number =>
    breaker?.kind === 'fresh-tokens' ? pauseMs(breaker, clock) : 0;
  const canRenew = (used: Held): boolean =>
    issuer.canLogIn || used.tokens.refreshToken !== undefined;
  const isOften = (): boolean =>
    replaced !== undefined && replaced.count >= OFTEN && nowMs() - replaced.atMs < OFTEN_MS;
  const save = async (changes?: Partial<SavedSession>): Promise<void> => {
    const session = { tokens: held?.tokens, breaker, unfinished, replaced, ...changes };
    if (!hasEnded) await storage?.save(session);
  };

  async function renewOnce(isEarly: boolean): Promise<Held> {
    if (hasEnded) throw new ServiceError('SERVICE_UNREACHABLE', 'the session has ended');
    const reason = reasonToWait(breaker, clock, issuer.remedy);
    if (reason !== undefined) throw reason;
    const { tokens, hasWorked = false } = held ?? {};
    // A token that is renewed so long before its end was refused.
    const isReplacement =
      hasWorked && tokens?.accessExpiresAtMs !== undefined && leftMs(tokens) > RENEWAL_LEAD_MS;
    // A refresh whose tokens never worked would bring such tokens again. A log-in may not.
    const isUseless = !hasWorked && tokens?.isRefreshed === true && issuer.canLogIn;
    // The program may be killed during an attempt. The first time is ignored; each further time counts as a refusal.
    const noted = unfinished > 0 ? open('credentials') : breaker;
    await save({ breaker: noted, unfinished: unfinished + 1 });
    unfinished = 0;
    try {
      const given = tokens && isUseless ? { ...tokens, refreshToken: undefined } : tokens;
      held = { tokens: await issuer.renew(given, isEarly), hasWorked: false, isReplacement };
      if (breaker?.kind !== 'fresh-tokens') breaker = undefined;
      return held;
    } catch (error) {
      breaker = open(areCredentialsRefused(error) ? 'credentials' : 'outage', error);
      throw error;
    } finally {
      // The service may have cancelled the old pair, so the new one is saved before it is used.
      await save();
    }
  }

  const renew = (isEarly = false): Promise<Held> =>
    (renewing ??= renewOnce(isEarly).finally(() => {
      renewing = undefined;
    }));

  async function usable(): Promise<Held> {
    const before = held;
    if (before === undefined || before.isRefused || !canBeSent(before.tokens.accessToken))
      return renew();
    if (nowMs() < renewAtMs(before.tokens)) return before;
    return renew(leftMs(before.tokens) > 0).catch((error: unknown) => {
      // The token works until it expires.
      if (leftMs(before.tokens) > 0) return before;
      throw error;
    });
  }

  /** Notes that an endpoint accepted a token; `isRepeated`: it refused the token before this one. */
  async function accepted(used: Held, isRepeated: boolean): Promise<void> {
    used.hasWorked = true;
    const isOpen = isOfAllEndpoints(breaker);
    if (!isRepeated || !(isOpen || used.isReplacement)) return;
    if (isOpen) breaker = undefined;
    if (used.isReplacement) {
      const count = replaced && nowMs() - replaced.atMs < OFTEN_MS ? replaced.count + 1 : 1;
      replaced = { count, atMs: nowMs() };
      used.isReplacement = false;
      noteReplaced(count === OFTEN);
    }
    await save();
  }

  /** Returns how another endpoint refuses a token, or why it cannot tell; undefined where it accepts it. */
  async function refusalElsewhere(used: Held, askElsewhere: WithToken<unknown>): Promise<unknown> {
    let fault: unknown;
    try {
      await (asking ??= askElsewhere(used.tokens.accessToken).finally(() => {
        asking = undefined;
      }));
    } catch (error) {
      if (mayBeOfToken(error)) return error;
      // A refusal for another reason means that the token was accepted.
      if (!isFinalRefusal(error)) fault = error;
    }
    used.hasWorked ||= fault === undefined;
    used.trusted = waitFor(TRUSTED_MS, clock);
    return fault;
  }

  /**
   * Returns why a refused token should be renewed: this refusal, where its words are plain; else that another endpoint
   * refuses the token, too, or cannot tell. Undefined where the refusal is the affair of this endpoint alone.
   */
  async function reasonToRenew(
    used: Held,
    error: ServiceError,
    isOptional: boolean,
    askElsewhere: WithToken<unknown>,
  ): Promise<unknown> {
    const isRejected = error.code === 'SERVICE_AUTH_REJECTED';
    // HTTP 401 or 403 may mean that the service lacks the endpoint; the code for an expired token never does.
    const isOfToken = isRejected && (!isOptional || error.serviceCode === TOKEN_EXPIRED_CODE);
    if (isOfToken && newTokensPauseMs() === 0) return error;
    // An endpoint counts as missing only if another one takes the token at this moment.
    const mayBeMissing = isOptional && (isRejected || error.code === 'SERVICE_REQUEST_REJECTED');
    const isDue = isOver(used.trusted ?? NO_WAIT, clock) && (isOfToken || used.hasWorked);
    const isOfUse = isDue && (canRenew(used) || saysEnded(error));
    return mayBeMissing || isOfUse ? refusalElsewhere(used, askElsewhere) : undefined;
  }

  /** Returns why a refused token is not renewed now: no {@link reasonToRenew}, or a wait. Undefined where it is. */
  function reasonToKeep(
    used: Held,
    error: ServiceError,
    reason: unknown,
  ): ServiceError | undefined {
    if (reason === undefined || !(canRenew(used) || saysEnded(reason)))
      return meaningOf(error, reason);
    const waitMs = newTokensPauseMs();
    // A token that worked does not wait for what new tokens are refused for.
    if (waitMs > 0 && !(used.hasWorked && mayBeOfToken(reason)))
      // Requests to other endpoints may work, so the error asks for no pause.
      return areCredentialsRefused(error) && mayBeOfToken(reason)
        ? blocked(waitMs, error, { remedy: issuer.remedy })
        : meaningOf(error, reason);
    const sinceMs = nowMs() - (used.tokens.receivedAtMs ?? -Infinity);
    if (!isOften() || sinceMs >= SHARED_PAUSE_MS) return undefined;
    const message = `${error.message}: somebody else ended the session; next log-in in ${durationWords(SHARED_PAUSE_MS - sinceMs)}`;
    const options = { cause: error, remedy: SECOND_ACCOUNT, isDoubtful: true };
    return new ServiceError('SERVICE_AUTH_REJECTED', message, options);
  }

  /** Delays the next renewal for an endpoint that refuses a new token, and returns the error for it. */
  async function newRefused(error: ServiceError, elsewhere: unknown): Promise<ServiceError> {
    const isOfAll = mayBeOfToken(elsewhere);
    const why = `a renewed token was refused: ${error.message}`;
    const refusal =
      isOfAll && areCredentialsRefused(error)
        ? reauthenticationRequired(why, { cause: error, remedy: issuer.remedy })
        : meaningOf(error, elsewhere);
    // Without this pause, an endpoint that refuses every token would cause one renewal per scrape.
    breaker = open('fresh-tokens', isOfAll ? refusal : lacking(error));
    await save();
    return refusal;
  }

  /**
   * Sends a request. If its token is refused, the token is renewed once and the request repeated once: at once where
   * the refusal is certainly about the token, else only where another endpoint refuses the token, too, or cannot tell.
   */
  async function withToken<T>(
    request: WithToken<T>,
    isOptional = false,
    askElsewhere: WithToken<unknown> = () => Promise.resolve(),
  ): Promise<T> {
    // Without a log-in, try a refused token again: the service may accept it now.
    if (held && !issuer.canLogIn && reasonToWait(breaker, clock) === undefined)
      held.isRefused = false;
    for (let isRepeated = false; ; isRepeated = true) {
      const used = await usable();
      try {
        const answer = await request(used.tokens.accessToken);
        await accepted(used, isRepeated);
        return answer;
      } catch (error) {
        if (!mayBeOfToken(error)) throw error;
        await renewing?.catch(() => undefined);
        // Another request may have renewed the token while this one was on its way.
        if (used !== held) continue;
        if (isRepeated) throw await newRefused(error, await refusalElsewhere(used, askElsewhere));
        const reason = await reasonToRenew(used, error, isOptional, askElsewhere);
        if (used !== held) continue;
        const toKeep = reasonToKeep(used, error, reason);
        if (toKeep !== undefined) throw toKeep;
        used.isRefused = saysEnded(reason);
        await renew().catch((failure: unknown) => {
          used.isRefused ||= areCredentialsRefused(failure);
          // A token is kept that may only be blocked on its way.
          throw used.isRefused ? failure : onTheWay(error);
        });
      }
    }
  }

  function status(): SessionStatus {
    const { tokens, hasWorked = false, isRefused = false } = held ?? {};
    const withTokens = tokens && canRefresh(tokens, nowMs()) ? 'refresh_token' : 'access_token';
    const withoutAccount = tokens === undefined ? 'none' : withTokens;
    const isUsable = hasWorked && !isRefused && leftMs(tokens) > 0;
    const isOfCredentials = isAboutCredentials(breaker);
    const waitMs = isOfCredentials ? pauseMs(breaker, clock) : 0;
    return {
      mode: issuer.canLogIn ? 'account' : withoutAccount,
      accessExpiresAtMs: tokens?.accessExpiresAtMs && leftMs(tokens) + clock.nowMs(),
      isReauthenticationRequired: isOfCredentials && !isUsable,
      isShared: isOften(),
      blockedUntilMs: waitMs > 0 ? clock.nowMs() + waitMs : undefined,
    };
  }

  return {
    withToken,
    status,
    authenticate: usable,
    renewBy: (next) => {
      issuer = next;
    },
    end: async () => {
      while (renewing !== undefined) await renewing.catch(() => undefined);
      hasEnded = true;
    },
  };
}
