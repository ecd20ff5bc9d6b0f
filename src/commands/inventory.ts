import type { ServiceApi } from '../client/api.ts';
import type { Device, Station } from '../model/station.ts';

/** A device and the station it was found in. */
export interface ListedDevice {
  readonly station: Station;
  readonly device: Device;
}

/** Lists the configured stations, or else all stations of the account. */
export async function listStations(
  api: ServiceApi,
  stationIds: readonly string[],
): Promise<readonly Station[]> {
  return stationIds.length > 0
    ? stationIds.map((stationId) => ({ stationId }))
    : api.listStations();
}

/** Lists the devices of these stations, or else of all stations of the account. */
export async function listAllDevices(
  api: ServiceApi,
  stationIds: readonly string[],
): Promise<readonly ListedDevice[]> {
  const listed: ListedDevice[] = [];
  for (const station of await listStations(api, stationIds)) {
    const devices = await api.listDevices(station.stationId);
    listed.push(...devices.map((device) => ({ station, device })));
  }
  return listed;
}
