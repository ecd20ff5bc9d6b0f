import type { Station } from '../../model/station.ts';
import { type Collector, slowlyChanging } from '../collector.ts';
import { doubtOf, type Listed, withKept } from './kept-entries.ts';

/** A station, and since when the station list has lacked it. */
export type ListedStation = Station & Listed;

const idOf = ({ stationId }: Station): string => stationId;

/** Discovers the stations of the account, where none are configured. */
export const stationsCollector: Collector<undefined, readonly ListedStation[]> = {
  name: 'stations',
  validity: ({ devicesTtlMs, maxAgeMs }, stations, fetchedAtMs) => ({
    ...slowlyChanging(fetchedAtMs, devicesTtlMs, maxAgeMs),
    ...doubtOf('stations', stations, idOf),
  }),
  fetch: async (api, _account, { previous = [], nowMs }) =>
    withKept(previous, await api.listStations(), idOf, nowMs()),
  metrics: [],
};
