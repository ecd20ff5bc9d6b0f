import type { Logger } from '../log.ts';
import type { Secret } from '../secret.ts';
import type { Surroundings } from '../surroundings.ts';
import type { ServiceApi } from './api.ts';
import { recoverAppSecret } from './app-secret.ts';
import { limitConcurrency } from './concurrency-limit.ts';
import { AuthApi } from './auth-api.ts';
import type { Account, AppIdentity } from './auth-requests.ts';
import { type DataUrls, ServiceClient } from './client.ts';
import { DataCaller } from './data-caller.ts';
import { type DialectFile, rulesOf } from './dialects/dialect-file.ts';
import { RuleBook } from './dialects/rule-book.ts';
import type { ClientObserver } from './observer.ts';
import { createSendRequest } from './send-request.ts';
import { ServiceClock } from './service-clock.ts';
import { Session, type SessionStatus } from './session.ts';
import type { TokenSet } from './tokens.ts';
import { createTransport } from './transport.ts';

/** Where the service is, who asks, and how patiently. */
export interface ConnectionOptions {
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly paths: Readonly<Record<'login' | 'refresh' | keyof DataUrls, string>>;
  readonly account?: string | undefined;
  readonly password?: Secret | undefined;
  readonly appId?: string | undefined;
  readonly appSecret?: Secret | undefined;
  readonly appSecretEncrypted?: Secret | undefined;
  readonly accessToken?: Secret | undefined;
  readonly refreshToken?: Secret | undefined;
  readonly timeZone?: string | undefined;
  /** The user's own rules for field keys. */
  readonly dialect?: DialectFile | undefined;
  readonly request: { readonly timeoutMs: number; readonly concurrency: number };
}

export interface Connection {
  readonly api: ServiceApi;
  readonly sessionStatus: () => SessionStatus;
  /** Drops all connections; requests under way fail. */
  close(): Promise<void>;
}

/**
 * Composes the client from its parts. Sends nothing yet.
 *
 * @throws ConfigError when the encrypted application secret does not fit the application id, or the
 * dialect file cannot be used.
 */
export function connect(
  options: ConnectionOptions,
  { clock, random, newNonce }: Surroundings,
  observer: ClientObserver,
  log: Logger,
): Connection {
  const nowMs = (): number => clock.nowMs();
  const { concurrency, timeoutMs } = options.request;
  const transport = createTransport({ timeoutMs, concurrency, nowMs });
  const serviceClock = new ServiceClock(clock);
  const send = createSendRequest({ transport, observer, nowMs, serviceClock });
  const limit = limitConcurrency(concurrency);
  const account = accountOf(options);
  const auth = new AuthApi({
    loginUrl: at(options.authUrl, options.paths.login),
    refreshUrl: at(options.authUrl, options.paths.refresh),
    account,
    app: appIdentityOf(options),
    send,
    nowMs,
    serviceClock,
    newNonce,
  });
  // The modes' order is interface 5.3's: with an account, tokens from the configuration are not used.
  const givenTokens = account === undefined ? givenTokensOf(options) : undefined;
  const session = new Session({ auth, givenTokens, clock, random, observer, log });
  const urls = urlsOf(options);
  const { timeZone, dialect } = options;
  const caller = new DataCaller({ session, send, limit, timeZone, serviceClock });
  const book = new RuleBook(dialect === undefined ? [] : rulesOf(dialect));
  return {
    api: new ServiceClient({ urls, session, caller, serviceClock, book, clock, random, log }),
    sessionStatus: () => session.status(),
    close: () => transport.close(),
  };
}

function urlsOf({ baseUrl, paths }: ConnectionOptions): DataUrls {
  const urls = Object.entries(paths).map(([name, path]) => [name, at(baseUrl, path)] as const);
  return Object.fromEntries(urls) as unknown as DataUrls;
}

/** A base URL may have a path of its own, behind a reverse proxy for example. */
function at(baseUrl: string, path: string): URL {
  return new URL(baseUrl.replace(/\/+$/, '') + path);
}

function accountOf({ account, password }: ConnectionOptions): Account | undefined {
  return account === undefined || password === undefined ? undefined : { account, password };
}

function appIdentityOf(options: ConnectionOptions): AppIdentity | undefined {
  const { appId, appSecret, appSecretEncrypted } = options;
  if (appId === undefined) return undefined;
  if (appSecret !== undefined) return { appId, appSecret };
  if (appSecretEncrypted === undefined) return undefined;
  return { appId, appSecret: recoverAppSecret(appSecretEncrypted, appId) };
}

function givenTokensOf({ accessToken, refreshToken }: ConnectionOptions): TokenSet | undefined {
  return accessToken === undefined ? undefined : { accessToken, refreshToken };
}
