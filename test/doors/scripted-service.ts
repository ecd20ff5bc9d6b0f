import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/base/clock.ts';
import { MINUTE_MS } from '../support/durations.ts';
import { SERVICE_PATHS } from '../support/service-paths.ts';

/** The environment of an exporter that logs in, in place of one with a token. */
export const ACCOUNT = {
  SOLAR_ACCESS_TOKEN: '',
  SOLAR_ACCOUNT: 'made-up@example.org',
  SOLAR_PASSWORD: 'made-up-password',
  SOLAR_APP_ID: 'made-up-app-id',
  SOLAR_APP_SECRET: 'made-up-app-secret',
};

export const NOW = '2026-08-24T08:00:00Z';
/** The newest reading, four minutes before now. */
export const MEASURED_AT = '2026-08-24T07:56:00.000Z';

export const STATION_ID = '100000000000000003';
export const DEVICE_ID = '100000000000000001';

/** The specified keys, all of them, with a value each. */
export const CLASSIC = {
  pvInputPower: 1200,
  acOutputActivePower: 0.85,
  batteryDischargeCurrent: 0,
  batteryChargingCurrent: 5,
  batteryVoltage: 52,
  feedInPower: 0,
  batterySOC: 93,
};

export type EndpointName = keyof typeof SERVICE_PATHS;

/** One request as it arrived. */
export interface PortalRequest {
  readonly endpoint: EndpointName;
  readonly method: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
  /** The time of the service when it arrived. */
  readonly atMs: number;
}

/** `data` of a success envelope, an envelope of its own, raw text, a status, bytes of its own, or none at all. */
export type PortalAnswer =
  | { readonly data: unknown }
  | { readonly envelope: object }
  | { readonly text: string }
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly text?: string;
    }
  | { readonly raw: (response: ServerResponse) => void }
  /** The connection stays open and nothing comes, or it is closed without an answer. */
  | 'silence'
  | 'hang up';

/** What an endpoint answers, always or by request; a promise holds the request until it settles. */
export type Scripted =
  PortalAnswer | ((request: PortalRequest) => PortalAnswer | Promise<PortalAnswer>);
export type Script = Partial<Record<EndpointName, Scripted | undefined>>;

const DEVICE = {
  id: DEVICE_ID,
  name: 'Garage inverter',
  serialNumber: 'SN0001',
  model: 'M1',
  stationTimezone: 'Europe/Kyiv',
  isOnline: true,
  lastDataAt: MEASURED_AT,
};

/** A device record with these fields of its own. */
export function deviceList(...records: readonly object[]): PortalAnswer {
  const list = records.map((record) => ({ ...DEVICE, ...record }));
  return { data: { page: 1, count: 50, total: list.length, list } };
}

/** Stations of these ids. */
export function stationList(...ids: readonly string[]): PortalAnswer {
  return { data: { total: ids.length, list: ids.map((id) => ({ id, name: `Home ${id}` })) } };
}

/** A time series of one frame, or of several, newest last. */
export function history(
  fields: Readonly<Record<string, unknown>>,
  timeSeries: readonly string[] = [MEASURED_AT],
): PortalAnswer {
  const arrays = Object.entries(fields).map(([key, value]) => [
    key,
    Array.isArray(value) ? (value as unknown[]) : [value],
  ]);
  return {
    data: { payload: { timeSeries, fields: Object.fromEntries(arrays) as object, formatters: {} } },
  };
}

/** The usual time series of a device that measures every so often: what exists within the times asked for. */
export function liveHistory(
  fieldsAt: (atMs: number) => Readonly<Record<string, unknown>> = () => CLASSIC,
  {
    everyMs = 5 * MINUTE_MS,
    lagMs = 0,
  }: { readonly everyMs?: number; readonly lagMs?: number } = {},
): (request: PortalRequest) => PortalAnswer {
  return ({ body, atMs }) => {
    const fromMs = Date.parse(String(body['fromTime']));
    const toMs = Math.min(Date.parse(String(body['toTime'])), atMs - lagMs);
    const times: number[] = [];
    for (let at = Math.ceil(fromMs / everyMs) * everyMs; at <= toMs; at += everyMs) times.push(at);
    const keys = body['keys'] as readonly string[];
    const frames = times.map((at) => fieldsAt(at));
    const known = keys.filter((key) => frames.some((frame) => key in frame));
    const fields = known.map((key) => [key, frames.map((frame) => frame[key] ?? null)] as const);
    return history(
      Object.fromEntries(fields),
      times.map((at) => new Date(at).toISOString()),
    );
  };
}

