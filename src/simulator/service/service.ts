import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listAlarms } from './alarms.ts';
import {
  Call,
  failure,
  rejected,
  type Reply,
  sendReply,
  type ServiceRequest,
  success,
} from './call.ts';
import { readHistory } from './history.ts';
import { listDevices, listStations } from './inventory.ts';
import { authorize, login, refresh } from './sessions.ts';
import * as settings from './settings.ts';
import * as summary from './summary.ts';
import * as telemetry from './telemetry.ts';
import type { World } from './world.ts';

/** Makes the data of an answer; undefined for an answer without any. */
type Handler = (call: Call) => unknown;

/**
 * A row of the endpoints. A data request carries `IOT-Token` and `IOT-Time-Zone`; a session's must not
 * carry a token. What only the portal has is not specified, and a service may be without it.
 */
type Kind = 'session' | 'data' | 'portal';
type EndpointRow = readonly [path: string, handle: Handler, method: 'GET' | 'POST', kind: Kind];

const STATE = '/apis/deviceState/simple';
const SUMMARY = '/apis/stationOverView/stateAttributeSummary/category';
const REMOTE = '/apis/remote/device';

const months = byForm(summary.summarizeEnergy(summary.monthsOfYear), summary.summarizeYear);
const days = summary.summarizeEnergy(summary.daysOfMonth);
const years = summary.summarizeEnergy(summary.yearsOfLifetime);
const getSettings = byForm(settings.readCachedSettings, settings.readSettings);
const setSettings = byForm(settings.writeSetting, settings.changeSettings);

/** Where each endpoint lives, by the names users give them (service.md#endpoints). Paths are the portal's. */
const ENDPOINTS = {
  login: ['/apis/login/account', login, 'POST', 'session'],
  refresh: ['/apis/login/refresh/access/token', refresh, 'POST', 'session'],
  stations: ['/apis/station/list', listStations, 'POST', 'data'],
  devices: ['/apis/device/list', listDevices, 'POST', 'data'],
  readings: [`${STATE}/attribute/keys/history/v1`, readHistory, 'POST', 'data'],
  summary: [`${SUMMARY}/yearly`, months, 'POST', 'data'],
  'summary-days': [`${SUMMARY}/monthly`, days, 'POST', 'portal'],
  'summary-years': [`${SUMMARY}/total`, years, 'POST', 'portal'],
  'settings-get': [`${REMOTE}/configs/cache/get`, getSettings, 'POST', 'data'],
  'settings-set': [`${REMOTE}/config/write`, setSettings, 'POST', 'data'],
  'settings-read': [`${REMOTE}/configs/read`, settings.startBatchRead, 'POST', 'portal'],
  'settings-read-details': [`${REMOTE}/configs/read/details`, settings.details, 'GET', 'portal'],
  'latest-state': [`${STATE}/state/latest/v1`, telemetry.readLatestState, 'GET', 'portal'],
  'energy-flow': [`${STATE}/energy/flow/v1`, telemetry.readEnergyFlow, 'GET', 'portal'],
  attributes: [`${STATE}/gatherAttributes/v1`, telemetry.listAttributes, 'GET', 'portal'],
  alarms: ['/apis/alarm/query/list', listAlarms, 'POST', 'portal'],
} as const satisfies Readonly<Record<string, EndpointRow>>;

/** The name of an endpoint. */
export type Endpoint = keyof typeof ENDPOINTS;

const byPath: ReadonlyMap<string, Endpoint> = new Map(
  (Object.keys(ENDPOINTS) as Endpoint[]).map((endpoint) => [ENDPOINTS[endpoint][0], endpoint]),
);

const MOST_BODY_BYTES = 1_000_000;

/** The service on a socket. */
export interface SimulatedService {
  /** Listens; resolves to the base URL, for data requests and login alike. */
  start(): Promise<string>;
  /** Closes all connections, hanging answers included; a later start takes the same port. */
  stop(): Promise<void>;
  /** Counts the requests at one endpoint or at all, however they were answered. */
  requests(endpoint?: Endpoint): number;
}

/** A request to an endpoint, and the answer that it gets. */
export interface Exchange {
  readonly endpoint: Endpoint;
  readonly request: ServiceRequest;
  readonly response: ServerResponse;
  readonly honest: () => Reply;
}

/** Answers a request in place of the service; resolves to whether it did. */
export type Strike = (exchange: Exchange) => Promise<boolean>;

/** Puts the service on a socket, with its latency; a `strike` may answer in its place. */
export function createService(world: World, strike?: Strike): SimulatedService {
  const { clock, options } = world;
  const counts = new Map<Endpoint, number>();
  let running: Server | undefined;
  let { port } = options;

  /** Makes the data of the answer to a request. */
  const dataOf = (endpoint: Endpoint | undefined, request: ServiceRequest): unknown => {
    if (request.bodyBytes.length > MOST_BODY_BYTES) throw rejected(413);
    const [, handle, method, kind]: Partial<EndpointRow> = endpoint ? ENDPOINTS[endpoint] : [];
    if (handle === undefined || (kind === 'portal' && !options.portalEndpoints))
      throw rejected(404);
    if (request.method !== method) throw rejected(405);
    const call = new Call(request, world);
    if (kind !== 'session') authorize(call);
    return handle(call);
  };

  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '', headers } = incoming;
    const [path = '', query = ''] = url.split('?', 2);
    const endpoint = byPath.get(path);
    if (endpoint !== undefined) counts.set(endpoint, (counts.get(endpoint) ?? 0) + 1);
    const bodyBytes = await readBody(incoming);
    const request = { method, path, query: new URLSearchParams(query), headers, bodyBytes };
    const honest = (): Reply => {
      try {
        return success(dataOf(endpoint, request));
      } catch (error) {
        return failure(error, path, clock.nowMs());
      }
    };
    if (options.latencyMs > 0) await clock.sleep(options.latencyMs);
    // Clients judge ages by the service's clock, which is not always that of this machine.
    response.setHeader('date', new Date(clock.nowMs()).toUTCString());
    // An exporter calls our values simulated, so that nobody takes them for those of a house.
    response.setHeader('x-simulated-service', 'solar-exporter');
    const isStruck =
      endpoint !== undefined && (await strike?.({ endpoint, request, response, honest })) === true;
    if (!isStruck) sendReply(response, honest());
  };

  return {
    requests: (endpoint) =>
      endpoint === undefined
        ? [...counts.values()].reduce((sum, count) => sum + count, 0)
        : (counts.get(endpoint) ?? 0),
    start: async () => {
      if (running !== undefined) throw new Error('the simulator is running already');
      const { host } = options;
      const server = createServer((request, response) => {
        // Only a broken socket makes this reject, and then no client is left to answer.
        serve(request, response).catch(() => response.destroy());
      });
      // Longer than any client keeps an idle connection, so that none is closed under a request.
      server.keepAliveTimeout = 120_000;
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, resolve);
      });
      running = server;
      ({ port } = server.address() as AddressInfo);
      return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
    },
    stop: async () => {
      const server = running;
      if (server === undefined) return;
      running = undefined;
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
    },
  };
}

/** Chooses between the portal's form of an endpoint and the specified one. */
function byForm(portalForm: Handler, interfaceForm: Handler): Handler {
  return (call) => (call.world.options.portal ? portalForm : interfaceForm)(call);
}

/** Reads a body to its end, and keeps enough of it to know when it is larger than the service accepts. */
async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    if (size <= MOST_BODY_BYTES) chunks.push(chunk);
    size += chunk.length;
  }
  return Buffer.concat(chunks);
}
