import type { Device, Station } from '../../model/station.ts';
import {
  type AccountSubject,
  type Collector,
  type CollectorApi,
  slowlyChanging,
} from '../collector.ts';
import {
  askForDevice,
  type Believed,
  believeList,
  lackOf,
  type OwnAnswer,
} from './believed-list.ts';

/** A station, and since when the station list has lacked it. */
export type ListedStation = Station & Believed;

const stationIdOf = ({ stationId }: Station): string => stationId;

/** Discovers the stations of the account, where none are configured. */
export const stationsCollector: Collector<AccountSubject, readonly ListedStation[]> = {
  name: 'stations',
  lifetime: ({ devicesTtlMs, maxAgeMs }) => slowlyChanging(devicesTtlMs, maxAgeMs),
  fetch: async (api, { devicesOf }, { previous = [], nowMs, log }) =>
    believeList({
      what: 'stations',
      known: previous,
      listed: await api.listStations(),
      idOf: stationIdOf,
      hasMoved: () => false,
      nowMs: nowMs(),
      ask: (station) => askForStation(api, station, devicesOf(station.stationId)),
      log,
    }),
  problemOf: (stations) => lackOf('stations', stations, stationIdOf),
  // An empty or shorter list is more often a fault of the service than an account without stations.
  isDoubtful: (stations) =>
    stations.length === 0 || lackOf('stations', stations, stationIdOf) !== undefined,
  metrics: [],
};

/** Asks for a station that the list of stations lacks: it is there while one of its devices is. */
async function askForStation(
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
