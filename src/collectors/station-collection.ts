import { leastOf } from '../model/units.ts';
import type { Device, Station } from '../model/station.ts';
import type { Collector, DeviceTarget, StationTarget } from './collector.ts';
import type { ListedDevice, StationListing } from './inventory/station-listing.ts';
import { type CollectorSwitches, deviceCollectors, stationCollectors } from './index.ts';
import type { Labels } from './metric.ts';
import type { Neighbours } from './owners/own-devices.ts';
import { StationList } from './owners/station-list.ts';
import type { CollectionContext } from './run/collection-context.ts';
import { CollectorRun } from './run/collector-run.ts';
import type { DueQueue, DueRun, DueSource, DueTarget } from './run/due-queue.ts';
import type { FollowedTarget } from './run/followed.ts';
import { Following } from './run/following.ts';
import { type AnyRun, pairedRuns } from './run/paired-runs.ts';
import type { CollectorOutcome } from './run/rounds.ts';
import type { ShownSamples, ShownValue } from './run/shown-target.ts';
import type { Snapshot } from './snapshot-cache.ts';
import { sameStatus, type StationStatus } from './station-status.ts';

const READINGS = 'readings';
/** The id of the only target of a station collector: the station itself. */
const ONLY = 'station';

/** Runs all collectors of one station; a failure or delay here does not touch other stations. */
export class StationCollection implements DueSource {
  readonly stationId: string;
  readonly #list: StationList;
  readonly #stationRuns: readonly CollectorRun<StationTarget, unknown>[];
  readonly #deviceRuns: readonly CollectorRun<DeviceTarget, unknown>[];
  readonly #following: Following;
  readonly #labels: Labels | undefined;
  readonly #queue: DueQueue;
  readonly #runs: readonly AnyRun[];
  #status: StationStatus | undefined;
  #isScraped = false;
  /** What the runs follow; absent where that has to be said again. */
  #followed:
    { readonly listing: StationListing | undefined; readonly station: Station } | undefined;
  #version = 0;

