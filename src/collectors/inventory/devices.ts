import { FALLBACK_TIME_ZONE } from '../../base/time-zone.ts';
import type { Device, Station } from '../../model/station.ts';
import { ratedTogether } from '../../model/bounds.ts';
import { type Collector, type DeviceListSubject, slowlyChanging } from '../collector.ts';
import { metricsOf, type Point, pointOf } from '../metric.ts';
import { doubtOf, type Listed, withKept } from './kept-entries.ts';
import { isAnyBehind, nextDayKnownAtMs, nextEndAtMs, onlyToday } from './pv-day.ts';

/** A device of a station, and since when the device list has lacked it. */
export type ListedDevice = Device & Listed;

/** A station, completed by the records of its devices, and those devices. */
export interface StationListing {
  readonly station: Station;
  /** Why the days and months of the station are those of {@link FALLBACK_TIME_ZONE}; absent where its zone is known. */
  readonly zoneProblem?: string | undefined;
  readonly devices: readonly ListedDevice[];
  /** Whether the list had devices of other stations as well. */
  readonly hasForeign?: boolean;
}

const idOf = ({ deviceId }: Device): string => deviceId;

/** Discovers the devices of a station (service.md#records). */
export const devicesCollector: Collector<DeviceListSubject, StationListing> = {
  name: 'devices',
  validity: ({ devicesTtlMs, maxAgeMs }, listing, fetchedAtMs) => {
    const { dueAtMs, servedUntilMs } = slowlyChanging(fetchedAtMs, devicesTtlMs, maxAgeMs);
    const { isDoubtful, problem } = doubtOf('devices', listing.devices, idOf);
    return {
      ...{ servedUntilMs, problem },
      dueAtMs: Math.min(dueAtMs, nextDayKnownAtMs(listing, fetchedAtMs)),
      isDoubtful: isDoubtful === true || isAnyBehind(listing),
    };
  },
  fetch: async (api, { station, isListedElsewhere }, { previous, nowMs, log }) => {
    const { stationId } = station;
    const records = await api.listDevices(stationId);
    const listed = ofStation(stationId, records);
    const ids = new Set(listed.map(idOf));
    const foreign = new Set(records.map(idOf).filter((id) => !ids.has(id)));
    const hasForeign = foreign.size > 0;
    if (hasForeign && previous?.hasForeign !== true)
      log.warn(
        { station_id: stationId, devices: foreign.size },
        'the device list of a station has devices of others: they count there alone',
      );
    const before = previous?.devices ?? [];
    const isStillHere = (device: Device): boolean =>
      ids.has(device.deviceId) ||
      !(
        foreign.has(device.deviceId) ||
        isListedElsewhere(device.deviceId) ||
        isRenamed(device, before, listed)
      );
    const devices = withKept(before.filter(isStillHere), listed, idOf, nowMs());
    const described = describedStation(station, devices);
    const { zoneProblem } = described;
    if (zoneProblem !== undefined && zoneProblem !== previous?.zoneProblem)
      log.warn({ station_id: stationId }, zoneProblem);
    return { ...described, devices, hasForeign };
  },
  shownAt: (nowMs, listing, _lifetimes, { devices }) => ({
    value: onlyToday({ ...listing, devices }, nowMs),
    untilMs: nextEndAtMs(listing, nowMs),
  }),
  metrics: metricsOf<StationListing>('gauge', ['station_id'], {
    solar_station_info: [
      'Name of the station, and time zone of its days and months.',
      ({ station: { name = '', timeZone } }) => pointOf(1, { name, time_zone: timeZone }),
      'name',
      'time_zone',
    ],
    solar_station_devices: [
      'Number of devices of the station, also those that its device list lacks for now.',
      ({ devices }) => devices.length,
    ],
    solar_device_info: [
      'Name, serial number and model from the device record, and the name of the station.',
      ({ station, devices }) =>
        devices.flatMap(({ deviceId, name = '', serial = '', model = '' }) =>
          pointOf(1, { device_id: deviceId, name, serial, model, station: station.name }),
        ),
      ...['device_id', 'name', 'serial', 'model', 'station'],
    ],
    solar_device_listed: [
      'Whether the device list of the station has the device (1) or lacks it (0).',
      ofDevices(({ unlistedSinceMs }) => Number(unlistedSinceMs === undefined)),
      'device_id',
    ],
    solar_device_online: [
      'Whether the service calls the device online (1) or not (0), from the last device list.',
      ofDevices(({ isOnline }) => (isOnline === undefined ? undefined : Number(isOnline))),
      'device_id',
    ],
    solar_device_rated_power_watts: [
      'Rated power from the device record (ratedPower).',
      ofDevices(({ ratedPowerWatts }) => ratedPowerWatts),
      'device_id',
    ],
    solar_device_pv_energy_today_kwh: [
      'PV energy that the device generated today, from the last device list (dailyProducedQuantity); absent from midnight until the device counts the new day.',
      ofDevices(({ pvEnergyTodayKwh }) => pvEnergyTodayKwh),
      'device_id',
    ],
    solar_device_pv_energy_lifetime_kwh: [
      'PV energy that the device generated in its lifetime, from the last device list (totalProducedQuantity); a gauge, because devices correct it downwards.',
      ofDevices(({ pvEnergyTotalKwh }) => pvEnergyTotalKwh),
      'device_id',
    ],
  }),
};

