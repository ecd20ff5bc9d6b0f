import type { Listing } from '../client/client.ts';
import { ServiceError } from '../base/errors.ts';
import { FALLBACK_TIME_ZONE } from '../base/time-zone.ts';
import { ratedTogether } from '../model/bounds.ts';
import type { Device, Station } from '../model/station.ts';
import {
  type CacheLifetimes,
  type Collector,
  slowlyChanging,
  type StationSubject,
  type Validity,
} from './collector.ts';
import { metricsOf, type Point, pointOf } from './metric.ts';
import { isAnyBehind, nextDayKnownAtMs, nextEndAtMs, onlyToday } from './pv-day.ts';

/**
 * How long an entry is kept after its list lacks it, and a list after it was due: a shorter list is usually a fault of the
 * service.
 */
const KEPT_MS = 24 * 3_600_000;
const MOST_NAMED = 5;

/** An entry of a list. */
export interface Listed {
  /** Since when, by our clock, the list has lacked it; absent while it is listed. */
  readonly unlistedSinceMs?: number | undefined;
}
export type ListedStation = Station & Listed;
export type ListedDevice = Device & Listed;

/** A station, completed by the records of its devices, and those devices. */
export interface StationListing {
  readonly station: Station;
  /** Why {@link FALLBACK_TIME_ZONE} is used for the days and months of the station; absent where its zone is known. */
  readonly zoneProblem?: string | undefined;
  readonly devices: readonly ListedDevice[];
  /** Whether the list had devices of other stations as well. */
  readonly hasForeign?: boolean;
  /** When it was asked for, by our clock; absent where that is of no matter, because nothing ages. */
  readonly askedAtMs?: number | undefined;
  /** Why the station may have more devices. */
  readonly problem?: ServiceError | undefined;
}

/** The station whose devices are listed, and the devices that count at it, so that they are shown there. */
export interface DeviceListSubject extends StationSubject {
  /** Whether the list of another station has a device. */
  readonly isListedElsewhere: (deviceId: string) => boolean;
}

const idOfStation = ({ stationId }: Station): string => stationId;
const idOf = ({ deviceId }: Device): string => deviceId;

/** Discovers the stations of the account, where none are configured. */
export const stationsCollector: Collector<undefined, Listing<ListedStation>> = {
  name: 'stations',
  validity: (lifetimes, stations, fetchedAtMs) =>
    validityOf('stations', stations, idOfStation, lifetimes, fetchedAtMs),
  fetch: async (api, _account, { previous, nowMs }) => {
    const { entries, problem } = await api.listStations();
    const ids = new Set(entries.map(idOfStation));
    const lacking = previous?.entries.filter(({ stationId }) => !ids.has(stationId)) ?? [];
    return { entries: [...entries, ...kept(lacking, nowMs())], problem };
  },
  metrics: [],
};

