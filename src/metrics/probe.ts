import type { Clock } from '../base/clock.ts';
import type { Collection } from '../collectors/collection.ts';
import type { StationTargets } from '../collectors/station-targets.ts';
import type { Station } from '../model/station.ts';
import type { Refreshes } from './scrape.ts';
import { type PageOptions, type ProblemLines, StationPages } from './station-pages.ts';
import { type VersionedCache, versionedCache } from './versioned-cache.ts';

export interface ProberOptions {
  readonly collection: Pick<Collection, 'discover' | 'refreshStation' | 'station' | 'stations'>;
  readonly refreshes: Refreshes;
  readonly problems: Pick<ProblemLines, 'ofStation'>;
  readonly page: PageOptions;
  readonly clock: Clock;
}

/** Why there is no page for a station. */
export type ProbeRefusal = 'unknown station' | 'unknown yet';

/**
 * Answers for one station at a time, from the same snapshots as the page of all stations. A slow station does not delay
 * other known stations.
 */
export interface Prober {
  /**
   * Returns the stations; undefined until they were listed once, because Prometheus drops every station that a list
   * lacks. Waits at most `waitMs`.
   */
  readonly stations: (waitMs: number) => Promise<readonly Station[] | undefined>;
  /**
   * Returns the page of one station alone, or why there is none. Waits at most `waitMs`; a known station does not
   * wait for the station list.
   */
  readonly probe: (stationId: string, waitMs: number) => Promise<Buffer | ProbeRefusal>;
}

export function createProber(options: ProberOptions): Prober {
  const { collection, refreshes, problems, page, clock } = options;
  const made = new StationPages(page);
  /** The page of each known station, rendered once per change; it is dropped with its station. */
  const pages = new WeakMap<StationTargets, VersionedCache<Buffer>>();

  function pageOf(station: StationTargets): VersionedCache<Buffer> {
    const known = pages.get(station);
    if (known !== undefined) return known;
    const cache = versionedCache({ collection: station, clock }, () =>
      made.make({
        name: `page of station ${station.stationId}`,
        statuses: [station.status()],
        problems: problems.ofStation(station.stationId),
        stations: [station.shownTargets()],
      }),
    );
    pages.set(station, cache);
    return cache;
  }

  /** Refreshes a station and the station list, as far as they are due. */
  async function refresh(stationId: string, waitMs: number): Promise<void> {
    await refreshes.run(async () => {
      // For a known station, too, so that a station that has left the account is forgotten.
      const discovered = collection.discover();
      if (collection.station(stationId) === undefined) await discovered;
      await collection.refreshStation(stationId);
    }, waitMs);
  }

  return {
    async stations(waitMs) {
      await refreshes.run(() => collection.discover(), waitMs);
      return collection.stations;
    },

    async probe(stationId, waitMs) {
      await refresh(stationId, waitMs);
      const station = collection.station(stationId);
      if (station === undefined) return collection.stations ? 'unknown station' : 'unknown yet';
      return pageOf(station).current();
    },
  };
}