function ofDevices(
  value: (device: ListedDevice) => number | undefined,
): (listing: StationListing) => readonly Point[] {
  return ({ devices }) =>
    devices.flatMap((device) => pointOf(value(device), { device_id: device.deviceId }));
}

/** Completes a station by the records of its devices, and says whether its zone is known. */
export function describedStation(
  { stationId, name, timeZone, unknownTimeZone }: Station,
  devices: readonly Device[],
): Pick<StationListing, 'zoneProblem'> & {
  readonly station: Station & { readonly timeZone: string };
} {
  // A list may have devices of other stations, and those describe theirs.
  const records = [...devices.filter((device) => device.stationId === stationId), ...devices];
  const first = (field: 'stationName' | 'stationTimeZone' | 'unknownTimeZone') =>
    records.find(({ [field]: text }) => text !== undefined)?.[field];
  const known = timeZone ?? first('stationTimeZone');
  const unknown = unknownTimeZone ?? first('unknownTimeZone');
  const said =
    unknown === undefined ? 'time zone unknown' : `time zone "${unknown}" not understood`;
  return {
    station: {
      stationId,
      name: name ?? first('stationName'),
      timeZone: known ?? FALLBACK_TIME_ZONE,
      ratedPowerWatts: ratedTogether(devices),
    },
    zoneProblem:
      known === undefined
        ? `${said}: its days and months are those of ${FALLBACK_TIME_ZONE}; --time-zone sets another`
        : undefined,
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

/** Whether a list has a device that it lacks under a new id: one that was registered anew keeps its serial number. */
export function isRenamed(
  { serial }: Device,
  before: readonly Device[],
  listed: readonly Device[],
): boolean {
  if (serial === undefined) return false;
  const known = new Set(before.map(idOf));
  return listed.some((device) => device.serial === serial && !known.has(device.deviceId));
}

/**
 * Groups the devices of the lists of stations: each counts at the station that its record names, where that is one of
 * these, else at the first one whose list has it. One that a list only keeps counts where another list has it.
 */
export function groupedByStation(
  lists: ReadonlyMap<string, readonly ListedDevice[]>,
): ReadonlyMap<string, readonly ListedDevice[]> {
  const groups = new Map<string, ListedDevice[]>(
    Array.from(lists.keys(), (stationId) => [stationId, []]),
  );
  const grouped = new Set<string>();
  for (const isKept of [false, true])
    for (const [stationId, devices] of lists)
      for (const device of devices) {
        if (grouped.has(device.deviceId) || isKept !== (device.unlistedSinceMs !== undefined))
          continue;
        grouped.add(device.deviceId);
        (groups.get(device.stationId ?? stationId) ?? groups.get(stationId))?.push(device);
      }
  return groups;
}
