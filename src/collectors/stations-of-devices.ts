import type { Device } from '../model/station.ts';
import type { Believed } from './believed-list.ts';

/** What the lists of all stations say, by station id in their order; absent where one was not read yet. */
export type DeviceLists = ReadonlyMap<string, readonly (Device & Believed)[] | undefined>;

/** At which station each device counts. */
export interface DeviceOwners {
  /** The station id of every device. */
  readonly stationOf: ReadonlyMap<string, string>;
  /** The devices that lists of several stations have. */
  readonly repeated: readonly string[];
}

/**
 * Decides at which station each device counts, so that a service that ignores the station in its device
 * list does not make two of one. That is a station that lists it; of several the one that its record names,
 * else the one at which it counted before, else the first. A station whose list was not read yet is waited
 * for where the record names it.
 *
 * @param before - the station at which each device counted before.
 */
export function ownersOf(
  lists: DeviceLists,
  before: DeviceOwners['stationOf'] = new Map(),
): DeviceOwners {
  const stationOf = new Map<string, string>();
  const repeated: string[] = [];
  for (const [deviceId, claims] of claimsOf(lists)) {
    const listed = claims.filter(({ isListed }) => isListed);
    if (listed.length > 1) repeated.push(deviceId);
    // A station that only keeps it has no claim against one that lists it.
    const [first] = listed.length > 0 ? listed : claims;
    const same = listed.find(({ stationId }) => stationId === before.get(deviceId));
    const named = newestName(listed);
    const isNamedOneOfThem = listed.some(({ stationId }) => stationId === named);
    const isWaitedFor = named !== undefined && lists.has(named) && lists.get(named) === undefined;
    const owner = isNamedOneOfThem || isWaitedFor ? named : (same ?? first)?.stationId;
    if (owner !== undefined) stationOf.set(deviceId, owner);
  }
  return { stationOf, repeated };
}

/** A station that has a device, and the station that the record of the device names there. */
interface Claim {
  readonly stationId: string;
  readonly isListed: boolean;
  readonly named: string | undefined;
  readonly listedAtMs: number;
}

/** A device that moved is in the old list of one station and in the new list of another. */
function newestName(claims: readonly Claim[]): string | undefined {
  let newest: Claim | undefined;
  for (const claim of claims)
    if (claim.named !== undefined && claim.listedAtMs > (newest?.listedAtMs ?? -Infinity))
      newest = claim;
  return newest?.named;
}

function claimsOf(lists: DeviceLists): ReadonlyMap<string, readonly Claim[]> {
  const claims = new Map<string, Claim[]>();
  for (const [stationId, devices = []] of lists)
    for (const { deviceId, stationId: named, unlistedSinceMs, listedAtMs = 0 } of devices) {
      const isListed = unlistedSinceMs === undefined;
      const claim = { stationId, isListed, named, listedAtMs };
      const others = claims.get(deviceId);
      if (others === undefined) claims.set(deviceId, [claim]);
      else others.push(claim);
    }
  return claims;
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