  constructor(
    station: Station,
    switches: CollectorSwitches,
    account: CollectionContext,
    neighbours: Neighbours,
    queue: DueQueue,
  ) {
    this.#queue = queue;
    const context = { ...account, changed: () => this.#changed(account) };
    const labels = { ...account.labels, station_id: station.stationId };
    this.#labels = account.labels;
    this.stationId = station.stationId;
    this.#list = new StationList(station, context, labels, neighbours);
    this.#stationRuns = stationCollectors(switches).map(
      (collector) => new CollectorRun(collector, context, labels),
    );
    this.#deviceRuns = deviceCollectors(switches).map(
      (collector) => new CollectorRun(collector, context, labels),
    );
    this.#following = new Following(this.#deviceRuns);
    this.#runs = [this.#list.run, ...this.#stationRuns, ...this.#deviceRuns];
  }

  /** Updates the station to what the station list says now. */
  describe(station: Station): void {
    this.#version += 1;
    this.#list.describe(station);
  }

  /** Takes over what another collection of the same station has collected. */
  adopt(previous: StationCollection, isRetrying: boolean): void {
    this.#list.adopt(previous.#list, isRetrying);
    this.#followed = undefined;
    for (const [run, same] of pairedRuns(this.#stationRuns, previous.#stationRuns))
      run.adopt(same, isRetrying);
    for (const [run, same] of pairedRuns(this.#deviceRuns, previous.#deviceRuns))
      run.adopt(same, isRetrying);
  }

  /** Takes up the device list as it was fetched at an earlier time. */
  restore(list: Snapshot<StationListing>): void {
    this.#list.restore(list);
    this.#followed = undefined;
  }

  /** The last device list as it came, and when. */
  get listSnapshot(): Snapshot<StationListing> | undefined {
    return this.#list.snapshot;
  }

  /** Takes over what another station has read of a device that counts here now. */
  takeOver(deviceId: string, previous: StationCollection): void {
    for (const [run, same] of pairedRuns(this.#deviceRuns, previous.#deviceRuns))
      run.takeOver(deviceId, same);
  }

  /** The station, completed by its device list. */
  get station(): Station {
    return this.#list.station;
  }

  /** Grows with every change of the values that were collected of this station. */
  get version(): number {
    return this.#version;
  }

  #changed({ changed }: CollectionContext): void {
    this.#version += 1;
    changed();
  }

  /** Fetches what is due. Known devices do not wait for the device list. Never rejects. */
  refresh(): Promise<void> {
    return this.#queue.ask([this]);
  }

  /** Resolves when another device list has been taken up. */
  get following(): Promise<void> | undefined {
    if (this.#isListAnswered) this.#followDevices();
    const { running } = this.#following;
    // Another list may be taken up while one is.
    return running?.then(() => this.following);
  }

  *due(atMs: number): Generator<readonly [DueRun, DueTarget]> {
    this.#isScraped = true;
    // Readings first: a list that is only to be listed again does not keep them waiting.
    const list = this.#list.run;
    const all = [...this.#deviceRuns, list, ...this.#stationRuns];
    const runs = this.#isListAnswered ? all : [list];
    for (const run of runs) for (const target of run.due(atMs)) yield [run, target];
  }

  /** Asks on after the device list, which comes first because it may say the time zone. */
  answered(run: DueRun): Promise<void> | undefined {
    if (run !== this.#list.run) return undefined;
    this.#list.answered();
    return this.refresh();
  }

  /** Whether the device list has come, or has failed: what the station itself is asked for needs no devices. */
  get #isListAnswered(): boolean {
    return this.#list.own !== undefined || this.#list.run.outcome() !== undefined;
  }

  /** Whether the first round of its readings, which somebody wants to see, has not ended. */
  get isUnread(): boolean {
    return this.#isScraped && this.status().isUp === undefined;
  }

  /** Returns how the station is doing, as the same object until that changes. */
  status(): StationStatus {
    const outcomes = this.#outcomes();
    const isUp = this.#isUp(outcomes);
    const [stationId, labels] = [this.stationId, this.#labels];
    return (this.#status = sameStatus(this.#status, { stationId, labels, isUp, outcomes }));
  }

  /** Whether the last refresh of the readings of every device succeeded; absent before the first one ended. */
  #isUp(outcomes: readonly CollectorOutcome[]): boolean | undefined {
    const readings = outcomes.find(({ collector }) => collector === READINGS);
    if (readings !== undefined) return readings.isSuccess;
    const devices = this.#list.own?.devices;
    if (devices === undefined) return outcomes.length > 0 ? false : undefined;
    // A station without devices is up once its list says so.
    return devices.length === 0 ? true : undefined;
  }

  #outcomes(): readonly CollectorOutcome[] {
    return this.#runs.map((run) => run.outcome()).filter((outcome) => outcome !== undefined);
  }

  get nextFetchAtMs(): number {
    // Whatever follows nothing yet, such as a collector that was switched on, is asked at once.
    if (this.#followed === undefined && this.#list.own !== undefined) return -Infinity;
    return leastOf(this.#runs.map((run) => run.nextFetchAtMs));
  }

  get nextWithdrawalAtMs(): number {
    return leastOf(this.#runs.map((run) => run.nextWithdrawalAtMs));
  }

  /**
   * Returns what a collector shows of this station now, by target id: the values that its metrics are read
   * from, so that other views cannot disagree with the metrics. Empty for a collector that does not run.
   */
  shown<Target, Fetched, Shown>({
    name,
  }: Collector<Target, Fetched, Shown>): ReadonlyMap<string, ShownValue<Shown>> {
    const run = this.#runs.find((candidate) => candidate.name === name);
    // Names are unique: the run of that name is of this collector, so its values have this type.
    return (run?.shown() ?? new Map()) as ReadonlyMap<string, ShownValue<Shown>>;
  }

  /** Returns each target of which anything may be shown now: the same object as long as it is the same. */
  *shownTargets(): Generator<ShownSamples> {
    for (const run of this.#runs) yield* run.shownTargets();
  }

  /** Takes note that the device list of a station was fetched: a device may count at another station now. */
  listsChanged(): void {
    this.#version += 1;
    this.ownersChanged();
    // Of the list, only the devices are shown that count here.
    this.#list.run.reconsiderShown();
    if (this.listed !== undefined) this.#followDevices();
  }

  /** Takes note that any device may count at another station now. */
  ownersChanged(): void {
    this.#list.ownersChanged();
    this.#followed = undefined;
  }

  /** Takes up the devices that count at this station now, and forgets the others. Fetches nothing. */
  #followDevices(): void {
    const listing = this.#list.own;
    const { station } = this;
    if (this.#followed?.listing === listing && this.#followed?.station === station) return;
    this.#followed = { listing, station };
    // The zone is the target's id: in another zone it may be another month, so the summary is fetched again.
    for (const run of this.#stationRuns)
      run.follow(only(station, listing?.devices, station.timeZone));
    this.#following.follow(station, this.devices);
  }

  /** Forgets everything, because the station has left the account. */
  forget(): void {
    const { station } = this;
    this.#list.forget();
    for (const run of this.#stationRuns) run.follow(new Map());
    this.#following.follow(station, []);
  }

  /** The last device list as it came, with devices that may count at other stations. */
  get listed(): readonly ListedDevice[] | undefined {
    return this.#list.listed;
  }

  /** The devices that count at this station; none before its list was read. */
  get devices(): readonly ListedDevice[] {
    return this.#list.own?.devices ?? [];
  }
}

function only(
  station: Station,
  devices: readonly Device[] = [],
  id = ONLY,
): ReadonlyMap<string, FollowedTarget<StationTarget>> {
  return new Map([[id, { target: { station, devices } }]]);
}
