import type { Clock } from '../clock.ts';
import type { Logger } from '../log.ts';
import type { FiringAlarm } from '../model/alarm.ts';
import type { MonthlyEnergy } from '../model/month.ts';
import type { DeviceReport } from '../model/readings.ts';
import type { DeviceSettings, SettingValue } from '../model/settings.ts';
import type { Device, Station } from '../model/station.ts';
import type { ExplainedDialect, ServiceApi, SettingsRead } from './api.ts';
import type { Page } from './paging.ts';
import { AlarmList } from './alarm-list.ts';
import type { DataCaller } from './data-caller.ts';
import { type DeviceUrls, DeviceQuestions } from './device-questions.ts';
import { DeviceReader } from './device-reader.ts';
import type { RuleBook } from './dialects/rule-book.ts';
import { SettingsClient, type SettingsUrls } from './device-settings.ts';
import { Inventory } from './inventory.ts';
import { fetchMonthlyEnergy } from './monthly-energy.ts';
import type { ServiceClock } from './service-clock.ts';
import type { Session } from './session.ts';

/** Where each data endpoint is found. */
export type DataUrls = Readonly<Record<'stations' | 'devices' | 'summary' | 'alarms', URL>> &
  DeviceUrls &
  SettingsUrls;

export interface ServiceClientOptions {
  readonly urls: DataUrls;
  readonly session: Pick<Session, 'authenticate'>;
  readonly caller: DataCaller;
  readonly serviceClock: ServiceClock;
  /** How the keys of devices are read. */
  readonly book: RuleBook;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** The service's data endpoints (interface 4, endpoints 3 to 7) behind {@link ServiceApi}. */
export class ServiceClient implements ServiceApi {
  readonly #options: ServiceClientOptions;
  readonly #inventory: Inventory;
  readonly #settings: SettingsClient;
  readonly #reader: DeviceReader;
  readonly #alarms: AlarmList;

  constructor(options: ServiceClientOptions) {
    const { caller, urls, serviceClock, clock, log } = options;
    this.#options = options;
    this.#inventory = new Inventory(caller, serviceClock, urls);
    this.#settings = new SettingsClient(caller, urls);
    this.#reader = new DeviceReader({ ...options, questions: new DeviceQuestions(caller, urls) });
    this.#alarms = new AlarmList(caller, urls.alarms, clock, log);
  }

  authenticate(): Promise<void> {
    return this.#options.session.authenticate();
  }

  listStations(): Promise<readonly Station[]> {
    return this.#inventory.listStations();
  }

  listDevices(stationId: string): Promise<readonly Device[]> {
    return this.#inventory.listDevices(stationId);
  }

  listDevicePage(stationId: string, page: number, count: number): Promise<Page<Device>> {
    return this.#inventory.listDevicePage(stationId, page, count);
  }

  fetchReadings(deviceId: string, timeZone?: string, model?: string): Promise<DeviceReport> {
    return this.#reader.read({ deviceId, timeZone, model });
  }

  learnDialect(deviceId: string, timeZone?: string, model?: string): Promise<ExplainedDialect> {
    return this.#reader.learn({ deviceId, timeZone, model });
  }

  /** Devices whose readings bring their alarms need no list. */
  async fetchAlarms(
    stationId: string,
    deviceIds: readonly string[],
  ): Promise<readonly FiringAlarm[]> {
    const told = deviceIds.map((deviceId) => this.#reader.firingAlarms(deviceId));
    const isAllTold = told.every((alarms) => alarms !== undefined);
    const listed = isAllTold ? [] : await this.#alarms.firing(stationId);
    const untold = new Set(deviceIds.filter((_, index) => told[index] === undefined));
    return [
      ...told.flatMap((alarms) => alarms ?? []),
      ...listed.filter(({ deviceId }) => untold.has(deviceId)),
    ];
  }

  fetchMonthlyEnergy(stationId: string, timeZone?: string): Promise<MonthlyEnergy> {
    const { caller, urls, serviceClock } = this.#options;
    return fetchMonthlyEnergy(caller, serviceClock, urls.summary, stationId, timeZone);
  }

  fetchSettings(deviceId: string): Promise<DeviceSettings> {
    return this.#settings.fetch(deviceId);
  }

  changeSettings(
    deviceId: string,
    changes: ReadonlyMap<string, SettingValue>,
    held?: DeviceSettings,
  ): Promise<void> {
    return this.#settings.change(deviceId, changes, held);
  }

  startSettingsRead(deviceId: string): Promise<string> {
    return this.#settings.startRead(deviceId);
  }

  fetchSettingsRead(batchReadId: string): Promise<SettingsRead> {
    return this.#settings.fetchRead(batchReadId);
  }
}
