import type { EndpointName } from '../../src/base/service-names.ts';

/** Where the portal, and so the simulator, has its endpoints. */
export const SERVICE_PATHS = {
  login: '/apis/login/account',
  refresh: '/apis/login/refresh/access/token',
  stations: '/apis/station/list',
  devices: '/apis/device/list',
  readings: '/apis/deviceState/simple/attribute/keys/history/v1',
  latestState: '/apis/deviceState/simple/state/latest/v1',
  energyFlow: '/apis/deviceState/simple/energy/flow/v1',
  attributes: '/apis/deviceState/simple/gatherAttributes/v1',
  alarms: '/apis/alarm/query/list',
  summary: '/apis/stationOverView/stateAttributeSummary/category/yearly',
  summaryDays: '/apis/stationOverView/stateAttributeSummary/category/monthly',
  summaryYears: '/apis/stationOverView/stateAttributeSummary/category/total',
  settingsGet: '/apis/remote/device/configs/cache/get',
  settingsSet: '/apis/remote/device/config/write',
  settingsRead: '/apis/remote/device/configs/read',
  settingsReadDetails: '/apis/remote/device/configs/read/details',
} satisfies Readonly<Record<EndpointName, string>>;
