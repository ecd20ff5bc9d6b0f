import { isDeepStrictEqual } from 'node:util';
import type { Station } from '../model/station.ts';
import { leastOf } from '../model/units.ts';
import type { Collector, DeviceListSubject, DeviceSubject, StationSubject } from './collector.ts';
import type { DueQueue } from './due.ts';
import { type CollectorSwitches, deviceCollectors, stationCollectors } from './index.ts';
import { devicesCollector, type ListedDevice, type StationListing } from './inventory/devices.ts';
import { type CollectorOutcome, Run } from './run.ts';
import type { CollectionContext, Shown, ShownValue } from './run.ts';
import { type StationTotals, Totals } from './totals.ts';

const READINGS = 'readings';
/** The id of the only target of a station collector: the station itself. */
const ONLY = 'station';

/** How a station is doing; without a station id, how the account is doing. */
export interface StationStatus {
  readonly stationId: string | undefined;
  /** Absent while that is not known yet. */
  readonly isUp: boolean | undefined;
  readonly outcomes: readonly CollectorOutcome[];
}

export interface StationCollectionOptions {
  readonly station: Station;
  readonly switches: CollectorSwitches;
  readonly context: CollectionContext;
  readonly queue: DueQueue;
  /** Called when another device list has come: devices may count at another station now. */
  readonly listed: (station: StationCollection) => void;
  /** Whether the list of another station has a device. */
  readonly isListedElsewhere: (deviceId: string) => boolean;
}

/** Runs all collectors of one station; a failure or delay here does not touch other stations. */
export class StationCollection {
  readonly stationId: string;
  readonly #options: StationCollectionOptions;
  readonly #list: Run<DeviceListSubject, StationListing>;
  readonly #ofStation: readonly Run<StationSubject>[];
  readonly #ofDevices: readonly Run<DeviceSubject>[];
  readonly #totals: Totals;
  #described: Station;
  #devices: readonly ListedDevice[] = [];
  #isScraped = false;
  #status: StationStatus | undefined;
  #version = 0;

