import type { ListedDevice } from './inventory/devices.ts';

/** That the list of a station has a device, or still keeps it. */
interface Claim {
  readonly stationId: string;
  readonly device: ListedDevice;
}

/**
 * Knows at which station each device counts, so that a service that ignores the station in its device list does not
 * make two of one. That is the station that its record names, where the list of that station has it; else the first
 * station whose list has it.
 */
export class DeviceOwners {
  /** By device; the first one is that of the station at which it counts. */
  readonly #claims = new Map<string, readonly Claim[]>();
  readonly #lists = new Map<string, readonly ListedDevice[]>();

  /** Takes up the list of a station; returns that and the stations at which other devices count now. */
  setList(stationId: string, devices: readonly ListedDevice[]): ReadonlySet<string> {
    const touched = new Set([stationId]);
    const now = new Map(devices.map((device) => [device.deviceId, device]));
    const before = this.#lists.get(stationId) ?? [];
    this.#lists.set(stationId, devices);
    for (const deviceId of new Set([...before.map(({ deviceId }) => deviceId), ...now.keys()])) {
      const claims = this.#claims.get(deviceId) ?? [];
      const others = claims.filter((claim) => claim.stationId !== stationId);
      const device = now.get(deviceId);
      const own = device === undefined ? [] : [{ stationId, device }];
      const isOwner = claims[0]?.stationId === stationId;
      this.#decide(deviceId, isOwner ? [...own, ...others] : [...others, ...own], touched);
    }
    return touched;
  }

  /**
   * Lets a device that several lists have count at the first of these stations, whichever list came first. Only after
   * all stations were asked: between the pages of single stations, a device that moves would be on two of them.
   */
  settle(stationIds: Iterable<string>): ReadonlySet<string> {
    const touched = new Set<string>();
    const order = new Map(Array.from(stationIds, (stationId, index) => [stationId, index]));
    const placeOf = ({ stationId }: Claim): number => order.get(stationId) ?? Infinity;
    for (const [deviceId, claims] of this.#claims)
      if (claims.length > 1)
        this.#decide(
          deviceId,
          claims.toSorted((a, b) => placeOf(a) - placeOf(b)),
          touched,
        );
    return touched;
  }

  /** Returns the station at which a device counts; absent where no list has it. */
  stationOf(deviceId: string): string | undefined {
    return this.#claims.get(deviceId)?.[0]?.stationId;
  }

  /** Whether the list of another station has a device. */
  isListedElsewhere(deviceId: string, stationId: string): boolean {
    const claims = this.#claims.get(deviceId) ?? [];
    return claims.some((claim) => isListed(claim) && claim.stationId !== stationId);
  }

  /** @param claims - the first one is of the owner, unless another has a better claim. */
  #decide(deviceId: string, claims: readonly Claim[], touched: Set<string>): void {
    const before = this.stationOf(deviceId);
    const listed = claims.filter(isListed);
    // A device that has moved is in the old list of one station and in the new list of another.
    const [newest] = listed
      .flatMap(({ device }) => (device.stationId === undefined ? [] : device))
      .sort((one, other) => (other.listedAtMs ?? 0) - (one.listedAtMs ?? 0));
    // A station that only keeps it has no claim against one that lists it.
    const owner =
      listed.find(({ stationId }) => stationId === newest?.stationId) ?? listed[0] ?? claims[0];
    if (owner === undefined) this.#claims.delete(deviceId);
    else this.#claims.set(deviceId, [owner, ...claims.filter((claim) => claim !== owner)]);
    if (owner?.stationId === before) return;
    for (const id of [before, owner?.stationId]) if (id !== undefined) touched.add(id);
  }
}

function isListed({ device }: Claim): boolean {
  return device.unlistedSinceMs === undefined;
}
