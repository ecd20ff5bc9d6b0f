import type { EndpointName } from '../base/service-names.ts';
import { decodeAlarmPage } from './alarms.ts';
import { decodeCatalogue, decodeEnergyFlow, decodeLatestState } from './devices/device-samples.ts';
import { decodeSeries } from './devices/series.ts';
import { summaryOf } from './energy.ts';
import type { Decoder } from './exchange/decode.ts';
import { decodeBatchRead, decodeBatchReadId, decodeSettings } from './settings.ts';
import { decodeDevicePage, decodeStationPage } from './stations.ts';

/** Returns a function that makes table rows for this HTTP method; only a POST has a body. */
const rowsOf =
  (method: 'GET' | 'POST', isOptional = false) =>
  <T>(decode: Decoder<T>) => ({
    method,
    decode,
    /** Whether the service may lack the endpoint: an HTTP 401 or 403 then says nothing about the token. */
    isOptional,
  });

const get = rowsOf('GET');
const post = rowsOf('POST');
const optionalGet = rowsOf('GET', true);
const optionalPost = rowsOf('POST', true);

/** Decodes an answer without data, or one that the session decodes itself. */
const NOTHING = (): undefined => undefined;

/**
 * Defines how each endpoint of the service is called. A new endpoint needs a row here, a path in `ENDPOINT_PATHS` and
 * a decoder; the path option, the metric label, the URL and the request follow from them.
 */
export const ENDPOINTS = {
  login: post(NOTHING),
  refresh: post(NOTHING),
  stations: post(decodeStationPage),
  devices: post(decodeDevicePage),
  readings: post(decodeSeries),
  latestState: optionalGet(decodeLatestState),
  energyFlow: optionalGet(decodeEnergyFlow),
  attributes: optionalGet(decodeCatalogue),
  alarms: optionalPost(decodeAlarmPage),
  summary: post(summaryOf('month')),
  summaryDays: optionalPost(summaryOf('day')),
  summaryYears: optionalPost(summaryOf('year')),
  settingsGet: post(decodeSettings),
  settingsSet: post(NOTHING),
  settingsRead: post(decodeBatchReadId),
  settingsReadDetails: get(decodeBatchRead),
} satisfies Readonly<Record<EndpointName, unknown>>;

/** An endpoint that takes an access token. */
export type DataEndpointName = Exclude<EndpointName, 'login' | 'refresh'>;

/** The decoded answer of each data endpoint. */
export type Answers = {
  readonly [Name in DataEndpointName]: ReturnType<(typeof ENDPOINTS)[Name]['decode']>;
};
