import type { ServiceError } from '../../base/errors.ts';
import type { Patience, ServiceApi } from '../../client/client.ts';
import { isFinalRefusal } from '../../client/exchange/retry.ts';
import type { PlannedPart } from '../../history/run/run-history.ts';
import type { Device } from '../../model/station.ts';

/** A device whose past the service refuses, and how. */
export interface RefusedDevice {
  readonly device: Device;
  readonly error: ServiceError;
}

const HOUR_MS = 3_600_000;

/**
 * Finds the devices of a plan whose past the service refuses to tell, with one question for each: not everything
 * that is listed as a device measures anything, and one of them must not keep the others from being read.
 *
 * @throws ServiceError when the service fails otherwise, or refuses all of them.
 */
export async function refusedDevices(
  api: Pick<ServiceApi, 'fetchPastReadings'>,
  plan: readonly PlannedPart[],
  patiently: Patience,
): Promise<readonly RefusedDevice[]> {
  const lastParts = new Map<string, readonly [Device, PlannedPart]>();
  for (const planned of plan)
    for (const device of planned.devices) lastParts.set(device.deviceId, [device, planned]);
  const refused: RefusedDevice[] = [];
  for (const [device, { part }] of lastParts.values()) {
    const { deviceId, model } = device;
    const { toMs, station } = part;
    const query = { deviceId, model, timeZone: station.timeZone, fromMs: toMs - HOUR_MS, toMs };
    try {
      // The first answer is enough.
      await api.fetchPastReadings(query, patiently).next();
    } catch (error) {
      if (!isFinalRefusal(error)) throw error;
      refused.push({ device, error });
      if (refused.length === lastParts.size) throw error;
    }
  }
  return refused;
}

/** Leaves devices out of what is wanted. */
export function without(
  wanted: readonly PlannedPart[],
  refused: readonly RefusedDevice[],
): readonly PlannedPart[] {
  const ids = new Set(refused.map(({ device }) => device.deviceId));
  return wanted
    .map(({ part, devices }) => ({
      part,
      devices: devices.filter(({ deviceId }) => !ids.has(deviceId)),
    }))
    .filter(({ devices }) => devices.length > 0);
}
