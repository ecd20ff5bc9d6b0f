import type { RequestPace } from '../client/exchange/pace.ts';
import { maxAgeMs } from '../model/cadence.ts';
import type { Station } from '../model/station.ts';
import { leastOf } from '../model/units.ts';
import { DueQueue } from './due.ts';
import type { CollectorSwitches } from './index.ts';
import { groupedByStation } from './inventory/devices.ts';
import type { Listed } from './inventory/kept-entries.ts';
import { type ListedStation, stationsCollector } from './inventory/stations.ts';
import { type CollectionContext, Run, type Shown } from './run.ts';
import { StationCollection, type StationStatus } from './station-collection.ts';

export interface CollectionOptions extends Omit<CollectionContext, 'changed'> {
  /** When requests may be sent. */
  readonly pace: RequestPace;
  /** Runs what nobody waits for. */
  readonly track: (run: () => Promise<void>) => Promise<void>;
  /** The stations to collect; all stations of the account when empty. */
  readonly stationIds: readonly string[];
  /** The time zone that the user chose for all stations; takes precedence over their own. */
  readonly timeZone?: string | undefined;
  readonly collect: CollectorSwitches;
}

const ACCOUNT = 'account';
const DAY_SECONDS = 86_400;

/** Collects all stations, configured or discovered, each independently of the others. */
export class Collection {
  readonly #options: CollectionOptions;
  readonly #context: CollectionContext;
  /** Lists the stations; absent where they are configured. */
  readonly #discovery: Run<undefined, readonly ListedStation[]> | undefined;
  readonly #stations = new Map<string, StationCollection>();
  /** In the order in which they were first asked for their devices: a device in several lists counts at the first. */
  readonly #order = new Set<string>();
  readonly #queue: DueQueue;
  #version = 0;
  readonly #warned = new Set<string>();

