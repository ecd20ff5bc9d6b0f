import type { Station } from '../../model/station.ts';
import { type AccountSubject, type Collector, slowlyChanging } from '../collector.ts';
import {
  type Believed,
  believeList,
  doubtOf,
  isDeviceGone,
  type ListKind,
} from './believed-list.ts';

/** A station, and since when the station list has lacked it. */
export type ListedStation = Station & Believed;

const STATIONS: ListKind<ListedStation> = {
  what: 'stations',
  idOf: ({ stationId }) => stationId,
};

/** Discovers the stations of the account, where none are configured. */
export const stationsCollector: Collector<AccountSubject, readonly ListedStation[]> = {
  name: 'stations',
  validity: ({ devicesTtlMs, maxAgeMs }, stations, fetchedAtMs) => ({
    ...slowlyChanging(fetchedAtMs, devicesTtlMs, maxAgeMs),
    ...doubtOf(STATIONS, stations),
  }),
  fetch: async (api, { devicesOf }, { previous = [], nowMs, log }) =>
    believeList(STATIONS, {
      known: previous,
      listed: await api.listStations(),
      // A station that the list lacks is there while one of its devices is.
      isGone: async (station) => {
        const { stationId, unlistedSinceMs } = station;
        // One after the other, because one answer is enough.
        for (const device of devicesOf(stationId))
          if (!(await isDeviceGone(api, { ...device, unlistedSinceMs }, station))) return false;
        return true;
      },
      nowMs: nowMs(),
      log,
    }),
  metrics: [],
};
