import { FALLBACK_TIME_ZONE } from '../client/time-zone.ts';
import type { Device, Station } from '../model/station.ts';
import { type Collector, slowlyChanging, type StationTarget } from './collector.ts';
import { pointOf } from './metric.ts';

/** A station and its devices; the station as far as the device records complete it. */
export interface StationListing {
  readonly station: Station;
  readonly devices: readonly Device[];
}

/** Discovers the devices of a station (interface endpoint 3). */
export const devicesCollector: Collector<StationTarget, StationListing> = {
  name: 'devices',
  lifetime: ({ devicesTtlMs, maxAgeMs }) => slowlyChanging(devicesTtlMs, maxAgeMs),
  fetch: async (api, { station }) => {
    const devices = await api.listDevices(station.stationId);
    return { station: completed(station, devices), devices };
  },
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
    {
      name: 'solar_device_online',
      type: 'gauge',
      help: 'Whether the service calls the device online (1) or not (0); absent where it does not say.',
      labelNames: ['station_id', 'device_id'],
      read: ({ devices }) =>
        devices.flatMap(({ deviceId, isOnline }) =>
          pointOf(isOnline === undefined ? undefined : Number(isOnline), { device_id: deviceId }),
        ),
    },
  ],
};

function completed(station: Station, devices: readonly Device[]): Station {
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
