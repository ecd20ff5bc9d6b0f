import { namedTimeZone } from '../base/time-zone.ts';
import { LIST_LIMITS, type ListLimits } from '../base/limits.ts';
import { SharedLimits } from './shared-limits.ts';
import { startEach } from '../base/concurrency.ts';
import type { Allowance } from '../client/exchange/request-budget.ts';
import { leastBy } from '../model/extremes.ts';
import type { Station } from '../model/station.ts';
import type { CollectionContext } from './run/collection-context.ts';
import { CollectorRun } from './run/collector-run.ts';
import type { ShownSamples } from './run/shown-target.ts';
import type { CollectorSwitches } from './index.ts';
import { Ownership } from './owners/ownership.ts';
import { StationCollection } from './station-collection.ts';
import type { StationStatus } from './station-status.ts';
import type { AccountTarget, CollectorApi } from './collector.ts';
import { byAge, type Demand, sumOfDemands } from './demand/demand.ts';
import { Postponement } from './demand/postponement.ts';
import { type ListedStation, stationsCollector } from './inventory/stations.ts';

export interface CollectionOptions extends Omit<
  CollectionContext,
  'api' | 'changed' | 'limits' | 'postponement'
> {
  /** Returns the service as one station asks it, or as the account does. */
  readonly apiOf: (stationId?: string) => CollectorApi;
  /** How often the service may be asked; undefined where nothing limits it. */
  readonly allowance?: () => Allowance | undefined;
  /** How much is taken of the lists of the service. */
  readonly limits?: ListLimits;
  /** The stations to collect; all stations of the account when empty. */
  readonly stationIds: readonly string[];
  /** The time zone that the user chose for all stations; takes precedence over their own. */
  readonly timeZone?: string | undefined;
  readonly collect: CollectorSwitches;
}

const ACCOUNT = 'account';
const READINGS = 'readings';

/** Collects all stations, configured or discovered, each independently of the others. */
export class Collection {
  readonly #context: CollectionContext;
  readonly #switches: CollectorSwitches;
  readonly #timeZone: string | undefined;
  readonly #discovery: CollectorRun<AccountTarget, readonly ListedStation[]> | undefined;
  readonly #stations = new Map<string, StationCollection>();
  readonly #apiOf: CollectionOptions['apiOf'];
  #version = 0;
  readonly #ownership: Ownership;

