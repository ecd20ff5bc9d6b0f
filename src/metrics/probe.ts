import type { Collection } from '../collectors/collection.ts';
import { COLLECTOR_METRICS } from '../collectors/index.ts';
import type { Station } from '../model/station.ts';
import { COLLECTION_METRICS, collectionSamples } from './definitions.ts';
import type { RefreshTracker } from './refresh-tracker.ts';
import { Page, renderSamples } from './render.ts';

export interface ProberOptions {
  readonly collection: Pick<Collection, 'discover' | 'isDiscovered' | 'station' | 'stations'>;
  readonly refreshes: RefreshTracker;
}

/** Answers for one station at a time, from the same snapshots as the page of all stations. */
export class Prober {
  readonly #options: ProberOptions;

  constructor(options: ProberOptions) {
    this.#options = options;
  }

  /** Returns the stations; absent while they are unknown. Waits at most `waitMs` for the station list. */
  async stations(waitMs: number): Promise<readonly Station[] | undefined> {
    const { collection, refreshes } = this.#options;
    await refreshes.waitAtMost(waitMs, () => collection.discover());
    return collection.isDiscovered ? collection.stations : undefined;
  }

  /**
   * Returns the page of one station alone; absent when the station is not known. A known station does not
   * wait for the station list, and its failures do not touch any other station.
   */
  async probe(stationId: string, waitMs: number): Promise<Page | undefined> {
    const { collection, refreshes } = this.#options;
    await refreshes.waitAtMost(waitMs, () => this.#refresh(stationId));
    const station = collection.station(stationId);
    if (station === undefined) return undefined;
    return new Page(
      renderSamples(COLLECTION_METRICS, collectionSamples([station.status()])) +
        renderSamples(COLLECTOR_METRICS, station.samples()),
    );
  }

  async #refresh(stationId: string): Promise<void> {
    const { collection } = this.#options;
    // For a known station as well, so that one that has left the account is forgotten.
    const discovered = collection.discover();
    if (collection.station(stationId) === undefined) await discovered;
    await collection.station(stationId)?.refresh();
  }
}
