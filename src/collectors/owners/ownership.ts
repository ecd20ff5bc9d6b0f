import type { Logger } from '../../base/log.ts';
import { DeviceOwners, type Listed, type OwnerChanges } from './device-owners.ts';
import type { Neighbours } from './own-devices.ts';

/** A station whose devices may count elsewhere. */
export interface ListingStation {
  /** The devices of its list, those included that count at other stations; absent before the list was read. */
  readonly listed: readonly Listed[] | undefined;
  /** Takes note that any device may count at another station now. */
  ownersChanged(): void;
  /** Takes note that the list of a station was fetched, and takes up the devices that count here now. */
  listsChanged(): void;
  /** Takes over what another station has read of a device. */
  takeOver(deviceId: string, previous: this): void;
}

export interface OwnershipOptions {
  /** By id, in their order; they may come and go. */
  readonly stations: ReadonlyMap<string, ListingStation>;
  readonly log: Logger;
  /** Called when a device may count at another station now. */
  readonly changed: () => void;
}

/**
 * Lets every device count at one station of the account, although the lists of several may have it, and moves what
 * was read of a device to the station at which it counts.
 */
export class Ownership implements Neighbours {
  readonly #options: OwnershipOptions;
  #owners = new DeviceOwners([]);
  #hasWarned = false;

  constructor(options: OwnershipOptions) {
    this.#options = options;
  }

  stationOf(deviceId: string): string | undefined {
    return this.#owners.stationOf(deviceId);
  }

  isListedElsewhere(deviceId: string, stationId: string): boolean {
    return this.#owners.isListedElsewhere(deviceId, stationId);
  }

  listFetched(stationId: string): void {
    const { stations } = this.#options;
    this.#tell(this.#owners.setList(stationId, stations.get(stationId)?.listed));
  }

  /**
   * Decides anew at which station each device counts: where it counted before, if that still lists it.
   *
   * @param before - the decisions before; those of this object when left out.
   */
  decide(before: Ownership = this): void {
    const { stations } = this.#options;
    this.#owners = new DeviceOwners(stations.keys(), before.#owners);
    for (const [stationId, { listed }] of stations)
      if (listed !== undefined) this.#owners.setList(stationId, listed);
    for (const station of stations.values()) station.ownersChanged();
    this.#warnOnce();
  }

  /**
   * Lets the devices that several stations list count at the first of them, although the list of another may
   * have come earlier. Only after all stations were asked: between the pages of single stations, a device
   * that moves would be on two of them.
   */
  settle(): void {
    const changes = this.#owners.settle();
    if (changes.moves.length > 0) this.#tell(changes);
  }

  #tell({ stations: touched, moves }: OwnerChanges): void {
    const { stations, changed } = this.#options;
    // What was read of a device goes with it: it need not be read again.
    for (const { deviceId, from, to } of moves) {
      const previous = stations.get(from);
      if (previous !== undefined) stations.get(to)?.takeOver(deviceId, previous);
    }
    for (const stationId of touched) stations.get(stationId)?.listsChanged();
    this.#warnOnce();
    changed();
  }

  #warnOnce(): void {
    const devices = this.#owners.repeated;
    if (devices === 0 || this.#hasWarned) return;
    this.#hasWarned = true;
    this.#options.log.warn(
      { devices },
      'several stations list the same devices: each counts at one of them',
    );
  }
}
