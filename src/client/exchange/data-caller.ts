import type { DataEndpoint, EndpointUrls, Operation } from '../endpoints.ts';
import type { RequestTime } from './decode.ts';
import type { DropLog } from '../../base/drop-log.ts';
import type { Secret } from '../../base/secret.ts';
import { openEnvelope } from './envelope.ts';
import type { RequestBudget } from './request-budget.ts';
import type { RequestPace } from './request-pace.ts';
import type { SendRequest } from './send-request.ts';
import { addressOf } from './transport.ts';
import type { ServiceClock } from './service-clock.ts';
import { Calendars } from '../../base/calendars.ts';
import { timeZoneOf } from '../../base/time-zone.ts';

/** Gives requests a usable access token and replaces a token that is refused. */
export interface TokenSource {
  withToken<T>(request: (accessToken: Secret) => Promise<T>, isOptional?: boolean): Promise<T>;
}

export interface DataCallerOptions {
  readonly urls: EndpointUrls;
  readonly session: TokenSource;
  readonly send: SendRequest;
  /** Spaces the requests; absent when they are sent as they come. */
  readonly pace?: RequestPace | undefined;
  /** Refuses calls when the requests of the day are used up; absent without a budget. */
  readonly budget?: Pick<RequestBudget, 'check'> | undefined;
  /** The zone that the user configured. */
  readonly timeZone?: string | undefined;
  readonly serviceClock: ServiceClock;
  /** Takes up what limits leave out of the answers. */
  readonly drops: DropLog;
}

/** The parts of a request that differ from call to call. */
export interface RequestParameters {
  readonly query?: Readonly<Record<string, string>>;
  /** Sent with a POST only; an empty object when left out. */
  readonly body?: object;
}

export interface CallOptions {
  /** The station's own zone, where known. */
  readonly stationTimeZone?: string | undefined;
  /** Overrides the table: an endpoint that has answered once is not optional any more. */
  readonly isOptional?: boolean;
}

/** Calls the data endpoints with the headers of interface 5.2: one session, one envelope. */
export class DataCaller {
  readonly #options: DataCallerOptions;
  readonly #calendars = new Calendars();
  /** For error messages, by operation. */
  readonly #addresses: Readonly<Record<Operation, string>>;

  constructor(options: DataCallerOptions) {
    this.#options = options;
    const addresses = Object.entries(options.urls).map(([name, url]) => [name, addressOf(url)]);
    this.#addresses = Object.fromEntries(addresses) as Record<Operation, string>;
  }

  /** Takes up what limits leave out of lists of several answers. */
  get drops(): DropLog {
    return this.#options.drops;
  }

  /**
   * Sends one request and decodes its answer.
   *
   * @param build - is called right before the request is sent, and again when it is repeated.
   */
  async call<T>(
    { operation, method, decode, ...endpoint }: DataEndpoint<T>,
    build: (time: RequestTime) => RequestParameters,
    { stationTimeZone, isOptional = endpoint.isOptional }: CallOptions = {},
  ): Promise<T> {
    const { urls, session, send, pace, budget, timeZone, serviceClock, drops } = this.#options;
    const zone = timeZoneOf({ configured: timeZone, station: stationTimeZone });
    // What waits for the pace must not wait, nor ask for a token, when nothing may be sent any more.
    budget?.check();
    return session.withToken(async (accessToken) => {
      // Here a repetition waits as well, and so do requests that waited for a token together.
      if (pace !== undefined) await pace();
      const time = {
        nowMs: serviceClock.nowMs(),
        calendar: this.#calendars.of(zone),
        serviceAheadMs: serviceClock.aheadMs,
      };
      const { query = {}, body = {} } = build(time);
      const url = withQuery(urls[operation], query);
      const headers = {
        'iot-token': accessToken.reveal(),
        'iot-time-zone': zone,
        accept: 'application/json',
        // Keeps the texts of the service in one language. Only the English words for modes are known.
        'accept-language': 'en',
        'content-type': 'application/json; charset=utf-8',
      };
      const sentBody = method === 'POST' ? JSON.stringify(body) : undefined;
      return send(operation, { url, headers, body: sentBody }, (payload) => {
        const address = this.#addresses[operation];
        const { data } = openEnvelope(payload, address, true);
        const answeredAt = { ...time, serviceAheadMs: serviceClock.aheadMs };
        return drops.reading(
          () => listName(operation, { ...query, ...body }),
          (noteDropped) => decode(data, address, answeredAt, noteDropped),
        );
      });
    }, isOptional);
  }
}

function withQuery(endpoint: URL, query: Readonly<Record<string, string>>): URL {
  const parameters = Object.entries(query);
  // Most requests are a POST without any.
  if (parameters.length === 0) return endpoint;
  const url = new URL(endpoint);
  for (const [name, value] of parameters) url.searchParams.set(name, value);
  return url;
}

/** Names a list in the log: what was asked, and about which station or device. */
function listName(operation: string, parameters: object): string {
  const { stationId, deviceId, page } = parameters as Readonly<Record<string, unknown>>;
  const subject = Object.entries({ station: stationId, device: deviceId, page })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} ${String(value)}`);
  return [operation, ...subject].join(', ');
}
