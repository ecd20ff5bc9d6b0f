import type { FiringAlarm } from '../model/alarm.ts';
import type { MonthlyEnergy } from '../model/month.ts';
import type { DeviceReport } from '../model/readings.ts';
import type { DeviceSettings, SettingValue } from '../model/settings.ts';
import type { Device, Station } from '../model/station.ts';
import type { Learnt } from './dialect-lesson.ts';
import type { Page } from './paging.ts';

/** Everything that was seen of a device, and when, by the service's clock. */
export interface ExplainedDialect extends Learnt {
  readonly serviceNowMs: number;
}

/** How far a batch read of settings is; the settings are complete when it is finished. */
export interface SettingsRead {
  readonly isFinished: boolean;
  readonly settings: DeviceSettings;
}

/**
 * The service as the rest of the program sees it: one method per endpoint of interface 4, our types
 * and units. Every method keeps the token alive by itself and rejects with a `ServiceError`.
 *
 * `timeZone` is the station's own zone, where known; a zone the user configured takes precedence.
 */
export interface ServiceApi {
  /** Makes sure that a usable token is at hand (endpoints 1 and 2). */
  authenticate(): Promise<void>;
  /** All stations of the account (field notes 1.2; the interface has no such endpoint). */
  listStations(): Promise<readonly Station[]>;
  /**
   * All devices of a station, page by page (endpoint 3, rule 2). What turns out to be the id of a device
   * or a datalogger is `SERVICE_REQUEST_REJECTED`, in words that say so.
   */
  listDevices(stationId: string): Promise<readonly Device[]>;
  /** One page of devices; pages start at 1 (endpoint 3). Ids are told apart as in `listDevices`. */
  listDevicePage(stationId: string, page: number, count: number): Promise<Page<Device>>;
  /**
   * The newest values of the last hour (endpoint 4, rule 3), in the dialect that the device speaks. A
   * `model` lets the user's rules for that model apply.
   */
  fetchReadings(deviceId: string, timeZone?: string, model?: string): Promise<DeviceReport>;
  /** Learns the dialect of a device anew and tells everything that was seen (field notes 2). */
  learnDialect(deviceId: string, timeZone?: string, model?: string): Promise<ExplainedDialect>;
  /** Alarms that fire now on these devices of a station (field notes 1.6). */
  fetchAlarms(stationId: string, deviceIds: readonly string[]): Promise<readonly FiringAlarm[]>;
  /** This month's energy, without quantities when the summary is empty (endpoint 5, rule 4). */
  fetchMonthlyEnergy(stationId: string, timeZone?: string): Promise<MonthlyEnergy>;
  /** The settings of a device as the service holds them (endpoint 6, field notes 1.5). */
  fetchSettings(deviceId: string): Promise<DeviceSettings>;
  /**
   * Changes settings in one flat object (endpoint 7, rule 5), or one after the other where `held`,
   * which is what reading showed, has settings that are objects (field notes 1.5).
   */
  changeSettings(
    deviceId: string,
    changes: ReadonlyMap<string, SettingValue>,
    held?: DeviceSettings,
  ): Promise<void>;
  /** Has the device itself asked for its settings; resolves to the id of this batch read (field notes 1.5). */
  startSettingsRead(deviceId: string): Promise<string>;
  /** How far a batch read is (field notes 1.5). */
  fetchSettingsRead(batchReadId: string): Promise<SettingsRead>;
}
