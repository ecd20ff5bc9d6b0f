import type { Clock } from '../clock.ts';
import type {
  Device,
  DeviceSettings,
  MonthlyEnergy,
  Readings,
  SettingValue,
  Station,
} from '../model/station.ts';
import type { Operation, Page, ServiceApi } from './api.ts';
import type { ConcurrencyLimit } from './concurrency-limit.ts';
import { CLASSIC_DIALECT } from './dialects/classic.ts';
import { openEnvelope } from './envelope.ts';
import { decodeMonthlyEnergy } from './monthly-summary.ts';
import { listAllPages, PAGE_SIZE } from './paging.ts';
import type { SendRequest } from './send-request.ts';
import type { Session } from './session.ts';
import { decodeReadings } from './time-series.ts';
import { FALLBACK_TIME_ZONE, ZonedCalendar } from './time-zone.ts';
import { decodeDevicePage, decodeSettings, decodeStationPage } from './wire.ts';

const WINDOW_MS = 3_600_000;
const TIME_SERIES_COUNT = 2000;
const SUMMARY_CATEGORY = 'pvInverterElectricityQuantityClass';

/** Where each data endpoint is found. */
export type DataUrls = Readonly<
  Record<'stations' | 'devices' | 'readings' | 'summary' | 'settingsGet' | 'settingsSet', URL>
>;

export interface ServiceClientOptions {
  readonly urls: DataUrls;
  readonly session: Session;
  readonly send: SendRequest;
  /** How many calls may be under way at once; log-in and refresh are not among them. */
  readonly limit: ConcurrencyLimit;
  /** The zone the user chose; takes precedence over a station's own. */
  readonly timeZone?: string | undefined;
  readonly clock: Clock;
}

/** One question to the service, and how its answer is read. */
interface DataCall<T> {
  readonly url: URL;
  readonly body: object;
  readonly decode: (data: unknown) => T;
}

/** The service's data endpoints (interface 4, endpoints 3 to 7) behind {@link ServiceApi}. */
export class ServiceClient implements ServiceApi {
  readonly #options: ServiceClientOptions;
  readonly #calendars = new Map<string, ZonedCalendar>();

  constructor(options: ServiceClientOptions) {
    this.#options = options;
  }

  authenticate(): Promise<void> {
    return this.#options.session.authenticate();
  }

  listStations(): Promise<readonly Station[]> {
    const url = this.#options.urls.stations;
    return listAllPages(
      (page) =>
        this.#call('stations', this.#zone(), () => ({
          url,
          body: { page, count: PAGE_SIZE },
          decode: (data) => decodeStationPage(data, url.pathname, PAGE_SIZE),
        })),
      ({ stationId }) => stationId,
    );
  }

  listDevices(stationId: string): Promise<readonly Device[]> {
    return listAllPages(
      (page) => this.listDevicePage(stationId, page, PAGE_SIZE),
      ({ deviceId }) => deviceId,
    );
  }

  listDevicePage(stationId: string, page: number, count: number): Promise<Page<Device>> {
    const url = this.#options.urls.devices;
    return this.#call('devices', this.#zone(), () => ({
      url,
      body: { page, count, stationId },
      decode: (data) => decodeDevicePage(data, url.pathname, count),
    }));
  }

  fetchReadings(deviceId: string, timeZone?: string): Promise<Readings> {
    const zone = this.#zone(timeZone);
    return this.#call('readings', zone, (nowMs) => {
      const calendar = this.#calendar(zone);
      const body = {
        deviceId,
        count: TIME_SERIES_COUNT,
        page: 1,
        fromTime: calendar.isoWithOffset(nowMs - WINDOW_MS),
        toTime: calendar.isoWithOffset(nowMs),
        orderByTimeAsc: true,
        keys: CLASSIC_DIALECT.map(({ key }) => key),
      };
      const url = this.#options.urls.readings;
      return {
        url,
        body,
        decode: (data) => decodeReadings(data, CLASSIC_DIALECT, url.pathname),
      };
    });
  }

  fetchMonthlyEnergy(stationId: string, timeZone?: string): Promise<MonthlyEnergy | undefined> {
    const zone = this.#zone(timeZone);
    return this.#call('summary', zone, (nowMs) => {
      const calendar = this.#calendar(zone);
      const url = new URL(this.#options.urls.summary);
      url.searchParams.set('stationId', stationId);
      url.searchParams.set('summaryCategoryKey', SUMMARY_CATEGORY);
      return {
        url,
        body: { time: calendar.year(nowMs) },
        decode: (data) => decodeMonthlyEnergy(data, calendar.month(nowMs), url.pathname),
      };
    });
  }

  fetchSettings(deviceId: string): Promise<DeviceSettings> {
    const url = this.#options.urls.settingsGet;
    return this.#call('settings-get', this.#zone(), () => ({
      url,
      body: { deviceId },
      decode: (data) => decodeSettings(data, url.pathname),
    }));
  }

  changeSettings(deviceId: string, changes: ReadonlyMap<string, SettingValue>): Promise<void> {
    return this.#call('settings-set', this.#zone(), () => ({
      url: this.#options.urls.settingsSet,
      body: { ...Object.fromEntries(changes), deviceId },
      decode: () => undefined,
    }));
  }

  /** Waits for its turn, then builds the question: the window it asks for ends when it is sent. */
  #call<T>(
    operation: Operation,
    timeZone: string,
    ask: (nowMs: number) => DataCall<T>,
  ): Promise<T> {
    const { session, send, limit, clock } = this.#options;
    return limit(() =>
      session.withToken((accessToken) => {
        const { url, body, decode } = ask(clock.nowMs());
        const headers = {
          'iot-token': accessToken.reveal(),
          'iot-time-zone': timeZone,
          accept: 'application/json',
          'content-type': 'application/json; charset=utf-8',
        };
        return send(operation, { url, headers, body: JSON.stringify(body) }, (payload) =>
          decode(openEnvelope(payload, url.pathname, true).data),
        );
      }),
    );
  }

  #zone(stationTimeZone?: string): string {
    return this.#options.timeZone ?? stationTimeZone ?? FALLBACK_TIME_ZONE;
  }

  #calendar(timeZone: string): ZonedCalendar {
    let calendar = this.#calendars.get(timeZone);
    if (calendar === undefined) {
      calendar = new ZonedCalendar(timeZone);
      this.#calendars.set(timeZone, calendar);
    }
    return calendar;
  }
}
