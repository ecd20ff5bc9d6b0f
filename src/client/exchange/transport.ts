import { Agent, type Dispatcher, EnvHttpProxyAgent, request } from 'undici';
import { type Clock, startTimer } from '../../base/clock.ts';
import type { DropReason, NoteDropped } from '../../base/limits.ts';
import {
  ConfigError,
  outcomeOf,
  ServiceError,
  type ServiceErrorCode,
  type ServiceErrorOptions,
} from '../../base/errors.ts';
import { isPlausibleTime } from '../../base/instant.ts';
import type { Secret } from '../../base/shown.ts';
import { type EndpointName, operationOf } from '../../base/service-names.ts';
import { calendarOf, FALLBACK_TIME_ZONE, zoneNameOf } from '../../base/time-zone.ts';
import { turn } from '../../base/turns.ts';
import { VERSION } from '../../base/version.ts';
import type { Call, CallOptions, RequestParameters } from '../call.ts';
import { type Answers, type DataEndpointName, ENDPOINTS } from '../endpoints.ts';
import { readBody } from './body.ts';
import { anyObject, parse, type RequestTime } from './decode.ts';
import { type Envelope, openEnvelope } from './envelope.ts';
import { parseJson, UnreadableError } from './json.ts';
import type { RequestPace } from './pace.ts';
import { askedPauseMs, LONGEST_OUTAGE_PAUSE_MS } from './retry.ts';
import { ServiceClock } from './service-clock.ts';

const MAX_CONNECT_MS = 10_000;
/** This header is trusted: another service that sends it only has its own values marked as simulated. */
const SIMULATED_HEADER = 'x-simulated-service';

/** The headers of every request. They ask for English texts, because only the English words for modes are known. */
const HEADERS = {
  accept: 'application/json',
  'accept-encoding': 'identity',
  'accept-language': 'en',
  'content-type': 'application/json; charset=utf-8',
};

export type Outcome = 'ok' | ServiceErrorCode | 'UNEXPECTED';

export type RenewalMethod = 'refresh' | 'login';

/** Is notified of every request and every renewal of the token, to count them. */
export interface ClientObserver {
  requestEnded(operation: string, outcome: Outcome, durationSeconds: number): void;
  renewalEnded(method: RenewalMethod, outcome: Outcome): void;
  /** Is called when a new token has replaced one that the service refused long before its end. */
  sessionReplaced(): void;
  /** Is called when a limit left something out. */
  dropped(reason: DropReason, count: number): void;
}

/** The user's options for the addresses of the service and for requests. */
export interface ServiceOptions {
  readonly baseUrl: string;
  /** Serves the two endpoints that issue tokens. */
  readonly authUrl: string;
  readonly paths: Readonly<Record<EndpointName, string>>;
  readonly timeZone?: string | undefined;
  readonly request: {
    /** The longest time from the first byte sent to the last byte received. */
    readonly timeoutMs: number;
    /** How many requests for data are in flight at once, at most; the stations share them. */
    readonly concurrency: number;
    /** The `User-Agent` of requests; this program and its version when left out. */
    readonly userAgent?: string | undefined;
    /** Whether the proxy of the environment is ignored, because the demo asks itself. */
    readonly isDirect?: boolean | undefined;
  };
}

/** A request to an endpoint, and the decoder of its answer. */
export interface ServiceRequest<T> {
  readonly headers: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>> | undefined;
  /** Sent with a POST only, and unchanged, because a signature may cover it. */
  readonly body: string;
  /** @param path - host and path of the endpoint, for error messages. */
  readonly decode: (envelope: Envelope, path: string) => T;
}

export type WithToken<T> = (accessToken: Secret) => Promise<T>;

/** Gives requests a usable access token and replaces a token that is refused. */
export interface TokenSource {
  /** @param askElsewhere - asks another endpoint, to see whether it accepts a token that this one refused. */
  withToken<T>(
    request: WithToken<T>,
    isOptional?: boolean,
    askElsewhere?: WithToken<unknown>,
  ): Promise<T>;
}

