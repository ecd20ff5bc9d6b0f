import { deriveSeed, seededUnit } from '../physics/seeded.ts';
import { listAlarms } from './alarms.ts';
import { authorize, login, refresh } from './authentication.ts';
import { readHistory, readRecords } from './history.ts';
import { deviceDetails, listDevices, listStations, stationDetails } from './inventory.ts';
import { failure, Rejection, type Reply, success } from './reply.ts';
import { Call, type ServiceRequest } from './call.ts';
import {
  batchReadDetails,
  changeSettings,
  readCachedSettings,
  readSettings,
  startBatchRead,
  writeSetting,
} from './settings.ts';
import {
  daysOfMonth,
  monthsOfYear,
  summarizeEnergy,
  summarizeYear,
  yearsOfLifetime,
} from './summary.ts';
import {
  listAttributes,
  readEnergyFlow,
  readLatestState,
  readRemoteLatestState,
} from './telemetry.ts';
import type { World } from './world.ts';

/** Makes the data of an answer; undefined for an answer without any. */
type Handler = (call: Call) => unknown;

interface EndpointRow {
  readonly path: string;
  readonly handle: Handler;
  readonly method: 'GET' | 'POST';
  /** Whether the call carries `IOT-Token` and `IOT-Time-Zone`; the others must not carry a token. */
  readonly isDataRequest: boolean;
  /** Whether the interface does not have it and a service may be without. */
  readonly isPortalOnly: boolean;
}

/** Where each endpoint lives, by the names users give them (interface section 4, field notes 1). Paths are the portal's. */
const ENDPOINTS = {
  login: session('/apis/login/account', login),
  refresh: session('/apis/login/refresh/access/token', refresh),
  stations: call('/apis/station/list', listStations),
  devices: call('/apis/device/list', listDevices),
  readings: call('/apis/deviceState/simple/attribute/keys/history/v1', readHistory),
  summary: call(
    '/apis/stationOverView/stateAttributeSummary/category/yearly',
    byForm(summarizeEnergy(monthsOfYear), summarizeYear),
  ),
  'summary-days': portalPost(
    '/apis/stationOverView/stateAttributeSummary/category/monthly',
    summarizeEnergy(daysOfMonth),
  ),
  'summary-years': portalPost(
    '/apis/stationOverView/stateAttributeSummary/category/total',
    summarizeEnergy(yearsOfLifetime),
  ),
  'settings-get': call(
    '/apis/remote/device/configs/cache/get',
    byForm(readCachedSettings, readSettings),
  ),
  'settings-set': call('/apis/remote/device/config/write', byForm(writeSetting, changeSettings)),
  'settings-read': portalPost('/apis/remote/device/configs/read', startBatchRead),
  'settings-read-details': portalGet('/apis/remote/device/configs/read/details', batchReadDetails),
  'latest-state': portalGet('/apis/deviceState/simple/state/latest/v1', readLatestState),
  'energy-flow': portalGet('/apis/deviceState/simple/energy/flow/v1', readEnergyFlow),
  attributes: portalGet('/apis/deviceState/simple/gatherAttributes/v1', listAttributes),
  alarms: portalPost('/apis/alarm/query/list', listAlarms),
  'device-details': portalGet('/apis/device/details', deviceDetails),
  // By these, other clients of the portal read values (field notes 8.2).
  'station-details': portalGet('/apis/station/details', stationDetails),
  records: portalPost('/apis/deviceState/simple/attribute/record/list/v1', readRecords),
  'remote-latest-state': portalGet('/apis/remote/device/state/latest', readRemoteLatestState),
} as const satisfies Readonly<Record<string, EndpointRow>>;

/** The name of an endpoint. */
export type Endpoint = keyof typeof ENDPOINTS;

const byPath: ReadonlyMap<string, Endpoint> = new Map(
  (Object.keys(ENDPOINTS) as Endpoint[]).map((endpoint) => [ENDPOINTS[endpoint].path, endpoint]),
);

/** Finds the endpoint at a path without its query. */
export function endpointAt(path: string): Endpoint | undefined {
  return byPath.get(path);
}

/** The service without a network: a request in, a reply out. */
export class Service {
  readonly #world: World;
  readonly #errorSeed: number;
  #dataRequests = 0;

  constructor(world: World) {
    this.#world = world;
    this.#errorSeed = deriveSeed(world.options.seed, 'errors');
  }

  /** Answers a request to an endpoint, or to an unknown path; never throws. */
  answer(endpoint: Endpoint | undefined, request: ServiceRequest): Reply {
    const { clock, options } = this.#world;
    try {
      const row: EndpointRow | undefined = endpoint && ENDPOINTS[endpoint];
      if (row === undefined || (row.isPortalOnly && !options.portalEndpoints))
        throw new Rejection(404, 'Not Found');
      const call = new Call(request, this.#world);
      if (request.method !== row.method) throw new Rejection(405, 'Method Not Allowed');
      if (row.isDataRequest) {
        this.#dataRequests += 1;
        if (seededUnit(this.#errorSeed, this.#dataRequests) < options.errorRate)
          throw new Rejection(500, 'Internal Server Error');
        authorize(call);
      }
      return success(row.handle(call));
    } catch (error) {
      return failure(error, request.path, clock.nowMs());
    }
  }
}

/** Chooses between the portal's form of an endpoint and the interface's. */
function byForm(portalForm: Handler, interfaceForm: Handler): Handler {
  return (call) => (call.world.options.portal === true ? portalForm : interfaceForm)(call);
}

function session(path: string, handle: Handler): EndpointRow {
  return { path, handle, method: 'POST', isDataRequest: false, isPortalOnly: false };
}

function call(path: string, handle: Handler): EndpointRow {
  return { path, handle, method: 'POST', isDataRequest: true, isPortalOnly: false };
}

function portalPost(path: string, handle: Handler): EndpointRow {
  return { path, handle, method: 'POST', isDataRequest: true, isPortalOnly: true };
}

function portalGet(path: string, handle: Handler): EndpointRow {
  return { path, handle, method: 'GET', isDataRequest: true, isPortalOnly: true };
}
