/**
 * The endpoints of the service, in the order of the help: the portal's path (service.md#endpoints), which is the
 * default of the path option, and the words that complete the help text "endpoint for …". The table is here because
 * the options and the client need it.
 */
export const ENDPOINT_PATHS = {
  login: ['/apis/login/account', 'login'],
  refresh: ['/apis/login/refresh/access/token', 'token refresh'],
  stations: ['/apis/station/list', 'the list of stations'],
  devices: ['/apis/device/list', 'the list of devices'],
  readings: ['/apis/deviceState/simple/attribute/keys/history/v1', 'readings'],
  latestState: ['/apis/deviceState/simple/state/latest/v1', 'the latest state of a device'],
  energyFlow: ['/apis/deviceState/simple/energy/flow/v1', 'the energy flow of a device'],
  attributes: ['/apis/deviceState/simple/gatherAttributes/v1', 'the attributes of a model'],
  alarms: ['/apis/alarm/query/list', 'the list of alarms'],
  summary: ['/apis/stationOverView/stateAttributeSummary/category/yearly', 'monthly energy'],
  summaryDays: [
    '/apis/stationOverView/stateAttributeSummary/category/monthly',
    'energy of the days of a month',
  ],
  summaryYears: [
    '/apis/stationOverView/stateAttributeSummary/category/total',
    'energy of all years',
  ],
  settingsGet: ['/apis/remote/device/configs/cache/get', 'reading settings'],
  settingsSet: ['/apis/remote/device/config/write', 'changing settings'],
  settingsRead: ['/apis/remote/device/configs/read', 'asking the device for its settings'],
  settingsReadDetails: ['/apis/remote/device/configs/read/details', 'what the device answered'],
} as const;

export type EndpointName = keyof typeof ENDPOINT_PATHS;

/** Returns the name that operators see: in the `operation` label, and after `path.` in the option. */
export function operationOf(name: EndpointName): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The inverter families that the simulator supports: one for each way in which families differ. */
export const FAMILIES = ['classic', 'hpvinv02', 'uwb1', 'pi30', 'mega-eco', 'sierro'] as const;

export type Family = (typeof FAMILIES)[number];
