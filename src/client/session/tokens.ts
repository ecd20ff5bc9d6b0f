import { z } from 'zod';
import { ServiceError } from '../../base/errors.ts';
import { isBelievable } from '../../base/instant.ts';
import { Secret } from '../../base/secret.ts';
import { type Envelope, parseTimestamp } from '../exchange/decode.ts';

/** A token is renewed this long before it expires (interface 5.3). */
const RENEWAL_LEAD_MS = 300_000;
/** How long a token without an expiry is used after a renewal. */
const ASSUMED_LIFETIME_MS = 3_600_000;
/** An access token that claims to live longer has a wrong expiry. */
const LONGEST_LIFETIME_MS = 30 * 24 * 3_600_000;
/** When the stated expiry and the stated lifetime differ by more, they contradict each other. */
const TOLERANCE_MS = 300_000;

/** The two bodies of a refresh that services are known to accept (field notes 1.1); the interface has the first. */
export const REFRESH_FORMS = ['refresh-token', 'signed-pair'] as const;
export type RefreshForm = (typeof REFRESH_FORMS)[number];

/** What a login or a refresh answers with (interface 2.2). */
export interface TokenSet {
  readonly accessToken: Secret;
  readonly refreshToken?: Secret | undefined;
  /** When the access token expires; absent when unknown. */
  readonly accessExpiresAtMs?: number | undefined;
  readonly refreshExpiresAtMs?: number | undefined;
  /** When the set arrived here; absent for tokens from the configuration. */
  readonly receivedAtMs?: number | undefined;
  /** The body that the service accepted; absent until it has accepted one. */
  readonly refreshForm?: RefreshForm | undefined;
  /** Whether the service stated an expiry that cannot be right. */
  readonly hasImplausibleExpiry?: boolean | undefined;
}

const text = z.string().trim().min(1).optional().catch(undefined);
const digits = z
  .string()
  .trim()
  .regex(/^-?\d+(\.\d+)?$/)
  .transform(Number);
/** Reads ISO 8601, or epoch milliseconds as a number or as digits; anything else is absent. */
const instant = z
  .union([z.number(), digits, z.string().transform(parseTimestamp)])
  .optional()
  .catch(undefined);
/** Reads milliseconds as a number or as digits (field notes 2.1); anything else is absent. */
const lifetime = z.union([z.number(), digits]).optional().catch(undefined);

const fieldsSchema = z.object({
  accessToken: text,
  iotToken: text,
  token: text,
  refreshToken: text,
  accessTokenWillExpiredAt: instant,
  accessTokenExpiredAt: instant,
  refreshTokenWillExpiredAt: instant,
  refreshTokenExpiredAt: instant,
  accessTokenWillExpiredInMillis: lifetime,
  refreshTokenWillExpiredInMillis: lifetime,
});

/**
 * Reads a token set from `data` or from the top level of an answer (interface 2.1, 2.2; field notes 2.1).
 *
 * @param nowMs - when it arrived, by our clock.
 * @param aheadMs - how far the service's clock, by which it states the expiry, is ahead of ours.
 * @throws ServiceError `SERVICE_AUTH_REJECTED` when there is no access token in it (interface 7).
 */
export function decodeTokens(
  { data, topLevel }: Envelope,
  path: string,
  nowMs: number,
  aheadMs = 0,
): TokenSet {
  for (const candidate of [data, topLevel]) {
    const fields = fieldsSchema.safeParse(candidate).data;
    const accessToken = fields?.accessToken ?? fields?.iotToken ?? fields?.token;
    if (fields === undefined || accessToken === undefined) continue;
    const expiryOf = (token: 'access' | 'refresh', longestMs: number) => {
      const atMs = fields[`${token}TokenWillExpiredAt`] ?? fields[`${token}TokenExpiredAt`];
      const lifetimeMs = fields[`${token}TokenWillExpiredInMillis`];
      return believedExpiry(atMs && atMs - aheadMs, lifetimeMs, nowMs, longestMs);
    };
    const access = expiryOf('access', LONGEST_LIFETIME_MS);
    const refresh = expiryOf('refresh', Infinity);
    return {
      accessToken: new Secret(accessToken),
      refreshToken: fields.refreshToken === undefined ? undefined : new Secret(fields.refreshToken),
      accessExpiresAtMs: access.expiresAtMs,
      refreshExpiresAtMs: refresh.expiresAtMs,
      receivedAtMs: nowMs,
      hasImplausibleExpiry: access.isImplausible || refresh.isImplausible,
    };
  }
  throw new ServiceError('SERVICE_AUTH_REJECTED', `${path}: the answer holds no access token`);
}

/** Whether the access token needs renewing before the next data call (interface 5.3). */
export function needsRenewal(tokens: TokenSet, nowMs: number): boolean {
  const { accessExpiresAtMs, receivedAtMs, refreshToken } = tokens;
  if (accessExpiresAtMs !== undefined) return nowMs >= accessExpiresAtMs - leadMs(tokens);
  if (refreshToken === undefined) return false;
  // The interface says "renew". A service that never states an expiry would be asked at every call.
  return receivedAtMs === undefined || nowMs >= receivedAtMs + ASSUMED_LIFETIME_MS;
}

/** Whether the set has a refresh token that is not known to have expired. */
export function canRefresh({ refreshToken, refreshExpiresAtMs }: TokenSet, nowMs: number): boolean {
  return refreshToken !== undefined && nowMs < (refreshExpiresAtMs ?? Infinity);
}

/** Whether the access token is not known to have expired. */
export function isUnexpired({ accessExpiresAtMs }: TokenSet, nowMs: number): boolean {
  return accessExpiresAtMs === undefined || nowMs < accessExpiresAtMs;
}

/** Returns half the life of a token that lives no longer than the lead: it would be renewed at every call. */
function leadMs({ accessExpiresAtMs = 0, receivedAtMs }: TokenSet): number {
  if (receivedAtMs === undefined) return RENEWAL_LEAD_MS;
  const lifetimeMs = accessExpiresAtMs - receivedAtMs;
  return lifetimeMs > RENEWAL_LEAD_MS ? RENEWAL_LEAD_MS : lifetimeMs / 2;
}

/**
 * Decides when a token expires. The service states an instant, a lifetime, or both. An instant that has
 * passed on arrival, lies further ahead than `longestMs`, or is outside of all that a clock can show, comes
 * from a wrong clock or wrong arithmetic and is not used (field notes 4.2).
 *
 * @param nowMs - when the token arrived.
 */
function believedExpiry(
  statedAtMs: number | undefined,
  lifetimeMs: number | undefined,
  nowMs: number,
  longestMs: number,
): { readonly expiresAtMs: number | undefined; readonly isImplausible: boolean } {
  const stated = [statedAtMs, lifetimeMs === undefined ? undefined : nowMs + lifetimeMs];
  const [instantMs, afterLifetimeMs] = stated.map((atMs = NaN) =>
    isBelievable(atMs) && atMs > nowMs && atMs - nowMs <= longestMs ? atMs : undefined,
  );
  // Where they disagree, our clock is wrong: the lifetime starts when the token arrives and needs no other clock.
  const isAgreed = Math.abs((instantMs ?? NaN) - (afterLifetimeMs ?? NaN)) <= TOLERANCE_MS;
  return {
    expiresAtMs: isAgreed ? instantMs : (afterLifetimeMs ?? instantMs),
    isImplausible:
      (statedAtMs !== undefined && instantMs === undefined) ||
      (lifetimeMs !== undefined && afterLifetimeMs === undefined),
  };
}
