import type { Collection } from '../collectors/collection.ts';
import { COLLECTOR_METRICS } from '../collectors/index.ts';
import type { Station } from '../model/station.ts';
import { COLLECTION_METRICS } from './definitions.ts';
import { Page } from './page.ts';
import type { Refreshes } from './refreshes.ts';
import { renderSamples } from './render.ts';
import { collectionSamples } from './status-samples.ts';

export interface ProberOptions {
  readonly collection: Pick<Collection, 'discover' | 'isDiscovered' | 'station' | 'stations'>;
  readonly refreshes: Refreshes;
}

/** Answers for one station at a time, from the same snapshots as the page of all of them. */
export class Prober {
  readonly #options: ProberOptions;

  constructor(options: ProberOptions) {
    this.#options = options;
  }

  /**
   * The stations there are; absent while nobody has said. Waits at most `waitMs` for the list.
   */
  async stations(waitMs: number): Promise<readonly Station[] | undefined> {
    const { collection, refreshes } = this.#options;
    await refreshes.within(waitMs, () => collection.discover());
    return collection.isDiscovered ? collection.stations : undefined;
  }

  /**
   * The page of one station alone; absent when it is not known. A station that is known does not wait
   * for the station list, and fails without touching any other.
   */
  async probe(stationId: string, waitMs: number): Promise<Page | undefined> {
    const { collection, refreshes } = this.#options;
    await refreshes.within(waitMs, () => this.#refresh(stationId));
    const station = collection.station(stationId);
    if (station === undefined) return undefined;
    return new Page(
      renderSamples(COLLECTION_METRICS, collectionSamples([station.status()])) +
        renderSamples(COLLECTOR_METRICS, station.samples()),
    );
  }

  async #refresh(stationId: string): Promise<void> {
    const { collection } = this.#options;
    // Beside a station that is known, so that one that left the account is found out.
    const discovered = collection.discover();
    if (collection.station(stationId) === undefined) await discovered;
    await collection.station(stationId)?.refresh();
  }
}
