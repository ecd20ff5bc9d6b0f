import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deriveSeed, seededUnit } from '../physics/seeded.ts';
import { listAlarms } from './alarms.ts';
import { Call, failure, rejected, type Reply, type ServiceRequest, success } from './call.ts';
import { ActiveFaults, sendFault } from './faults.ts';
import { readHistory, readRecords } from './history.ts';
import { deviceDetails, listDevices, listStations, stationDetails } from './inventory.ts';
import { authorize, login, refresh } from './sessions.ts';
import * as settings from './settings.ts';
import * as summary from './summary.ts';
import * as telemetry from './telemetry.ts';
import type { World } from './world.ts';

/** Makes the data of an answer; undefined for an answer without any. */
type Handler = (call: Call) => unknown;

/** A row of the endpoints: its path, what answers it, its method, and who has it. */
type EndpointRow = readonly [
  path: string,
  handle: Handler,
  method: 'GET' | 'POST',
  /**
   * A data request carries `IOT-Token` and `IOT-Time-Zone`; a session's must not carry a token. What only
   * the portal has, the interface does not have and a service may be without.
   */
  kind: 'session' | 'data' | 'portal only',
];

const STATE = '/apis/deviceState/simple';
const SUMMARY = '/apis/stationOverView/stateAttributeSummary/category';
const CONFIGS = '/apis/remote/device';

const months = byForm(summary.summarizeEnergy(summary.monthsOfYear), summary.summarizeYear);
const days = summary.summarizeEnergy(summary.daysOfMonth);
const years = summary.summarizeEnergy(summary.yearsOfLifetime);
const getSettings = byForm(settings.readCachedSettings, settings.readSettings);
const setSettings = byForm(settings.writeSetting, settings.changeSettings);

/** Where each endpoint lives, by the names users give them (interface section 4, field notes 1). Paths are the portal's. */
const ENDPOINTS = {
  login: ['/apis/login/account', login, 'POST', 'session'],
  refresh: ['/apis/login/refresh/access/token', refresh, 'POST', 'session'],
  stations: ['/apis/station/list', listStations, 'POST', 'data'],
  devices: ['/apis/device/list', listDevices, 'POST', 'data'],
  readings: [`${STATE}/attribute/keys/history/v1`, readHistory, 'POST', 'data'],
  summary: [`${SUMMARY}/yearly`, months, 'POST', 'data'],
  'summary-days': [`${SUMMARY}/monthly`, days, 'POST', 'portal only'],
  'summary-years': [`${SUMMARY}/total`, years, 'POST', 'portal only'],
  'settings-get': [`${CONFIGS}/configs/cache/get`, getSettings, 'POST', 'data'],
  'settings-set': [`${CONFIGS}/config/write`, setSettings, 'POST', 'data'],
  'settings-read': [`${CONFIGS}/configs/read`, settings.startBatchRead, 'POST', 'portal only'],
  'settings-read-details': [
    `${CONFIGS}/configs/read/details`,
    settings.batchReadDetails,
    'GET',
    'portal only',
  ],
  'latest-state': [`${STATE}/state/latest/v1`, telemetry.readLatestState, 'GET', 'portal only'],
  'energy-flow': [`${STATE}/energy/flow/v1`, telemetry.readEnergyFlow, 'GET', 'portal only'],
  attributes: [`${STATE}/gatherAttributes/v1`, telemetry.listAttributes, 'GET', 'portal only'],
  alarms: ['/apis/alarm/query/list', listAlarms, 'POST', 'portal only'],
  'device-details': ['/apis/device/details', deviceDetails, 'GET', 'portal only'],
  // By these, other clients of the portal read values (field notes 8.2).
  'station-details': ['/apis/station/details', stationDetails, 'GET', 'portal only'],
  records: [`${STATE}/attribute/record/list/v1`, readRecords, 'POST', 'portal only'],
  'remote-latest-state': [
    `${CONFIGS}/state/latest`,
    telemetry.readRemoteLatestState,
    'GET',
    'portal only',
  ],
} as const satisfies Readonly<Record<string, EndpointRow>>;

/** The name of an endpoint. */
export type Endpoint = keyof typeof ENDPOINTS;

const byPath: ReadonlyMap<string, Endpoint> = new Map(
  (Object.keys(ENDPOINTS) as Endpoint[]).map((endpoint) => [ENDPOINTS[endpoint][0], endpoint]),
);