/** Sends all requests, for data and for tokens. */
export interface Transport {
  /**
   * Sends a request as soon as the rate allows it, and counts it. Rejects with a {@link ServiceError} unless the answer
   * is 2xx, JSON, successful and decodable.
   */
  send<T>(name: EndpointName, prepare: () => ServiceRequest<T>): Promise<T>;
  /** Returns the function that calls the data endpoints with their headers (service.md#headers). */
  callWith(session: TokenSource): Call<Answers>;
  readonly serviceClock: ServiceClock;
  /** Whether any answer said that it comes from the simulated service. */
  isSimulated(): boolean;
  close(): Promise<void>;
}

/**
 * Creates the transport of an account. Only this file uses the HTTP library.
 *
 * @param hidden - what must not be shown, even if the service repeats it in a message.
 */
export function createTransport(
  { hidden, ...options }: ServiceOptions & { readonly hidden: readonly string[] },
  pace: RequestPace,
  clock: Clock,
  observer: ClientObserver,
  noteDropped: NoteDropped,
): Transport {
  const { timeoutMs, userAgent = `solar-exporter/${VERSION}` } = options.request;
  const [baseUrl, authUrl] = [new URL(options.baseUrl), new URL(options.authUrl)];
  const dispatcher = dispatcherOf(options.request);
  const serviceClock = new ServiceClock(clock);
  let isSimulated = false;

  /** Returns the JSON of an answer, and translates every failure. */
  async function receive(
    sent: Omit<Dispatcher.RequestOptions, 'origin' | 'path'>,
    name: EndpointName,
    address: string,
  ): Promise<unknown> {
    try {
      const { statusCode, headers, body } = await request(address, { ...sent, dispatcher });
      isSimulated ||= SIMULATED_HEADER in headers;
      const dateMs = Date.parse(String(headers['date']));
      const read = (): Promise<string> => readBody(body, String(headers['content-encoding']));
      if (statusCode >= 300) {
        let isForeign = false;
        // The status says enough, so the body is discarded; a long body costs its connection.
        if (!OF_TOKENS.has(statusCode)) await body.dump();
        else isForeign = NO_JSON.test(await read().catch(() => ''));
        // A date in Retry-After is by the clock of the Date header.
        const nowMs = isPlausibleTime(dateMs) ? dateMs : clock.nowMs();
        throw statusError(
          statusCode,
          { name, address, isForeign },
          askedPauseMs(headers['retry-after'], nowMs),
        );
      }
      const text = await read();
      if (PAGE.test(text)) throw blocked(`${address}: a web page in place of an answer`);
      // Many answers may arrive together: let other work run between them.
      if (turn.isOver()) await turn.next();
      const payload = parseJson(text);
      // A cache repeats the date at which it stored the answer.
      if (isPlausibleTime(dateMs) && headers['age'] === undefined) serviceClock.observe(dateMs);
      return payload;
    } catch (error) {
      throw translated(error, address);
    }
  }

  async function send<T>(name: EndpointName, prepare: () => ServiceRequest<T>): Promise<T> {
    await pace.spend();
    const { headers, query = {}, body, decode } = prepare();
    const { method } = ENDPOINTS[name];
    const asked = name === 'login' || name === 'refresh' ? name : 'data';
    const { origin, pathname } = asked === 'data' ? baseUrl : authUrl;
    // A base URL may have a path of its own, as behind a reverse proxy.
    const address = origin + pathname.replace(/\/$/, '') + options.paths[name];
    const whole = new AbortController();
    const stopTimer = startTimer(timeoutMs, () => whole.abort());
    const startedAtMs = clock.monotonicMs();
    let outcome: Outcome = 'ok';
    try {
      const sent = {
        method,
        query,
        headers: { ...HEADERS, 'user-agent': userAgent, ...headers },
        body: method === 'POST' ? body : null,
        signal: whole.signal,
      };
      const payload = await receive(sent, name, address);
      const envelope = openEnvelope(payload, address, asked, hidden);
      return decode(envelope, address);
    } catch (error) {
      outcome = outcomeOf(error);
      throw error;
    } finally {
      stopTimer();
      const seconds = (clock.monotonicMs() - startedAtMs) / 1000;
      observer.requestEnded(operationOf(name), outcome, seconds);
    }
  }

  function callWith(session: TokenSource): Call<Answers> {
    const call = async (
      name: DataEndpointName,
      build: (time: RequestTime) => RequestParameters,
      { stationTimeZone, isOptional = ENDPOINTS[name].isOptional }: CallOptions = {},
    ): Promise<unknown> => {
      const { decode } = ENDPOINTS[name];
      const zone = options.timeZone ?? stationTimeZone ?? FALLBACK_TIME_ZONE;
      const calendar = calendarOf(zone);
      const headersWith = (accessToken: Secret) => ({
        'iot-token': accessToken.reveal(),
        'iot-time-zone': zoneNameOf(zone),
      });
      const prepare = (accessToken: Secret): ServiceRequest<unknown> => {
        const time = {
          nowMs: serviceClock.nowMs(),
          serviceAheadMs: serviceClock.aheadMs,
          calendar,
        };
        const { query, body = {} } = build(time);
        return {
          headers: headersWith(accessToken),
          query,
          body: JSON.stringify(body),
          decode: ({ data }, path) =>
            decode(data, {
              ...time,
              path,
              serviceAheadMs: serviceClock.aheadMs,
              noteDropped: (dropped) => noteDropped('points', dropped, path),
            }),
        };
      };
      const askElsewhere = (token: Secret): Promise<unknown> =>
        send(name === 'stations' ? 'devices' : 'stations', () => ({
          headers: headersWith(token),
          body: SHORTEST_PAGE,
          decode: refuseNothing,
        }));
      const ask = (token: Secret): Promise<unknown> => send(name, () => prepare(token));
      return session.withToken(ask, isOptional, askElsewhere);
    };
    // Each name is decoded by its own row, which the compiler cannot see.
    return call as Call<Answers>;
  }

  const close = (): Promise<void> => dispatcher.destroy();
  return { send, callWith, serviceClock, isSimulated: () => isSimulated, close };
}

