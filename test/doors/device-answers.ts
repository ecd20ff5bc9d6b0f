import type { ScrapedPage } from '../support/page.ts';
import { MINUTE_MS } from '../support/durations.ts';
import {
  deviceList,
  flow,
  history,
  latest,
  type PortalAnswer,
  type PortalRequest,
  type Script,
  type Scripted,
  type TaggedFields,
} from './scripted-service.ts';

/** What the service answers about one device. Of what is left out it has nothing. */
export interface DeviceAnswers {
  readonly series?: Scripted | undefined;
  readonly latest?: Scripted | undefined;
  readonly flow?: Scripted | undefined;
  readonly catalogue?: Scripted | undefined;
  /** Fields of its record in the list. */
  readonly record?: object | undefined;
}

/** What answers each request by its time or its keys. */
type Answering = (request: PortalRequest) => PortalAnswer;

const EMPTY: PortalAnswer = { data: { payload: null } };
const MISSING: PortalAnswer = { status: 404 };

/** A service with these devices, by their ids. What they answer may change while it runs. */
export function devicesAnswering(devices: Readonly<Record<string, DeviceAnswers>>): Script {
  const answer = (of: 'series' | 'latest' | 'flow' | 'catalogue'): Scripted => {
    return (request) => {
      const { body, query } = request;
      const scripted = devices[String(body['deviceId'] ?? query.get('deviceId'))]?.[of];
      if (typeof scripted === 'function') return scripted(request);
      return scripted ?? (of === 'series' ? EMPTY : MISSING);
    };
  };
  const records = Object.entries(devices).map(([id, { record }]) => ({ id, name: id, ...record }));
  return {
    devices: deviceList(...records),
    readings: answer('series'),
    latestState: answer('latest'),
    energyFlow: answer('flow'),
    attributes: answer('catalogue'),
  };
}

/** When a device measured that is asked now. */
function lately({ atMs }: PortalRequest): string {
  return new Date(atMs - MINUTE_MS).toISOString();
}

/** A time series with what it is asked for, of these values, a minute old unless it says when. */
export function seriesOf(values: Readonly<Record<string, unknown>>, at?: string): Answering {
  return (request) => {
    const keys = request.body['keys'] as readonly string[];
    const asked = Object.entries(values).filter(([key]) => keys.includes(key));
    return history(Object.fromEntries(asked), [at ?? lately(request)]);
  };
}

/** A latest state of keys with value and unit, a minute old unless it says when. */
export function stateOf(fields: TaggedFields, more: object = {}): Answering {
  return (request) => latest(fields, { time: lately(request), ...more });
}

/** An energy flow that shows these keys, a minute old. */
export function flowOf(fields: TaggedFields): Answering {
  return (request) => {
    const { data } = flow(fields) as { readonly data: object };
    return { data: { ...data, deviceAttributeState: { time: lately(request), fields: {} } } };
  };
}

/** An attribute catalogue of these keys and units. */
export function catalogueOf(units: Readonly<Record<string, string | undefined>>): PortalAnswer {
  return { data: Object.entries(units).map(([key, unit]) => ({ key, unit })) };
}

/** The values of keys that come with units, as a series has them. */
export function valuesOf(fields: TaggedFields): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).map(([key, [value]]) => [key, value]));
}

/** A catalogue of the keys and units of these fields. */
export function catalogueOfFields(fields: TaggedFields): PortalAnswer {
  const units = Object.entries(fields).map(([key, [, unit]]) => [key, unit] as const);
  return catalogueOf(Object.fromEntries(units));
}

/** What the page says of one device, by the same keys as a row expects it. */
export function shownOf(
  page: ScrapedPage,
  deviceId: string,
  expected: Readonly<Record<string, number | undefined>>,
): Record<string, number | undefined> {
  return Object.fromEntries(
    Object.keys(expected).map((key) => {
      const [name = '', ...labels] = key.split(/[{}]/).filter((part) => part !== '');
      const asked = `${name}{${[`device_id="${deviceId}"`, ...labels].join()}}`;
      return [key, page.like({ [asked]: undefined })[asked]];
    }),
  );
}

/** What HPVINV02 says of itself, with everything that the specification asks for. */
export const HPVINV02: TaggedFields = {
  pvPower: [1.2, 'kW'],
  outputActivePower: [0.85, 'kW'],
  batteryCapacity: [93, '%'],
  batteryVoltage: [52, 'V'],
  batteryChargingCurrent: [5, 'A'],
  batteryDischargeCurrent: [0, 'A'],
  mainsPower: [0.3, 'kW'],
  mainsCurrentFlowDirection: ['+', ''],
};
