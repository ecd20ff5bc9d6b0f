import type { Device } from '../../model/station.ts';
import type { Believed } from '../inventory/believed-list.ts';

/** A device of a list. */
export type Listed = Device & Believed;

/** A device that counts at another station now. */
interface Move {
  readonly deviceId: string;
  readonly from: string;
  readonly to: string;
}

/** What a decision has changed. */
export interface OwnerChanges {
  /** The stations whose devices are others now, and the one whose list was taken up. */
  readonly stations: ReadonlySet<string>;
  readonly moves: readonly Move[];
}

/**
 * Decides at which station each device counts, so that a service that ignores the station in its device
 * list does not make two of one. That is a station that lists it; of several the one that its record names,
 * else the one at which it counted before, else the first. A station whose list was not read yet is waited
 * for where the record names it.
 *
 * A new list takes as long as it and the list before are long, however many stations there are.
 */
export class DeviceOwners {
  /** The stations in their order, and the devices of their lists; absent where one was not read yet. */
  readonly #lists = new Map<string, readonly string[] | undefined>();
  readonly #rankOf = new Map<string, number>();
  /** In the order of the stations. */
  readonly #claims = new Map<string, readonly Claim[]>();
  readonly #stationOf = new Map<string, string>();
  /** Where each device counted before, until that is settled. */
  #before: ReadonlyMap<string, string>;
  readonly #repeated = new Set<string>();
  /** The devices whose records name a station whose list was not read yet, by that station. */
  readonly #waiting = new Map<string, Set<string>>();

  /**
   * @param stationIds - all stations, in their order.
   * @param before - knows at which station each device counted before.
   */
  constructor(stationIds: Iterable<string>, before?: DeviceOwners) {
    this.#before = before === undefined ? new Map() : before.#stationOf;
    for (const stationId of stationIds) {
      this.#rankOf.set(stationId, this.#rankOf.size);
      this.#lists.set(stationId, undefined);
    }
  }

  /** Returns the station at which a device counts; absent where no list is known to have it. */
  stationOf(deviceId: string): string | undefined {
    return this.#stationOf.get(deviceId);
  }

  /** Whether the list of another station has a device. */
  isListedElsewhere(deviceId: string, stationId: string): boolean {
    const claims = this.#claims.get(deviceId) ?? [];
    return claims.some((claim) => claim.isListed && claim.stationId !== stationId);
  }

  /** How many devices the lists of several stations have. */
  get repeated(): number {
    return this.#repeated.size;
  }

  /** Takes up the list of a station. */
  setList(stationId: string, devices: readonly Listed[] = []): OwnerChanges {
    const touched = new Set([
      ...(this.#lists.get(stationId) ?? []),
      ...(this.#waiting.get(stationId) ?? []),
    ]);
    for (const deviceId of this.#lists.get(stationId) ?? []) this.#removeClaim(deviceId, stationId);
    this.#waiting.delete(stationId);
    this.#lists.set(
      stationId,
      devices.map(({ deviceId }) => deviceId),
    );
    for (const device of devices) {
      touched.add(device.deviceId);
      this.#addClaim(device, stationId);
    }
    return this.#decideAll(touched, [stationId], (deviceId) => [
      this.#before.get(deviceId),
      this.#stationOf.get(deviceId),
    ]);
  }

  /** Lets the devices that several stations list count at the first of them, wherever they counted before. */
  settle(): OwnerChanges {
    this.#before = new Map();
    return this.#decideAll(this.#repeated, [], () => []);
  }

  #decideAll(
    deviceIds: Iterable<string>,
    stationIds: readonly string[],
    preferred: (deviceId: string) => readonly (string | undefined)[],
  ): OwnerChanges {
    const stations = new Set(stationIds);
    const moves: Move[] = [];
    for (const deviceId of deviceIds) {
      const from = this.#stationOf.get(deviceId);
      const to = this.#decide(deviceId, preferred);
      if (from === to) continue;
      for (const station of [from, to]) if (station !== undefined) stations.add(station);
      if (from !== undefined && to !== undefined) moves.push({ deviceId, from, to });
    }
    return { stations, moves };
  }

  #addClaim(
    { deviceId, stationId: named, unlistedSinceMs, listedAtMs = 0 }: Listed,
    at: string,
  ): void {
    const isListed = unlistedSinceMs === undefined;
    const claim: Claim = { stationId: at, isListed, named, listedAtMs };
    const others = this.#claims.get(deviceId);
    this.#claims.set(
      deviceId,
      others === undefined
        ? [claim]
        : [...others, claim].toSorted((a, b) => this.#rank(a) - this.#rank(b)),
    );
    if (named === undefined || named === at || !this.#isUnread(named)) return;
    const waiting = this.#waiting.get(named) ?? new Set();
    this.#waiting.set(named, waiting.add(deviceId));
  }

  #removeClaim(deviceId: string, stationId: string): void {
    const others = this.#claims.get(deviceId)?.filter((claim) => claim.stationId !== stationId);
    if (others === undefined || others.length === 0) this.#claims.delete(deviceId);
    else this.#claims.set(deviceId, others);
  }

  /** @param preferred - of these, the first that lists the device is taken unless a record names another one. */
  #decide(
    deviceId: string,
    preferred: (deviceId: string) => readonly (string | undefined)[],
  ): string | undefined {
    const claims = this.#claims.get(deviceId) ?? [];
    const [only] = claims;
    // True of nearly all devices.
    if (claims.length === 1 && only !== undefined && isNamedAlike(only)) {
      this.#repeated.delete(deviceId);
      this.#stationOf.set(deviceId, only.stationId);
      return only.stationId;
    }
    const listed = claims.filter(({ isListed }) => isListed);
    if (listed.length > 1) this.#repeated.add(deviceId);
    else this.#repeated.delete(deviceId);
    // A station that only keeps it has no claim against one that lists it.
    const [first] = listed.length > 0 ? listed : claims;
    const same = preferred(deviceId)
      .map((stationId) => listed.find((claim) => claim.stationId === stationId))
      .find((claim) => claim !== undefined);
    const named = newestName(listed);
    const isNamedOneOfThem = listed.some(({ stationId }) => stationId === named);
    const isWaitedFor = named !== undefined && this.#isUnread(named);
    const owner = isNamedOneOfThem || isWaitedFor ? named : (same ?? first)?.stationId;
    if (owner === undefined) this.#stationOf.delete(deviceId);
    else this.#stationOf.set(deviceId, owner);
    return owner;
  }

  #isUnread(stationId: string): boolean {
    return this.#lists.has(stationId) && this.#lists.get(stationId) === undefined;
  }

  #rank({ stationId }: Claim): number {
    return this.#rankOf.get(stationId) ?? 0;
  }
}

/** A station that has a device, and the station that the record of the device names there. */
interface Claim {
  readonly stationId: string;
  readonly isListed: boolean;
  readonly named: string | undefined;
  readonly listedAtMs: number;
}

/** Whether a claim leaves no other station to be waited for. */
function isNamedAlike({ stationId, named = stationId }: Claim): boolean {
  return named === stationId;
}

/** A device that moved is in the old list of one station and in the new list of another. */
function newestName(claims: readonly Claim[]): string | undefined {
  let newest: Claim | undefined;
  for (const claim of claims)
    if (claim.named !== undefined && claim.listedAtMs > (newest?.listedAtMs ?? -Infinity))
      newest = claim;
  return newest?.named;
}
