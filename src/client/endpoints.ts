import { decodeAlarmPage } from './alarms.ts';
import { decodeCatalogue, decodeEnergyFlow, decodeLatestState } from './devices/device-samples.ts';
import { decodeSeries } from './devices/series.ts';
import { decodeSummary } from './energy.ts';
import type { RequestTime } from './exchange/decode.ts';
import type { CallOptions, RequestParameters } from './exchange/transport.ts';
import { decodeBatchRead, decodeBatchReadId, decodeSettings } from './settings.ts';
import { decodeDevicePage, decodeDeviceRecord, decodeStationPage } from './stations.ts';

/** One endpoint of the service. */
interface EndpointRow<Name extends string, Decode> {
  /** Label value of the request metrics; `path.` and this name is the option for the path. */
  readonly operation: Name;
  /** Only a POST has a body. */
  readonly method: 'GET' | 'POST';
  /** Default of the path option: where the portal has the endpoint (field notes 1). */
  readonly path: string;
  /** What the endpoint is for; completes the help text "endpoint for …". */
  readonly purpose: string;
  /** Decodes a successful answer. */
  readonly decode: Decode;
  /** Whether the service may lack it: then its HTTP 401 or 403 says nothing about the token. */
  readonly isOptional: boolean;
}

const rowsOf =
  (method: 'GET' | 'POST', isOptional = false) =>
  <Name extends string, Decode>(
    operation: Name,
    path: string,
    purpose: string,
    decode: Decode,
  ): EndpointRow<Name, Decode> => ({ operation, method, path, purpose, decode, isOptional });

const get = rowsOf('GET');
const post = rowsOf('POST');
const optionalGet = rowsOf('GET', true);
const optionalPost = rowsOf('POST', true);

/** Decodes an answer without data, or one that the session decodes itself. */
const NOTHING = (): undefined => undefined;

/**
 * Lists the endpoints of the service, in the order of the help. Adding one takes a row here and a
 * decoder; the path option, the metric label, the URL and the request follow from the row.
 *
 * The decoders come from files that do not import this one.
 */
export const ENDPOINTS = {
  login: post('login', '/apis/login/account', 'login', NOTHING),
  refresh: post('refresh', '/apis/login/refresh/access/token', 'token refresh', NOTHING),
  stations: post('stations', '/apis/station/list', 'the list of stations', decodeStationPage),
  devices: post('devices', '/apis/device/list', 'the list of devices', decodeDevicePage),
  deviceDetails: optionalGet(
    'device-details',
    '/apis/device/details',
    'the record of a device',
    decodeDeviceRecord,
  ),
  readings: post(
    'readings',
    '/apis/deviceState/simple/attribute/keys/history/v1',
    'readings',
    decodeSeries,
  ),
  latestState: optionalGet(
    'latest-state',
    '/apis/deviceState/simple/state/latest/v1',
    'the latest state of a device',
    decodeLatestState,
  ),
  energyFlow: optionalGet(
    'energy-flow',
    '/apis/deviceState/simple/energy/flow/v1',
    'the energy flow of a device',
    decodeEnergyFlow,
  ),
  attributes: optionalGet(
    'attributes',
    '/apis/deviceState/simple/gatherAttributes/v1',
    'the attributes of a model',
    decodeCatalogue,
  ),
  alarms: optionalPost('alarms', '/apis/alarm/query/list', 'the list of alarms', decodeAlarmPage),
  summary: post(
    'summary',
    '/apis/stationOverView/stateAttributeSummary/category/yearly',
    'monthly energy',
    decodeSummary('month'),
  ),
  summaryDays: optionalPost(
    'summary-days',
    '/apis/stationOverView/stateAttributeSummary/category/monthly',
    'energy of the days of a month',
    decodeSummary('day'),
  ),
  summaryYears: optionalPost(
    'summary-years',
    '/apis/stationOverView/stateAttributeSummary/category/total',
    'energy of all years',
    decodeSummary('year'),
  ),
  settingsGet: post(
    'settings-get',
    '/apis/remote/device/configs/cache/get',
    'reading settings',
    decodeSettings,
  ),
  settingsSet: post(
    'settings-set',
    '/apis/remote/device/config/write',
    'changing settings',
    NOTHING,
  ),
  settingsRead: post(
    'settings-read',
    '/apis/remote/device/configs/read',
    'asking the device for its settings',
    decodeBatchReadId,
  ),
  settingsReadDetails: get(
    'settings-read-details',
    '/apis/remote/device/configs/read/details',
    'what the device answered',
    decodeBatchRead,
  ),
};

/** The name of an endpoint in code; its operation is the name that operators see. */
export type EndpointName = keyof typeof ENDPOINTS;

/** The value of the `operation` label. */
export type Operation = (typeof ENDPOINTS)[EndpointName]['operation'];

/** An endpoint that takes an access token. */
export type DataEndpointName = Exclude<EndpointName, 'login' | 'refresh'>;

/** What the `data` of an answer is decoded to. */
export type Answer<Name extends DataEndpointName> = ReturnType<(typeof ENDPOINTS)[Name]['decode']>;

/** Calls an endpoint with an access token, and decodes its answer. */
export type Call = <Name extends DataEndpointName>(
  name: Name,
  build: (time: RequestTime) => RequestParameters,
  options?: CallOptions,
) => Promise<Answer<Name>>;
