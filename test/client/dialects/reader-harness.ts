import { DeviceQuestions } from '../../../src/client/device-questions.ts';
import { DeviceReader } from '../../../src/client/device-reader.ts';
import { RuleBook, type UserRule } from '../../../src/client/dialects/rule-book.ts';
import type { ServiceRequest } from '../../../src/client/transport.ts';
import { ServiceError, type ServiceErrorCode } from '../../../src/errors.ts';
import type { DeviceReport } from '../../../src/model/readings.ts';
import { SilentLog } from '../../support/silent-log.ts';
import { createCaller } from '../caller-harness.ts';
import { measuredIn } from './fixture.ts';

const BASE = 'https://service.example.org';
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The places of a device that may be asked. */
export type Place = 'history' | 'latest' | 'attributes' | 'flow';

/** A value with its unit, as latest state and energy flow have it. */
export type Field = readonly [value: unknown, unit?: string];
export type Fields = Readonly<Record<string, Field>>;

/** What a place answers: fields, or how it fails. */
export type Answer = Fields | { readonly fails: ServiceErrorCode; readonly serviceCode?: string };

/** What a device sends, and where; a place that is left out answers 404, as a service without it would. */
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
  /** Ages by place, where they differ. */
  readonly agesMs?: Partial<Record<Place, number>>;
}

const PLACES: Readonly<Record<string, Place>> = {
  '/history': 'history',
  '/latest': 'latest',
  '/attributes': 'attributes',
  '/flow': 'flow',
};

/** A reader of devices before a fake transport that answers by place. There is no jitter. */
export function createReader(
  initial: DeviceAnswers,
  { userRules = [], random = 0.5 }: { userRules?: readonly UserRule[]; random?: number } = {},
) {
  const log = new SilentLog();
  const asked: Place[] = [];
  const keysAsked: (readonly string[])[] = [];
  const device = { answers: initial };
  const harness = createCaller((request) => {
    const place = placeOf(request);
    asked.push(place);
    return answerOf(place, request);
  });
  const { caller, clock, serviceClock, transport } = harness;
  const questions = new DeviceQuestions(caller, {
    readings: new URL('/history', BASE),
    latestState: new URL('/latest', BASE),
    attributes: new URL('/attributes', BASE),
    energyFlow: new URL('/flow', BASE),
  });
  const reader = new DeviceReader({
    questions,
    book: new RuleBook(userRules),
    clock,
    random: () => random,
    serviceClock,
    log,
  });

  function answerOf(place: Place, { body }: ServiceRequest): unknown {
    const {
      ageMs = MINUTE_MS,
      agesMs = {},
      firingAlarms = [],
      isUndated = false,
      ...answers
    } = device.answers;
    const time = new Date(serviceClock.nowMs() - (agesMs[place] ?? ageMs)).toISOString();
    const answer = answers[place];
    if (answer === undefined)
      throw new ServiceError('SERVICE_REQUEST_REJECTED', `/${place}: HTTP 404`);
    if ('fails' in answer) {
      const { fails, serviceCode } = answer as { fails: ServiceErrorCode; serviceCode?: string };
      if (serviceCode !== undefined) return { code: Number(serviceCode), data: 'no such thing' };
      throw new ServiceError(fails, `/${place}: failed`);
    }
    if (place === 'history') {
      const { keys } = JSON.parse(body ?? '') as { keys: readonly string[] };
      keysAsked.push(keys);
      const fields = Object.fromEntries(
        Object.entries(answer)
          .filter(([key]) => keys.includes(key))
          .map(([key, value]) => [key, [value]]),
      );
      return { code: 0, data: { payload: { timeSeries: [time], fields, formatters: {} } } };
    }
    const fields = Object.entries(answer as Fields).map(([key, [value, unit]]) => ({
      key,
      value,
      unit,
    }));
    const byKey = Object.fromEntries(fields.map((field) => [field.key, field]));
    switch (place) {
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
    /** The keys that every question to the time series named. */
    keysAsked,
    /** Reads once, and tells which places were asked for it. */
    read: async (deviceId = '1', model?: string) => {
      asked.length = 0;
      const report = await reader.read({ deviceId, model });
      return { report, asked: [...asked], measured: measuredOf(report) };
    },
    /** Tries to read once, and tells which places were asked for it. */
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

function placeOf({ url }: ServiceRequest): Place {
  const place = PLACES[url.pathname];
  if (place === undefined) throw new Error(`nobody may ask ${url.pathname}`);
  return place;
}

function measuredOf({ measurements }: DeviceReport): Record<string, number | string> {
  return measuredIn(measurements);
}
