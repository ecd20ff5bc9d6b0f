import { createHash, createHmac } from 'node:crypto';
import { z } from 'zod';
import { isRefusal, outcomeOf, ServiceError } from '../../base/errors.ts';
import { isBelievable } from '../../base/instant.ts';
import type { Logger } from '../../base/log.ts';
import type { Runtime } from '../../base/runtime.ts';
import { Secret } from '../../base/secret.ts';
import { anyObject, type Envelope, parseTimestamp } from '../exchange/decode.ts';
import { isBudgetUsedUp } from '../exchange/request-bucket.ts';
import { isRetryable } from '../exchange/retry.ts';
import type { ClientObserver, Outcome, RenewalMethod, Transport } from '../exchange/transport.ts';
import {
  accountOf,
  type AppIdentity,
  appIdentityOf,
  type CredentialOptions,
} from './credentials.ts';
import {
  canRefresh,
  isTokenRefused,
  reauthenticationRequired,
  type TokenIssuer,
  type TokenSet,
} from './session.ts';

/** An access token that claims to live longer has a wrong expiry. */
const LONGEST_LIFETIME_MS = 30 * 24 * 3_600_000;
const IMPLAUSIBLE =
  'the service states an implausible token expiry, which is not used; is the clock of this machine right?';

export interface IssuerOptions extends Pick<Runtime, 'clock' | 'newNonce'> {
  readonly credentials: CredentialOptions;
  readonly transport: Pick<Transport, 'send' | 'serviceClock'>;
  readonly observer: Pick<ClientObserver, 'renewalEnded'>;
  readonly log: Logger;
}

/**
 * Returns what asks the two endpoints that issue tokens (interface 4, endpoints 1 and 2), and says how that went.
 *
 * @throws ConfigError when the encrypted application secret does not fit the application id.
 */
export function createIssuer(options: IssuerOptions): TokenIssuer {
  const { credentials, transport, clock, newNonce, observer, log } = options;
  const { account, password } = credentials;
  const app = appIdentityOf(credentials);
  const canLogIn = accountOf(credentials) !== undefined && app !== undefined;
  let loggedFailure: Outcome | undefined;
  let hasLoggedExpiry = false;

  function ask(method: RenewalMethod, fields: object, signer?: AppIdentity): Promise<TokenSet> {
    const body = JSON.stringify(fields);
    const headers = signer === undefined ? {} : signatureOf(body, signer, newNonce());
    return transport.send(method, () => ({
      headers,
      body,
      decode: (envelope, path) => {
        const { aheadMs } = transport.serviceClock;
        const tokens = decodeTokens(envelope, path, clock.nowMs(), aheadMs);
        // Such a service repeats it at every renewal.
        if (tokens.hasImplausibleExpiry && !hasLoggedExpiry) log.warn({ method }, IMPLAUSIBLE);
        hasLoggedExpiry ||= tokens.hasImplausibleExpiry;
        return tokens;
      },
    }));
  }

  /** Sends the body of the interface and, where that is refused, the signed pair (field notes 1.1). */
  async function refresh(
    held: TokenSet,
    isPair = held.refreshForm === 'signed-pair',
  ): Promise<TokenSet> {
    const refreshForm = isPair ? ('signed-pair' as const) : ('refresh-token' as const);
    const accessToken = isPair ? held.accessToken.reveal() : undefined;
    const fields = { accessToken, refreshToken: held.refreshToken?.reveal() };
    try {
      const renewed = await ask('refresh', fields, isPair ? app : undefined);
      return { ...renewed, refreshToken: renewed.refreshToken ?? held.refreshToken, refreshForm };
    } catch (error) {
      // A service that expects the pair may also call the shorter body a bad request.
      const mayWantPair = isTokenRefused(error) || isRefusal(error);
      if (!mayWantPair || isPair || held.refreshForm !== undefined || !app) throw error;
      return refresh(held, true);
    }
  }

  async function logIn(held: TokenSet | undefined): Promise<TokenSet> {
    const fields = { account, password: password && hashOf('md5', password.reveal()) };
    return { ...(await ask('login', fields, app)), refreshForm: held?.refreshForm };
  }

  /** Counts and logs how a request for tokens ends. It logs a fault that lasts only once. */
  async function watch(method: RenewalMethod, request: Promise<TokenSet>): Promise<TokenSet> {
    try {
      const tokens = await request;
      observer.renewalEnded(method, 'ok');
      log.info({ method }, 'session renewed');
      loggedFailure = undefined;
      return tokens;
    } catch (error) {
      // Nothing was sent.
      if (isBudgetUsedUp(error)) throw error;
      const code = outcomeOf(error);
      observer.renewalEnded(method, code);
      // An outage tries again every minute; a line for each attempt would flood the log.
      if (loggedFailure !== code) log.warn({ method, err: error }, 'session not renewed');
      loggedFailure = code;
      throw error;
    }
  }

  /** Refreshes, else logs in, in the order of interface 5.3. */
  async function renew(held: TokenSet | undefined): Promise<TokenSet> {
    try {
      // Where nothing else can be had, a refresh token that has expired is tried as well: our clock may have been
      // wrong when it came.
      if (held?.refreshToken && (canRefresh(held, clock.nowMs()) || !canLogIn))
        return await watch('refresh', refresh(held)).catch((error: unknown) => {
          // A wrong path says nothing about the token. Logging in may still work, where there is an account.
          if (!canLogIn || !(error instanceof ServiceError) || isRetryable(error.code)) throw error;
          return watch('login', logIn(held));
        });
      if (canLogIn) return await watch('login', logIn(held));
    } catch (error) {
      throw isRefused(error) ? reauthenticationRequired(error.message, { cause: error }) : error;
    }
    throw reauthenticationRequired('the access token is refused and cannot be renewed');
  }

  return { canLogIn, renew };
}