  constructor(options: CollectionOptions) {
    const { stationIds, timeZone, collect, limits, allowance, apiOf, ...rest } = options;
    const context = { ...rest, api: apiOf() };
    this.#apiOf = apiOf;
    this.#context = {
      ...context,
      postponement: this.#postponementFor(context, allowance),
      limits: new SharedLimits(limits ?? LIST_LIMITS),
      changed: () => (this.#version += 1),
    };
    this.#ownership = new Ownership({
      stations: this.#stations,
      log: context.log,
      changed: this.#context.changed,
    });
    this.#switches = collect;
    this.#timeZone = timeZone;
    if (stationIds.length === 0) {
      this.#discovery = new CollectorRun(stationsCollector, this.#context, context.labels ?? {});
      this.#followAccount();
    } else this.#follow(stationIds.map((stationId) => ({ stationId })));
  }

  #postponementFor(
    { lifetimes, clock, log }: Pick<CollectionContext, 'lifetimes' | 'clock' | 'log'>,
    allowance: CollectionOptions['allowance'],
  ): Postponement | undefined {
    if (allowance?.() === undefined) return undefined;
    return new Postponement({
      allowance: () => allowance() ?? { sentRequests: 0 },
      demand: () => this.#demand(),
      readings: () => sumOfDemands(this.#each((station) => station.demand(READINGS))),
      maxAge: lifetimes.maxAgeMs,
      clock,
      log,
    });
  }

  #demand(): Demand {
    const stations = this.#each((station) => station.demand());
    return sumOfDemands(
      this.#discovery === undefined ? stations : [this.#discovery.demand(), ...stations],
    );
  }

  /**
   * Takes over what another collection of the same account at the same service has collected.
   *
   * @param isRetrying - whether to retry at once what failed there.
   */
  adopt(previous: Collection, isRetrying: boolean): void {
    if (this.#discovery !== undefined && previous.#discovery !== undefined) {
      this.#discovery.adopt(previous.#discovery, isRetrying);
      // What was adopted asks for the devices of the previous collection.
      this.#followAccount();
      this.#follow(this.#discovery.latest(ACCOUNT) ?? []);
    }
    for (const [stationId, station] of this.#stations) {
      const same = previous.#stations.get(stationId);
      if (same !== undefined) station.adopt(same, isRetrying);
    }
    this.#ownership.decide(previous.#ownership);
  }

  /** Grows with every change of the collected values. */
  get version(): number {
    return this.#version;
  }

  /** When the next fetch is due. */
  get nextFetchAtMs(): number {
    const discoveryAtMs = this.#discovery?.nextFetchAtMs ?? Number.POSITIVE_INFINITY;
    const stations = this.#stations.values();
    return Math.min(
      discoveryAtMs,
      leastBy(stations, (station) => station.nextFetchAtMs),
    );
  }

  /**
   * How far apart the readings of a device are asked for at present, where the rate or the budget may stretch that;
   * absent elsewhere, and while no device is known.
   */
  get effectiveIntervalMs(): number | undefined {
    return this.#context.postponement?.readingIntervalMs();
  }

  /** When the next value has to be withdrawn from the page. */
  get nextWithdrawalAtMs(): number {
    return leastBy(this.#stations.values(), (station) => station.nextWithdrawalAtMs);
  }

  /** Whether the stations are known, from the configuration or from the account. */
  get isDiscovered(): boolean {
    return this.#discovery === undefined || this.#discovery.latest(ACCOUNT) !== undefined;
  }

  /** The known stations, completed by their device lists. */
  get stations(): readonly Station[] {
    return this.#each((station) => station.station);
  }

  /** Returns the collection of one station; absent while the station is not known. */
  station(stationId: string): StationCollection | undefined {
    return this.#stations.get(stationId);
  }

  /** Fetches what is due. Known stations do not wait for the station list. Never rejects. */
  async refresh(): Promise<void> {
    await Promise.all([
      this.#refreshStations(),
      this.isDiscoveryDue && this.discover().then(() => this.#refreshStations()),
    ]);
    this.#ownership.settle();
  }

  /** Lists the stations of the account when that is due. Never rejects. */
  async discover(): Promise<void> {
    if (!this.isDiscoveryDue) return;
    await this.#discovery?.refresh();
    const stations = this.#discovery?.latest(ACCOUNT);
    if (stations !== undefined) this.#follow(stations);
  }

  /** Returns station after station each target of which anything may be shown now. */
  *shownStations(): Generator<Iterable<ShownSamples>> {
    // A list of its own, because stations may come and go between the slices of a page.
    for (const station of [...this.#stations.values()]) yield station.shownTargets();
  }

  /** Returns how the account, where it is asked for its stations, and every station are doing. */
  status(): readonly StationStatus[] {
    const stations = this.#each((station) => station.status());
    const discovery = this.#discovery?.outcome();
    if (this.#discovery === undefined) return stations;
    const isUp = discovery?.isSuccess ?? false;
    const outcomes = discovery ? [discovery] : [];
    const account = { stationId: undefined, labels: this.#context.labels, isUp, outcomes };
    return [account, ...stations];
  }

  #followAccount(): void {
    const target: AccountTarget = {
      devicesOf: (stationId) => this.#stations.get(stationId)?.devices ?? [],
    };
    this.#discovery?.follow(new Map([[ACCOUNT, { target }]]));
  }

  /** Whether the stations of the account are to be listed again. */
  get isDiscoveryDue(): boolean {
    return this.#context.clock.nowMs() >= (this.#discovery?.nextFetchAtMs ?? Infinity);
  }

  /** Adds new stations, updates known ones, and forgets those that have left. */
  #follow(stations: readonly Station[]): void {
    const ids = new Set(stations.map(({ stationId }) => stationId));
    for (const [stationId, station] of this.#stations) {
      if (ids.has(stationId)) continue;
      this.#stations.delete(stationId);
      station.forget();
    }
    for (const listed of stations) {
      const sources = { configured: this.#timeZone, station: listed.timeZone };
      const station = { ...listed, timeZone: namedTimeZone(sources) };
      const known = this.#stations.get(station.stationId);
      if (known === undefined) this.#stations.set(station.stationId, this.#newStation(station));
      else known.describe(station);
    }
    this.#ownership.decide();
    this.#context.changed();
  }

  #newStation(station: Station): StationCollection {
    const context = { ...this.#context, api: this.#apiOf(station.stationId) };
    return new StationCollection(station, this.#switches, context, this.#ownership);
  }

  async #refreshStations(): Promise<void> {
    await startEach(this.#inTurn(), (station) => station.refresh());
  }

  /** The station that has waited longest comes first, where the requests may not do for all. */
  #inTurn(): readonly StationCollection[] {
    const stations = [...this.#stations.values()];
    if (this.#context.postponement === undefined) return stations;
    return stations
      .map((station) => ({ station, sinceMs: station.waitingSinceMs }))
      .toSorted((one, other) => byAge(one.sinceMs, other.sinceMs))
      .map(({ station }) => station);
  }

  #each<T>(visit: (station: StationCollection) => T): T[] {
    return Array.from(this.#stations.values(), visit);
  }
}
