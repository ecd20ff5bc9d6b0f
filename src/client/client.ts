import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import type { Device, Station } from '../model/station.ts';
import type { DailyEnergy, YearlyEnergy } from '../model/energy.ts';
import type { MonthlyEnergy } from '../model/month.ts';
import type { DeviceReport, PastReading } from '../model/readings.ts';
import type { DeviceSettings, SettingValue } from '../model/settings.ts';
import type { ServiceApi } from './api.ts';
import type { Page } from './exchange/paging.ts';
import { AlarmList, type StationAlarms } from './alarms/alarm-list.ts';
import type { DataCaller } from './exchange/data-caller.ts';
import { DeviceEndpoints } from './devices/device-endpoints.ts';
import { DeviceReader, type ExplainedDialect } from './devices/device-reader.ts';
import { type PastQuery, type Patience, readPast } from './devices/past-reader.ts';
import type { RuleSet } from './dialects/rule-set.ts';
import type { EnergiesByPeriod, Period } from './energy/past-energies.ts';
import { StationEnergy } from './energy/station-energy.ts';
import { SettingsClient } from './settings/device-settings.ts';
import type { SettingsRead } from './settings/settings-batch-read.ts';
import { Inventory } from './stations/inventory.ts';
import type { ServiceClock } from './exchange/service-clock.ts';
import type { Session } from './session/session.ts';

export interface ServiceClientOptions {
  readonly session: Pick<Session, 'authenticate'>;
  readonly caller: DataCaller;
  readonly serviceClock: ServiceClock;
  /** The rules that the keys of devices are read by. */
  readonly rules: RuleSet;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** Implements {@link ServiceApi} with the classes for stations, devices, alarms and settings. */
export class ServiceClient implements ServiceApi {
  readonly #options: ServiceClientOptions;
  readonly #inventory: Inventory;
  readonly #devices: DeviceEndpoints;
  readonly #settings: SettingsClient;
  readonly #reader: DeviceReader;
  readonly #alarms: AlarmList;
  readonly #energy: StationEnergy;

  constructor(options: ServiceClientOptions) {
    const { caller, clock, log } = options;
    this.#options = options;
    this.#inventory = new Inventory(caller, log);
    this.#settings = new SettingsClient(caller);
    this.#devices = new DeviceEndpoints(caller);
    this.#reader = new DeviceReader({ ...options, endpoints: this.#devices });
    this.#alarms = new AlarmList(caller, clock, log);
    this.#energy = new StationEnergy(caller, options.serviceClock, log);
  }

  serviceNowMs(): number {
    return this.#options.serviceClock.nowMs();
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

  fetchDevice(deviceId: string): Promise<Device | undefined> {
    return this.#inventory.fetchDevice(deviceId);
  }

  listDevicePage(stationId: string, page: number, count: number): Promise<Page<Device>> {
    return this.#inventory.listDevicePage(stationId, page, count);
  }

  fetchReadings(
    deviceId: string,
    timeZone?: string,
    model?: string,
    windowMs?: number,
  ): Promise<DeviceReport> {
    return this.#reader.read({ deviceId, timeZone, model, windowMs });
  }

  async *fetchPastReadings(
    query: PastQuery,
    patiently: Patience = (ask) => ask(),
  ): AsyncGenerator<Iterable<PastReading>> {
    const dialect = await patiently(() => this.#reader.seriesDialect(query));
    yield* readPast(query, dialect, this.#devices, patiently);
  }

  fetchPastEnergies(
    stationId: string,
    timeZone: string | undefined,
    period: Period,
    of: string,
  ): Promise<EnergiesByPeriod> {
    return this.#energy.past({ stationId, timeZone }, period, of);
  }

  forgetDevice(deviceId: string): void {
    this.#reader.forget(deviceId);
  }

  learnDialect(deviceId: string, timeZone?: string, model?: string): Promise<ExplainedDialect> {
    return this.#reader.learn({ deviceId, timeZone, model });
  }

  /** Takes the alarms that readings brought; asks for the list only for the other devices. */
  async fetchAlarms(stationId: string, deviceIds: readonly string[]): Promise<StationAlarms> {
    const alarmsRead = deviceIds.map((deviceId) => this.#reader.firingAlarms(deviceId));
    const unread = new Set(deviceIds.filter((_, index) => alarmsRead[index] === undefined));
    const { alarms: listed, refusal }: StationAlarms =
      unread.size === 0 ? { alarms: [] } : await this.#alarms.firing(stationId);
    // Without any other alarms to show, there is nothing but the refusal.
    if (refusal !== undefined && unread.size === deviceIds.length) throw refusal;
    const alarms = [
      ...alarmsRead.flatMap((read) => read ?? []),
      ...listed.filter(({ deviceId }) => unread.has(deviceId)),
    ];
    return { alarms, refusal };
  }

  fetchMonthlyEnergy(stationId: string, timeZone?: string): Promise<MonthlyEnergy> {
    return this.#energy.month({ stationId, timeZone });
  }

  fetchDailyEnergy(
    stationId: string,
    timeZone?: string,
    previous?: DailyEnergy,
  ): Promise<DailyEnergy> {
    return this.#energy.days({ stationId, timeZone }, previous);
  }

  fetchYearlyEnergy(
    stationId: string,
    timeZone?: string,
    previous?: YearlyEnergy,
  ): Promise<YearlyEnergy> {
    return this.#energy.years({ stationId, timeZone }, previous);
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
