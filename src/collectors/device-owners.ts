import type { ListedDevice } from './inventory/devices.ts';

/**
 * Knows at which station each device counts, so that a service that ignores the station in its device list does not
 * make two of one. That is the station that its record names, where the list of that station has it; else the first
 * station whose list has it.
 */
export class DeviceOwners {
  readonly #stationOf = new Map<string, string>();
  /** By device, and by station. */
  readonly #claims = new Map<string, Map<string, ListedDevice>>();
  readonly #lists = new Map<string, readonly ListedDevice[]>();
  /** The devices that the lists of several stations have. */
  readonly #repeated = new Set<string>();
  #order: readonly string[] = [];

  /** Takes up the stations in their order; nothing is known any more of others. */
  setStations(stationIds: readonly string[]): void {
    this.#order = stationIds;
    const ids = new Set(stationIds);
    for (const stationId of [...this.#lists.keys()])
      if (!ids.has(stationId)) this.setList(stationId, []);
  }

  /** Takes up the list of a station; returns that and the stations at which other devices count now. */
  setList(stationId: string, devices: readonly ListedDevice[]): ReadonlySet<string> {
    const before = this.#lists.get(stationId) ?? [];
    for (const { deviceId } of before) this.#claims.get(deviceId)?.delete(stationId);
    for (const device of devices) {
      const claims = this.#claims.get(device.deviceId) ?? new Map<string, ListedDevice>();
      this.#claims.set(device.deviceId, claims.set(stationId, device));
    }
    this.#lists.set(stationId, devices);
    const changed = new Set([...before, ...devices].map(({ deviceId }) => deviceId));
    return this.#decide(changed, true).add(stationId);
  }

  /**
   * Lets a device that several lists have count at the first of these stations, whichever list came first. Only after
   * all stations were asked: between the pages of single stations, a device that moves would be on two of them.
   */
  settle(): ReadonlySet<string> {
    return this.#decide([...this.#repeated], false);
  }

  /** Returns the station at which a device counts; absent where no list has it. */
  stationOf(deviceId: string): string | undefined {
    return this.#stationOf.get(deviceId);
  }

  /** Whether the list of another station has a device. */
  isListedElsewhere(deviceId: string, stationId: string): boolean {
    const claims = this.#claims.get(deviceId) ?? [];
    return [...claims].some(([other, device]) => isListed(device) && other !== stationId);
  }

  /** How many devices the lists of several stations have. */
  get repeated(): number {
    return this.#repeated.size;
  }

  /** @param isKept - whether a device that its station still has stays there. */
  #decide(deviceIds: Iterable<string>, isKept: boolean): Set<string> {
    const touched = new Set<string>();
    for (const deviceId of deviceIds) {
      const claims = [...(this.#claims.get(deviceId) ?? [])];
      const listed = claims.filter(([, device]) => isListed(device));
      if (listed.length > 1) this.#repeated.add(deviceId);
      else this.#repeated.delete(deviceId);
      // A station that only keeps it has no claim against one that lists it.
      const ids = (listed.length > 0 ? listed : claims).map(([stationId]) => stationId);
      // A device that has moved is in the old list of one station and in the new list of another.
      const [newest] = listed
        .flatMap(([, device]) => (device.stationId === undefined ? [] : device))
        .sort((one, other) => (other.listedAtMs ?? 0) - (one.listedAtMs ?? 0));
      const before = this.#stationOf.get(deviceId);
      const owner =
        ids.find((stationId) => stationId === newest?.stationId) ??
        ids.find((stationId) => isKept && stationId === before) ??
        this.#order.find((stationId) => ids.includes(stationId));
      if (owner === undefined) this.#stationOf.delete(deviceId);
      else this.#stationOf.set(deviceId, owner);
      if (claims.length === 0) this.#claims.delete(deviceId);
      if (owner !== before)
        for (const station of [owner, before]) if (station !== undefined) touched.add(station);
    }
    return touched;
  }
}

function isListed({ unlistedSinceMs }: ListedDevice): boolean {
  return unlistedSinceMs === undefined;
}
