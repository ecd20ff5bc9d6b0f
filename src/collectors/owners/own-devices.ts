import type { Device } from '../../model/station.ts';
import { devicesCollector } from '../inventory/devices.ts';
import type { StationListing } from '../inventory/station-listing.ts';

/** The other stations of the account, whose lists may have the same devices. */
export interface Neighbours {
  /** Returns the station at which a device counts; absent where no list is known to have it. */
  stationOf(deviceId: string): string | undefined;
  /** Whether the last list of another station has a device. */
  isListedElsewhere(deviceId: string, stationId: string): boolean;
  /** Called when the device list of a station was fetched: a device may count at another station now. */
  listFetched(stationId: string): void;
}

/** Returns the list of a station with the devices alone that count there. */
export function withOwnDevices(
  listing: StationListing,
  stationId: string,
  neighbours: Pick<Neighbours, 'stationOf'>,
): StationListing {
  const isOwn = ({ deviceId }: Device): boolean => neighbours.stationOf(deviceId) === stationId;
  return { ...listing, devices: listing.devices.filter(isOwn) };
}

/** Returns a collector of device lists that shows the devices of a station alone, whatever others its list has. */
export function ownDevicesCollector(
  stationId: string,
  neighbours: Pick<Neighbours, 'stationOf'>,
): typeof devicesCollector {
  const { ageing } = devicesCollector;
  return {
    ...devicesCollector,
    ...(ageing !== undefined && {
      ageing: {
        ...ageing,
        shownAt: (listing, nowMs, lifetimes) =>
          withOwnDevices(ageing.shownAt(listing, nowMs, lifetimes), stationId, neighbours),
      },
    }),
  };
}
