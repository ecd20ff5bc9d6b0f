import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../base/clock.ts';
import { isOver, type Wait, waitFor } from '../../base/wait.ts';
import { MOST_REMEMBERED, RecentMap } from '../../base/recent-map.ts';
import { INTERFACE_KEYS, recogniseFamily } from '../dialects/family.ts';
import type { FieldSample } from '../dialects/field-sample.ts';
import type { DeviceEndpoints, DeviceQuery } from './device-endpoints.ts';
import { mayAnswerSoon, probeEndpoint } from './probe-endpoint.ts';

/** A firmware update can change the unit of a key. */
const LIFETIME_MS = 24 * 3_600_000;
/** Spreads the lifetimes, so that not all devices are asked at once. */
const SPREAD_RATIO = 0.1;
/** How soon the units are asked for again after the first, the second and every further failure in a row. */
const RETRIES_MS = [10 * 60_000, 3_600_000, LIFETIME_MS] as const;

/** What the latest state says about the keys of the interface. */
export interface InterfaceUnits {
  /** Units by key; empty where the service does not say. */
  readonly tags: ReadonlyMap<string, string>;
  /** Whether the device has keys of another family, in which the keys of the interface mean something else. */
  readonly isOtherFamily: boolean;
}

interface Entry extends InterfaceUnits {
  readonly failures: number;
  readonly askAgain: Wait;
}

export interface InterfaceUnitsOptions {
  readonly endpoints: DeviceEndpoints;
  readonly clock: Clock;
  readonly random: () => number;
}

/**
 * Asks, once a day, in which units a device sends the keys of the interface. The time series rarely says
 * so, and the same keys are in W on some devices and in kW on others (field notes 3).
 */
export class InterfaceUnitsCache {
  readonly #options: InterfaceUnitsOptions;
  readonly #entries = new RecentMap<string, Entry>(MOST_REMEMBERED);
  /** Those of the device that was asked last: nearly all have the same, and share them. */
  #lastTags: InterfaceUnits['tags'] = new Map();

  constructor(options: InterfaceUnitsOptions) {
    this.#options = options;
  }

  /** Returns the units of a device that answers all keys of the interface. */
  async unitsOf(device: DeviceQuery): Promise<InterfaceUnits> {
    const { deviceId } = device;
    const known = this.#entries.get(deviceId);
    if (known !== undefined && this.#isCurrent(known)) return known;
    const entry = await this.#ask(device, known);
    this.#entries.set(deviceId, entry);
    return entry;
  }

  /** Whether the units of a device are known, and need not be asked for. */
  areKnown(deviceId: string): boolean {
    const known = this.#entries.peek(deviceId);
    return known !== undefined && this.#isCurrent(known);
  }

  #isCurrent({ askAgain }: Entry): boolean {
    return !isOver(askAgain, this.#options.clock);
  }

  /** Returns what was last said of a device; absent where it was never asked. */
  known(deviceId: string): InterfaceUnits | undefined {
    return this.#entries.get(deviceId);
  }

  async #ask(device: DeviceQuery, known: Entry | undefined): Promise<Entry> {
    const { endpoints, clock, random } = this.#options;
    const { samples, error } = await probeEndpoint('latest-state', device, endpoints, []);
    const isRetried = error !== undefined && mayAnswerSoon(error);
    const failures = isRetried ? (known?.failures ?? 0) + 1 : 0;
    const lifetimeMs = isRetried ? (RETRIES_MS[failures - 1] ?? LIFETIME_MS) : LIFETIME_MS;
    const spread = 1 + SPREAD_RATIO * (2 * random() - 1);
    const units = isRetried && known !== undefined ? known : describe(samples);
    const { isOtherFamily } = units;
    const tags = isDeepStrictEqual(units.tags, this.#lastTags) ? this.#lastTags : units.tags;
    this.#lastTags = tags;
    const askAgain = waitFor(lifetimeMs * spread, clock);
    return { tags, isOtherFamily, failures, askAgain };
  }

  /** Forgets a device that is no longer listed. */
  forget(deviceId: string): void {
    this.#entries.delete(deviceId);
  }
}

function describe(samples: readonly FieldSample[]): InterfaceUnits {
  const tags = new Map<string, string>();
  for (const { key, tag } of samples)
    if (tag !== undefined && INTERFACE_KEYS.includes(key)) tags.set(key, tag);
  const family = recogniseFamily(samples.map(({ key }) => key));
  return { tags, isOtherFamily: family !== undefined && family !== 'classic' };
}