  constructor(options: CollectionOptions) {
    const { stationIds, pace, track, clock } = options;
    this.#options = options;
    this.#queue = new DueQueue({ pace, track, lacking: () => this.#warnOfLack(), clock });
    this.#context = { ...options, changed: () => this.#changed() };
    if (stationIds.length === 0) {
      const answered = (): void => {
        if (this.#listed !== undefined) this.#follow(this.#listed);
      };
      const run = new Run(stationsCollector, this.#context, {}, { answered });
      run.follow(new Map([[ACCOUNT, undefined]]));
      this.#discovery = run;
    } else this.#follow(stationIds.map((stationId) => ({ stationId })));
  }

  /** Grows with every change of the collected values. */
  get version(): number {
    return this.#version;
  }

  /** When the next fetch is due. */
  get nextFetchAtMs(): number {
    const discoveryAtMs = this.#discovery?.nextFetchAtMs ?? Infinity;
    return Math.min(discoveryAtMs, leastOf(this.#each((station) => station.nextFetchAtMs)));
  }

  /** Whether the stations are known, from the configuration or from the account. */
  get isDiscovered(): boolean {
    return this.#discovery === undefined || this.#listed !== undefined;
  }

  /** Whether the stations of the account are to be listed again. */
  get isDiscoveryDue(): boolean {
    return this.#context.clock.nowMs() >= (this.#discovery?.nextFetchAtMs ?? Infinity);
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
    const askStations = (): Promise<void> => {
      for (const stationId of this.#stations.keys()) this.#order.add(stationId);
      return this.#queue.ask(this.#each((station) => station.asked()).flat());
    };
    const asked = askStations();
    await Promise.all([asked, this.isDiscoveryDue && this.discover().then(askStations)]);
  }

  /** Lists the stations of the account when that is due. Never rejects. */
  async discover(): Promise<void> {
    if (this.#discovery !== undefined && this.isDiscoveryDue)
      await this.#queue.ask([this.#discovery]);
  }

  /** Starts nothing any more, because another collection takes the place of this one. */
  stop(): void {
    this.#queue.stop();
  }

  /** Returns station after station what may be shown now, target after target. */
  *shownStations(): Generator<Iterable<Shown>> {
    // A list of its own, because stations may come and go while a page is written.
    for (const station of [...this.#stations.values()]) yield station.shownTargets();
  }

  /** Returns how the account, where it is asked for its stations, and every station are doing. */
  status(): readonly StationStatus[] {
    const stations = this.#each((station) => station.status());
    if (this.#discovery === undefined) return stations;
    const outcome = this.#discovery.outcome();
    const isUp = stations.length > 0 ? undefined : outcome?.isSuccess;
    const outcomes = outcome === undefined ? [] : [outcome];
    return [{ stationId: undefined, isUp, outcomes }, ...stations];
  }

  get #listed(): readonly ListedStation[] | undefined {
    return this.#discovery?.target(ACCOUNT)?.snapshot?.value;
  }

  /** Adds new stations, updates known ones, and forgets those that have left. */
  #follow(stations: readonly Station[]): void {
    const { timeZone: configured, collect: switches } = this.#options;
    const ids = new Set(stations.map(({ stationId }) => stationId));
    for (const stationId of this.#stations.keys())
      if (!ids.has(stationId)) {
        this.#stations.delete(stationId);
        this.#order.delete(stationId);
      }
    for (const described of stations) {
      const { stationId } = described;
      const station = { ...described, timeZone: configured ?? described.timeZone };
      const known = this.#stations.get(stationId);
      if (known !== undefined) known.describe(station);
      else {
        const options = {
          ...{ station, switches, context: this.#context, queue: this.#queue },
          listed: (of: StationCollection) => this.#group(of),
          isListedElsewhere: (id: string) => this.#isListedElsewhere(id, stationId),
        };
        this.#stations.set(stationId, new StationCollection(options));
      }
    }
    this.#group();
    this.#changed();
  }

  /**
   * Lets each device of the lists count at one station.
   *
   * @param of - the station whose list has come: its devices may be the same and say something else.
   */
  #group(of?: StationCollection): void {
    if (of !== undefined) this.#order.add(of.stationId);
    const inOrder = [...this.#order, ...this.#stations.keys()];
    const lists = new Map(
      inOrder.map((stationId) => [stationId, this.#stations.get(stationId)?.listed ?? []]),
    );
    const groups = groupedByStation(lists);
    for (const station of this.#stations.values()) {
      const devices = groups.get(station.stationId) ?? [];
      const isSame =
        devices.length === station.devices.length &&
        devices.every((device, index) => device === station.devices[index]);
      if (!isSame || station === of) station.follow(devices);
    }
    const ids = [...lists.values()].flatMap((devices) =>
      devices.filter(isListed).map(({ deviceId }) => deviceId),
    );
    const devices = ids.length - new Set(ids).size;
    if (devices > 0)
      this.#warnOnce('several stations list the same devices: each counts at one of them', {
        devices,
      });
  }

  #isListedElsewhere(deviceId: string, stationId: string): boolean {
    return [...this.#stations.values()].some(
      (station) =>
        station.stationId !== stationId &&
        station.listed.some((device) => device.deviceId === deviceId && isListed(device)),
    );
  }

  #changed(): void {
    this.#version += 1;
  }

  /** Logs once when readings are withdrawn before there are requests to ask for them again. */
  #warnOfLack(): void {
    const { lifetimes, pace } = this.#options;
    const devices = this.#each((station) => station.devices.length).reduce((a, b) => a + b, 0);
    const { perSecond } = pace;
    const maxAgeSeconds = maxAgeMs(lifetimes.maxAgeMs) / 1000;
    if (devices > perSecond * maxAgeSeconds)
      this.#warnOnce(
        'so few requests are allowed that readings are withdrawn before they are asked for again',
        {
          devices,
          requestsPerDay: Math.round(perSecond * DAY_SECONDS),
          intervalSeconds: Math.round(devices / perSecond),
          maxAgeSeconds,
        },
      );
  }

  #warnOnce(message: string, fields: object): void {
    if (!this.#warned.has(message)) this.#options.log.warn({ ...fields }, message);
    this.#warned.add(message);
  }

  #each<T>(visit: (station: StationCollection) => T): T[] {
    return Array.from(this.#stations.values(), visit);
  }
}

function isListed({ unlistedSinceMs }: Listed): boolean {
  return unlistedSinceMs === undefined;
}
