import { type DataEndpoint, ENDPOINTS } from '../endpoints.ts';
import type { DataCaller } from '../exchange/caller.ts';
import type { FieldSample } from '../dialects/field-sample.ts';
import type { LatestState } from './device-samples.ts';
import { decodeSeries, type TimeSeries } from './time-series.ts';

const HOUR_MS = 3_600_000;
/** Within this, it is open whether our clock or that of the service is wrong: readings are asked for by both. */
const DOUBTFUL_CLOCK_MS = HOUR_MS;
/** The most points that the service puts on a page of a time series. */
export const MOST_POINTS = 2000;

/** The endpoint of the readings, for all values that an answer has. */
const PAST_READINGS = { ...ENDPOINTS.readings, decode: decodeSeries } as const;

/** A page of a time series; both times, by the service's clock, are in it. */
export interface PastPage {
  readonly fromMs: number;
  readonly toMs: number;
  /** From 1. */
  readonly page: number;
  readonly count: number;
}

/** Identifies a device, and names what reading it depends on: the station's time zone, and the record of the device. */
export interface DeviceQuery {
  readonly deviceId: string;
  readonly timeZone?: string | undefined;
  readonly model?: string | undefined;
  readonly ratedPowerWatts?: number | undefined;
  /** How far back the time series is asked; an hour when left out. */
  readonly windowMs?: number | undefined;
}

/** The endpoints with the readings of a device. Each method sends one request. */
export class DeviceEndpoints {
  readonly #caller: DataCaller;
  readonly #isOptional: boolean;

  /** @param isOptional - whether the service may lack the endpoints that go beyond the interface. */
  constructor(caller: DataCaller, isOptional = false) {
    this.#caller = caller;
    this.#isOptional = isOptional;
  }

  /** Returns the same endpoints, for requests that find out whether the service has them. */
  asOptional(): DeviceEndpoints {
    return new DeviceEndpoints(this.#caller, true);
  }

  /** Fetches the newest values of these keys in the last hour (interface endpoint 4, rule 3). */
  async history(device: DeviceQuery, keys: readonly string[]): Promise<readonly FieldSample[]> {
    const { deviceId, timeZone, windowMs = HOUR_MS } = device;
    const samples = await this.#caller.call(
      ENDPOINTS.readings,
      ({ nowMs, serviceAheadMs, calendar }) => {
        const doubtMs = Math.abs(serviceAheadMs) <= DOUBTFUL_CLOCK_MS ? serviceAheadMs : 0;
        return {
          body: {
            deviceId,
            count: MOST_POINTS,
            page: 1,
            fromTime: calendar.isoWithOffset(nowMs - Math.max(0, doubtMs) - windowMs),
            toTime: calendar.isoWithOffset(nowMs + Math.max(0, -doubtMs)),
            orderByTimeAsc: true,
            keys,
          },
        };
      },
      { stationTimeZone: timeZone },
    );
    return withAllKeys(samples, keys);
  }

  /** Fetches one page of the values of these keys in a span of the past, in ascending order of time. */
  past(
    { deviceId, timeZone }: DeviceQuery,
    keys: readonly string[],
    { fromMs, toMs, page, count }: PastPage,
  ): Promise<TimeSeries> {
    return this.#caller.call(
      PAST_READINGS,
      ({ calendar }) => ({
        body: {
          deviceId,
          count,
          page,
          fromTime: calendar.isoWithOffset(fromMs),
          toTime: calendar.isoWithOffset(toMs),
          orderByTimeAsc: true,
          keys,
        },
      }),
      { stationTimeZone: timeZone },
    );
  }

  /** Fetches the last state that the device sent, with units (field notes 2.5). */
  latestState(device: DeviceQuery): Promise<LatestState> {
    return this.#ask(ENDPOINTS.latestState, device, { dataSource: '1' });
  }

  /** Fetches the values that the portal draws as the energy flow (field notes 2.6). */
  energyFlow(device: DeviceQuery): Promise<readonly FieldSample[]> {
    return this.#ask(ENDPOINTS.energyFlow, device, { dataSource: '1' });
  }

  /** Fetches the keys of the device's model and their units (field notes 2.10). */
  attributes(device: DeviceQuery): Promise<readonly FieldSample[]> {
    return this.#ask(ENDPOINTS.attributes, device, { category: '1', renderIn: '2' });
  }

  #ask<T>(
    endpoint: DataEndpoint<T>,
    { deviceId, timeZone }: DeviceQuery,
    query: Readonly<Record<string, string>>,
  ): Promise<T> {
    return this.#caller.call(endpoint, () => ({ query: { deviceId, ...query } }), {
      stationTimeZone: timeZone,
      isOptional: this.#isOptional,
    });
  }
}

/** Adds the keys that the answer leaves out because they have no value (field notes 2.4). */
function withAllKeys(
  samples: readonly FieldSample[],
  keys: readonly string[],
): readonly FieldSample[] {
  const answered = new Set(samples.map(({ key }) => key));
  return [...samples, ...keys.filter((key) => !answered.has(key)).map((key) => ({ key }))];
}
