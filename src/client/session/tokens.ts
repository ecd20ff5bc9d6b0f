import { z } from 'zod';
import { ServiceError } from '../../base/errors.ts';
import { isPlausibleTime } from '../../base/instant.ts';
import { Secret } from '../../base/shown.ts';
import * as wire from '../exchange/decode.ts';
import type { Envelope } from '../exchange/envelope.ts';

const MINUTE_MS = 60_000;
/** A token is renewed this long before it expires (service.md#session). */
export const RENEWAL_LEAD_MS = 5 * MINUTE_MS;
/** How long a token without an expiry is used after a renewal. */
const ASSUMED_LIFETIME_MS = 60 * MINUTE_MS;
/** An access token that claims to live longer has a wrong expiry. */
const LONGEST_LIFETIME_MS = 30 * 24 * 60 * MINUTE_MS;
/** A longer header is refused by most servers, ours included. */
const LONGEST_TOKEN = 16_000;

const secret = z.codec(z.string().min(1), z.instanceof(Secret), {
  decode: (written) => new Secret(written),
  encode: (token) => token.reveal(),
});
const instant = z.number().refine(isPlausibleTime);

/** What a login or a refresh answers with (service.md#tokens). Its times are by the clock of the service. */
export const tokensSchema = z.object({
  accessToken: secret,
  refreshToken: secret.optional(),
  /** When the access token expires; absent when unknown. */
  accessExpiresAtMs: instant.optional(),
  refreshExpiresAtMs: instant.optional(),
  /** When the set arrived here; absent for tokens from the configuration. */
  receivedAtMs: instant.optional(),
  /** The body of a refresh that the service accepted (service.md#tokens): the specified one is the first. */
  refreshForm: z.enum(['refresh-token', 'signed-pair']).optional(),
  /** Whether a refresh brought the set, not a log-in. */
  isRefreshed: z.boolean().optional(),
});

export type TokenSet = z.output<typeof tokensSchema>;

/** A token set as the service has just issued it. */
export type IssuedTokens = TokenSet & { readonly hasImplausibleExpiry: boolean };

const token = wire.optional(wire.trimmed.min(1).transform((value) => new Secret(value)));

/**
 * Reads a token set from `data` or from the top level of an answer (service.md#envelope, #tokens).
 *
 * @param nowMs - when it arrived, by the clock of the service.
 * @throws ServiceError `SERVICE_AUTH_REJECTED` when there is no access token in it that can be sent.
 */
export function decodeTokens(envelope: Envelope, path: string, nowMs: number): IssuedTokens {
  const read = wire.readerOf({ ...envelope, ...wire.anyObject.safeParse(envelope.data).data });
  const accessToken = read(token, 'accessToken', 'iotToken', 'token');
  if (accessToken === undefined || !canBeSent(accessToken)) {
    const which = accessToken === undefined ? '' : ' that can be sent';
    const message = `${path}: the answer holds no access token${which}`;
    throw new ServiceError('SERVICE_AUTH_REJECTED', message, { isDoubtful: true });
  }
  let hasImplausibleExpiry = false;
  const expiryOf = (of: 'access' | 'refresh', longestMs: number): number | undefined => {
    const lifetimeMs = read(wire.quantity, `${of}TokenWillExpiredInMillis`);
    const atMs = read(wire.instant, `${of}TokenWillExpiredAt`, `${of}TokenExpiredAt`);
    // The lifetime comes first: it starts when the token arrives and needs no clock.
    const stated = [lifetimeMs && nowMs + lifetimeMs, atMs].filter((ms) => ms !== undefined);
    // An expiry in the past or too far ahead comes from a wrong clock or a wrong calculation (service.md#tokens).
    const right = stated.filter(
      (ms) => isPlausibleTime(ms) && ms > nowMs && ms - nowMs <= longestMs,
    );
    hasImplausibleExpiry ||= right.length < stated.length;
    return right[0];
  };
  return {
    accessToken,
    refreshToken: read(token, 'refreshToken'),
    accessExpiresAtMs: expiryOf('access', LONGEST_LIFETIME_MS),
    refreshExpiresAtMs: expiryOf('refresh', Infinity),
    receivedAtMs: nowMs,
    hasImplausibleExpiry,
  };
}

/** Returns when the access token has to be renewed (service.md#session). */
export function renewAtMs(tokens: TokenSet): number {
  const { accessExpiresAtMs, receivedAtMs = -Infinity, refreshToken } = tokens;
  // The specification says "renew". Without an assumed lifetime, such a token would be renewed at every call.
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

/** Whether a token can be sent in an HTTP header. */
export function canBeSent(accessToken: Secret): boolean {
  const text = accessToken.reveal();
  return text.length <= LONGEST_TOKEN && /^[\x20-\x7e]+$/.test(text);
}
