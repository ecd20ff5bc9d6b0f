import type { Listing } from '../client/client.ts';
import type { RequestPace } from '../client/exchange/pace.ts';
import type { Outcome } from '../client/exchange/transport.ts';
import { maxAgeMs } from '../model/cadence.ts';
import type { Station } from '../model/station.ts';
import { leastOf } from '../model/units.ts';
import { collectorsOf, type CollectorSwitches, type StationCollectors } from './index.ts';
import {
  groupedByStation,
  isListed,
  type ListedDevice,
  type ListedStation,
  stationsCollector,
} from './inventory.ts';
import { Queue } from './queue.ts';
import { type StationStatus, StationTargets } from './station-targets.ts';
import { collectorOutcome, type Shown, Target, type TargetContext } from './target.ts';

export interface CollectionOptions extends Omit<TargetContext, 'changed'> {
  /** When requests may be sent. */
  readonly pace: RequestPace;
  /** Runs work in the background. */
  readonly track: (run: () => Promise<void>) => Promise<void>;
  /** The stations to collect; all stations of the account when empty. */
  readonly stationIds: readonly string[];
  /** The time zone that the user chose for all stations; takes precedence over their own. */
  readonly timeZone?: string | undefined;
  readonly collect: CollectorSwitches;
}

/** Collects all stations, configured or discovered, each independently of the others. */
export class Collection {
  readonly #options: CollectionOptions;
  readonly #context: TargetContext;
  readonly #collectors: StationCollectors;
  readonly #queue: Queue;
  readonly #configured: readonly Station[];
  /** The list of stations; absent where they are configured. */
  readonly #list: Target<undefined, Listing<ListedStation>> | undefined;
  readonly #stations = new Map<string, StationTargets>();
  /** The stations in the order in which they were first collected: a device in several lists counts at the first. */
  readonly #order = new Set<string>();
  /** The outcome of each collector when it was last logged. */
  readonly #logged = new Map<string, Outcome>();
  readonly #warned = new Set<string>();
  #version = 0;

