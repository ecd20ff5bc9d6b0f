import type { Logger } from '../log.ts';
import type { Surroundings } from '../surroundings.ts';
import type { ServiceApi } from './api.ts';
import { limitConcurrency } from './concurrency-limit.ts';
import { AuthApi } from './auth-api.ts';
import { type DataUrls, ServiceClient } from './client.ts';
import { accountOf, appIdentityOf, type CredentialOptions, givenTokensOf } from './credentials.ts';
import { DataCaller } from './data-caller.ts';
import { type DialectFile, rulesOf } from './dialects/dialect-file.ts';
import { RuleBook } from './dialects/rule-book.ts';
import type { ClientObserver } from './observer.ts';
import type { SavedSession, SessionKeeper } from './saved-session.ts';
import { createSendRequest } from './send-request.ts';
import { ServiceClock } from './service-clock.ts';
import { Session } from './session.ts';
import type { SessionStatus } from './session-status.ts';
import { createTransport } from './transport.ts';

/** Where the service is, who asks, and how patiently. */
export interface ConnectionOptions extends CredentialOptions {
  readonly baseUrl: string;
  readonly paths: Readonly<Record<'login' | 'refresh' | keyof DataUrls, string>>;
  readonly timeZone?: string | undefined;
  /** The user's own rules for field keys. */
  readonly dialect?: DialectFile | undefined;
  readonly request: { readonly timeoutMs: number; readonly concurrency: number };
}

export interface Connection {
  readonly api: ServiceApi;
  readonly sessionStatus: () => SessionStatus;
  /** Lets another connection go on with the session; resolves to all that it has to know. */
  handOver(): Promise<SavedSession>;
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
  keeper?: SessionKeeper,
): Connection {
  const nowMs = (): number => clock.nowMs();
  const { concurrency, timeoutMs } = options.request;
  const transport = createTransport({ timeoutMs, concurrency, nowMs });
  const serviceClock = new ServiceClock(clock);
  const send = createSendRequest({ transport, observer, nowMs, serviceClock });
  const limit = limitConcurrency(concurrency);
  const auth = new AuthApi({
    loginUrl: at(options.authUrl, options.paths.login),
    refreshUrl: at(options.authUrl, options.paths.refresh),
    account: accountOf(options),
    app: appIdentityOf(options),
    send,
    nowMs,
    serviceClock,
    newNonce,
  });
  const session = new Session({
    auth,
    givenTokens: givenTokensOf(options),
    keeper,
    clock,
    random,
    observer,
    log,
  });
  const urls = urlsOf(options);
  const { timeZone, dialect } = options;
  const caller = new DataCaller({ session, send, limit, timeZone, serviceClock });
  const book = new RuleBook(dialect === undefined ? [] : rulesOf(dialect));
  return {
    api: new ServiceClient({ urls, session, caller, serviceClock, book, clock, random, log }),
    sessionStatus: () => session.status(),
    handOver: () => session.handOver(),
    close: () => transport.close(),
  };
}

/**
 * Finds out whether {@link connect} would throw.
 *
 * @throws ConfigError when it would.
 */
export function validateConnection(options: ConnectionOptions): void {
  appIdentityOf(options);
  if (options.dialect !== undefined) rulesOf(options.dialect);
}

function urlsOf({ baseUrl, paths }: ConnectionOptions): DataUrls {
  const urls = Object.entries(paths).map(([name, path]) => [name, at(baseUrl, path)] as const);
  return Object.fromEntries(urls) as unknown as DataUrls;
}

/** A base URL may have a path of its own, behind a reverse proxy for example. */
function at(baseUrl: string, path: string): URL {
  return new URL(baseUrl.replace(/\/+$/, '') + path);
}