/** Discovers the devices of a station (service.md#records). */
export const devicesCollector: Collector<DeviceListSubject, StationListing> = {
  name: 'devices',
  validity: (lifetimes, listing, fetchedAtMs) => {
    const { devices: entries, problem } = listing;
    const validity = validityOf('devices', { entries, problem }, idOf, lifetimes, fetchedAtMs);
    return {
      ...validity,
      dueAtMs: Math.min(validity.dueAtMs, nextDayKnownAtMs(listing, fetchedAtMs)),
      servedUntilMs: validity.servedUntilMs + KEPT_MS,
      isDoubtful: validity.isDoubtful === true || isAnyBehind(listing),
    };
  },
  fetch: async (api, { station, isListedElsewhere }, { previous, nowMs, log }) => {
    const { stationId } = station;
    const askedAtMs = nowMs();
    const { entries: records, problem } = await api.listDevices(stationId);
    const listed = ofStation(stationId, records);
    const foreign = records.length - listed.length;
    if (foreign > 0 && previous?.hasForeign !== true)
      log.warn(
        { station_id: stationId, devices: foreign },
        'the device list of a station has devices of others: they count there alone',
      );
    const { devices: before = [] } = previous ?? {};
    const ids = new Set(records.map(idOf));
    const lacking = before.filter(
      (device) =>
        !ids.has(device.deviceId) &&
        !isListedElsewhere(device.deviceId) &&
        !isRenamed(device, before, listed),
    );
    const devices = [...listed, ...kept(lacking, nowMs())];
    const described = describedStation(station, devices);
    const { zoneProblem } = described;
    if (zoneProblem !== undefined && zoneProblem !== previous?.zoneProblem)
      log.warn({ station_id: stationId }, zoneProblem);
    return { ...described, devices, hasForeign: foreign > 0, askedAtMs, problem };
  },
  shownAt: (nowMs, listing, { devicesTtlMs, maxAgeMs }, { devices }) => {
    const { askedAtMs = Infinity } = listing;
    const agesAtMs = slowlyChanging(askedAtMs, devicesTtlMs, maxAgeMs).servedUntilMs;
    // Names do not age, and much is looked up by them.
    if (nowMs >= agesAtMs)
      return { value: { ...listing, devices: devices.map(whatLasts) }, untilMs: Infinity };
    return {
      value: onlyToday({ ...listing, devices }, nowMs),
      untilMs: Math.min(agesAtMs, nextEndAtMs(listing, nowMs)),
    };
  },
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
      'device_id',
      'name',
      'serial',
      'model',
      'station',
    ],
    solar_device_listed: [
      'Whether the device list of the station has the device (1) or lacks it (0).',
      ofDevices((device) => Number(isListed(device))),
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

/** Leaves out what is no longer true some time after a list has come. */
function whatLasts(device: ListedDevice): ListedDevice {
  const unknown = { isOnline: undefined, pvEnergyTodayKwh: undefined, pvEnergyTotalKwh: undefined };
  return { ...device, ...unknown };
}

function ofDevices(
  value: (device: ListedDevice) => number | undefined,
): (listing: StationListing) => readonly Point[] {
  return ({ devices }) =>
    devices.flatMap((device) => pointOf(value(device), { device_id: device.deviceId }));
}

/** Returns the entries that a list lacks and had before, each for a day. */
function kept<Entry extends Listed>(lacking: readonly Entry[], nowMs: number): readonly Entry[] {
  return (
    lacking
      // A time in the future means that the clock was set back: the day then begins again.
      .map((entry) => ({
        ...entry,
        unlistedSinceMs: Math.min(entry.unlistedSinceMs ?? Infinity, nowMs),
      }))
      .filter(({ unlistedSinceMs }) => nowMs - unlistedSinceMs < KEPT_MS)
  );
}

/** Returns the validity of a list: a list that is empty, lacks earlier entries or is too short is asked for again soon. */
function validityOf<Entry extends Listed>(
  what: 'devices' | 'stations',
  { entries, problem: ofService }: Listing<Entry>,
  idOfEntry: (entry: Entry) => string,
  { devicesTtlMs, maxAgeMs }: CacheLifetimes,
  fetchedAtMs: number,
): Validity {
  const validity = slowlyChanging(fetchedAtMs, devicesTtlMs, maxAgeMs);
  const lacking = entries.filter((entry) => !isListed(entry));
  if (lacking.length === 0) {
    const isDoubtful = entries.length === 0 || ofService !== undefined;
    return { ...validity, isDoubtful, problem: ofService };
  }
  const named = lacking.slice(0, MOST_NAMED).map(idOfEntry).join(', ');
  const more = lacking.length > MOST_NAMED ? ', …' : '';
  const problem = new ServiceError(
    'SERVICE_PAYLOAD_INVALID',
    `the list of ${what} lacks ${lacking.length} of the ${entries.length} known ones: ${named}${more}; ` +
      'they are kept for a day',
    { remedy: 'if you removed them, wait; else look for them in the app of the portal' },
  );
  return { ...validity, isDoubtful: true, problem };
}

/** Whether the list has an entry; false for an entry that is only kept. */
export function isListed({ unlistedSinceMs }: Listed): boolean {
  return unlistedSinceMs === undefined;
}

/** Completes a station by the records of its devices, and describes the problem if its zone is unknown. */
export function describedStation(
  { stationId, name, timeZone, unknownTimeZone }: Station,
  devices: readonly Device[],
): Pick<StationListing, 'zoneProblem'> & {
  readonly station: Station & { readonly timeZone: string };
} {
  // A list may have devices of other stations, and their records describe those stations.
  const records = [...devices.filter((device) => device.stationId === stationId), ...devices];
  const first = (field: 'stationName' | 'stationTimeZone' | 'unknownTimeZone') =>
    records.find(({ [field]: text }) => text !== undefined)?.[field];
  const known = timeZone ?? first('stationTimeZone');
  const unknown = unknownTimeZone ?? first('unknownTimeZone');
  const problem =
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
        ? `${problem}: its days and months are those of ${FALLBACK_TIME_ZONE}; --time-zone sets another`
        : undefined,
  };
}

/**
 * Leaves out the records of other stations. If no record names this station and all name the same other one, that
 * counts as another name of this station, and all records stay.
 */
export function ofStation(stationId: string, devices: readonly Device[]): readonly Device[] {
  const names = new Set(devices.flatMap((device) => device.stationId ?? []));
  if (names.size === 1 && !names.has(stationId)) return devices;
  return devices.filter(({ stationId: named = stationId }) => named === stationId);
}

/** Whether a list has a missing device under a new id: a device that is registered again keeps its serial number. */
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
 * Groups the devices in the lists of stations. Each counts at the station that its record names, if that is one of
 * these, else at the first station whose list has it. A device that is only kept counts where another list has it.
 */
export function groupedByStation(
  lists: ReadonlyMap<string, readonly ListedDevice[]>,
): ReadonlyMap<string, readonly ListedDevice[]> {
  const groups = new Map(Array.from(lists.keys(), (id) => [id, [] as ListedDevice[]]));
  const grouped = new Set<string>();
  const all = [...lists].flatMap(([stationId, devices]) =>
    devices.map((device) => ({ stationId, device })),
  );
  const kept = all.filter(({ device }) => !isListed(device));
  for (const { stationId, device } of [...all.filter(({ device }) => isListed(device)), ...kept]) {
    if (grouped.has(device.deviceId)) continue;
    grouped.add(device.deviceId);
    (groups.get(device.stationId ?? stationId) ?? groups.get(stationId))?.push(device);
  }
  return groups;
}
