import { namedTimeZone } from '../base/time-zone.ts';
import { LIST_LIMITS, type ListLimits } from '../base/limits.ts';
import { SharedLimits } from './shared-limits.ts';
import type { RequestBucket } from '../client/exchange/request-bucket.ts';
import { leastOf } from '../model/units.ts';
import { maxAgeMs } from '../model/cadence.ts';
import type { Station } from '../model/station.ts';
import type { CollectionContext } from './run/collection-context.ts';
import { CollectorRun } from './run/collector-run.ts';
import { DueQueue, type DueQueueOptions, type DueSource } from './run/due-queue.ts';
import type { ShownSamples } from './run/shown-target.ts';
import type { CollectorSwitches } from './index.ts';
import { Ownership } from './owners/ownership.ts';
import { StationCollection } from './station-collection.ts';
import type { StationStatus } from './station-status.ts';
import type { AccountTarget, CollectorApi } from './collector.ts';
import { type ListedStation, stationsCollector } from './inventory/stations.ts';
import type { KeptLists } from './kept-inventory.ts';

export interface CollectionOptions extends Omit<
  CollectionContext,
  'api' | 'changed' | 'limits' | 'nextTurn'
> {
  /** Returns the service as one station asks it, or as the account does. */
  readonly apiOf: (stationId?: string) => CollectorApi;
  /** The requests that may be sent; any number when left out. */
  readonly bucket?: RequestBucket | undefined;
  /** Called after every fetch. */
  readonly changed?: () => void;
  /** Runs what nobody waits for; without anything else when left out. */
  readonly track?: DueQueueOptions['track'];
  /** How much is taken of the lists of the service. */
  readonly limits?: ListLimits;
  /** The stations to collect; all stations of the account when empty. */
  readonly stationIds: readonly string[];
  /** The time zone that the user chose for all stations; takes precedence over their own. */
  readonly timeZone?: string | undefined;
  readonly collect: CollectorSwitches;
}

const ACCOUNT = 'account';
const DAY_SECONDS = 86_400;
/** Turns are numbered by the time, so that those of the collection before a reload are less. */
const TURN_MS = 0.001;

/** Collects all stations, configured or discovered, each independently of the others. */
export class Collection {
  readonly #context: CollectionContext;
  readonly #switches: CollectorSwitches;
  readonly #timeZone: string | undefined;
  readonly #discovery: CollectorRun<AccountTarget, readonly ListedStation[]> | undefined;
  readonly #stations = new Map<string, StationCollection>();
  readonly #apiOf: CollectionOptions['apiOf'];
  #version = 0;
  #turn = 0;
  readonly #ownership: Ownership;
  readonly #queue: DueQueue;
  readonly #bucket: RequestBucket | undefined;
  #hasWarned = false;

  constructor(options: CollectionOptions) {
    const { stationIds, timeZone, collect, limits, bucket, track, apiOf, changed, ...rest } =
      options;
    const context = { ...rest, api: apiOf() };
    this.#apiOf = apiOf;
    this.#bucket = bucket;
    this.#queue = new DueQueue({
      bucket,
      track: track ?? ((run) => run()),
      lacking: () => this.#warnOnce(),
      clock: context.clock,
    });
    this.#context = {
      ...context,
      nextTurn: () => (this.#turn = Math.max(context.clock.nowMs(), this.#turn + TURN_MS)),
      limits: new SharedLimits(limits ?? LIST_LIMITS),
      changed: () => {
        this.#version += 1;
        changed?.();
      },
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

  /** What is due of the account itself: the list of its stations. */
  readonly #account: DueSource = {
    following: undefined,
    due: (atMs) => this.#dueOfAccount(atMs),
    answered: () => {
      const stations = this.#discovery?.latest(ACCOUNT);
      if (stations !== undefined) this.#follow(stations);
      return undefined;
    },
  };

  *#dueOfAccount(atMs: number): ReturnType<StationCollection['due']> {
    const run = this.#discovery;
    if (run !== undefined) for (const target of run.due(atMs)) yield [run, target];
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

  /** Takes up what was listed at an earlier time, by another run of the program. */
  restore({ stations, lists }: KeptLists): void {
    if (this.#discovery !== undefined) {
      if (stations === undefined) return;
      this.#discovery.restore(ACCOUNT, stations);
      this.#follow(this.#discovery.latest(ACCOUNT) ?? []);
    }
    for (const list of lists) this.#stations.get(list.stationId)?.restore(list);
    this.#ownership.decide();
  }

  /** The lists as they came, each with the time of that. */
  lists(): KeptLists {
    const lists = this.#each(({ stationId, listSnapshot }) =>
      listSnapshot === undefined ? [] : [{ stationId, ...listSnapshot }],
    );
    return { stations: this.#discovery?.snapshot(ACCOUNT), lists: lists.flat() };
  }

  /** Grows with every change of the collected values. */
  get version(): number {
    return this.#version;
  }

  /** When the next fetch is due. */
  get nextFetchAtMs(): number {
    const discoveryAtMs = this.#discovery?.nextFetchAtMs ?? Number.POSITIVE_INFINITY;
    const stations = Array.from(this.#stations.values(), (station) => station.nextFetchAtMs);
    return Math.min(discoveryAtMs, leastOf(stations));
  }

  /** When the next value has to be withdrawn from the page. */
  get nextWithdrawalAtMs(): number {
    return leastOf(Array.from(this.#stations.values(), (station) => station.nextWithdrawalAtMs));
  }

  /** Whether the stations are known, from the configuration or from the account. */
  get isDiscovered(): boolean {
    return this.#discovery === undefined || this.#discovery.latest(ACCOUNT) !== undefined;
  }

  /** How many of the stations that were scraped have not been read yet; absent while no station is known. */
  get unreadStations(): number | undefined {
    if (this.#stations.size === 0) return undefined;
    return this.#each((station) => station.isUnread).filter(Boolean).length;
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
    const askStations = (): Promise<void> => this.#queue.ask([...this.#stations.values()]);
    const asked = askStations();
    await Promise.all([asked, this.isDiscoveryDue && this.discover().then(askStations)]);
    this.#ownership.settle();
  }

  /** Lists the stations of the account when that is due. Never rejects. */
  async discover(): Promise<void> {
    if (this.isDiscoveryDue) await this.#queue.ask([this.#account]);
  }

  /** Starts nothing any more, because another collection takes the place of this one. */
  stop(): void {
    this.#queue.stop();
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
    const isUp = discovery?.isSuccess;
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
    return new StationCollection(station, this.#switches, context, this.#ownership, this.#queue);
  }

  /** Logs once when readings are withdrawn before there are requests to ask for them again. */
  #warnOnce(): void {
    const { lifetimes, log } = this.#context;
    if (this.#hasWarned || this.#bucket === undefined) return;
    const devices = this.#each((station) => station.devices.length).reduce((a, b) => a + b, 0);
    const { perSecond } = this.#bucket;
    const maxAgeSeconds = maxAgeMs(lifetimes.maxAgeMs) / 1000;
    if (devices <= perSecond * maxAgeSeconds) return;
    this.#hasWarned = true;
    log.warn(
      {
        devices,
        requestsPerDay: Math.round(perSecond * DAY_SECONDS),
        intervalSeconds: Math.round(devices / perSecond),
        maxAgeSeconds,
      },
      'so few requests are allowed that readings are withdrawn before they are asked for again',
    );
  }

  #each<T>(visit: (station: StationCollection) => T): T[] {
    return Array.from(this.#stations.values(), visit);
  }
}