/** Keys with value and unit. */
export type TaggedFields = Readonly<Record<string, readonly [value: unknown, unit: string]>>;

/** A latest state of keys with value and unit. */
export function latest(fields: TaggedFields, more: object = {}): PortalAnswer {
  return { data: { time: MEASURED_AT, fields: tagged(fields), firingAlarms: [], ...more } };
}

/** An energy flow whose nodes show these keys. */
export function flow(fields: TaggedFields): PortalAnswer {
  const [first, ...others] = Object.values<unknown>(tagged(fields));
  return {
    data: {
      deviceAttributeState: { time: MEASURED_AT, fields: {} },
      pvPanelFlow: { key: 'any', value: first, extraValues: others },
      gridFlow: { value: null },
      generatorFlow: null,
    },
  };
}

function tagged(fields: TaggedFields): Readonly<Record<string, unknown>> {
  const entries = Object.entries(fields).map(([key, [value, unit]]) => [
    key,
    { key, value, unit, valueDisplay: 'localised text' },
  ]);
  return Object.fromEntries(entries) as Readonly<Record<string, unknown>>;
}

const USUAL: Script = {
  stations: { data: { total: 1, list: [{ id: STATION_ID, name: 'Home' }] } },
  devices: deviceList({}),
  readings: history(CLASSIC),
  summary: { data: { properties: [] } },
  alarms: { data: { list: [] } },
};

/** A service that answers as a script says until the test ends. An endpoint without a script answers 404. */
export async function startScriptedService(
  script: Script,
  clock: Pick<Clock, 'nowMs'>,
  { isDated = true }: { readonly isDated?: boolean } = {},
) {
  const requests: PortalRequest[] = [];
  const endpoints = new Map(
    Object.entries(SERVICE_PATHS).map(([endpoint, path]) => [path, endpoint as EndpointName]),
  );
  /** May be changed while the service runs. */
  const answers: Script = { ...USUAL, ...script };
  const server = createServer((incoming, response) => {
    const handle = async (): Promise<void> => {
      const body = await text(incoming);
      const url = new URL(incoming.url ?? '', 'http://service');
      const endpoint = endpoints.get(url.pathname);
      if (endpoint === undefined) throw new Error(`no endpoint at ${url.pathname}`);
      const request: PortalRequest = {
        endpoint,
        method: incoming.method ?? '',
        query: url.searchParams,
        headers: incoming.headers,
        body: (body === '' ? {} : JSON.parse(body)) as PortalRequest['body'],
        atMs: clock.nowMs(),
      };
      requests.push(request);
      const scripted = answers[endpoint] ?? { status: 404 };
      send(typeof scripted === 'function' ? await scripted(request) : scripted, response);
    };
    if (isDated) response.setHeader('date', new Date(clock.nowMs()).toUTCString());
    else response.sendDate = false;
    handle().catch(() => response.destroy());
  });
  // A busy machine pauses between two questions: no connection ends meanwhile.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    serviceUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answers,
    /** The requests at one endpoint. */
    asked: (endpoint: EndpointName) => requests.filter((request) => request.endpoint === endpoint),
  };
}

function send(answer: PortalAnswer, response: ServerResponse): void {
  if (answer === 'silence') return;
  if (answer === 'hang up') response.destroy();
  else if ('status' in answer) response.writeHead(answer.status, answer.headers).end(answer.text);
  else if ('text' in answer) response.end(answer.text);
  else if ('raw' in answer) answer.raw(response);
  else if ('envelope' in answer) response.end(JSON.stringify(answer.envelope));
  else response.end(JSON.stringify({ code: 0, message: 'Success', data: answer.data }));
}
