import type {
  Device,
  DeviceSettings,
  MonthlyEnergy,
  Readings,
  SettingValue,
  Station,
} from '../model/station.ts';

/** Every call the service is asked; the label values of a counter and the names in `check`. */
export const OPERATIONS = [
  'login',
  'refresh',
  'stations',
  'devices',
  'readings',
  'summary',
  'settings-get',
  'settings-set',
] as const;

export type Operation = (typeof OPERATIONS)[number];

/** One page of a listing; `total` is absent where the service leaves it out. */
export interface Page<T> {
  readonly total?: number | undefined;
  readonly entries: readonly T[];
  /** Whether the service sent fewer entries than asked for, malformed ones included. */
  readonly isShort: boolean;
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
  /** All devices of a station, page by page (endpoint 3, rule 2). */
  listDevices(stationId: string): Promise<readonly Device[]>;
  /** One page of devices; pages start at 1 (endpoint 3). */
  listDevicePage(stationId: string, page: number, count: number): Promise<Page<Device>>;
  /** The newest values of the last hour (endpoint 4, rule 3). */
  fetchReadings(deviceId: string, timeZone?: string): Promise<Readings>;
  /** This month's energy, absent when the service answers with an empty summary (endpoint 5, rule 4). */
  fetchMonthlyEnergy(stationId: string, timeZone?: string): Promise<MonthlyEnergy | undefined>;
  /** The settings of a device (endpoint 6). */
  fetchSettings(deviceId: string): Promise<DeviceSettings>;
  /** Changes settings in one flat object (endpoint 7, rule 5). */
  changeSettings(deviceId: string, changes: ReadonlyMap<string, SettingValue>): Promise<void>;
}
