import { timeZoneOf } from '../base/time-zone.ts';
import type { Device, Station } from '../model/station.ts';
import { type Collector, slowlyChanging, type StationTarget } from './collector.ts';
import { type Metric, pointOf } from './metric.ts';
import {
  type DeviceOfDay,
  firstDayEndAtMs,
  nextDayKnownAtMs,
  onlyToday,
  withPvDays,
} from './pv-day.ts';

/** Discovers the stations of the account, where none are configured. */
export const stationsCollector: Collector<undefined, readonly Station[]> = {
  name: 'stations',
  lifetime: ({ devicesTtlMs, maxAgeMs }) => slowlyChanging(devicesTtlMs, maxAgeMs),
  fetch: (api) => api.listStations(),
  // An empty list is more often a fault of the service than an account without stations.
  isDoubtful: (stations) => stations.length === 0,
  metrics: [],
};

/** A station, completed by the records of its devices, and those devices. */
export interface StationListing {
  readonly station: Station;
  readonly devices: readonly DeviceOfDay[];
}

/** Discovers the devices of a station (interface endpoint 3). */
export const devicesCollector: Collector<StationTarget, StationListing> = {
  name: 'devices',
  lifetime: ({ devicesTtlMs, maxAgeMs }) => slowlyChanging(devicesTtlMs, maxAgeMs),
  fetch: async (api, target, { previous }) => {
    const devices = await api.listDevices(target.station.stationId);
    const station = completed(target.station, devices);
    return { station, devices: withPvDays(devices, station.timeZone, previous?.devices) };
  },
  ageing: {
    shownAt: ({ station, devices }, nowMs) => ({ station, devices: onlyToday(devices, nowMs) }),
    changesAtMs: ({ devices }, nowMs) => firstDayEndAtMs(devices, nowMs),
  },
  dueAtMs: ({ devices }, fetchedAtMs) => nextDayKnownAtMs(devices, fetchedAtMs),
  // An empty list is more often a fault of the service than a station without devices.
  isDoubtful: ({ devices }) =>
    devices.length === 0 || devices.some(({ pvDay }) => pvDay?.isBehind === true),
  metrics: [
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
      help: 'Number of devices in the device list of the station.',
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
  ],
};

function ofDevices(
  name: `solar_${string}`,
  help: string,
  value: (device: Device) => number | undefined,
): Metric<StationListing> {
  const read: Metric<StationListing>['read'] = ({ devices }) =>
    devices.flatMap((device) => pointOf(value(device), { device_id: device.deviceId }));
  return { name, type: 'gauge', help, labelNames: ['station_id', 'device_id'], read };
}

function completed(station: Station, devices: readonly Device[]): Station & { timeZone: string } {
  const { stationId, name, timeZone } = station;
  return {
    stationId,
    name: name ?? devices.find(({ stationName }) => stationName !== undefined)?.stationName,
    timeZone: timeZoneOf({
      station: timeZone,
      device: devices.find(({ stationTimeZone }) => stationTimeZone !== undefined)?.stationTimeZone,
    }),
  };
}
