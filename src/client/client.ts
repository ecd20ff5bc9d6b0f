import { type ConcurrencyLimit, limitConcurrency } from '../base/concurrency.ts';
import { dropLog } from '../base/limits.ts';
import { SECOND_ACCOUNT } from '../base/remedies.ts';
import type { Logger } from '../base/log.ts';
import type { Runtime } from '../base/clock.ts';
import type { PastReading } from '../model/readings.ts';
import { type AlarmList, alarmList } from './alarms.ts';
import type { PastQuery, Retry } from './devices/past-series.ts';
import type { Learnt } from './devices/device-profile.ts';
import { type DeviceMemories, type DeviceReader, deviceReader } from './devices/device-reader.ts';
import { type DialectFile, rulesOf } from './dialects/dialect-file.ts';
import { RuleSet } from './dialects/interpret.ts';
import {
  type EnergiesByPeriod,
  stationEnergies,
  type Period,
  type StationEnergies,
} from './energy.ts';
import { RequestPace } from './exchange/pace.ts';
import { type ClientObserver, createTransport, type ServiceOptions } from './exchange/transport.ts';
import { createIssuer } from './session/auth.ts';
import {
  configuredTokensOf,
  type CredentialOptions,
  hiddenOf,
  signerOf,
} from './session/credentials.ts';
import {
  createSession,
  type Session,
  type SessionStorage,
  type TokenIssuer,
} from './session/session.ts';
import { settingsOf, type SettingsOfDevices } from './settings.ts';
import { type AccountLists, accountLists, type Listing, type Page } from './stations.ts';

export type { EnergiesByPeriod, Learnt, Listing, Page, PastQuery, Retry, Period };

/** The addresses of the service, the credentials, how devices are read, and the limits of requests. */
export interface ConnectionOptions extends CredentialOptions, ServiceOptions {
  /** The user's rules for field keys. */
  readonly dialect?: DialectFile | undefined;
  /** Whether readings have every number that a device sends; false when left out. */
  readonly collect?: { readonly fields: boolean } | undefined;
  /** Adds the most requests per second, on average; absent for no limit. */
  readonly request: ServiceOptions['request'] & { readonly ratePerSecond?: number | undefined };
}

/** What a new connection takes over. */
export interface ConnectionState {
  /** The session of the previous connection, with the same credentials; a new one begins when left out. */
  readonly session?: Session | undefined;
  /** Keeps the session; it is kept in memory only when left out. */
  readonly storage?: SessionStorage | undefined;
  /** Issues the tokens in place of the service, so that nothing logs in or refreshes. */
  readonly issuer?: TokenIssuer | undefined;
  /** How devices are read, as learnt by the same rules; nothing is known when left out. */
  readonly memories?: DeviceMemories | undefined;
  /** The pace of the previous connection, which gets the rate of this one; a new one when left out. */
  readonly pace?: RequestPace | undefined;
}

/**
 * The questions that the service answers, in our types and units. Every function renews the token when needed, and
 * rejects with a `ServiceError`. The time zone of a station is used where the user configured none.
 */
export interface ServiceApi
  extends
    AccountLists,
    StationEnergies,
    SettingsOfDevices,
    Omit<DeviceReader, 'past' | 'memories'> {
  /** Returns the time of the service, as far as its answers have shown it. */
  serviceNowMs(): number;
  /** Gets a usable token if there is none (endpoints 1 and 2). */
  authenticate(): Promise<unknown>;
  /** @param retry - sends each request; it may wait and send it again when it fails. */
  fetchPastReadings(query: PastQuery, retry: Retry): AsyncGenerator<Iterable<PastReading>>;
  /** Fetches the alarms that fire now on all devices (service.md#alarms), unless the last list is younger than this. */
  listAlarms(ttlMs: number): Promise<AlarmList>;
}

export interface Connection {
  readonly api: ServiceApi;
  readonly session: Session;
  /** Whether the service is the simulated one; false before its first answer. */
  readonly isSimulated: () => boolean;
  /** What was learnt about reading devices, for the next connection. */
  readonly memories: DeviceMemories;
  /** Closes all sockets; requests in flight fail. */
  readonly close: () => Promise<void>;
}

/**
 * Creates the client. Sends nothing yet.
 *
 * @throws ConfigError when the encrypted application secret does not fit the application id, or when the
 * dialect file is invalid.
 */
export function connect(
  options: ConnectionOptions,
  runtime: Runtime,
  observer: ClientObserver,
  log: Logger,
  state: ConnectionState = {},
): Connection {
  const { clock, random } = runtime;
  const { storage, memories, pace = new RequestPace(clock) } = state;
  const { dialect, request, collect } = options;
  const noteDropped = dropLog(log, (reason, count) => observer.dropped(reason, count));
  const told = { ...options, hidden: hiddenOf(options) };
  const transport = createTransport(told, pace, clock, observer, noteDropped);
  const issuer = state.issuer ?? createIssuer(options, transport, runtime, observer, log);
  const noteReplaced = (isOftenNow: boolean): void => {
    observer.sessionReplaced();
    if (isOftenNow)
      log.warn(
        { remedy: SECOND_ACCOUNT },
        'the service ends our sessions long before their end: from now on, one log-in in five minutes at most',
      );
  };
  const tokens = configuredTokensOf(options);
  const session = state.session ?? createSession(issuer, runtime, tokens, storage, noteReplaced);
  session.renewBy(issuer);
  const rules = new RuleSet(dialect === undefined ? [] : rulesOf(dialect));
  const { serviceClock } = transport;
  const call = transport.callWith(session);
  const reader = deviceReader({
    call,
    rules,
    serviceClock,
    clock,
    random,
    log,
    memories,
    noteDropped,
    isEveryKeyWanted: collect?.fields === true,
  });
  const { fetchReadings, learnDialect, past, firingAlarms } = reader;
  pace.limit(request.ratePerSecond);

  /** Each function takes a slot while it runs; log-ins and refreshes do not wait for one. */
  const questions = {
    ...accountLists(call, noteDropped, log),
    ...stationEnergies(call, log),
    ...settingsOf(call, clock),
    listAlarms: alarmList(call, clock, log),
    fetchReadings,
    learnDialect,
  };
  const limit = limitConcurrency(request.concurrency);
  const api: ServiceApi = {
    firingAlarms,
    ...withLimit(questions, limit),
    serviceNowMs: () => serviceClock.nowMs(),
    authenticate: () => session.authenticate(),
    fetchPastReadings(query, retry) {
      return past(query, (request) => retry(() => limit(request)));
    },
  };
  return {
    api,
    session,
    isSimulated: () => transport.isSimulated(),
    memories: reader.memories,
    close: () => transport.close(),
  };
}

/** Makes each of these functions wait for the limit. */
function withLimit<T extends Readonly<Record<string, (...given: never[]) => Promise<unknown>>>>(
  questions: T,
  limit: ConcurrencyLimit,
): T {
  const limited = Object.entries(questions).map(([name, ask]) => [
    name,
    (...given: never[]) => limit(() => Reflect.apply(ask, undefined, given)),
  ]);
  return Object.fromEntries(limited) as T;
}

/**
 * Checks the options without connecting.
 *
 * @throws ConfigError when {@link connect} would throw it.
 */
export function validateConnection(options: ConnectionOptions): void {
  signerOf(options);
  if (options.dialect !== undefined) rulesOf(options.dialect);
}
