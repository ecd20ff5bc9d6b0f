import { z } from 'zod';
import { ServiceError } from '../errors.ts';
import { Secret } from '../secret.ts';
import type { Envelope } from './envelope.ts';
import { instantSchema, judgeExpiry, lifetimeSchema } from './token-expiry.ts';

/** The interface's lead (5.3): a token is renewed this long before it expires. */
const RENEWAL_LEAD_MS = 300_000;
/** How long a token without an expiry is used before it is renewed, once it came from a renewal. */
const ASSUMED_LIFETIME_MS = 3_600_000;
/** Beyond this, an access token's expiry is a mistake of the service and not a promise. */
const LONGEST_LIFETIME_MS = 30 * 24 * 3_600_000;

/** What a login or a refresh answers with (interface 2.2). */
export interface TokenSet {
  readonly accessToken: Secret;
  readonly refreshToken?: Secret | undefined;
  /** When the access token expires; absent when unknown. */
  readonly accessExpiresAtMs?: number | undefined;
  readonly refreshExpiresAtMs?: number | undefined;
  /** When the set arrived here; absent for tokens from the configuration. */
  readonly receivedAtMs?: number | undefined;
  /** Whether the service named an expiry that is not believed. */
  readonly hasImplausibleExpiry?: boolean | undefined;
}

const text = z.string().trim().min(1);

const tokenFieldsSchema = z.object({
  accessToken: text.optional().catch(undefined),
  iotToken: text.optional().catch(undefined),
  token: text.optional().catch(undefined),
  refreshToken: text.optional().catch(undefined),
  accessTokenWillExpiredAt: instantSchema,
  accessTokenExpiredAt: instantSchema,
  refreshTokenWillExpiredAt: instantSchema,
  refreshTokenExpiredAt: instantSchema,
  accessTokenWillExpiredInMillis: lifetimeSchema,
  refreshTokenWillExpiredInMillis: lifetimeSchema,
});

/**
 * Reads a token set from `data` or from the top level of an answer (interface 2.1, 2.2; field notes 2.1).
 *
 * @param nowMs - when it arrived, by our clock.
 * @param aheadMs - how far the service's clock, which names the expiry, is ahead of ours.
 * @throws ServiceError `SERVICE_AUTH_REJECTED` when there is no access token in it (interface 7).
 */
export function decodeTokens(
  { data, topLevel }: Envelope,
  path: string,
  nowMs: number,
  aheadMs = 0,
): TokenSet {
  const byOurClock = (atMs: number | undefined): number | undefined =>
    atMs === undefined ? undefined : atMs - aheadMs;
  for (const candidate of [data, topLevel]) {
    const result = tokenFieldsSchema.safeParse(candidate);
    if (!result.success) continue;
    const fields = result.data;
    const accessToken = fields.accessToken ?? fields.iotToken ?? fields.token;
    if (accessToken === undefined) continue;
    const access = judgeExpiry(
      {
        expiresAtMs: byOurClock(fields.accessTokenWillExpiredAt ?? fields.accessTokenExpiredAt),
        lifetimeMs: fields.accessTokenWillExpiredInMillis,
      },
      nowMs,
      LONGEST_LIFETIME_MS,
    );
    const refresh = judgeExpiry(
      {
        expiresAtMs: byOurClock(fields.refreshTokenWillExpiredAt ?? fields.refreshTokenExpiredAt),
        lifetimeMs: fields.refreshTokenWillExpiredInMillis,
      },
      nowMs,
      Infinity,
    );
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
  // The rule says "renew"; but when renewing brings no expiry either, it would be at every call.
  return receivedAtMs === undefined || nowMs >= receivedAtMs + ASSUMED_LIFETIME_MS;
}

/** Whether the set can be exchanged for a new one, as far as anyone knows. */
export function canRefresh({ refreshToken, refreshExpiresAtMs }: TokenSet, nowMs: number): boolean {
  return refreshToken !== undefined && nowMs < (refreshExpiresAtMs ?? Infinity);
}

/** Whether the access token may still be used, as far as anyone knows. */
export function isUnexpired({ accessExpiresAtMs }: TokenSet, nowMs: number): boolean {
  return accessExpiresAtMs === undefined || nowMs < accessExpiresAtMs;
}

/** A token that lives no longer than the lead itself would be renewed at every call: half its life then. */
function leadMs({ accessExpiresAtMs = 0, receivedAtMs }: TokenSet): number {
  if (receivedAtMs === undefined) return RENEWAL_LEAD_MS;
  const lifetimeMs = accessExpiresAtMs - receivedAtMs;
  return lifetimeMs > RENEWAL_LEAD_MS ? RENEWAL_LEAD_MS : lifetimeMs / 2;
}
