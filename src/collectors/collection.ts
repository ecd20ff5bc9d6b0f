import type { Station } from '../model/station.ts';
import { CollectorRun, type CollectionContext } from './collector-run.ts';
import type { CollectorSwitches } from './index.ts';
import type { Sample } from './metric.ts';
import { StationCollection, type StationStatus } from './station-collection.ts';
import { stationsCollector } from './stations.ts';

export interface CollectionOptions extends Omit<CollectionContext, 'changed'> {
  /** The stations to collect; all of the account when there are none. */
  readonly stationIds: readonly string[];
  /** The zone the user chose for all stations; takes precedence over their own. */
  readonly timeZone?: string | undefined;
  readonly collect: CollectorSwitches;
}

const ACCOUNT = 'account';

/** Everything that is collected: the stations, configured or discovered, each on its own. */
export class Collection {
  readonly #context: CollectionContext;
  readonly #switches: CollectorSwitches;
  readonly #timeZone: string | undefined;
  readonly #discovery: CollectorRun<undefined, readonly Station[]> | undefined;
  readonly #stations = new Map<string, StationCollection>();
  #version = 0;

  constructor({ stationIds, timeZone, collect, ...context }: CollectionOptions) {
    this.#context = { ...context, changed: () => (this.#version += 1) };
    this.#switches = collect;
    this.#timeZone = timeZone;
    if (stationIds.length === 0) {
      this.#discovery = new CollectorRun(stationsCollector, this.#context, {});
      this.#discovery.follow(new Map([[ACCOUNT, { target: undefined }]]));
    } else this.#follow(stationIds.map((stationId) => ({ stationId })));
  }

  /**
   * Goes on from what another collection, of the same account at the same service, holds.
   *
   * @param isRetrying - whether what failed there is worth another try at once.
   */
  adopt(previous: Collection, isRetrying: boolean): void {
    if (this.#discovery !== undefined && previous.#discovery !== undefined) {
      this.#discovery.adopt(previous.#discovery, isRetrying);
      this.#follow(this.#discovery.latest(ACCOUNT) ?? []);
    }
    for (const [stationId, station] of this.#stations) {
      const same = previous.#stations.get(stationId);
      if (same !== undefined) station.adopt(same, isRetrying);
    }
  }

  /** Grows with every change of what is collected. */
  get version(): number {
    return this.#version;
  }

  /** When a scrape next has to ask the service anything. */
  get nextFetchAtMs(): number {
    const discoveryAtMs = this.#discovery?.nextFetchAtMs ?? Number.POSITIVE_INFINITY;
    return Math.min(discoveryAtMs, ...this.#each((station) => station.nextFetchAtMs));
  }

  /** When the next value has to go from the page. */
  get nextWithdrawalAtMs(): number {
    return Math.min(
      Number.POSITIVE_INFINITY,
      ...this.#each((station) => station.nextWithdrawalAtMs),
    );
  }

  /** Whether it is known which stations there are: by configuration, or from the account. */
  get isDiscovered(): boolean {
    return this.#discovery === undefined || this.#discovery.latest(ACCOUNT) !== undefined;
  }

  /** The stations known now, as their device lists complete them. */
  get stations(): readonly Station[] {
    return this.#each((station) => station.station);
  }

  /** One station by itself; absent while it is not known. */
  station(stationId: string): StationCollection | undefined {
    return this.#stations.get(stationId);
  }

  /** Fetches what is due. Stations already known do not wait for the station list. Never rejects. */
  async refresh(): Promise<void> {
    await Promise.all([
      this.#refreshStations(),
      this.#isDiscoveryDue() && this.discover().then(() => this.#refreshStations()),
    ]);
  }

  /** Takes up the stations of the account when they are due to be listed. Never rejects. */
  async discover(): Promise<void> {
    if (!this.#isDiscoveryDue()) return;
    await this.#discovery?.refresh();
    const stations = this.#discovery?.latest(ACCOUNT);
    if (stations !== undefined) this.#follow(stations);
  }

  *samples(): Generator<Sample> {
    for (const station of this.#stations.values()) yield* station.samples();
  }

  status(): readonly StationStatus[] {
    const stations = this.#each((station) => station.status());
    const discovery = this.#discovery?.outcome();
    if (this.#discovery === undefined) return stations;
    const isUp = discovery?.isSuccess ?? false;
    const account = { stationId: undefined, isUp, outcomes: discovery ? [discovery] : [] };
    return [account, ...stations];
  }

  #isDiscoveryDue(): boolean {
    return this.#context.clock.nowMs() >= (this.#discovery?.nextFetchAtMs ?? Infinity);
  }

  /** Takes up new stations and lets go of those that left. */
  #follow(stations: readonly Station[]): void {
    const ids = new Set(stations.map(({ stationId }) => stationId));
    for (const stationId of this.#stations.keys())
      if (!ids.has(stationId)) this.#stations.delete(stationId);
    for (const listed of stations) {
      const station = { ...listed, timeZone: this.#timeZone ?? listed.timeZone };
      const known = this.#stations.get(station.stationId);
      if (known === undefined)
        this.#stations.set(
          station.stationId,
          new StationCollection(station, this.#switches, this.#context),
        );
      else known.describe(station);
    }
    this.#context.changed();
  }

  async #refreshStations(): Promise<void> {
    await Promise.all(this.#each((station) => station.refresh()));
  }

  #each<T>(visit: (station: StationCollection) => T): T[] {
    return Array.from(this.#stations.values(), visit);
  }
}
