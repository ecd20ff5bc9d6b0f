import type { DataCall, DataCaller, Moment } from './data-caller.ts';
import {
  decodeCatalogue,
  decodeEnergyFlow,
  decodeLatestState,
  type LatestState,
} from './device-state.ts';
import type { FieldSample } from './dialects/field-sample.ts';
import { decodeTimeSeries } from './time-series.ts';

const WINDOW_MS = 3_600_000;
const TIME_SERIES_COUNT = 2000;

/** Where a device can be read. */
export interface DeviceUrls {
  readonly readings: URL;
  readonly latestState: URL;
  readonly energyFlow: URL;
  readonly attributes: URL;
}

/** A device as the service knows it, in the zone of its station. */
export interface AskedDevice {
  readonly deviceId: string;
  readonly timeZone?: string | undefined;
  readonly model?: string | undefined;
}

/** Every question about what a device measures, one request each. */
export class DeviceQuestions {
  readonly #caller: DataCaller;
  readonly #urls: DeviceUrls;
  readonly #isOptional: boolean;

  /** @param isOptional - whether the service may lack what goes beyond the interface. */
  constructor(caller: DataCaller, urls: DeviceUrls, isOptional = false) {
    this.#caller = caller;
    this.#urls = urls;
    this.#isOptional = isOptional;
  }

  /** The same questions, where nobody knows yet whether the service has an answer. */
  asProbes(): DeviceQuestions {
    return new DeviceQuestions(this.#caller, this.#urls, true);
  }

  /** The last hour of these keys (interface endpoint 4, rule 3). */
  history(device: AskedDevice, keys: readonly string[]): Promise<readonly FieldSample[]> {
    const url = this.#urls.readings;
    const ask = ({ nowMs, calendar }: Moment): DataCall<readonly FieldSample[]> => ({
      url,
      body: {
        deviceId: device.deviceId,
        count: TIME_SERIES_COUNT,
        page: 1,
        fromTime: calendar.isoWithOffset(nowMs - WINDOW_MS),
        toTime: calendar.isoWithOffset(nowMs),
        orderByTimeAsc: true,
        keys,
      },
      decode: (data) => withAllKeys(decodeTimeSeries(data, url.pathname), keys),
    });
    return this.#caller.call('readings', ask, { stationTimeZone: device.timeZone });
  }

  /** What the device last sent, with its units (field notes 2.5). */
  latestState(device: AskedDevice): Promise<LatestState> {
    const url = about(this.#urls.latestState, device, { dataSource: '1' });
    return this.#caller.call(
      'latest-state',
      () => ({ url, decode: (data) => decodeLatestState(data, url.pathname) }),
      { stationTimeZone: device.timeZone, isOptional: this.#isOptional },
    );
  }

  /** What the portal's drawing of the energy flow shows (field notes 2.6). */
  energyFlow(device: AskedDevice): Promise<readonly FieldSample[]> {
    const url = about(this.#urls.energyFlow, device, { dataSource: '1' });
    return this.#caller.call(
      'energy-flow',
      () => ({ url, decode: (data) => decodeEnergyFlow(data, url.pathname) }),
      { stationTimeZone: device.timeZone, isOptional: this.#isOptional },
    );
  }

  /** Which keys the device's model has, and in which units (field notes 2.10). */
  attributes(device: AskedDevice): Promise<readonly FieldSample[]> {
    const url = about(this.#urls.attributes, device, { category: '1', renderIn: '2' });
    return this.#caller.call(
      'attributes',
      () => ({ url, decode: (data) => decodeCatalogue(data, url.pathname) }),
      { stationTimeZone: device.timeZone, isOptional: this.#isOptional },
    );
  }
}

/** A key without any value may be left out (field notes 2.4); it was asked for, and has none. */
function withAllKeys(
  samples: readonly FieldSample[],
  keys: readonly string[],
): readonly FieldSample[] {
  const answered = new Set(samples.map(({ key }) => key));
  return [...samples, ...keys.filter((key) => !answered.has(key)).map((key) => ({ key }))];
}

function about(url: URL, { deviceId }: AskedDevice, more: Readonly<Record<string, string>>): URL {
  const asked = new URL(url);
  const query = { deviceId, ...more };
  for (const [name, value] of Object.entries(query)) asked.searchParams.set(name, value);
  return asked;
}
