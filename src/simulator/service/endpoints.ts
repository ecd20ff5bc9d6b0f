/** The endpoints of interface section 4 and field notes 1, by the names users give them. */
export type Endpoint =
  | 'login'
  | 'refresh'
  | 'stations'
  | 'devices'
  | 'readings'
  | 'summary'
  | 'summary-days'
  | 'summary-years'
  | 'settings-get'
  | 'settings-set'
  | 'latest-state'
  | 'energy-flow'
  | 'attributes'
  | 'alarms'
  | 'settings-read'
  | 'settings-read-details'
  | OtherEndpoint;

/** The endpoints that other clients of the portal use (field notes 1 and 8.2). */
export type OtherEndpoint =
  | 'logout'
  | 'station-details'
  | 'station-states'
  | 'station-flow'
  | 'device-details'
  | 'device-states'
  | 'datalogger'
  | 'records'
  | 'remote-latest-state'
  | 'attribute-groups'
  | 'latest-alarm'
  | 'setting-read'
  | 'settings-clear'
  | 'owner-statistics'
  | 'dashboard'
  | SummaryEndpoint;

type Scope = 'station' | 'device' | 'owner';
type Span = 'daily' | 'monthly' | 'yearly' | 'total';

/** The summaries beside those of a station's energies, and the flat lists of generated energy. */
type SummaryEndpoint =
  | `summary-${Exclude<`${Scope}-${Span}`, `station-${Exclude<Span, 'daily'>}`>}`
  | `generated-${Exclude<Span, 'daily'>}`;

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
  'summary-days': summaryCall('stationOverView', 'monthly'),
  'summary-years': summaryCall('stationOverView', 'total'),
  'settings-get': call('/apis/remote/device/configs/cache/get'),
  'settings-set': call('/apis/remote/device/config/write'),
  'latest-state': portalCall('GET', '/apis/deviceState/simple/state/latest/v1'),
  'energy-flow': portalCall('GET', '/apis/deviceState/simple/energy/flow/v1'),
  attributes: portalCall('GET', '/apis/deviceState/simple/gatherAttributes/v1'),
  alarms: portalCall('POST', '/apis/alarm/query/list'),
  'settings-read': portalCall('POST', '/apis/remote/device/configs/read'),
  'settings-read-details': portalCall('GET', '/apis/remote/device/configs/read/details'),
  logout: portalCall('POST', '/apis/login/logout'),
  'station-details': portalCall('GET', '/apis/station/details'),
  'station-states': portalCall('GET', '/apis/station/state/count'),
  'station-flow': portalCall('GET', '/apis/station/energy/flow'),
  'device-details': portalCall('GET', '/apis/device/details'),
  'device-states': portalCall('GET', '/apis/device/state/count'),
  datalogger: portalCall('GET', '/apis/device/dtu/info'),
  records: portalCall('POST', '/apis/deviceState/simple/attribute/record/list/v1'),
  'remote-latest-state': portalCall('GET', '/apis/remote/device/state/latest'),
  'attribute-groups': portalCall('GET', '/apis/device/query/attribute/group'),
  'latest-alarm': portalCall('POST', '/apis/alarm/getLatestAlarm'),
  'setting-read': portalCall('POST', '/apis/remote/device/config/read'),
  'settings-clear': portalCall('POST', '/apis/remote/device/configs/cache/clear'),
  'owner-statistics': portalCall('POST', '/apis/ownerOverView/select/ownerStatistics'),
  dashboard: portalCall('POST', '/apis/dashboard/summary/commons'),
  'summary-station-daily': summaryCall('stationOverView', 'daily'),
  'summary-device-daily': summaryCall('deviceOverView', 'daily'),
  'summary-device-monthly': summaryCall('deviceOverView', 'monthly'),
  'summary-device-yearly': summaryCall('deviceOverView', 'yearly'),
  'summary-device-total': summaryCall('deviceOverView', 'total'),
  'summary-owner-daily': summaryCall('ownerOverView/station', 'daily'),
  'summary-owner-monthly': summaryCall('ownerOverView/station', 'monthly'),
  'summary-owner-yearly': summaryCall('ownerOverView/station', 'yearly'),
  'summary-owner-total': summaryCall('ownerOverView/station', 'total'),
  'generated-monthly': portalCall('POST', '/apis/stationOverView/generatedEnergy/monthly'),
  'generated-yearly': portalCall('POST', '/apis/stationOverView/generatedEnergy/yearly'),
  'generated-total': portalCall('POST', '/apis/stationOverView/generatedEnergy/total'),
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

function summaryCall(scope: string, span: Span): EndpointRow {
  return portalCall('POST', `/apis/${scope}/stateAttributeSummary/category/${span}`);
}
