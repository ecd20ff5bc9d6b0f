import { FALLBACK_TIME_ZONE } from '../client/time-zone.ts';
import type { Device, Station } from '../model/station.ts';
import { type Collector, slowlyChanging, type StationTarget } from './collector.ts';
import { firstDayEndAtMs, type ListedDevice, onlyToday, withDayEnds } from './device-days.ts';
import { type CollectorMetric, pointOf } from './metric.ts';

/** A station and its devices; the station as far as the device records complete it. */
export interface StationListing {
  readonly station: Station;
  readonly devices: readonly ListedDevice[];
}

/** Discovers the devices of a station (interface endpoint 3). */
export const devicesCollector: Collector<StationTarget, StationListing> = {
  name: 'devices',
  lifetime: ({ devicesTtlMs, maxAgeMs }) => slowlyChanging(devicesTtlMs, maxAgeMs),
  fetch: async (api, target) => {
    const devices = await api.listDevices(target.station.stationId);
    const station = completed(target.station, devices);
    return { station, devices: withDayEnds(devices, station.timeZone) };
  },
  ageing: {
    shownAt: ({ station, devices }, nowMs) => ({ station, devices: onlyToday(devices, nowMs) }),
    changesAtMs: ({ devices }, nowMs) => firstDayEndAtMs(devices, nowMs),
  },
  // More often a fault of the service than a station without devices.
  isDoubtful: ({ devices }) => devices.length === 0,
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
      'gauge',
      'Whether the service calls the device online (1) or not (0), as of the last device list; absent where it does not say.',
      ({ isOnline }) => (isOnline === undefined ? undefined : Number(isOnline)),
    ),
    ofDevices(
      'solar_device_rated_power_watts',
      'gauge',
      'Rated power of the device, in watts (ratedPower, which the service gives in kW).',
      ({ ratedPowerWatts }) => ratedPowerWatts,
    ),
    ofDevices(
      'solar_device_pv_energy_today_kwh',
      'gauge',
      'PV energy the device has generated today, in kWh, as of the last device list; absent from midnight of the station until the service knows of the new day (dailyProducedQuantity).',
      ({ pvEnergyTodayKwh }) => pvEnergyTodayKwh,
    ),
    ofDevices(
      'solar_device_pv_energy_kwh_total',
      'counter',
      'PV energy the device has generated in its lifetime, in kWh, as of the last device list (totalProducedQuantity).',
      ({ pvEnergyTotalKwh }) => pvEnergyTotalKwh,
    ),
  ],
};

function ofDevices(
  name: `solar_${string}`,
  type: 'gauge' | 'counter',
  help: string,
  value: (device: Device) => number | undefined,
): CollectorMetric<StationListing> {
  const read: CollectorMetric<StationListing>['read'] = ({ devices }) =>
    devices.flatMap((device) => pointOf(value(device), { device_id: device.deviceId }));
  return { name, type, help, labelNames: ['station_id', 'device_id'], read };
}

function completed(station: Station, devices: readonly Device[]): Station & { timeZone: string } {
  const { stationId, name, timeZone } = station;
  return {
    stationId,
    name: name ?? devices.find(({ stationName }) => stationName !== undefined)?.stationName,
    timeZone:
      timeZone ??
      devices.find(({ stationTimeZone }) => stationTimeZone !== undefined)?.stationTimeZone ??
      FALLBACK_TIME_ZONE,
  };
}
