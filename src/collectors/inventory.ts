import { timeZoneOf } from '../base/time-zone.ts';
import { nextTurn } from '../base/clock.ts';
import { allInTurns, Slices } from '../base/turns.ts';
import type { Device, Station } from '../model/station.ts';
import { askForDevice, askForStation } from './ask-for-itself.ts';
import { type Believed, lackOf } from './believed-list.ts';
import {
  type AccountTarget,
  type Collector,
  type DeviceListTarget,
  slowlyChanging,
} from './collector.ts';
import { type Metric, pointOf } from './metric.ts';
import {
  type DeviceOfDay,
  firstDayEndAtMs,
  nextDayKnownAtMs,
  onlyToday,
  PV_DAY_MICROSECONDS,
  withPvDays,
} from './pv-day.ts';
import { settleList } from './settle-list.ts';
import { knownFirst } from './shared-limits.ts';
import { ofStation, renamedDevices } from './owners/listed-devices.ts';

/** A station, and since when the station list has lacked it. */
export type ListedStation = Station & Believed;

/** Each step of taking up a device list takes so long for one record. */
const STEP_MICROSECONDS = 1;

const stationIdOf = ({ stationId }: Station): string => stationId;
const deviceIdOf = ({ deviceId }: Device): string => deviceId;

/** Discovers the stations of the account, where none are configured. */
export const stationsCollector: Collector<AccountTarget, readonly ListedStation[]> = {
  name: 'stations',
  lifetime: ({ devicesTtlMs, maxAgeMs }) => slowlyChanging(devicesTtlMs, maxAgeMs),
  fetch: async (api, { devicesOf }, { previous = [], nowMs, log }) =>
    settleList({
      what: 'stations',
      list: {
        known: previous,
        listed: await api.listStations(),
        idOf: stationIdOf,
        hasMoved: () => false,
        nowMs: nowMs(),
      },
      ask: (station) => askForStation(api, station, devicesOf(station.stationId)),
      log,
    }),
  problemOf: (stations) => lackOf('stations', stations, stationIdOf),
  // An empty or shorter list is more often a fault of the service than an account without stations.
  isDoubtful: (stations) =>
    stations.length === 0 || lackOf('stations', stations, stationIdOf) !== undefined,
  list: {
    name: 'stations',
    lengthOf: (stations) => stations.length,
    cut: (stations, most, previous) => {
      const known = new Set(previous?.map(stationIdOf));
      return knownFirst(stations, most, ({ stationId }) => known.has(stationId));
    },
  },
  metrics: [],
};

/** A device of a station: the day of its energy, and since when the device list has lacked it. */
export interface ListedDevice extends DeviceOfDay, Believed {}

/** A station, completed by the records of its devices, and those devices. */
export interface StationListing {
  readonly station: Station;
  readonly devices: readonly ListedDevice[];
  /** Whether the list had devices of other stations as well. */
  readonly hasForeign?: boolean;
}

/** Discovers the devices of a station (interface endpoint 3). */
export const devicesCollector: Collector<DeviceListTarget, StationListing> = {
  name: 'devices',
  lifetime: ({ devicesTtlMs, maxAgeMs }) => slowlyChanging(devicesTtlMs, maxAgeMs),
  fetch: async (api, target, { previous, nowMs, log }) => {
    const { stationId } = target.station;
    const records = await api.listDevices(stationId);
    const slices = new Slices();
    const step = async (): Promise<void> => {
      if (slices.isOver(records.length * STEP_MICROSECONDS)) await nextTurn();
    };
    await step();
    const listed = ofStation(stationId, records);
    const ids = new Set(listed.map(deviceIdOf));
    const foreign = new Set(records.map(deviceIdOf).filter((id) => !ids.has(id)));
    if (foreign.size > 0 && previous?.hasForeign !== true)
      log.warn(
        { station_id: stationId, devices: foreign.size },
        'the device list of a station has devices of others: they count there alone',
      );
    const known = previous?.devices ?? [];
    await step();
    const renamed = renamedDevices(known, listed);
    await step();
    const devices = await settleList({
      what: 'devices',
      list: {
        known,
        listed,
        idOf: deviceIdOf,
        hasMoved: ({ deviceId }) =>
          foreign.has(deviceId) || renamed.has(deviceId) || target.isListedElsewhere(deviceId),
        nowMs: nowMs(),
      },
      ask: (device) => askForDevice(api, device, previous?.station ?? target.station),
      log,
    });
    await step();
    const station = completed(target.station, devices);
    const hasForeign = foreign.size > 0;
    const days = await allInTurns(
      withPvDays(devices, station.timeZone, previous?.devices),
      PV_DAY_MICROSECONDS,
    );
    return { station, devices: days, hasForeign };
  },
  problemOf: ({ devices }) => lackOf('devices', devices, deviceIdOf),
  ageing: {
    shownAt: ({ devices, ...listing }, nowMs) => ({
      ...listing,
      devices: onlyToday(devices, nowMs),
    }),
    changesAtMs: ({ devices }, nowMs) => firstDayEndAtMs(devices, nowMs),
  },
  dueAtMs: ({ devices }, fetchedAtMs) => nextDayKnownAtMs(devices, fetchedAtMs),
  // An empty or shorter list is more often a fault of the service than a station without devices.
  isDoubtful: ({ devices }) =>
    devices.length === 0 ||
    lackOf('devices', devices, deviceIdOf) !== undefined ||
    devices.some(({ pvDay }) => pvDay?.isBehind === true),
  list: {
    name: 'devices',
    lengthOf: ({ devices }) => devices.length,
    cut: ({ devices, ...listing }, most, previous) => {
      const known = new Set(previous?.devices.map(deviceIdOf));
      const kept = knownFirst(devices, most, ({ deviceId }) => known.has(deviceId));
      return { ...listing, devices: kept };
    },
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
  ],
};

function ofDevices(
  name: `solar_${string}`,
  help: string,
  value: (device: ListedDevice) => number | undefined,
): Metric<StationListing> {
  const read: Metric<StationListing>['read'] = ({ devices }) =>
    devices.flatMap((device) => pointOf(value(device), { device_id: device.deviceId }));
  return { name, type: 'gauge', help, labelNames: ['station_id', 'device_id'], read };
}

function completed(
  { stationId, name, timeZone }: Station,
  devices: readonly Device[],
): Station & { timeZone: string } {
  // A list may have devices of other stations, and those describe theirs.
  const records = [...devices.filter((device) => device.stationId === stationId), ...devices];
  const named = records.find(({ stationName }) => stationName !== undefined);
  const zoned = records.find(({ stationTimeZone }) => stationTimeZone !== undefined);
  return {
    stationId,
    name: name ?? named?.stationName,
    timeZone: timeZoneOf({ station: timeZone, device: zoned?.stationTimeZone }),
  };
}
