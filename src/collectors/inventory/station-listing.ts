import type { Station } from '../../model/station.ts';
import type { Believed } from './believed-list.ts';
import type { DeviceOfDay } from './pv-day.ts';

/** A device of a station: the day of its energy, and since when the device list has lacked it. */
export interface ListedDevice extends DeviceOfDay, Believed {}

/** A station, completed by the records of its devices, and those devices. */
export interface StationListing {
  readonly station: Station;
  readonly devices: readonly ListedDevice[];
  /** Whether the list had devices of other stations as well. */
  readonly hasForeign?: boolean;
}