const MOST_BODY_BYTES = 1_000_000;

/** The service on a socket, with its faults and its latency. */
export class Service {
  readonly faults = new ActiveFaults();
  readonly #world: World;
  readonly #requests = new Map<Endpoint, number>();
  readonly #errorSeed: number;
  #dataRequests = 0;
  #server: Server | undefined;
  #port: number;

  constructor(world: World) {
    this.#world = world;
    this.#port = world.options.port;
    this.#errorSeed = deriveSeed(world.options.seed, 'errors');
  }

  /** Counts the requests that have arrived at an endpoint, or at all of them. */
  requests(endpoint?: Endpoint): number {
    if (endpoint !== undefined) return this.#requests.get(endpoint) ?? 0;
    return [...this.#requests.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Listens and resolves to the base URL; a second start takes the same port again. */
  async start(): Promise<string> {
    if (this.#server !== undefined) throw new Error('the simulator is running already');
    const { host } = this.#world.options;
    const server = createServer((request, response) => {
      // Only a broken socket makes this reject, and then no client is left to answer.
      this.#serve(request, response).catch(() => response.destroy());
    });
    // Longer than any client keeps an idle connection, so that none is closed under a request.
    server.keepAliveTimeout = 120_000;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.#port, host, resolve);
    });
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
    return `http://${host.includes(':') ? `[${host}]` : host}:${this.#port}`;
  }

  /** Stops listening and breaks every connection, hanging answers included. */
  async stop(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = '', query = ''] = (incoming.url ?? '').split('?', 2);
    const endpoint = byPath.get(path);
    if (endpoint !== undefined) this.#requests.set(endpoint, this.requests(endpoint) + 1);
    const { clock, options } = this.#world;
    const bodyBytes = await readBody(incoming);
    const request: ServiceRequest | undefined = bodyBytes && {
      method: incoming.method ?? '',
      path,
      query: new URLSearchParams(query),
      headers: incoming.headers,
      bodyBytes,
    };
    const honest = (): Reply => {
      try {
        if (request === undefined) throw rejected(413);
        return success(this.#dataOf(endpoint, request));
      } catch (error) {
        return failure(error, path, clock.nowMs());
      }
    };
    const fault = endpoint === undefined ? undefined : this.faults.take(endpoint, request);
    const context = { response, request, honest, clock };
    // A refused connection does not wait for the latency.
    if (fault?.kind === 'refuse') return sendFault(fault, context);

    if (options.latencyMs > 0) await clock.sleep(options.latencyMs);
    // Clients judge ages by the service's clock, which is not always that of this machine.
    response.setHeader('date', new Date(clock.nowMs()).toUTCString());
    // An exporter calls our values simulated, so that nobody takes them for those of a house.
    response.setHeader('x-simulated-service', 'solar-exporter');
    if (fault !== undefined) return sendFault(fault, context);
    const { status, body } = honest();
    response.writeHead(status, {
      'content-type': 'application/json;charset=UTF-8',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
  }

  /** Makes the data of the answer to a request. */
  #dataOf(endpoint: Endpoint | undefined, request: ServiceRequest): unknown {
    const { errorRate, portalEndpoints } = this.#world.options;
    const [, handle, method, kind]: Partial<EndpointRow> = endpoint ? ENDPOINTS[endpoint] : [];
    if (handle === undefined || (kind === 'portal only' && !portalEndpoints)) throw rejected(404);
    const call = new Call(request, this.#world);
    if (request.method !== method) throw rejected(405);
    if (kind !== 'session') {
      this.#dataRequests += 1;
      if (seededUnit(this.#errorSeed, this.#dataRequests) < errorRate) throw rejected(500);
      authorize(call);
    }
    return handle(call);
  }
}

/** Chooses between the portal's form of an endpoint and the interface's. */
function byForm(portalForm: Handler, interfaceForm: Handler): Handler {
  return (call) => (call.world.options.portal ? portalForm : interfaceForm)(call);
}

/** Reads a body to its end; undefined when it is larger than the service accepts. */
async function readBody(incoming: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MOST_BODY_BYTES) chunks.push(chunk);
  }
  return size <= MOST_BODY_BYTES ? Buffer.concat(chunks) : undefined;
}