  constructor(options: CollectionOptions) {
    const { stationIds, pace, track, clock, collect } = options;
    this.#options = options;
    this.#context = { ...options, changed: () => (this.#version += 1) };
    this.#collectors = collectorsOf(collect);
    this.#queue = new Queue({
      pace,
      track,
      clock,
      fetched: (target) => this.#fetched(target),
      lacking: () => this.#warnOfLack(),
    });
    this.#configured = [...new Set(stationIds)].map((stationId) => ({ stationId }));
    if (stationIds.length === 0)
      this.#list = new Target(stationsCollector, 'account', undefined, {}, this.#context);
    this.#follow();
  }

  /** Grows with every change of the collected values. */
  get version(): number {
    return this.#version;
  }

  /** When the next fetch is due. */
  get nextFetchAtMs(): number {
    const listAtMs = this.#list?.nextFetchAtMs ?? Infinity;
    return Math.min(listAtMs, leastOf(this.#each((station) => station.nextFetchAtMs)));
  }

  /** How many of the stations that were scraped have not been read yet; absent while no station is known. */
  get unreadStations(): number | undefined {
    if (this.#stations.size === 0) return undefined;
    return this.#each((station) => station.isUnread).filter(Boolean).length;
  }

  /** The stations, completed by their device lists; absent until those of the account were listed. */
  get stations(): readonly Station[] | undefined {
    if (this.#list !== undefined && this.#list.snapshot === undefined) return undefined;
    return this.#each(({ station }) => station);
  }

  /** Returns what is known of one station; absent while the station is not known. */
  station(stationId: string): StationTargets | undefined {
    return this.#stations.get(stationId);
  }

  /** Fetches what is due. Known stations and devices do not wait for the lists. Never rejects. */
  async refresh(): Promise<void> {
    const askStations = (): Promise<void> => this.#ask([...this.#stations.values()]);
    await Promise.all([askStations(), this.discover().then(askStations)]);
  }

  /** Fetches what is due of one station, if the station is known. Never rejects. */
  async refreshStation(stationId: string): Promise<void> {
    const station = this.#stations.get(stationId);
    if (station !== undefined) await this.#ask([station]);
  }

  /** Lists the stations of the account when the list is due. Never rejects. */
  async discover(): Promise<void> {
    if (this.#list !== undefined) await this.#queue.ask([this.#list]);
  }

  /** Stops starting fetches, because another collection replaces this one. */
  stop(): void {
    this.#queue.stop();
  }

  /** Yields for each station the parts that may be shown now, target by target. */
  *shownStations(): Generator<Iterable<Shown>> {
    // A copy of the list, because stations may come and go while a page is written.
    for (const station of [...this.#stations.values()]) yield station.shownTargets();
  }

  /** Returns the status of every station, and of the account where its stations are discovered. */
  status(): readonly StationStatus[] {
    const stations = this.#each((station) => station.status());
    if (this.#list === undefined) return stations;
    const outcome = collectorOutcome([this.#list]);
    const isUp = stations.length > 0 ? undefined : outcome?.isSuccess;
    const outcomes = outcome === undefined ? [] : [outcome];
    return [{ stationId: undefined, isUp, outcomes }, ...stations];
  }

  async #ask(stations: readonly StationTargets[]): Promise<void> {
    for (const station of stations) {
      station.isScraped = true;
      this.#order.add(station.stationId);
    }
    await this.#queue.ask(stations.flatMap(({ targets }) => targets));
  }

  /** Applies a list that was fetched, and asks about new devices of a station. */
  async #fetched(target: Target): Promise<void> {
    const station = this.#stations.get(target.labels['station_id'] ?? '');
    const isOfStation = target === station?.list;
    if (isOfStation || target === this.#list) this.#follow();
    this.#log(target === this.#list ? [target] : (station?.targetsOf(target.collector) ?? []));
    // The list is left out, because it may be due again at once.
    if (isOfStation) await this.#queue.ask(station.targets.filter((other) => other !== target));
  }

  /** Applies the lists: adds new stations, removes those that have left, and assigns each device to one station. */
  #follow(): void {
    const stations = this.#list?.snapshot?.value.entries ?? this.#configured;
    const ids = new Set(stations.map(({ stationId }) => stationId));
    for (const stationId of this.#stations.keys())
      if (!ids.has(stationId)) {
        this.#stations.delete(stationId);
        this.#order.delete(stationId);
      }
    for (const station of stations) {
      const { stationId } = station;
      if (!this.#stations.has(stationId)) this.#stations.set(stationId, this.#begin(station));
    }
    const lists = new Map(
      [...this.#order, ...ids].map((id) => [id, this.#stations.get(id)?.listed ?? []]),
    );
    const groups = groupedByStation(lists);
    for (const station of stations) {
      const devices = groups.get(station.stationId) ?? [];
      this.#stations.get(station.stationId)?.follow(station, devices);
    }
    const devices = countListed(lists) - countListed(groups);
    if (devices > 0)
      this.#warnOnce('several stations list the same devices: each counts at one of them', {
        devices,
      });
    this.#version += 1;
  }

  #begin(station: Station): StationTargets {
    return new StationTargets(station, {
      ...this.#options,
      context: this.#context,
      collectors: this.#collectors,
      isListedElsewhere: (deviceId) =>
        [...this.#stations].some(
          ([stationId, { listed }]) =>
            stationId !== station.stationId &&
            listed.some((device) => device.deviceId === deviceId && isListed(device)),
        ),
    });
  }

  /** Logs one line when a collector starts to fail, fails differently, or recovers; none in between. */
  #log(targets: readonly Target[]): void {
    if (targets.some((target) => this.#queue.isRunning(target))) return;
    const outcome = collectorOutcome(targets);
    if (outcome === undefined) return;
    const { collector, code, error: err } = outcome;
    const { log } = this.#options;
    const { station_id } = targets[0]?.labels ?? {};
    const key = `${collector} ${station_id ?? ''}`;
    if (code === (this.#logged.get(key) ?? 'ok')) return;
    this.#logged.set(key, code);
    const failed = targets.filter(({ lastError }) => lastError !== undefined);
    if (failed.length === 0) {
      log.info({ collector, station_id }, 'collector recovered');
      return;
    }
    const counts = { failed: failed.length, targets: targets.length };
    // The first failed target stands for all: its labels show where to look.
    log[code === 'UNEXPECTED' ? 'error' : 'warn'](
      { collector, ...failed[0]?.labels, code, ...counts, err },
      'collector failed',
    );
  }

  /** Logs once when too few requests are allowed to read all devices before their readings are withdrawn. */
  #warnOfLack(): void {
    const { lifetimes, pace } = this.#options;
    const devices = this.#each((station) => station.devices.length).reduce((a, b) => a + b, 0);
    const intervalSeconds = Math.round(devices / pace.perSecond);
    const maxAgeSeconds = maxAgeMs(lifetimes.maxAgeMs) / 1000;
    if (intervalSeconds > maxAgeSeconds)
      this.#warnOnce(
        'so few requests are allowed that readings are withdrawn before they are asked for again',
        { devices, intervalSeconds, maxAgeSeconds },
      );
  }

  #warnOnce(message: string, fields: object): void {
    if (!this.#warned.has(message)) this.#options.log.warn({ ...fields }, message);
    this.#warned.add(message);
  }

  #each<T>(visit: (station: StationTargets) => T): T[] {
    return Array.from(this.#stations.values(), visit);
  }
}

function countListed(lists: ReadonlyMap<string, readonly ListedDevice[]>): number {
  return [...lists.values()].flat().filter(isListed).length;
}
