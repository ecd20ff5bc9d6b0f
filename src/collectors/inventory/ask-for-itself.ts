import { ServiceError } from '../../base/errors.ts';
import type { DeviceReport } from '../../model/readings.ts';
import type { Device, Station } from '../../model/station.ts';
import type { CollectorApi } from '../collector.ts';
import type { Believed, OwnAnswer } from './believed-list.ts';

/**
 * Asks for a device that the list of its station lacks: for its record, because an inverter that sleeps
 * has no readings, and where the service has no record, for its readings. An answer that fails for the
 * moment says nothing.
 */
export async function askForDevice(
  api: CollectorApi,
  device: Device & Believed,
  { stationId, timeZone }: Station,
): Promise<OwnAnswer> {
  try {
    const record = await api.fetchDevice(device.deviceId);
    if (record !== undefined) return isOf(stationId, record) ? 'there' : 'nothing';
    const { deviceId, model } = device;
    const report = await api.fetchReadings({ deviceId, timeZone, model });
    return isYounger(report, device.unlistedSinceMs) ? 'there' : 'nothing';
  } catch (error) {
    return isRefusal(error) ? 'nothing' : 'unknown';
  }
}

/** Asks for a station that the list of stations lacks: it is there while one of its devices is. */
export async function askForStation(
  api: CollectorApi,
  station: Station & Believed,
  devices: readonly Device[],
): Promise<OwnAnswer> {
  const { unlistedSinceMs } = station;
  for (const device of devices) {
    // One after the other, because one answer is enough.
    const answer = await askForDevice(api, { ...device, unlistedSinceMs }, station);
    if (answer !== 'nothing') return answer;
  }
  return 'nothing';
}

function isOf(stationId: string, record: Device): boolean {
  return record.stationId === undefined || record.stationId === stationId;
}

/** Whether the service says no to this device; an answer that nobody can read may be about anything. */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof ServiceError &&
    (error.code === 'SERVICE_API_REFUSED' || error.code === 'SERVICE_REQUEST_REJECTED')
  );
}

/** Whether anything was measured since then; what has no time was measured now. */
function isYounger(report: DeviceReport, sinceMs = -Infinity): boolean {
  const { measurements, newestAtMs, serviceAheadMs } = report;
  if (measurements.length === 0) return false;
  return newestAtMs === undefined || newestAtMs - serviceAheadMs > sinceMs;
}
