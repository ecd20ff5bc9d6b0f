import type { Clock } from '../base/clock.ts';
import type { Collection } from '../collectors/collection.ts';
import type { StationCollection } from '../collectors/station-collection.ts';
import type { Station } from '../model/station.ts';
import type { RefreshTracker } from './refresh-tracker.ts';
import type { Page } from './render.ts';
import { type PageOptions, StationPages } from './station-pages.ts';
import { type Made, VersionedCache } from './versioned-cache.ts';

export interface ProberOptions {
  readonly collection: Pick<
    Collection,
    'discover' | 'isDiscovered' | 'isDiscoveryDue' | 'station' | 'stations' | 'version'
  >;
  readonly refreshes: RefreshTracker;
  readonly page: PageOptions;
  readonly clock: Clock;
}

/** Answers for one station at a time, from the same snapshots as the page of all stations. */
export class Prober {
  readonly #options: ProberOptions;
  readonly #stations: StationPages;
  /** Rendered once per change of the station. Only known stations have one, and it leaves with its station. */
  readonly #pages = new WeakMap<StationCollection, VersionedCache<Page>>();
  #listed: { readonly version: number; readonly stations: readonly Station[] } | undefined;

  constructor(options: ProberOptions) {
    this.#options = options;
    this.#stations = new StationPages(options.page);
  }

  /**
   * Returns the stations, the same list until something changes; absent while they are unknown. Waits at
   * most `waitMs` for the station list.
   */
  async stations(waitMs: number): Promise<readonly Station[] | undefined> {
    const { collection, refreshes } = this.#options;
    if (collection.isDiscoveryDue) await refreshes.waitAtMost(waitMs, () => collection.discover());
    if (!collection.isDiscovered) return undefined;
    const { version } = collection;
    if (this.#listed?.version !== version)
      this.#listed = { version, stations: collection.stations };
    return this.#listed.stations;
  }

  /**
   * Returns the page of one station alone; absent when the station is not known. A known station does not
   * wait for the station list, and its failures do not touch any other station.
   */
  async probe(stationId: string, waitMs: number): Promise<Page | undefined> {
    const { collection, refreshes } = this.#options;
    const settled = this.#settled(stationId);
    if (settled !== undefined) return settled;
    await refreshes.waitAtMost(waitMs, () => this.#refresh(stationId));
    const station = collection.station(stationId);
    return station && this.#pageOf(station).current();
  }

  /** Returns the last page of a station while nothing is due, nothing has changed, and nothing has to be withdrawn. */
  #settled(stationId: string): Page | undefined {
    const { collection } = this.#options;
    const station = collection.station(stationId);
    if (station === undefined || collection.isDiscoveryDue) return undefined;
    return this.#pages.get(station)?.settled();
  }

  async #refresh(stationId: string): Promise<void> {
    const { collection } = this.#options;
    // For a known station as well, so that one that has left the account is forgotten.
    const discovered = collection.discover();
    if (collection.station(stationId) === undefined) await discovered;
    await collection.station(stationId)?.refresh();
  }

  #pageOf(station: StationCollection): VersionedCache<Page> {
    const known = this.#pages.get(station);
    if (known !== undefined) return known;
    const { clock } = this.#options;
    const pages = new VersionedCache({ collection: station, clock }, () => this.#render(station));
    this.#pages.set(station, pages);
    return pages;
  }

  #render(station: StationCollection): Promise<Made<Page>> {
    return this.#stations.make({
      name: `page of station ${station.station.stationId}`,
      statuses: [station.status()],
      stations: [station.shownTargets()],
    });
  }
}
