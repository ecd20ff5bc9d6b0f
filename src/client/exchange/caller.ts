import { Calendars } from '../../base/calendars.ts';
import type { DropLog } from '../../base/drop-log.ts';
import type { Secret } from '../../base/secret.ts';
import { timeZoneOf } from '../../base/time-zone.ts';
import { type Call, type DataEndpointName, type EndpointName, ENDPOINTS } from '../endpoints.ts';
import { openEnvelope, type RequestTime } from './decode.ts';
import type { RequestBucket } from './request-bucket.ts';
import { addressOf, type Transport } from './transport.ts';

/** The addresses of the service. */
export interface ServiceAddresses {
  readonly baseUrl: string;
  /** Serves the two endpoints that issue tokens. */
  readonly authUrl: string;
  readonly paths: Readonly<Record<EndpointName, string>>;
}

/** Builds the URL of an endpoint; a base URL may have a path of its own, as behind a reverse proxy. */
export function endpointUrl(
  name: EndpointName,
  { baseUrl, authUrl, paths }: ServiceAddresses,
): URL {
  const base = name === 'login' || name === 'refresh' ? authUrl : baseUrl;
  return new URL(base.replace(/\/+$/, '') + paths[name]);
}

/** Gives requests a usable access token and replaces a token that is refused. */
export interface TokenSource {
  withToken<T>(request: (accessToken: Secret) => Promise<T>, isOptional?: boolean): Promise<T>;
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

export interface CallerOptions {
  readonly addresses: ServiceAddresses;
  readonly transport: Pick<Transport, 'send' | 'serviceClock'>;
  readonly session: TokenSource;
  readonly bucket: Pick<RequestBucket, 'check' | 'settle'>;
  /** The zone that the user configured. */
  readonly timeZone?: string | undefined;
  /** Takes up what limits leave out of the answers. */
  readonly drops: DropLog;
}

/** Makes the function that calls the data endpoints with the headers of interface 5.2. */
export function createCall({
  addresses,
  transport,
  session,
  bucket,
  timeZone,
  drops,
}: CallerOptions): Call {
  const { send, serviceClock } = transport;
  const calendars = new Calendars();
  const urls: Partial<Record<DataEndpointName, URL>> = {};

  async function call(
    name: DataEndpointName,
    build: (time: RequestTime) => RequestParameters,
    { stationTimeZone, isOptional = ENDPOINTS[name].isOptional }: CallOptions = {},
  ): Promise<unknown> {
    const { operation, method, decode } = ENDPOINTS[name];
    const zone = timeZoneOf({ configured: timeZone, station: stationTimeZone });
    // What waits for the rate must not wait, nor ask for a token, when nothing may be sent any more.
    bucket.check();
    return session.withToken(async (accessToken) => {
      // Here a repetition waits as well, and so do requests that waited for a token together.
      await bucket.settle();
      const time = {
        nowMs: serviceClock.nowMs(),
        calendar: calendars.of(zone),
        serviceAheadMs: serviceClock.aheadMs,
      };
      const { query, body = {} } = build(time);
      const endpoint = (urls[name] ??= endpointUrl(name, addresses));
      // To parse an address takes a while, and most requests are a POST without a query.
      const url = query === undefined ? endpoint : new URL(endpoint);
      for (const [key, value] of Object.entries(query ?? {})) url.searchParams.set(key, value);
      const headers = {
        'iot-token': accessToken.reveal(),
        'iot-time-zone': zone,
        accept: 'application/json',
        // Keeps the texts of the service in one language. Only the English words for modes are known.
        'accept-language': 'en',
        'content-type': 'application/json; charset=utf-8',
      };
      const sent = method === 'POST' ? JSON.stringify(body) : undefined;
      return send(operation, { url, headers, body: sent }, (payload) => {
        const path = addressOf(url);
        const { data } = openEnvelope(payload, path, true);
        const answer = { ...time, serviceAheadMs: serviceClock.aheadMs, path };
        return drops.reading(
          () => listName(operation, { ...query, ...body }),
          (noteDropped) => decode(data, { ...answer, noteDropped }),
        );
      });
    }, isOptional);
  }

  // The decoder of a name is that of its row.
  return call as Call;
}

/** Names a list in the log: what was asked, and about which station or device. */
function listName(operation: string, parameters: object): string {
  const { stationId, deviceId, page } = parameters as Readonly<Record<string, unknown>>;
  const subject = Object.entries({ station: stationId, device: deviceId, page })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} ${String(value)}`);
  return [operation, ...subject].join(', ');
}
