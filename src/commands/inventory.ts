import { namedTimeZone } from '../base/time-zone.ts';
import type { ServiceApi } from '../client/api.ts';
import type { DeviceTarget } from '../collectors/collector.ts';
import { devicesCollector } from '../collectors/inventory.ts';
import type { Config } from '../config/config.ts';
import type { Station } from '../model/station.ts';

/** The stations that the user chose, and the time zone for all of them. */
export type StationOptions = Pick<Config, 'stationIds' | 'timeZone'>;

/** A device and its station, as the exporter itself follows them. */
export type { DeviceTarget };

/** Lists the configured stations, or else all stations of the account. */
export async function listStations(
  api: ServiceApi,
  stationIds: readonly string[],
): Promise<readonly Station[]> {
  return stationIds.length > 0
    ? stationIds.map((stationId) => ({ stationId }))
    : api.listStations();
}

/** Lists the devices station by station; who has found a device need not ask for the other stations. */
export async function* listByStation(
  api: ServiceApi,
  { stationIds, timeZone: configured }: StationOptions,
): AsyncGenerator<readonly DeviceTarget[]> {
  for (const listed of await listStations(api, stationIds)) {
    const timeZone = namedTimeZone({ configured, station: listed.timeZone });
    // The collector of the exporter, so that a command cannot see another station than the page.
    const { station, devices } = await devicesCollector.fetch(api, {
      station: { ...listed, timeZone },
      devices: [],
    });
    yield devices.map((device) => ({ station, device }));
  }
}

/** Lists the devices of these stations, or else of all stations of the account. */
export async function listAllDevices(
  api: ServiceApi,
  options: StationOptions,
): Promise<readonly DeviceTarget[]> {
  const listed: DeviceTarget[] = [];
  for await (const targets of listByStation(api, options)) listed.push(...targets);
  return listed;
}
