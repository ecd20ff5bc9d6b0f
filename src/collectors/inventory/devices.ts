import { FALLBACK_TIME_ZONE } from '../../base/time-zone.ts';
import type { Device, Station } from '../../model/station.ts';
import { askForDevice, believeList, lackOf } from './believed-list.ts';
import { type Collector, type DeviceListSubject, slowlyChanging } from '../collector.ts';
import { firstDayEndAtMs, nextDayKnownAtMs, onlyToday, withPvDays } from './pv-day.ts';
import { DEVICE_LIST_METRICS, type StationListing } from './station-listing.ts';

const deviceIdOf = ({ deviceId }: Device): string => deviceId;

/** Discovers the devices of a station (interface endpoint 3). */
export const devicesCollector: Collector<DeviceListSubject, StationListing> = {
  name: 'devices',
  lifetime: ({ devicesTtlMs, maxAgeMs }) => slowlyChanging(devicesTtlMs, maxAgeMs),
  fetch: async (api, target, { previous, nowMs, log }) => {
    const { stationId } = target.station;
    const records = await api.listDevices(stationId);
    const listed = ofStation(stationId, records);
    const ids = new Set(listed.map(deviceIdOf));
    const foreign = new Set(records.map(deviceIdOf).filter((id) => !ids.has(id)));
    if (foreign.size > 0 && previous?.hasForeign !== true)
      log.warn(
        { station_id: stationId, devices: foreign.size },
        'the device list of a station has devices of others: they count there alone',
      );
    const known = previous?.devices ?? [];
    const renamed = renamedDevices(known, listed);
    const devices = await believeList({
      what: 'devices',
      known,
      listed,
      idOf: deviceIdOf,
      hasMoved: ({ deviceId }) =>
        foreign.has(deviceId) || renamed.has(deviceId) || target.isListedElsewhere(deviceId),
      nowMs: nowMs(),
      ask: (device) => askForDevice(api, device, previous?.station ?? target.station),
      log,
    });
    const station = completed(target.station, devices);
    const hasForeign = foreign.size > 0;
    const days = withPvDays(devices, station.timeZone, previous?.devices);
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
  metrics: DEVICE_LIST_METRICS,
};

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
    timeZone: timeZone ?? zoned?.stationTimeZone ?? FALLBACK_TIME_ZONE,
  };
}

/**
 * Leaves out the records of other stations. Where none names this station and all name the same one, that is
 * taken for another name of it; records that name several stations are of those.
 */
export function ofStation(stationId: string, devices: readonly Device[]): readonly Device[] {
  const names = new Set(devices.flatMap((device) => device.stationId ?? []));
  if (names.size === 1 && !names.has(stationId)) return devices;
  return devices.filter(({ stationId: named = stationId }) => named === stationId);
}

/**
 * Returns the ids of known devices that a list has under another id: one that was registered anew keeps its
 * serial number. A serial number that several known devices share is none.
 */
export function renamedDevices(
  known: readonly Device[],
  listed: readonly Device[],
): ReadonlySet<string> {
  /** Undefined where several devices have the number. */
  const idOf = new Map<string, string | undefined>();
  for (const { serial, deviceId } of known)
    if (serial !== undefined) idOf.set(serial, idOf.has(serial) ? undefined : deviceId);
  const renamed = new Set<string>();
  for (const { serial = '', deviceId } of listed) {
    const knownId = idOf.get(serial);
    if (knownId !== undefined && knownId !== deviceId) renamed.add(knownId);
  }
  return renamed;
}