/** Whether the service understood the request and refused it: the token, the pair or the password. */
function isRefused(error: unknown): error is ServiceError {
  return isTokenRefused(error) || outcomeOf(error) === 'SERVICE_API_REFUSED';
}

/** Signs a body as interface 5.1 prescribes: sorted pairs, Base64, HMAC-SHA256, MD5 hex of the raw digest. */
function signatureOf(body: string, { appId, appSecret }: AppIdentity, nonce: string) {
  const bodyHash = hashOf('sha256', body);
  const signed = `IOT-Open-AppID=${appId}&IOT-Open-Body-Hash=${bodyHash}&IOT-Open-Nonce=${nonce}`;
  const encoded = Buffer.from(signed).toString('base64');
  return {
    'IOT-Open-AppID': appId,
    'IOT-Open-Body-Hash': bodyHash,
    'IOT-Open-Nonce': nonce,
    'IOT-Open-Sign': hashOf(
      'md5',
      createHmac('sha256', appSecret.reveal()).update(encoded).digest(),
    ),
  };
}

/** Hashes a password or a body as lowercase hex (interface 4, endpoint 1, and 5.1). */
function hashOf(algorithm: 'md5' | 'sha256', hashed: string | Buffer): string {
  return createHash(algorithm).update(hashed).digest('hex');
}

const trimmed = z.string().trim();
const token = trimmed.min(1).transform((value) => new Secret(value));
/** Milliseconds as a number or as digits (field notes 2.1). */
const milliseconds = z.union([z.number(), trimmed.regex(/^-?\d+(\.\d+)?$/).transform(Number)]);
/** ISO 8601, or epoch milliseconds as a number or as digits. */
const instant = z.union([milliseconds, z.string().transform(parseTimestamp)]);

/**
 * Reads a token set from `data` or from the top level of an answer (interface 2.1, 2.2; field notes 2.1).
 *
 * @param nowMs - when it arrived, by our clock.
 * @param aheadMs - how far the service's clock, by which it states the expiry, is ahead of ours.
 * @throws ServiceError `SERVICE_AUTH_REJECTED` when there is no access token in it (interface 7).
 */
export function decodeTokens(
  envelope: Envelope,
  path: string,
  nowMs: number,
  aheadMs = 0,
): TokenSet & { readonly hasImplausibleExpiry: boolean } {
  for (const candidate of [envelope.data, envelope]) {
    const fields = anyObject.safeParse(candidate).data ?? {};
    /** Reads the first of these fields that can be read. */
    const read = <T>(schema: z.ZodType<T>, ...names: readonly string[]): T | undefined =>
      names.map((name) => schema.safeParse(fields[name]).data).find((value) => value !== undefined);
    const accessToken = read(token, 'accessToken', 'iotToken', 'token');
    if (accessToken === undefined) continue;
    let hasImplausibleExpiry = false;
    const expiryOf = (of: 'access' | 'refresh', longestMs: number): number | undefined => {
      const lifetimeMs = read(milliseconds, `${of}TokenWillExpiredInMillis`);
      const atMs = read(instant, `${of}TokenWillExpiredAt`, `${of}TokenExpiredAt`);
      // The lifetime comes first: it starts when the token arrives and needs no other clock.
      const stated = [lifetimeMs && nowMs + lifetimeMs, atMs && atMs - aheadMs];
      // What has passed on arrival or lies too far ahead comes from a wrong clock or wrong arithmetic (field notes 4.2).
      const isRight = (ms: number) => isBelievable(ms) && ms > nowMs && ms - nowMs <= longestMs;
      hasImplausibleExpiry ||= stated.some((ms) => ms !== undefined && !isRight(ms));
      return stated.find((ms) => ms !== undefined && isRight(ms));
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
  throw new ServiceError('SERVICE_AUTH_REJECTED', `${path}: the answer holds no access token`);
}
