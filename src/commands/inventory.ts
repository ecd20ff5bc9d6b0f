import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import type { ServiceApi } from '../client/client.ts';
import type { DeviceSubject, FetchContext } from '../collectors/collector.ts';
import { devicesCollector } from '../collectors/inventory.ts';
import { readingsCollector } from '../collectors/readings.ts';
import type { Config } from '../config/config.ts';
import type { DeviceReport, Readings } from '../model/readings.ts';

/** A device and its station, as the exporter itself follows them. */
export type { DeviceSubject };

/** What the lists are read with: the stations that the user chose, and the time zone for all of them. */
export interface ListContext {
  readonly config: Pick<Config, 'stationIds' | 'timeZone' | 'cache' | 'station'>;
  readonly runtime: { readonly clock: Clock };
  readonly log: Logger;
}

/** What a collector goes on from in a command, which fetches everything once. */
function firstFetch({ config, runtime, log }: ListContext): FetchContext<never> {
  const nowMs = (): number => runtime.clock.nowMs();
  return { previous: undefined, lifetimes: config.cache, nowMs, log };
}

/**
 * Lists the devices of the configured stations, or else of all stations of the account, station by station: who has
 * found a device need not ask for the other stations. A device that several lists have is of the station that its
 * record names, else of the first.
 */
export async function* listByStation(
  api: ServiceApi,
  context: ListContext,
): AsyncGenerator<readonly DeviceSubject[]> {
  const { stationIds, timeZone: configured, station: ofConfig } = context.config;
  const seen = new Set<string>();
  const stations =
    stationIds.length > 0
      ? stationIds.map((stationId) => ({ stationId, timeZone: undefined }))
      : (await api.listStations()).entries;
  const ids = new Set(stations.map(({ stationId }) => stationId));
  for (const listed of stations) {
    const timeZone = configured ?? listed.timeZone;
    // The collector of the exporter, so that a command cannot see another station than the page.
    const target = {
      station: { ...listed, timeZone },
      devices: [],
      isListedElsewhere: () => false,
    };
    const { station, devices } = await devicesCollector.fetch(api, target, firstFetch(context));
    const unseen = devices.filter(
      ({ deviceId, stationId: named = station.stationId }) =>
        !seen.has(deviceId) && (named === station.stationId || !ids.has(named)),
    );
    for (const { deviceId } of unseen) seen.add(deviceId);
    const isParallel = unseen.length > 1 && !ofConfig.independent.includes(station.stationId);
    yield unseen.map((device) => ({ station, device, isParallel }));
  }
}

/** Lists the devices of all these stations. */
export async function listAllDevices(
  api: ServiceApi,
  context: ListContext,
): Promise<readonly DeviceSubject[]> {
  const listed: DeviceSubject[] = [];
  for await (const targets of listByStation(api, context))
    for (const target of targets) listed.push(target);
  return listed;
}

/** Reads a device by the collector of the exporter: what the metrics would show of it now, and the report it is of. */
export async function readDevice(
  api: ServiceApi,
  context: ListContext,
  target: DeviceSubject,
): Promise<{ readonly report: DeviceReport; readonly newest: Readings }> {
  const report = await readingsCollector.fetch(api, target, firstFetch(context));
  const nowMs = context.runtime.clock.nowMs();
  const { cache } = context.config;
  return { report, newest: readingsCollector.shownAt(nowMs, report, cache, target).value };
}
