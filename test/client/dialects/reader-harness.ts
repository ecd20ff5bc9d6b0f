import { DeviceEndpoints } from '../../../src/client/devices/device-endpoints.ts';
import { DeviceReader } from '../../../src/client/devices/device-reader.ts';
import { RuleSet, type UserRule } from '../../../src/client/dialects/rule-set.ts';
import type { ServiceRequest } from '../../../src/client/exchange/transport.ts';
import { ServiceError, type ServiceErrorCode } from '../../../src/base/errors.ts';
import type { DeviceReport } from '../../../src/model/readings.ts';
import { SilentLog } from '../../support/silent-log.ts';
import { createCaller } from '../exchange/caller-harness.ts';
import { measuredIn } from './fixture.ts';

const PATHS = {
  readings: '/history',
  latestState: '/latest',
  attributes: '/attributes',
  energyFlow: '/flow',
};
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The endpoints that a device may be read from. */
export type Endpoint = 'history' | 'latest' | 'attributes' | 'flow';

/** A value with its unit and the words for it, as latest state and energy flow have it. */
export type Field = readonly [value: unknown, unit?: string, words?: string];
export type Fields = Readonly<Record<string, Field>>;

/** The answer of an endpoint: fields, or a failure. */
export type Answer = Fields | { readonly fails: ServiceErrorCode; readonly serviceCode?: string };

/** The answers about a device. An endpoint that is left out answers 404. */
export interface DeviceAnswers {
  readonly history?: Readonly<Record<string, unknown>> | { readonly fails: ServiceErrorCode };
  readonly latest?: Answer;
  readonly attributes?: Answer;
  readonly flow?: Answer;
  readonly firingAlarms?: readonly object[];
  /** How long ago everything was measured; a minute when left out. */
  readonly ageMs?: number;
  /** Whether the latest state leaves out its time. */
  readonly isUndated?: boolean;
  /** Ages by endpoint, where they differ. */
  readonly agesMs?: Partial<Record<Endpoint, number>>;
}

const ENDPOINTS_BY_PATH: Readonly<Record<string, Endpoint>> = {
  '/history': 'history',
  '/latest': 'latest',
  '/attributes': 'attributes',
  '/flow': 'flow',
};

/** Creates a reader with a fake transport that answers by endpoint. There is no jitter. */
export function createReader(
  initial: DeviceAnswers,
  { userRules = [], random = 0.5 }: { userRules?: readonly UserRule[]; random?: number } = {},
) {
  const log = new SilentLog();
  const asked: Endpoint[] = [];
  const keysAsked: (readonly string[])[] = [];
  const device = { answers: initial };
  const answer = (request: ServiceRequest) => {
    const endpoint = endpointOf(request);
    asked.push(endpoint);
    return answerOf(endpoint, request);
  };
  const harness = createCaller(answer, { paths: PATHS });
  const { caller, clock, serviceClock, transport } = harness;
  const endpoints = new DeviceEndpoints(caller);
  const reader = new DeviceReader({
    endpoints,
    rules: new RuleSet(userRules),
    clock,
    random: () => random,
    serviceClock,
    log,
  });

  function answerOf(endpoint: Endpoint, { body }: ServiceRequest): unknown {
    const {
      ageMs = MINUTE_MS,
      agesMs = {},
      firingAlarms = [],
      isUndated = false,
      ...answers
    } = device.answers;
    const time = new Date(serviceClock.nowMs() - (agesMs[endpoint] ?? ageMs)).toISOString();
    const answer = answers[endpoint];
    if (answer === undefined)
      throw new ServiceError('SERVICE_REQUEST_REJECTED', `/${endpoint}: HTTP 404`);
    if ('fails' in answer) {
      const { fails, serviceCode } = answer as { fails: ServiceErrorCode; serviceCode?: string };
      if (serviceCode !== undefined) return { code: Number(serviceCode), data: 'no such thing' };
      throw new ServiceError(fails, `/${endpoint}: failed`);
    }
    if (endpoint === 'history') {
      const { keys } = JSON.parse(body ?? '') as { keys: readonly string[] };
      keysAsked.push(keys);
      const fields = Object.fromEntries(
        Object.entries(answer)
          .filter(([key]) => keys.includes(key))
          .map(([key, value]) => [key, [value]]),
      );
      return { code: 0, data: { payload: { timeSeries: [time], fields, formatters: {} } } };
    }
    const fields = Object.entries(answer as Fields).map(([key, [value, unit, words]]) => ({
      key,
      value,
      unit,
      valueDisplay: words,
    }));
    const byKey = Object.fromEntries(fields.map((field) => [field.key, field]));
    switch (endpoint) {
      case 'latest':
        return { code: 0, data: { ...(!isUndated && { time }), fields: byKey, firingAlarms } };
      case 'attributes':
        return { code: 0, data: fields.map(({ key, unit }) => ({ key, unit })) };
      case 'flow':
        return {
          code: 0,
          data: {
            deviceAttributeState: { time, fields: {} },
            ...Object.fromEntries(
              fields.map((field, index) => [`node${index}Flow`, { value: field }]),
            ),
          },
        };
    }
  }

  return {
    reader,
    clock,
    serviceClock,
    transport,
    log,
    device,
    /** The keys of every request for the time series. */
    keysAsked,
    /** Reads once, and returns which endpoints were asked. */
    read: async (deviceId = '1', model?: string) => {
      asked.length = 0;
      const report = await reader.read({ deviceId, model });
      return { report, asked: [...asked], measured: measuredOf(report) };
    },
    /** Tries to read once, and returns which endpoints were asked. */
    attempt: async (deviceId = '1') => {
      asked.length = 0;
      const code = await reader.read({ deviceId }).then(
        () => 'ok',
        (error: unknown) => (error as ServiceError).code,
      );
      return { code, asked: [...asked] };
    },
  };
}

function endpointOf({ url }: ServiceRequest): Endpoint {
  const endpoint = ENDPOINTS_BY_PATH[url.pathname];
  if (endpoint === undefined) throw new Error(`an endpoint that no reader asks: ${url.pathname}`);
  return endpoint;
}

function measuredOf({ measurements }: DeviceReport): Record<string, number | string> {
  return measuredIn(measurements);
}