  constructor(options: StationCollectionOptions) {
    const { station, switches } = options;
    const { stationId } = station;
    const context = { ...options.context, changed: () => this.#changed() };
    const labels = { station_id: stationId };
    this.#options = options;
    this.stationId = stationId;
    this.#described = station;
    // Asks on after the device list, which comes first because it may say the time zone. Not for the list again, which
    // may be due as soon as it has come.
    const answered = (): Promise<void> => {
      options.listed(this);
      return options.queue.ask([...this.#ofDevices, ...this.#ofStation]);
    };
    this.#list = new Run(devicesCollector, context, labels, { answered });
    this.#ofStation = stationCollectors(switches).map((one) => new Run(one, context, labels));
    this.#ofDevices = deviceCollectors(switches).map(
      (one) => new Run(one, context, labels, { isOfDevices: true }),
    );
    this.#totals = new Totals({ labels, clock: context.clock, switches });
    this.follow([]);
  }

  /** Updates the station to what the station list says now. */
  describe(station: Station): void {
    this.#described = station;
    this.follow(this.#devices);
  }

  /** Asks about the devices that count here now, and about no others. Fetches nothing. */
  follow(devices: readonly ListedDevice[]): void {
    const { switches, isListedElsewhere } = this.#options;
    this.#devices = devices;
    const { stationId, station } = this;
    const list = { station: this.#described, devices, isListedElsewhere };
    this.#list.follow(new Map([[ONLY, list]]));
    // The zone is the id: in another zone it may be another month, so the summary is fetched again.
    const only = new Map([[station.timeZone ?? ONLY, { station, devices }]]);
    if (this.#isListAnswered) for (const run of this.#ofStation) run.follow(only);
    const isParallel = devices.length > 1 && !switches.independent.includes(stationId);
    const all = new Map(
      devices.map((device) => [device.deviceId, { device, station, isParallel }]),
    );
    for (const run of this.#ofDevices) run.follow(all);
    this.#changed();
  }

  /** The station, completed by its device list. */
  get station(): Station {
    return this.#listing?.station ?? this.#described;
  }

  /** The devices of the last list, with those that count at other stations. */
  get listed(): readonly ListedDevice[] {
    return this.#listing?.devices ?? [];
  }

  /** The devices that count at this station; none before its list was read. */
  get devices(): readonly ListedDevice[] {
    return this.#devices;
  }

  /** Grows with every change of the values that were collected of this station. */
  get version(): number {
    return this.#version;
  }

  /** Fetches what is due. Known devices do not wait for the device list. Never rejects. */
  refresh(): Promise<void> {
    return this.#options.queue.ask(this.asked());
  }

  /** Returns what is asked at a scrape: readings first, so that a list that is only to be listed again keeps none waiting. */
  asked(): readonly Run[] {
    this.#isScraped = true;
    if (!this.#isListAnswered) return [this.#list];
    return [...this.#ofDevices, this.#list, ...this.#ofStation];
  }

  /** Whether the first round of its readings, which somebody wants to see, has not ended. */
  get isUnread(): boolean {
    return this.#isScraped && this.status().isUp === undefined;
  }

  /** Returns how the station is doing, as the same object until that changes. */
  status(): StationStatus {
    const outcomes = this.#runs.flatMap((run) => run.outcome() ?? []);
    const now = { stationId: this.stationId, isUp: this.#isUp(outcomes), outcomes };
    if (this.#status === undefined || !isDeepStrictEqual(now, this.#status)) this.#status = now;
    return this.#status;
  }

  get nextFetchAtMs(): number {
    return leastOf(this.#runs.map((run) => run.nextFetchAtMs));
  }

  /**
   * Returns what a collector shows of this station now, by target id: the values that its metrics are read
   * from, so that other views cannot disagree with the metrics. Empty for a collector that does not run.
   */
  shown<Subject, Fetched, Value>({
    name,
  }: Collector<Subject, Fetched, Value>): ReadonlyMap<string, ShownValue<Value>> {
    const run = this.#runs.find((candidate) => candidate.name === name);
    // Names are unique: the run of that name is of this collector, so its values have this type.
    return (run?.shown() ?? new Map()) as ReadonlyMap<string, ShownValue<Value>>;
  }

  /** Returns what may be shown now, target after target and then the totals: the same object as long as it is the same. */
  *shownTargets(): Generator<Shown> {
    const parts: Shown[] = [];
    for (const run of this.#runs)
      for (const shown of run.shownTargets()) {
        parts.push(shown);
        // Device by device, because others have their turn in between.
        if (run.name === READINGS) this.#totals.read(shown);
        yield shown;
      }
    yield this.#totals.shown(this, parts);
  }

  /** Returns the totals of the station now. */
  totals(): StationTotals {
    const parts = this.#runs.flatMap((run) => [...run.shownTargets()]);
    return this.#totals.shown(this, parts).value;
  }

  get #listing(): StationListing | undefined {
    return this.#list.target(ONLY)?.snapshot?.value;
  }

  get #runs(): readonly Run[] {
    return [this.#list, ...this.#ofStation, ...this.#ofDevices];
  }

  /** Whether the device list has come, or has failed: what the station itself is asked for needs no devices. */
  get #isListAnswered(): boolean {
    return this.#list.target(ONLY)?.isAnswered === true;
  }

  /** Whether the last refresh of the readings of every device succeeded; absent before the first one ended. */
  #isUp(outcomes: readonly CollectorOutcome[]): boolean | undefined {
    const readings = outcomes.find(({ collector }) => collector === READINGS);
    if (readings !== undefined) return readings.isSuccess;
    if (this.#listing === undefined) return outcomes.length > 0 ? false : undefined;
    // A station without devices is up once its list says so.
    return this.#devices.length === 0 ? true : undefined;
  }

  #changed(): void {
    this.#version += 1;
    this.#options.context.changed();
  }
}
