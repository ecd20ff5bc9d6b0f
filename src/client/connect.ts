import type { Logger } from '../base/log.ts';
import type { Runtime } from '../base/runtime.ts';
import type { ServiceApi } from './api.ts';
import { createParts, type ServiceOptions } from './client-parts.ts';
import { rulesOf } from './dialects/dialect-file.ts';
import { endpointUrls } from './endpoints.ts';
import type { Allowance, BudgetStatus } from './exchange/request-budget.ts';
import type { ClientObserver } from './exchange/send-request.ts';
import type { SpentRequests } from './exchange/spent-requests.ts';
import { AuthApi } from './session/auth-api.ts';
import {
  accountOf,
  appIdentityOf,
  configuredTokensOf,
  type CredentialOptions,
} from './session/credentials.ts';
import { FollowedSession, type FollowedSessionOptions } from './session/followed-session.ts';
import { Session } from './session/session.ts';
import type { SavedState, SessionStorage } from './session/session-state.ts';
import type { SessionStatus } from './session/session-status.ts';

/** The addresses of the service, the credentials, and the limits of requests. */
export interface ConnectionOptions extends ServiceOptions, CredentialOptions {}

export interface Connection {
  readonly api: ServiceApi;
  readonly sessionStatus: () => SessionStatus;
  /** Whether the service is the simulated one; false before its first answer. */
  readonly isSimulated: () => boolean;
  /** How often the service may be asked; undefined where nothing limits it. */
  readonly allowance: () => Allowance | undefined;
  /** What is left of the requests of the day; undefined without a budget. */
  readonly budgetStatus: () => BudgetStatus | undefined;
  /** Lets another connection go on with the session; resolves to the state that it needs. */
  handOver(): Promise<SavedState>;
  /** Closes all sockets; requests in flight fail. */
  close(): Promise<void>;
}

/** A connection as far as a command needs it, whosever session it uses. */
export type ApiConnection = Pick<Connection, 'api' | 'close'>;

/**
 * Creates the client. Sends nothing yet.
 *
 * @param spent - the requests of the account that are counted already; begins at 0 when left out.
 * @throws ConfigError when the encrypted application secret does not fit the application id, or when the
 * dialect file is invalid.
 */
export function connect(
  options: ConnectionOptions,
  runtime: Runtime,
  observer: ClientObserver,
  log: Logger,
  storage?: SessionStorage,
  spent?: SpentRequests,
): Connection {
  const { clock, random, newNonce } = runtime;
  const { transport, serviceClock, send, apiWith, allowance } = createParts(
    options,
    runtime,
    observer,
    log,
    spent,
  );
  const urls = endpointUrls(options);
  const auth = new AuthApi({
    loginUrl: urls.login,
    refreshUrl: urls.refresh,
    account: accountOf(options),
    app: appIdentityOf(options),
    send,
    nowMs: () => clock.nowMs(),
    serviceClock,
    newNonce,
  });
  const session = new Session({
    auth,
    configuredTokens: configuredTokensOf(options),
    storage,
    clock,
    random,
    observer,
    log,
  });
  return {
    api: apiWith(session),
    sessionStatus: () => session.status(),
    isSimulated: () => transport.isSimulated,
    allowance,
    budgetStatus: () => allowance()?.budget,
    handOver: () => session.handOver(),
    close: () => transport.close(),
  };
}

/**
 * Creates a client that never logs in and never refreshes, because it uses the session of a running exporter.
 * Sends nothing yet.
 *
 * @param file - the session file of that exporter.
 * @param onWait - is called at the beginning of every wait for a token that works.
 * @throws ConfigError when the dialect file is invalid.
 */
export function connectBeside(
  options: ConnectionOptions,
  runtime: Runtime,
  observer: ClientObserver,
  log: Logger,
  { file, onWait }: Pick<FollowedSessionOptions, 'file' | 'onWait'>,
  spent?: SpentRequests,
): ApiConnection {
  const { transport, apiWith } = createParts(options, runtime, observer, log, spent);
  const { clock } = runtime;
  const configuredTokens = configuredTokensOf(options);
  const session = new FollowedSession({ file, configuredTokens, clock, onWait });
  return { api: apiWith(session), close: () => transport.close() };
}

/**
 * Checks the options without connecting.
 *
 * @throws ConfigError when {@link connect} would throw it.
 */
export function validateConnection(options: ConnectionOptions): void {
  appIdentityOf(options);
  if (options.dialect !== undefined) rulesOf(options.dialect);
}
