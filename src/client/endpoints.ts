import { decodeAlarmPage } from './alarms.ts';
import { decodeCatalogue, decodeEnergyFlow, decodeLatestState } from './devices/device-samples.ts';
import { decodeSeries } from './devices/series.ts';
import { summaryOf } from './energy.ts';
import type { Decoder } from './exchange/decode.ts';
import { decodeBatchRead, decodeBatchReadId, decodeSettings } from './settings.ts';
import { decodeDevicePage, decodeStationPage } from './stations.ts';

/** Makes rows of endpoints of this method; only a POST has a body. */
const rowsOf =
  (method: 'GET' | 'POST', isOptional = false) =>
  <T>(path: string, purpose: string, decode: Decoder<T>) => ({
    method,
    /** Default of the path option: where the portal has the endpoint (service.md#endpoints). */
    path,
    /** Completes the help text "endpoint for …". */
    purpose,
    decode,
    /** Whether the service may lack it: then its HTTP 401 or 403 says nothing about the token. */
    isOptional,
  });

const get = rowsOf('GET');
const post = rowsOf('POST');
const optionalGet = rowsOf('GET', true);
const optionalPost = rowsOf('POST', true);

/** Decodes an answer without data, or one that the session decodes itself. */
const NOTHING = (): undefined => undefined;

/**
 * Lists the endpoints of the service, in the order of the help. Adding one takes a row here and a
 * decoder; the path option, the metric label, the URL and the request follow from them.
 */
export const ENDPOINTS = {
  login: post('/apis/login/account', 'login', NOTHING),
  refresh: post('/apis/login/refresh/access/token', 'token refresh', NOTHING),
  stations: post('/apis/station/list', 'the list of stations', decodeStationPage),
  devices: post('/apis/device/list', 'the list of devices', decodeDevicePage),
  readings: post('/apis/deviceState/simple/attribute/keys/history/v1', 'readings', decodeSeries),
  latestState: optionalGet(
    '/apis/deviceState/simple/state/latest/v1',
    'the latest state of a device',
    decodeLatestState,
  ),
  energyFlow: optionalGet(
    '/apis/deviceState/simple/energy/flow/v1',
    'the energy flow of a device',
    decodeEnergyFlow,
  ),
  attributes: optionalGet(
    '/apis/deviceState/simple/gatherAttributes/v1',
    'the attributes of a model',
    decodeCatalogue,
  ),
  alarms: optionalPost('/apis/alarm/query/list', 'the list of alarms', decodeAlarmPage),
  summary: post(
    '/apis/stationOverView/stateAttributeSummary/category/yearly',
    'monthly energy',
    summaryOf('month'),
  ),
  summaryDays: optionalPost(
    '/apis/stationOverView/stateAttributeSummary/category/monthly',
    'energy of the days of a month',
    summaryOf('day'),
  ),
  summaryYears: optionalPost(
    '/apis/stationOverView/stateAttributeSummary/category/total',
    'energy of all years',
    summaryOf('year'),
  ),
  settingsGet: post('/apis/remote/device/configs/cache/get', 'reading settings', decodeSettings),
  settingsSet: post('/apis/remote/device/config/write', 'changing settings', NOTHING),
  settingsRead: post(
    '/apis/remote/device/configs/read',
    'asking the device for its settings',
    decodeBatchReadId,
  ),
  settingsReadDetails: get(
    '/apis/remote/device/configs/read/details',
    'what the device answered',
    decodeBatchRead,
  ),
};

export type EndpointName = keyof typeof ENDPOINTS;

/** Returns the name that operators see: of the `operation` label, and after `path.` of the option. */
export function operationOf(name: EndpointName): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** An endpoint that takes an access token. */
export type DataEndpointName = Exclude<EndpointName, 'login' | 'refresh'>;

/** What each of them answers, decoded. */
export type Answers = {
  readonly [Name in DataEndpointName]: ReturnType<(typeof ENDPOINTS)[Name]['decode']>;
};
