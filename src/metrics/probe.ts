import type { Clock } from '../base/clock.ts';
import type { Collection } from '../collectors/collection.ts';
import type { StationCollection } from '../collectors/station-collection.ts';
import type { Station } from '../model/station.ts';
import type { Page } from './page.ts';
import type { Refreshes } from './scrape.ts';
import { type PageOptions, StationPages } from './station-pages.ts';
import { type VersionedCache, versionedCache } from './versioned-cache.ts';

/** An account whose stations can be probed. */
export interface ProbedAccount {
  /** Its name, where it has one. */
  readonly name: string | undefined;
  /** The name that a page shows: there are several accounts. */
  readonly account?: string | undefined;
  readonly collection: Pick<
    Collection,
    'discover' | 'isDiscovered' | 'isDiscoveryDue' | 'station' | 'stations'
  >;
  readonly refreshes: Refreshes;
}

export interface ProberOptions {
  readonly accounts: readonly ProbedAccount[];
  readonly page: PageOptions;
  readonly clock: Clock;
}

/** A station that can be probed. */
export interface ProbeTarget {
  readonly station: Station;
  /** The name of its account, where there are several. */
  readonly account: string | undefined;
}

/** Why there is no page of a station. */
export type ProbeRefusal =
  'unknown station' | 'unknown account' | 'several accounts' | 'unknown yet';

/**
 * Answers for one station at a time, from the same snapshots as the page of all stations. What one account or
 * station does delays no other that is known.
 */
export interface Prober {
  /**
   * Returns the stations of all accounts; absent until each account was listed once, because Prometheus drops every
   * station that a list lacks. Waits at most `waitMs`.
   */
  readonly stations: (waitMs: number) => Promise<readonly ProbeTarget[] | undefined>;
  /**
   * Returns the page of one station alone, or why there is none. Waits at most `waitMs`; a known station does not
   * wait for the station list.
   *
   * @param name - the name of its account; it may be left out where no other account has such a station.
   */
  readonly probe: (
    stationId: string,
    name: string | undefined,
    waitMs: number,
  ) => Promise<Page | ProbeRefusal>;
}

export function createProber({ accounts, page, clock }: ProberOptions): Prober {
  const made = new StationPages(page);
  /** Rendered once per change of the station. Only known stations have one, and it leaves with its station. */
  const pages = new WeakMap<StationCollection, VersionedCache<Page>>();

  function pageOf(station: StationCollection): VersionedCache<Page> {
    const known = pages.get(station);
    if (known !== undefined) return known;
    const cache = versionedCache({ collection: station, clock }, () =>
      made.make({
        name: `page of station ${station.stationId}`,
        statuses: [station.status()],
        stations: [station.shownTargets()],
      }),
    );
    pages.set(station, cache);
    return cache;
  }

  /** Refreshes what is due of a station, and of the station list. */
  async function refresh(
    { collection, refreshes }: ProbedAccount,
    stationId: string,
    waitMs: number,
  ): Promise<void> {
    const known = collection.station(stationId);
    const isSettled = known !== undefined && pages.get(known)?.settled() !== undefined;
    if (isSettled && !collection.isDiscoveryDue) return;
    await refreshes.run(async () => {
      // For a known station as well, so that one that has left the account is forgotten.
      const discovered = collection.discover();
      if (known === undefined) await discovered;
      await collection.station(stationId)?.refresh();
    }, waitMs);
  }

  return {
    async stations(waitMs) {
      await Promise.all(
        accounts.map(({ collection, refreshes }) =>
          refreshes.run(() => collection.discover(), waitMs),
        ),
      );
      if (!areDiscovered(accounts)) return undefined;
      return accounts.flatMap(({ account, collection }) =>
        collection.stations.map((station) => ({ station, account })),
      );
    },

    async probe(stationId, name, waitMs) {
      const named = accounts.filter((account) => name === undefined || account.name === name);
      if (named.length === 0) return 'unknown account';
      const owners = (): readonly ProbedAccount[] =>
        named.filter(({ collection }) => collection.station(stationId) !== undefined);
      // Only where no account is known to have the station, all of them are asked for more.
      const known = owners();
      const asked = known.length > 0 ? known : named;
      if (known.length < 2)
        await Promise.all(asked.map((account) => refresh(account, stationId, waitMs)));
      const [owner, another] = owners();
      if (another !== undefined) return 'several accounts';
      const station = owner?.collection.station(stationId);
      if (station === undefined) return areDiscovered(asked) ? 'unknown station' : 'unknown yet';
      return pageOf(station).current();
    },
  };
}

function areDiscovered(accounts: readonly ProbedAccount[]): boolean {
  return accounts.every(({ collection }) => collection.isDiscovered);
}