/**
 * Returns the dispatcher, which uses a proxy where HTTPS_PROXY, HTTP_PROXY and NO_PROXY say so.
 *
 * @throws ConfigError when the address of a proxy is invalid.
 */
function dispatcherOf(options: ServiceOptions['request']): Dispatcher {
  const { timeoutMs, concurrency, isDirect } = options;
  const connecting = {
    // One connection for each concurrent request, and one for a log-in, which does not wait for them. Without a limit
    // there would be twice as many, because a connection is not free yet when the next request follows its answer.
    connections: concurrency + 1,
    connect: { timeout: Math.min(MAX_CONNECT_MS, timeoutMs) },
    // One timer limits the whole request: these would not stop a service that sends a byte now and then.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  if (isDirect === true) return new Agent(connecting);
  try {
    // Most proxies open a tunnel to the port of https alone.
    return new EnvHttpProxyAgent({ ...connecting, proxyTunnel: false });
  } catch (error) {
    // The address may hold a password.
    const problem =
      'HTTPS_PROXY, HTTP_PROXY: not the address of a proxy; accepted: http://HOST:PORT or https://HOST:PORT';
    throw new ConfigError([problem], { cause: error });
  }
}

/** Rejects an answer without data, because the service may refuse a token that way. */
function refuseNothing({ data }: Envelope, path: string): void {
  parse(anyObject, data, { path });
}

/** The body that asks a list for its shortest page. */
const SHORTEST_PAGE = JSON.stringify({ page: 1, count: 1 });

const PAGE = /^\s*</;
/** Matches a body that does not come from the service, which sends JSON, or nothing. */
const NO_JSON = /^\s*[^\s{[]/;
/** The statuses for a refused token; 419, 440 and 498 are specific to some frameworks. */
const OF_TOKENS: ReadonlySet<number> = new Set([401, 403, 419, 440, 498]);
/** The statuses of a proxy that wants a log-in, of a legal block, and of a network that wants a log-in. */
const OF_THE_WAY: ReadonlySet<number> = new Set([407, 451, 511]);

/** Returns the error for an answer that seems to come from a proxy or firewall. An ended token may look the same. */
function blocked(message: string, options?: ServiceErrorOptions): ServiceError {
  return new ServiceError('SERVICE_BLOCKED', message, { ...options, isDoubtful: true });
}

/** What to do about a redirect: none is followed, because it could lead away with the token. */
const REDIRECTED =
  'this address leads elsewhere: check whether --base-url needs https:// in place of http://, and whether this network wants a log-in in a browser';

/** Returns the error for the HTTP status of an unsuccessful answer. */
function statusError(
  status: number,
  of: { readonly name: EndpointName; readonly address: string; readonly isForeign: boolean },
  pauseMs: number | undefined,
): ServiceError {
  const isLong = pauseMs !== undefined && pauseMs > LONGEST_OUTAGE_PAUSE_MS;
  const asked = isLong ? `, and asks for a pause of ${Math.round(pauseMs / 1000)} s` : '';
  const message = `${of.address}: HTTP ${status}${asked && `${asked}; it is asked again in 15 minutes`}`;
  const retryAfterMs = isLong ? LONGEST_OUTAGE_PAUSE_MS : pauseMs;
  // HTTP 401 for data means that the token was refused, whatever page comes with it.
  const isOfData = of.name !== 'login' && of.name !== 'refresh';
  if (OF_THE_WAY.has(status) || (of.isForeign && !(isOfData && status === 401)))
    return blocked(message, { retryAfterMs });
  if (OF_TOKENS.has(status)) {
    const isDoubtful = status === 403 && of.name !== 'refresh';
    return new ServiceError('SERVICE_AUTH_REJECTED', message, { retryAfterMs, isDoubtful });
  }
  if (status === 429) return new ServiceError('SERVICE_RATE_LIMITED', message, { retryAfterMs });
  const code = status >= 500 ? 'SERVICE_SERVER_ERROR' : 'SERVICE_REQUEST_REJECTED';
  // A redirect may lead to a log-in page, and 400 may mean that the token has ended.
  const isMissing = status === 404 || status === 501;
  return new ServiceError(code, message, {
    retryAfterMs,
    remedy: status < 400 ? REDIRECTED : undefined,
    isMissing,
    isDoubtful: status < 500 && !isMissing,
  });
}

type Failure = readonly [code: ServiceErrorCode, reason: unknown];

const LATE: Failure = ['SERVICE_TIMEOUT', 'no complete answer in time'];
/** The meaning of errors, by their name or their code. */
const FAILURES = new Map<unknown, Failure>([
  ['AbortError', LATE],
  ['UND_ERR_CONNECT_TIMEOUT', LATE],
  // Some parser errors have no code.
  ['HTTPParserError', ['SERVICE_UNREACHABLE', 'the answer is not HTTP']],
]);

/** Translates a failure into a ServiceError. Returns a bug unchanged, because its stack must reach the log. */
function translated(error: unknown, path: string): unknown {
  if (error instanceof ServiceError || !(error instanceof Error)) return error;
  if (error instanceof UnreadableError) {
    // Text that is not JSON may be a log-in page; an answer that is too long is not.
    const isDoubtful = error.cause instanceof SyntaxError;
    const message = `${path}: ${error.message}`;
    return new ServiceError('SERVICE_PAYLOAD_INVALID', message, { cause: error, isDoubtful });
  }
  // The library reports this in its message only.
  const [, ofProxy] = /^Proxy .*\((\d{3})\)/.exec(error.message) ?? [];
  if (ofProxy !== undefined)
    return blocked(`${path}: the proxy answered HTTP ${ofProxy}`, { cause: error });
  // Errors of sockets, DNS and TLS have a code: ECONNREFUSED, UND_ERR_….
  const other: Failure = ['SERVICE_UNREACHABLE', 'code' in error ? error.code : undefined];
  const [code, reason] = FAILURES.get(error.name) ?? FAILURES.get(other[1]) ?? other;
  if (typeof reason !== 'string') return error;
  return new ServiceError(code, `${path}: ${reason}`, { cause: error });
}
