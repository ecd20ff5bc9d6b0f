import type { Station } from '../model/station.ts';
import { type Collector, slowlyChanging } from './collector.ts';

/** Discovers the stations of the account, when none is configured. */
export const stationsCollector: Collector<undefined, readonly Station[]> = {
  name: 'stations',
  lifetime: ({ devicesTtlMs, maxAgeMs }) => slowlyChanging(devicesTtlMs, maxAgeMs),
  fetch: (api) => api.listStations(),
  // More often a fault of the service than an account without stations.
  isDoubtful: (stations) => stations.length === 0,
  metrics: [],
};
