import type { Station } from '../../model/station.ts';
import type { DeviceListTarget } from '../collector.ts';
import type { ListedDevice, StationListing } from '../inventory/station-listing.ts';
import type { Labels } from '../metric.ts';
import type { CollectionContext } from '../run/collection-context.ts';
import { CollectorRun } from '../run/collector-run.ts';
import type { Snapshot } from '../snapshot-cache.ts';
import { type Neighbours, ownDevicesCollector, withOwnDevices } from './own-devices.ts';

/** The id of the only target: the station itself. */
const ONLY = 'station';

/** The device list of one station, and which of its devices count there. */
export class StationList {
  readonly run: CollectorRun<DeviceListTarget, StationListing>;
  readonly #neighbours: Neighbours;
  #described: Station;
  /** The last list of which the neighbours know. */
  #told: readonly ListedDevice[] | undefined;
  /** The last list with the devices alone that count here; absent where that has to be looked at again. */
  #own: { readonly of: StationListing; readonly listing: StationListing } | undefined;

  constructor(
    station: Station,
    context: CollectionContext,
    labels: Labels,
    neighbours: Neighbours,
  ) {
    this.#described = station;
    this.#neighbours = neighbours;
    this.run = new CollectorRun(
      ownDevicesCollector(station.stationId, neighbours),
      context,
      labels,
    );
    this.#follow();
  }

  /** Updates the station to what the station list says now. */
  describe(station: Station): void {
    this.#described = station;
    this.#follow();
    this.run.reconsiderShown();
  }

  /** Takes over the list that another collection of the same station has. */
  adopt(previous: StationList, isRetrying: boolean): void {
    this.run.adopt(previous.run, isRetrying);
    this.#told = this.listed;
    // What was adopted asks the neighbours of the previous collection.
    this.#follow();
  }

  /** Takes up the list as it was fetched at an earlier time. */
  restore(snapshot: Snapshot<StationListing>): void {
    this.run.restore(ONLY, snapshot);
    this.#told = this.listed;
  }

  /** The last list as it came, and when. */
  get snapshot(): Snapshot<StationListing> | undefined {
    return this.run.snapshot(ONLY);
  }

  /** Takes note that the list may have been fetched. */
  answered(): void {
    if (this.listed === this.#told) return;
    this.#told = this.listed;
    this.#neighbours.listFetched(this.#described.stationId);
  }

  /** Takes note that any device may count at another station now. */
  ownersChanged(): void {
    this.#own = undefined;
  }

  /** Forgets the list. */
  forget(): void {
    this.run.follow(new Map());
  }

  /** The station, completed by its list. */
  get station(): Station {
    return this.own?.station ?? this.#described;
  }

  /** The last list as it came, with devices that may count at other stations. */
  get listed(): readonly ListedDevice[] | undefined {
    return this.run.latest(ONLY)?.devices;
  }

  /** The last list with the devices alone that count here, as the same object until that changes. */
  get own(): StationListing | undefined {
    const listing = this.run.latest(ONLY);
    if (listing === undefined) return undefined;
    if (this.#own?.of !== listing)
      this.#own = {
        of: listing,
        listing: withOwnDevices(listing, this.#described.stationId, this.#neighbours),
      };
    return this.#own.listing;
  }

  #follow(): void {
    const station = this.#described;
    const isListedElsewhere = (deviceId: string): boolean =>
      this.#neighbours.isListedElsewhere(deviceId, station.stationId);
    this.run.follow(new Map([[ONLY, { target: { station, isListedElsewhere } }]]));
  }
}
