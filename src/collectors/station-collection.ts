import type { Device, Station } from '../model/station.ts';
import { CollectorRun, type CollectionContext, type FollowedTarget } from './collector-run.ts';
import type { DeviceTarget, StationTarget } from './collector.ts';
import { devicesCollector, type StationListing } from './devices.ts';
import { type CollectorSwitches, deviceCollectors, stationCollectors } from './index.ts';
import type { Sample } from './metric.ts';
import type { CollectorOutcome, Run } from './run.ts';

const READINGS = 'readings';
/** A station collector has one target, the station itself. */
const ONLY = 'station';

/** How a station or, without a station id, the account is doing. */
export interface StationStatus {
  readonly stationId: string | undefined;
  readonly isUp: boolean;
  readonly outcomes: readonly CollectorOutcome[];
}

/** All collectors of one station; what fails or is slow here touches no other station. */
export class StationCollection {
  #station: Station;
  readonly #devices: CollectorRun<StationTarget, StationListing>;
  readonly #stationRuns: readonly CollectorRun<StationTarget, unknown>[];
  readonly #deviceRuns: readonly CollectorRun<DeviceTarget, unknown>[];

  constructor(station: Station, switches: CollectorSwitches, context: CollectionContext) {
    const labels = { station_id: station.stationId };
    this.#station = station;
    this.#devices = new CollectorRun(devicesCollector, context, labels);
    this.#stationRuns = stationCollectors(switches).map(
      (collector) => new CollectorRun(collector, context, labels),
    );
    this.#deviceRuns = deviceCollectors(switches).map(
      (collector) => new CollectorRun(collector, context, labels),
    );
    this.#devices.follow(only(station));
  }

  /** Takes over what the station list now says of the station. */
  describe(station: Station): void {
    this.#station = station;
    this.#devices.follow(only(station));
  }

  /** Goes on from what another collection of the same station holds. */
  adopt(previous: StationCollection, isRetrying: boolean): void {
    this.#devices.adopt(previous.#devices, isRetrying);
    adoptByName(this.#stationRuns, previous.#stationRuns, isRetrying);
    adoptByName(this.#deviceRuns, previous.#deviceRuns, isRetrying);
  }

  /** The station as its device list completes it. */
  get station(): Station {
    return this.#listing()?.station ?? this.#station;
  }

  /** Refreshes what is due. Devices already known do not wait for the device list. Never rejects. */
  async refresh(): Promise<void> {
    const listed = this.#devices.refresh();
    await Promise.all([
      this.#listing() === undefined ? undefined : this.#refreshListed(),
      listed.then(() => this.#refreshListed()),
    ]);
  }

  status(): StationStatus {
    const outcomes = this.#outcomes();
    return { stationId: this.#station.stationId, isUp: this.#isUp(outcomes), outcomes };
  }

  /** Whether the last refresh of the readings of every device succeeded. */
  #isUp(outcomes: readonly CollectorOutcome[]): boolean {
    const readings = outcomes.find(({ collector }) => collector === READINGS);
    if (readings !== undefined) return readings.isSuccess;
    // A station without devices has nothing to fail at.
    return this.#listing()?.devices.length === 0;
  }

  #outcomes(): readonly CollectorOutcome[] {
    return this.#runs()
      .map((run) => run.outcome())
      .filter((outcome) => outcome !== undefined);
  }

  get nextFetchAtMs(): number {
    return Math.min(...this.#runs().map((run) => run.nextFetchAtMs));
  }

  get nextWithdrawalAtMs(): number {
    return Math.min(...this.#runs().map((run) => run.nextWithdrawalAtMs));
  }

  *samples(): Generator<Sample> {
    for (const run of this.#runs()) yield* run.samples();
  }

  /** Everything but the device list. The station's own time zone comes with the list, so it goes first. */
  async #refreshListed(): Promise<void> {
    const listing = this.#listing();
    const { station } = this;
    const devices = new Map(
      listing?.devices.map((device) => [
        device.deviceId,
        { target: { device, station }, labels: { device_id: device.deviceId } },
      ]),
    );
    // By zone: when it turns out to be another, the month may be, too, and has to be asked anew.
    for (const run of this.#stationRuns)
      run.follow(only(station, listing?.devices, station.timeZone));
    for (const run of this.#deviceRuns) run.follow(devices);
    await Promise.all([...this.#stationRuns, ...this.#deviceRuns].map((run) => run.refresh()));
  }

  #listing(): StationListing | undefined {
    return this.#devices.latest(ONLY);
  }

  #runs(): readonly Run[] {
    return [this.#devices, ...this.#stationRuns, ...this.#deviceRuns];
  }
}

function adoptByName<Target>(
  runs: readonly CollectorRun<Target, unknown>[],
  previous: readonly CollectorRun<Target, unknown>[],
  isRetrying: boolean,
): void {
  for (const run of runs) {
    const same = previous.find(({ name }) => name === run.name);
    if (same !== undefined) run.adopt(same, isRetrying);
  }
}

function only(
  station: Station,
  devices: readonly Device[] = [],
  id = ONLY,
): ReadonlyMap<string, FollowedTarget<StationTarget>> {
  return new Map([[id, { target: { station, devices } }]]);
}
