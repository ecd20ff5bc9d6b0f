import type { Device } from '../../model/station.ts';

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
