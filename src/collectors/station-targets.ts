import { isDeepStrictEqual } from 'node:util';
import type { Station } from '../model/station.ts';
import { leastOf } from '../model/units.ts';
import type { Collector } from './collector.ts';
import type { CollectorSwitches, StationCollectors } from './index.ts';
import {
  type DeviceListSubject,
  devicesCollector,
  type ListedDevice,
  type StationListing,
} from './inventory.ts';
import { joined, type Labels } from './metric.ts';
import { readingsCollector } from './readings.ts';
import {
  collectorOutcome,
  type CollectorOutcome,
  type Shown,
  type ShownValue,
  Target,
  type TargetContext,
} from './target.ts';
import { type StationTotals, Totals } from './totals.ts';

/** The status of a station; without a station id, of the account. */
export interface StationStatus {
  readonly stationId: string | undefined;
  /** Absent while that is not known yet. */
  readonly isUp: boolean | undefined;
  readonly outcomes: readonly CollectorOutcome[];
}

export interface StationOptions {
  readonly collect: CollectorSwitches;
  readonly collectors: StationCollectors;
  readonly context: TargetContext;
  /** The time zone that the user chose; takes precedence over that of the station. */
  readonly timeZone?: string | undefined;
  readonly isListedElsewhere: DeviceListSubject['isListedElsewhere'];
}

/** All targets of one station and its devices: what is fetched, how that goes, and what is shown. */
export class StationTargets {
  readonly stationId: string;
  readonly list: Target<DeviceListSubject, StationListing>;
  /** All targets of the station and its devices, the device list first. */
  targets: readonly Target[] = [];
  /** The devices that count at this station; none before its list was read. */
  devices: readonly ListedDevice[] = [];
  /** Whether the station has been requested. */
  isScraped = false;
  /** Grows with every change of what was collected of this station. */
  version = 0;
  readonly #options: StationOptions;
  readonly #context: TargetContext;
  readonly #totals: Totals;
  #described: Station;
  #followed: readonly unknown[] = [];
  #status: StationStatus | undefined;

