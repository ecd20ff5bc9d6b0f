/** The endpoints of interface section 4 and field notes 1, by the names users give them. */
export type Endpoint =
  | 'login'
  | 'refresh'
  | 'stations'
  | 'devices'
  | 'device-details'
  | 'readings'
  | 'summary'
  | 'settings-get'
  | 'settings-set'
  | 'latest-state'
  | 'energy-flow'
  | 'attributes'
  | 'alarms'
  | 'settings-read'
  | 'settings-read-details';

interface EndpointRow {
  readonly path: string;
  readonly method: 'GET' | 'POST';
  /** Whether the call carries `IOT-Token` and `IOT-Time-Zone`; the others must not carry a token. */
  readonly isDataRequest: boolean;
  /** Whether the interface does not have it and a service may be without. */
  readonly isPortalOnly: boolean;
}

/** Where each endpoint lives and the one method it takes. Paths are the portal's. */
export const ENDPOINTS: Readonly<Record<Endpoint, EndpointRow>> = {
  login: session('/apis/login/account'),
  refresh: session('/apis/login/refresh/access/token'),
  stations: call('/apis/station/list'),
  devices: call('/apis/device/list'),
  readings: call('/apis/deviceState/simple/attribute/keys/history/v1'),
  summary: call('/apis/stationOverView/stateAttributeSummary/category/yearly'),
  'settings-get': call('/apis/remote/device/configs/cache/get'),
  'settings-set': call('/apis/remote/device/config/write'),
  'device-details': portalCall('GET', '/apis/device/details'),
  'latest-state': portalCall('GET', '/apis/deviceState/simple/state/latest/v1'),
  'energy-flow': portalCall('GET', '/apis/deviceState/simple/energy/flow/v1'),
  attributes: portalCall('GET', '/apis/deviceState/simple/gatherAttributes/v1'),
  alarms: portalCall('POST', '/apis/alarm/query/list'),
  'settings-read': portalCall('POST', '/apis/remote/device/configs/read'),
  'settings-read-details': portalCall('GET', '/apis/remote/device/configs/read/details'),
};

const endpointsByPath: ReadonlyMap<string, Endpoint> = new Map(
  (Object.keys(ENDPOINTS) as Endpoint[]).map((endpoint) => [ENDPOINTS[endpoint].path, endpoint]),
);

/** Finds the endpoint at a path without its query. */
export function endpointAt(path: string): Endpoint | undefined {
  return endpointsByPath.get(path);
}

function session(path: string): EndpointRow {
  return { path, method: 'POST', isDataRequest: false, isPortalOnly: false };
}

function call(path: string): EndpointRow {
  return { path, method: 'POST', isDataRequest: true, isPortalOnly: false };
}

function portalCall(method: EndpointRow['method'], path: string): EndpointRow {
  return { path, method, isDataRequest: true, isPortalOnly: true };
}
