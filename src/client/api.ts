import type { Device, Station } from '../model/station.ts';
import type { DailyEnergy, YearlyEnergy } from '../model/energy.ts';
import type { MonthlyEnergy } from '../model/month.ts';
import type { DeviceReport, PastReading } from '../model/readings.ts';
import type { DeviceSettings, SettingValue } from '../model/settings.ts';
import type { StationAlarms } from './alarms/alarm-list.ts';
import type { ExplainedDialect } from './devices/device-reader.ts';
import type { PastQuery, Patience } from './devices/past-reader.ts';
import type { EnergiesByPeriod, Period } from './energy/past-energies.ts';
import type { Page } from './exchange/paging.ts';
import type { SettingsRead } from './settings/settings-batch-read.ts';

export type {
  EnergiesByPeriod,
  ExplainedDialect,
  PastQuery,
  Patience,
  Period,
  SettingsRead,
  StationAlarms,
};

/**
 * The service in our types and units, with one method per endpoint. Every method renews the token when it
 * has to and rejects with a `ServiceError`.
 *
 * `timeZone` is the zone of the station, where known; a zone that the user configured takes precedence.
 */
export interface ServiceApi {
  /** Returns the time of the service, as far as its answers have shown it. */
  serviceNowMs(): number;
  /** Gets a usable token if there is none (endpoints 1 and 2). */
  authenticate(): Promise<void>;
  /** Lists all stations of the account (field notes 1.2; the interface has no such endpoint). */
  listStations(): Promise<readonly Station[]>;
  /**
   * Lists all devices of a station (endpoint 3, rule 2). Rejects with `SERVICE_REQUEST_REJECTED` and an
   * explanation when the id is that of a device or a datalogger.
   */
  listDevices(stationId: string): Promise<readonly Device[]>;
  /**
   * Fetches the record of a device, listed or not (field notes 1.2); absent where the service has no record
   * of it, or no records at all.
   */
  fetchDevice(deviceId: string): Promise<Device | undefined>;
  /** Fetches one page of devices, from page 1 (endpoint 3). Checks the id as `listDevices` does. */
  listDevicePage(stationId: string, page: number, count: number): Promise<Page<Device>>;
  /**
   * Fetches the newest values of the last hour (endpoint 4, rule 3) and reads them in the dialect of the
   * device. With a `model`, the user's rules for that model apply.
   *
   * @param windowMs - instead of an hour, for a device whose readings are further apart.
   */
  fetchReadings(
    deviceId: string,
    timeZone?: string,
    model?: string,
    windowMs?: number,
  ): Promise<DeviceReport>;
  /**
   * Fetches the readings of a span of the past, page by page, in ascending order of time (endpoint 4). Each
   * reading is what the device was known to measure then, by the dialect that it speaks now.
   *
   * @param patiently - sends each request; it may wait and send it again when it fails.
   */
  fetchPastReadings(query: PastQuery, patiently?: Patience): AsyncGenerator<Iterable<PastReading>>;
  /**
   * Fetches the energy of every day of a month, of every month of a year, or of every year (endpoint 5,
   * field notes 1.4).
   *
   * @param of - the month, `2026-08`; the year, `2026`; for years, any year.
   */
  fetchPastEnergies(
    stationId: string,
    timeZone: string | undefined,
    period: Period,
    of: string,
  ): Promise<EnergiesByPeriod>;
  /** Forgets what was learnt of a device, because no list has it any more. */
  forgetDevice(deviceId: string): void;
  /** Learns the dialect of a device again and reports everything it found (field notes 2). */
  learnDialect(deviceId: string, timeZone?: string, model?: string): Promise<ExplainedDialect>;
  /** Fetches the alarms that fire now on these devices of a station (field notes 1.6). */
  fetchAlarms(stationId: string, deviceIds: readonly string[]): Promise<StationAlarms>;
  /** Fetches this month's energy; it has no quantities when the summary is empty (endpoint 5, rule 4). */
  fetchMonthlyEnergy(stationId: string, timeZone?: string): Promise<MonthlyEnergy>;
  /**
   * Fetches the energy of today and yesterday (field notes 1.4); `isMissing` where the service has no such
   * summary.
   *
   * @param previous - the result before this one: yesterday is not asked for again once it is final.
   */
  fetchDailyEnergy(
    stationId: string,
    timeZone?: string,
    previous?: DailyEnergy,
  ): Promise<DailyEnergy>;
  /**
   * Fetches the energy of this year and of all years (field notes 1.4); `isMissing` where the service has no
   * such summary.
   *
   * @param previous - the result before this one.
   */
  fetchYearlyEnergy(
    stationId: string,
    timeZone?: string,
    previous?: YearlyEnergy,
  ): Promise<YearlyEnergy>;
  /** Fetches the settings that the service has stored for a device (endpoint 6, field notes 1.5). */
  fetchSettings(deviceId: string): Promise<DeviceSettings>;
  /**
   * Changes settings in one flat object (endpoint 7, rule 5). Where settings are objects (field notes 1.5),
   * changes one after the other; `held` are the settings as they were read, which shows this.
   */
  changeSettings(
    deviceId: string,
    changes: ReadonlyMap<string, SettingValue>,
    held?: DeviceSettings,
  ): Promise<void>;
  /** Starts to read the settings from the device itself; resolves to the id of the read (field notes 1.5). */
  startSettingsRead(deviceId: string): Promise<string>;
  /** Fetches the progress of a batch read (field notes 1.5). */
  fetchSettingsRead(batchReadId: string): Promise<SettingsRead>;
}
