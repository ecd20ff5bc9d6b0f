import { DropLog } from '../base/drop-log.ts';
import type { Logger } from '../base/log.ts';
import type { Runtime } from '../base/runtime.ts';
import type { ServiceApi } from './api.ts';
import { limitConcurrency } from '../base/concurrency.ts';
import { AuthApi } from './session/auth-api.ts';
import { ServiceClient } from './client.ts';
import { endpointUrls, type EndpointPaths } from './endpoints.ts';
import {
  accountOf,
  appIdentityOf,
  configuredTokensOf,
  type CredentialOptions,
} from './session/credentials.ts';
import { DataCaller } from './exchange/data-caller.ts';
import { type DialectFile, rulesOf } from './dialects/dialect-file.ts';
import { RuleSet } from './dialects/rule-set.ts';
import {
  type ClientObserver,
  createSendRequest,
  type SendRequest,
} from './exchange/send-request.ts';
import { type Allowance, type BudgetStatus, RequestBudget } from './exchange/request-budget.ts';
import { paceRequests } from './exchange/request-pace.ts';
import { ServiceClock } from './exchange/service-clock.ts';
import { SpentRequests } from './exchange/spent-requests.ts';
import { FollowedSession, type FollowedSessionOptions } from './session/followed-session.ts';
import { Session } from './session/session.ts';
import type { SavedState, SessionStorage } from './session/session-state.ts';
import type { SessionStatus } from './session/session-status.ts';
import { createTransport, type Transport } from './exchange/transport.ts';

/** The addresses of the service, the credentials, and the limits of requests. */
export interface ConnectionOptions extends CredentialOptions {
  readonly baseUrl: string;
  readonly paths: EndpointPaths;
  readonly timeZone?: string | undefined;
  /** The user's rules for field keys. */
  readonly dialect?: DialectFile | undefined;
  readonly request: {
    readonly timeoutMs: number;
    readonly concurrency: number;
    /** How many data requests are sent per second at most; absent for any number. */
    readonly ratePerSecond?: number | undefined;
    /** How many requests of any kind are sent per day at most; absent for any number. */
    readonly dailyBudget?: number | undefined;
  };
}

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

/** The parts of a client that do not depend on whose session it uses. */
interface ClientParts {
  readonly transport: Transport;
  readonly serviceClock: ServiceClock;
  /** Sends all requests, for data and for tokens alike. */
  readonly send: SendRequest;
  /** Creates what asks for data, with the tokens of a session. */
  readonly apiWith: (session: Session | FollowedSession) => ServiceApi;
  readonly allowance: Connection['allowance'];
}

function createParts(
  options: ConnectionOptions,
  { clock, random }: Runtime,
  observer: ClientObserver,
  log: Logger,
  spent = new SpentRequests({ clock, log }),
): ClientParts {
  const { timeZone, dialect } = options;
  const { concurrency, timeoutMs, ratePerSecond, dailyBudget } = options.request;
  const nowMs = (): number => clock.nowMs();
  const transport = createTransport({ timeoutMs, concurrency, nowMs });
  const serviceClock = new ServiceClock(clock, log);
  const budget =
    dailyBudget === undefined
      ? undefined
      : new RequestBudget({ dailyRequests: dailyBudget, spent, clock, log });
  const spend = async (): Promise<void> => {
    if (budget === undefined) await spent.spend();
    else await budget.spend();
  };
  const send = createSendRequest({ transport, observer, nowMs, serviceClock, spend });
  const limit = limitConcurrency(concurrency);
  const pace = ratePerSecond === undefined ? undefined : paceRequests(ratePerSecond, clock);
  const urls = endpointUrls(options);
  const drops = new DropLog(log, (reason, count) => observer.dropped(reason, count));
  const rules = new RuleSet(dialect === undefined ? [] : rulesOf(dialect));
  const apiWith = (session: Session | FollowedSession): ServiceApi => {
    const caller = new DataCaller({
      urls,
      session,
      send,
      limit,
      pace,
      budget,
      timeZone,
      serviceClock,
      drops,
    });
    return new ServiceClient({ session, caller, serviceClock, rules, clock, random, log });
  };
  const isLimited = budget !== undefined || ratePerSecond !== undefined;
  const allowance = (): Allowance | undefined =>
    isLimited ? { ratePerSecond, budget: budget?.status(), sentRequests: spent.sent } : undefined;
  return { transport, serviceClock, send, apiWith, allowance };
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
