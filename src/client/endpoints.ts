import { decodeAlarmPage } from './alarms/alarm-wire.ts';
import { decodeCatalogue, decodeEnergyFlow, decodeLatestState } from './devices/device-samples.ts';
import { decodeTimeSeries } from './devices/time-series.ts';
import { decodeSummary } from './energy.ts';
import type { CallOptions, RequestParameters } from './exchange/caller.ts';
import type { Decoder, RequestTime } from './exchange/decode.ts';
import { decodeTokens } from './session/tokens.ts';
import { decodeBatchRead, decodeBatchReadId } from './settings/settings-batch-read.ts';
import { decodeSettings } from './settings/settings-wire.ts';
import { decodeDevicePage, decodeDeviceRecord, decodeStationPage } from './stations.ts';

/** One endpoint of the service. */
interface EndpointRow {
  /** Label value of the request metrics; `path.` and this name is the option for the path. */
  readonly operation: string;
  /** Only a POST has a body. */
  readonly method: 'GET' | 'POST';
  /** Default of the path option: where the portal has the endpoint (field notes 1). */
  readonly path: string;
  /** What the endpoint is for; completes the help text "endpoint for …". */
  readonly purpose: string;
  /** Whether the authentication URL serves it, and not the base URL. */
  readonly isAtAuthUrl?: boolean;
  /** Whether the service may lack it: then its HTTP 401 or 403 says nothing about the token. */
  readonly isOptional?: boolean;
  /** Decodes a successful answer. */
  readonly decode: (...args: never[]) => unknown;
}

/**
 * Lists the endpoints of the service, in the order of the help. Adding one takes a row here and a
 * decoder; the path option, the metric label, the URL and the request follow from the row.
 *
 * The decoders come from files that do not import this one.
 */
export const ENDPOINTS = {
  login: {
    operation: 'login',
    method: 'POST',
    path: '/apis/login/account',
    purpose: 'login',
    isAtAuthUrl: true,
    decode: decodeTokens,
  },
  refresh: {
    operation: 'refresh',
    method: 'POST',
    path: '/apis/login/refresh/access/token',
    purpose: 'token refresh',
    isAtAuthUrl: true,
    decode: decodeTokens,
  },
  stations: {
    operation: 'stations',
    method: 'POST',
    path: '/apis/station/list',
    purpose: 'the list of stations',
    decode: decodeStationPage,
  },
  devices: {
    operation: 'devices',
    method: 'POST',
    path: '/apis/device/list',
    purpose: 'the list of devices',
    decode: decodeDevicePage,
  },
  deviceDetails: {
    operation: 'device-details',
    method: 'GET',
    path: '/apis/device/details',
    purpose: 'the record of a device',
    isOptional: true,
    decode: decodeDeviceRecord,
  },
  readings: {
    operation: 'readings',
    method: 'POST',
    path: '/apis/deviceState/simple/attribute/keys/history/v1',
    purpose: 'readings',
    decode: decodeTimeSeries,
  },
  latestState: {
    operation: 'latest-state',
    method: 'GET',
    path: '/apis/deviceState/simple/state/latest/v1',
    purpose: 'the latest state of a device',
    isOptional: true,
    decode: decodeLatestState,
  },
  energyFlow: {
    operation: 'energy-flow',
    method: 'GET',
    path: '/apis/deviceState/simple/energy/flow/v1',
    purpose: 'the energy flow of a device',
    isOptional: true,
    decode: decodeEnergyFlow,
  },
  attributes: {
    operation: 'attributes',
    method: 'GET',
    path: '/apis/deviceState/simple/gatherAttributes/v1',
    purpose: 'the attributes of a model',
    isOptional: true,
    decode: decodeCatalogue,
  },
  alarms: {
    operation: 'alarms',
    method: 'POST',
    path: '/apis/alarm/query/list',
    purpose: 'the list of alarms',
    isOptional: true,
    decode: decodeAlarmPage,
  },
  summary: {
    operation: 'summary',
    method: 'POST',
    path: '/apis/stationOverView/stateAttributeSummary/category/yearly',
    purpose: 'monthly energy',
    decode: decodeSummary('month'),
  },
  summaryDays: {
    operation: 'summary-days',
    method: 'POST',
    path: '/apis/stationOverView/stateAttributeSummary/category/monthly',
    purpose: 'energy of the days of a month',
    isOptional: true,
    decode: decodeSummary('day'),
  },
  summaryYears: {
    operation: 'summary-years',
    method: 'POST',
    path: '/apis/stationOverView/stateAttributeSummary/category/total',
    purpose: 'energy of all years',
    isOptional: true,
    decode: decodeSummary('year'),
  },
  settingsGet: {
    operation: 'settings-get',
    method: 'POST',
    path: '/apis/remote/device/configs/cache/get',
    purpose: 'reading settings',
    decode: decodeSettings,
  },
  settingsSet: {
    operation: 'settings-set',
    method: 'POST',
    path: '/apis/remote/device/config/write',
    purpose: 'changing settings',
    decode: () => undefined,
  },
  settingsRead: {
    operation: 'settings-read',
    method: 'POST',
    path: '/apis/remote/device/configs/read',
    purpose: 'asking the device for its settings',
    decode: decodeBatchReadId,
  },
  settingsReadDetails: {
    operation: 'settings-read-details',
    method: 'GET',
    path: '/apis/remote/device/configs/read/details',
    purpose: 'what the device answered',
    decode: decodeBatchRead,
  },
} as const satisfies Readonly<Record<string, EndpointRow>>;

/** The name of an endpoint in code; its operation is the name that operators see. */
export type EndpointName = keyof typeof ENDPOINTS;

/** The value of the `operation` label. */
export type Operation = (typeof ENDPOINTS)[EndpointName]['operation'];

/** An endpoint that takes an access token and answers with `data` that decodes to `T`. */
export interface DataEndpoint<T> extends EndpointRow {
  readonly operation: Operation;
  readonly decode: Decoder<T>;
}

/** Calls an endpoint by its name in the table. */
export type Call = <Name extends Exclude<EndpointName, 'login' | 'refresh'>>(
  name: Name,
  build: (time: RequestTime) => RequestParameters,
  options?: CallOptions,
) => Promise<ReturnType<(typeof ENDPOINTS)[Name]['decode']>>;

/** The path of each endpoint. */
export type EndpointPaths = Readonly<Record<EndpointName, string>>;

/** The URL of each endpoint. */
export type EndpointUrls = Readonly<Record<Operation, URL>>;

const ENDPOINT_NAMES = Object.keys(ENDPOINTS) as EndpointName[];

/** Every operation, in the order of the table. */
export const OPERATIONS: readonly Operation[] = ENDPOINT_NAMES.map(
  (name) => ENDPOINTS[name].operation,
);

/** Builds the URL of each endpoint; a base URL may have a path of its own, as behind a reverse proxy. */
export function endpointUrls(addresses: {
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly paths: EndpointPaths;
}): EndpointUrls {
  const urls = ENDPOINT_NAMES.map((name) => {
    const { operation, isAtAuthUrl = false }: EndpointRow = ENDPOINTS[name];
    const baseUrl = isAtAuthUrl ? addresses.authUrl : addresses.baseUrl;
    return [operation, new URL(baseUrl.replace(/\/+$/, '') + addresses.paths[name])] as const;
  });
  return Object.fromEntries(urls) as EndpointUrls;
}
