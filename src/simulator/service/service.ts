import { listAlarms } from './alarms.ts';
import { listAttributes } from './attributes.ts';
import { authorize, login, refresh } from './authentication.ts';
import { batchReadDetails, startBatchRead } from './settings/batch-read.ts';
import { ENDPOINTS, type Endpoint } from './endpoints.ts';
import { readEnergyFlow } from './energy-flow.ts';
import { type Handler, onBody } from './handler.ts';
import { listDevices, listStations } from './inventory/lists.ts';
import { OTHER_HANDLERS } from './other-handlers.ts';
import { readLatestState } from './telemetry.ts';
import { readHistory } from './samples/readings.ts';
import { Refusal, refused, rejected, Rejection, type Reply } from './reply.ts';
import { deriveSeed, seededUnit } from '../physics/seeded.ts';
import type { ServiceRequest } from './service-request.ts';
import {
  changeSettings,
  readCachedSettings,
  readSettings,
  writeSetting,
} from './settings/settings.ts';
import { daysOfMonth, monthsOfYear, yearsOfLifetime } from './summary/buckets.ts';
import { summarizeEnergy } from './summary/categories.ts';
import { summarizeYear } from './summary/flat-year.ts';
import { ofStation } from './summary/scopes.ts';
import type { World } from './world.ts';

const HANDLERS: Readonly<Record<Endpoint, Handler>> = {
  login,
  refresh,
  stations: onBody(listStations),
  devices: onBody(listDevices),
  readings: onBody(readHistory),
  summary: byForm({ portal: summarizeEnergy(ofStation, monthsOfYear), interface: summarizeYear }),
  'summary-days': summarizeEnergy(ofStation, daysOfMonth),
  'summary-years': summarizeEnergy(ofStation, yearsOfLifetime),
  'settings-get': byForm({ portal: readCachedSettings, interface: onBody(readSettings) }),
  'settings-set': byForm({ portal: writeSetting, interface: onBody(changeSettings) }),
  'latest-state': readLatestState,
  'energy-flow': readEnergyFlow,
  attributes: listAttributes,
  alarms: onBody(listAlarms),
  'settings-read': startBatchRead,
  'settings-read-details': batchReadDetails,
  ...OTHER_HANDLERS,
};

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
    try {
      if (endpoint === undefined || !this.#has(endpoint)) throw new Rejection(404, 'Not Found');
      if (request.method !== ENDPOINTS[endpoint].method)
        throw new Rejection(405, 'Method Not Allowed');
      if (ENDPOINTS[endpoint].isDataRequest) {
        this.#failSometimes();
        authorize(request, this.#world);
      }
      return HANDLERS[endpoint](request, this.#world);
    } catch (error) {
      if (error instanceof Refusal) return refused(error);
      const { status, message } =
        error instanceof Rejection ? error : new Rejection(500, 'Internal Server Error');
      return rejected(status, message, request.path, this.#world.clock.nowMs());
    }
  }

  #has(endpoint: Endpoint): boolean {
    return this.#world.options.portalEndpoints || !ENDPOINTS[endpoint].isPortalOnly;
  }

  #failSometimes(): void {
    this.#dataRequests += 1;
    if (seededUnit(this.#errorSeed, this.#dataRequests) < this.#world.options.errorRate)
      throw new Rejection(500, 'Internal Server Error');
  }
}

/** Chooses between the portal's form of an endpoint and the interface's. */
function byForm(forms: { readonly portal: Handler; readonly interface: Handler }): Handler {
  return (request, world) =>
    forms[world.options.portal === true ? 'portal' : 'interface'](request, world);
}
