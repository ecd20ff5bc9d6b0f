import type { ListLimits } from '../base/limits.ts';

/** The lists that all stations of an account share a limit for. */
export type SharedList = 'stations' | 'devices' | 'alarms' | 'settings';

/** The list in the value of a collector. */
export interface CollectedList<Value> {
  readonly name: SharedList;
  readonly lengthOf: (value: Value) => number;
  /** Returns the value with as many entries of its list, known ones before new ones. */
  readonly cut: (value: Value, most: number, previous: Value | undefined) => Value;
}

/** Limits how many entries the lists of all stations hold together. */
export class SharedLimits {
  readonly #ofOne: Readonly<Record<SharedList, number>>;
  readonly #inAll: Readonly<Record<SharedList, number>>;
  readonly #held: Record<SharedList, number> = { stations: 0, devices: 0, alarms: 0, settings: 0 };

  constructor(limits: ListLimits) {
    const { stations, devices, devicesInAll, alarms, alarmsInAll, settingsInAll } = limits;
    this.#ofOne = { stations, devices, alarms, settings: settingsInAll };
    this.#inAll = { stations, devices: devicesInAll, alarms: alarmsInAll, settings: settingsInAll };
  }

  /** Returns how many entries a list may have that has `held` now. */
  mostFor(list: SharedList, held: number): number {
    return Math.min(this.#ofOne[list], this.#inAll[list] - this.#held[list] + held);
  }

  /** Takes up that a list has so many entries more, or fewer. */
  change(list: SharedList, by: number): void {
    this.#held[list] += by;
  }
}

/** Returns the first entries, as many as allowed: known ones before new ones, so that series stay. */
export function knownFirst<Entry>(
  entries: readonly Entry[],
  most: number,
  isKnown: (entry: Entry) => boolean,
): readonly Entry[] {
  let knownLeft = most;
  const known = entries.filter((entry) => isKnown(entry) && knownLeft-- > 0);
  let newLeft = most - known.length;
  const kept = new Set(known);
  return entries.filter((entry) => kept.has(entry) || (!isKnown(entry) && newLeft-- > 0));
}
