/** The endpoints of interface section 4, by the names the simulator's users give them. */
export type Endpoint =
  | 'login'
  | 'refresh'
  | 'stations'
  | 'devices'
  | 'readings'
  | 'summary'
  | 'settings-get'
  | 'settings-set';

interface EndpointRow {
  readonly path: string;
  /** Whether the call carries `IOT-Token` and `IOT-Time-Zone`; the others must not carry a token. */
  readonly isDataRequest: boolean;
}

/** Where each endpoint lives; every one of them takes POST. Paths are the portal's. */
export const ENDPOINTS: Readonly<Record<Endpoint, EndpointRow>> = {
  login: { path: '/apis/login/account', isDataRequest: false },
  refresh: { path: '/apis/login/refresh/access/token', isDataRequest: false },
  stations: { path: '/apis/station/list', isDataRequest: true },
  devices: { path: '/apis/device/list', isDataRequest: true },
  readings: {
    path: '/apis/deviceState/simple/attribute/keys/history/v1',
    isDataRequest: true,
  },
  summary: {
    path: '/apis/stationOverView/stateAttributeSummary/category/yearly',
    isDataRequest: true,
  },
  'settings-get': { path: '/apis/remote/device/configs/cache/get', isDataRequest: true },
  'settings-set': { path: '/apis/remote/device/config/write', isDataRequest: true },
};

const endpointsByPath: ReadonlyMap<string, Endpoint> = new Map(
  (Object.keys(ENDPOINTS) as Endpoint[]).map((endpoint) => [ENDPOINTS[endpoint].path, endpoint]),
);

/** Finds the endpoint at a path without its query. */
export function endpointAt(path: string): Endpoint | undefined {
  return endpointsByPath.get(path);
}