  constructor(described: Station, options: StationOptions) {
    const { collect: switches, context, isListedElsewhere } = options;
    const labels = { station_id: described.stationId };
    this.stationId = described.stationId;
    this.#described = described;
    this.#options = options;
    this.#context = { ...context, changed: () => this.#changed() };
    this.#totals = new Totals({ labels, clock: context.clock, switches });
    const subject = { station: described, devices: [], isListedElsewhere };
    this.list = new Target(devicesCollector, 'list', subject, labels, this.#context);
  }

  /** Makes targets for exactly these devices; known targets keep their answers. Fetches nothing. */
  follow(listed: Station, devices: readonly ListedDevice[]): void {
    const followed = [listed, this.list.snapshot, this.list.isAnswered, ...devices];
    if (isSame(followed, this.#followed)) return;
    this.#followed = followed;
    const { collect, collectors, timeZone, isListedElsewhere } = this.#options;
    this.#described = { ...listed, timeZone: timeZone ?? listed.timeZone };
    this.devices = devices;
    const { station, list, stationId } = this;
    list.describe({ station: this.#described, devices, isListedElsewhere });
    const known = new Map(
      this.targets.map((target) => [keyOf(target.collector, target.id), target]),
    );
    const targetOf = (one: Collector, id: string, subject: object, own?: Labels): Target => {
      const labels = joined({ station_id: stationId }, own);
      const target =
        known.get(keyOf(one, id)) ?? new Target(one, id, subject, labels, this.#context);
      target.describe(subject);
      return target;
    };
    const isParallel = devices.length > 1 && !collect.independent.includes(stationId);
    // In another zone it may be another month, so everything is fetched again.
    const zone = station.timeZone ?? '';
    const ofStation = collectors.ofStation.map((one) => targetOf(one, zone, { station, devices }));
    const ofDevices = collectors.ofDevice.flatMap((one) =>
      devices.map((device) => {
        const { deviceId } = device;
        const subject = { station, device, isParallel };
        return targetOf(one, deviceId, subject, { device_id: deviceId });
      }),
    );
    // The device list comes first, because it may state the time zone. If it fails, the rest is fetched nevertheless.
    this.targets = list.isAnswered ? [list, ...ofStation, ...ofDevices] : [list];
    this.#changed();
  }

  /** The station, completed by its device list. */
  get station(): Station {
    return this.list.snapshot?.value.station ?? this.#described;
  }

  /** The devices of the last list, with those that count at other stations. */
  get listed(): readonly ListedDevice[] {
    return this.list.snapshot?.value.devices ?? [];
  }

  get nextFetchAtMs(): number {
    return leastOf(this.targets.map(({ nextFetchAtMs }) => nextFetchAtMs));
  }

  /** Whether the station was requested, and not all of its readings have been fetched yet. */
  get isUnread(): boolean {
    return this.isScraped && this.status().isUp === undefined;
  }

  /** Returns the targets of a collector; none where the collector does not run. */
  targetsOf({ name }: Pick<Collector, 'name'>): readonly Target[] {
    return this.targets.filter(({ collector }) => collector.name === name);
  }

  /** Returns the status of the station, as the same object until it changes. */
  status(): StationStatus {
    const { ofStation, ofDevice } = this.#options.collectors;
    const outcomes = [devicesCollector, ...ofStation, ...ofDevice].flatMap(
      (one) => collectorOutcome(this.targetsOf(one)) ?? [],
    );
    const now = { stationId: this.stationId, isUp: this.#isUp(outcomes), outcomes };
    if (this.#status === undefined || !isDeepStrictEqual(now, this.#status)) this.#status = now;
    return this.#status;
  }

  /**
   * Returns what a collector shows of this station now, by target id: the values that its metrics are read
   * from, so that other views cannot disagree with the metrics. Empty for a collector that does not run.
   */
  shown<Subject, Fetched, Value>(
    collector: Collector<Subject, Fetched, Value>,
  ): ReadonlyMap<string, ShownValue<Value>> {
    const values = new Map<string, ShownValue<Value>>();
    for (const target of this.targetsOf(collector)) {
      // Names are unique: the targets of that name are of this collector, so their values have this type.
      const shown = target.shown() as ShownValue<Value> | undefined;
      if (shown !== undefined) values.set(target.id, shown);
    }
    return values;
  }

  /** Yields what may be shown now, target by target and then the totals; unchanged parts are the same objects. */
  *shownTargets(): Generator<Shown> {
    const parts: Shown[] = [];
    for (const target of this.targets)
      for (const shown of shownOf(target)) {
        parts.push(shown);
        // Device by device, because other work gets its turn in between.
        if (target.collector.name === readingsCollector.name) this.#totals.read(shown);
        yield shown;
      }
    yield this.#totals.shown(this, parts);
  }

  totals(): StationTotals {
    return this.#totals.shown(this, this.targets.flatMap(shownOf)).value;
  }

  /** Whether the last readings of every device succeeded; absent before all were asked for. */
  #isUp(outcomes: readonly CollectorOutcome[]): boolean | undefined {
    const readings = outcomes.find(({ collector }) => collector === readingsCollector.name);
    if (readings !== undefined) return readings.isSuccess;
    if (this.list.snapshot === undefined) return outcomes.length > 0 ? false : undefined;
    // A station without devices is up once its device list was read.
    return this.devices.length === 0 ? true : undefined;
  }

  #changed(): void {
    this.version += 1;
    this.#options.context.changed();
  }
}

function isSame(some: readonly unknown[], others: readonly unknown[]): boolean {
  return some.length === others.length && some.every((one, index) => one === others[index]);
}

function keyOf({ name }: Pick<Collector, 'name'>, id: string): string {
  return `${name} ${id}`;
}

/** Returns what may be shown of a target now. */
function shownOf(target: Target): readonly Shown[] {
  return [target.shown(), target.lasting()].filter((shown) => shown !== undefined);
}
