import type { Station } from '../../model/station.ts';
import { type Metric, pointOf } from '../metric.ts';
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

/** What the device list says of a station and of its devices. */
export const DEVICE_LIST_METRICS: readonly Metric<StationListing>[] = [
  {
    name: 'solar_station_info',
    type: 'gauge',
    help: 'Always 1; the name of the station and the time zone its months are counted in.',
    labelNames: ['station_id', 'name', 'time_zone'],
    read: ({ station: { name = '', timeZone } }) => pointOf(1, { name, time_zone: timeZone }),
  },
  {
    name: 'solar_station_devices',
    type: 'gauge',
    help: 'Number of devices of the station, those included that its device list lacks for now.',
    labelNames: ['station_id'],
    read: ({ devices }) => pointOf(devices.length),
  },
  {
    name: 'solar_device_info',
    type: 'gauge',
    help: 'Always 1; name, serial number and model as the device record gives them.',
    labelNames: ['station_id', 'device_id', 'name', 'serial', 'model'],
    read: ({ devices }) =>
      devices.flatMap(({ deviceId, name = '', serial = '', model = '' }) =>
        pointOf(1, { device_id: deviceId, name, serial, model }),
      ),
  },
  ofDevices(
    'solar_device_listed',
    'Whether the device list of the station has the device (1) or lacks it (0); a device that two lists an hour apart lack and that answers nothing itself is shown no more.',
    ({ unlistedSinceMs }) => Number(unlistedSinceMs === undefined),
  ),
  ofDevices(
    'solar_device_online',
    'Whether the service calls the device online (1) or not (0), as of the last device list; absent where it does not say.',
    ({ isOnline }) => (isOnline === undefined ? undefined : Number(isOnline)),
  ),
  ofDevices(
    'solar_device_rated_power_watts',
    'Rated power of the device, in watts (ratedPower, which the service gives in kW).',
    ({ ratedPowerWatts }) => ratedPowerWatts,
  ),
  ofDevices(
    'solar_device_pv_energy_today_kwh',
    'PV energy the device has generated today, in kWh, as of the last device list; absent from midnight of the station until the device counts the new day (dailyProducedQuantity).',
    ({ pvEnergyTodayKwh }) => pvEnergyTodayKwh,
  ),
  ofDevices(
    'solar_device_pv_energy_lifetime_kwh',
    'PV energy the device has generated in its lifetime, in kWh, as of the last device list (totalProducedQuantity); a gauge, because devices correct it downwards, which a counter never does.',
    ({ pvEnergyTotalKwh }) => pvEnergyTotalKwh,
  ),
];

function ofDevices(
  name: `solar_${string}`,
  help: string,
  value: (device: ListedDevice) => number | undefined,
): Metric<StationListing> {
  const read: Metric<StationListing>['read'] = ({ devices }) =>
    devices.flatMap((device) => pointOf(value(device), { device_id: device.deviceId }));
  return { name, type: 'gauge', help, labelNames: ['station_id', 'device_id'], read };
}
