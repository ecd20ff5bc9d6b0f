import type { Clock } from '../clock.ts';
import type { Collection } from '../collectors/collection.ts';
import { COLLECTOR_METRICS } from '../collectors/index.ts';
import type { Logger } from '../log.ts';
import type { Station } from '../model/station.ts';
import { COLLECTION_METRICS } from './definitions.ts';
import { Page } from './page.ts';
import { refreshWithin } from './refresh-within.ts';
import { renderSamples } from './render.ts';
import { collectionSamples } from './status-samples.ts';

export interface ProberOptions {
  readonly collection: Pick<Collection, 'discover' | 'isDiscovered' | 'station' | 'stations'>;
  readonly clock: Clock;
  readonly log: Logger;
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
    const { collection } = this.#options;
    await refreshWithin(waitMs, () => collection.discover(), this.#options);
    return collection.isDiscovered ? collection.stations : undefined;
  }

  /**
   * The page of one station alone; absent when it is not known. A station that is known does not wait
   * for the station list, and fails without touching any other.
   */
  async probe(stationId: string, waitMs: number): Promise<Page | undefined> {
    const { collection } = this.#options;
    await refreshWithin(waitMs, () => this.#refresh(stationId), this.#options);
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
