import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { isBelievable } from '../../base/instant.ts';
import type { Logger } from '../../base/log.ts';
import { MOST_REMEMBERED, RecentMap } from '../../base/recent-map.ts';
import { isOver, leftMs, NO_WAIT, type Wait, waitFor } from '../../base/wait.ts';
import { type DeviceReport, QUANTITIES, SOURCES } from '../../model/readings.ts';
import type { FiringAlarm } from '../../model/station.ts';
import { FAMILIES } from '../dialects/rules.ts';
import { isFinalRefusal } from '../exchange/retry.ts';
import type { DeviceProfile } from './device-profile.ts';

/** A firmware update can change what a device sends. A wrong unit must not stay for longer than a day. */
const LIFETIME_MS = 24 * 3_600_000;
/** Spreads the lifetimes, so that devices that were learnt together are not all learnt again together. */
const SPREAD_RATIO = 0.1;
/** How soon a profile is learnt again after the first, the second and every further failure in a row. */
const RETRIES_MS = [10 * 60_000, 3_600_000, LIFETIME_MS] as const;
/** A device that has not sent anything yet may start to, at any endpoint. */
const SILENT_LIFETIME_MS = 3_600_000;
/** A device with a younger reading counts as online. */
const ONLINE_MS = 3_600_000;

/** What is known of one device: how it speaks, and what it said last. */
interface DeviceMemory {
  profile?: DeviceProfile | undefined;
  /** It began when the profile was learnt. */
  learnAgain: Wait;
  /** Consecutive attempts to learn the profile during which an endpoint failed. */
  failures: number;
  /** Whether the device was offline: when it is online again, another source may be better. */
  isProvisional: boolean;
  isUnknownReported: boolean;
  /** Of the last latest state; absent where the device is not read from it. */
  alarms?: readonly FiringAlarm[] | undefined;
  /** The newest reading that is under way. */
  running?: Promise<DeviceReport> | undefined;
}

/** What learning a device has brought. */
export interface Learnt {
  readonly profile: DeviceProfile;
  /** Whether an endpoint failed that may answer soon. Learning again may then give another profile. */
  readonly isInconclusive: boolean;
  /** Whether the endpoint of the previous profile refuses to answer, so that the old profile is no use. */
  readonly isEndpointRefused: boolean;
}

export interface DeviceMemoriesOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

const texts = z.array(z.string());
const textsByKey = z.record(z.string(), z.string());

/** How a device speaks, as it is kept over restarts. */
export const savedDeviceSchema = z.object({
  deviceId: z.string().min(1),
  learnAgainAtMs: z.number().refine(isBelievable),
  isProvisional: z.boolean(),
  /** The rules that it was learnt by. */
  rules: z.string(),
  profile: z.object({
    family: z.enum(FAMILIES).optional(),
    source: z.enum(SOURCES),
    keys: texts,
    tags: textsByKey,
    words: z.record(z.string(), textsByKey),
    missing: z.array(z.enum(QUANTITIES)),
    unknownKeys: texts,
    parts: texts,
    hasNoEnergyFlow: z.boolean(),
    isInterface: z.boolean(),
  }),
});

export type SavedDevice = z.infer<typeof savedDeviceSchema>;

/** What is known of every device. */
export class DeviceMemories {
  readonly #options: DeviceMemoriesOptions;
  readonly #devices = new RecentMap<string, DeviceMemory>(MOST_REMEMBERED);

  constructor(options: DeviceMemoriesOptions) {
    this.#options = options;
  }

  #of(deviceId: string): DeviceMemory {
    return this.#devices.getOrMake(deviceId, () => ({
      ...{ learnAgain: NO_WAIT, failures: 0, isProvisional: false, isUnknownReported: false },
    }));
  }

  /** Returns the profile of a device; absent when there is none and when it has to be learnt again. */
  current(deviceId: string): DeviceProfile | undefined {
    const { profile, learnAgain } = this.#of(deviceId);
    return isOver(learnAgain, this.#options.clock) ? undefined : profile;
  }

  /** Returns the last profile of a device, even when it has to be learnt again. */
  lastKnown(deviceId: string): DeviceProfile | undefined {
    return this.#devices.get(deviceId)?.profile;
  }

  /** Returns the reading of a device that began last, if it is under way. */
  running(deviceId: string): Promise<DeviceReport> | undefined {
    return this.#devices.get(deviceId)?.running;
  }

  /** Notes a reading for as long as it is under way, or until another one begins. */
  async run(deviceId: string, reading: Promise<DeviceReport>): Promise<DeviceReport> {
    const memory = this.#of(deviceId);
    memory.running = reading;
    try {
      return await reading;
    } finally {
      if (memory.running === reading) memory.running = undefined;
    }
  }

  /**
   * Stores what was learnt and returns the profile to use from now on. This is the previous profile
   * when an endpoint failed for the moment and the new profile is no better.
   *
   * @param report - the first reading by the new profile.
   */
  store(deviceId: string, learnt: Learnt, report: DeviceReport): DeviceProfile {
    const { clock } = this.#options;
    const memory = this.#of(deviceId);
    const { profile: previous } = memory;
    const { isInconclusive, isEndpointRefused } = learnt;
    const isRetried = isInconclusive || learnt.profile.lostEndpoint !== undefined;
    const isPreviousUsable = isInconclusive && !isEndpointRefused && !learnt.profile.isInterface;
    const profile = isPreviousUsable ? better(learnt.profile, previous) : learnt.profile;
    memory.profile = profile;
    memory.failures = isRetried ? memory.failures + 1 : 0;
    memory.learnAgain = waitFor(this.#lifetimeMs(memory.failures, report), clock);
    memory.isProvisional = !profile.isInterface && !this.#isOnline(report);
    this.#log(deviceId, memory, isInconclusive, previous);
    return profile;
  }

  /** Has a provisional profile learnt again when the device is online again. */
  noteReading(deviceId: string, report: DeviceReport): void {
    const memory = this.#of(deviceId);
    if (memory.isProvisional && this.#isOnline(report)) memory.learnAgain = NO_WAIT;
  }

  /** Has the profile learnt again soon when the source that used to answer starts to refuse. */
  noteFailure(deviceId: string, error: unknown): void {
    const memory = this.#of(deviceId);
    // The alarms of the last state are outdated, so that the list of alarms has to be asked instead.
    memory.alarms = undefined;
    // Of a device with all keys of the interface, there is no other source to learn.
    if (!isFinalRefusal(error) || memory.profile?.isInterface === true) return;
    const [soonestMs] = RETRIES_MS;
    const { stopwatch, lengthMs } = memory.learnAgain;
    memory.learnAgain = { stopwatch, lengthMs: Math.min(lengthMs, soonestMs) };
  }

  /** Stores the alarms of a latest state; absent where another source is read. */
  storeAlarms(deviceId: string, alarms: readonly FiringAlarm[] | undefined): void {
    this.#of(deviceId).alarms = alarms;
  }

  /** Returns the alarms of the last reading; absent for devices whose readings have none. */
  firingAlarms(deviceId: string): readonly FiringAlarm[] | undefined {
    return this.#devices.get(deviceId)?.alarms;
  }

  /** Forgets a device that is no longer listed. */
  forget(deviceId: string): void {
    this.#devices.delete(deviceId);
  }

  /** Returns how the devices speak, so that another run need not learn it. */
  saved(rules: string): readonly SavedDevice[] {
    const { clock } = this.#options;
    return [...this.#devices.entries()].flatMap(([deviceId, memory]) => {
      const { profile, learnAgain, isProvisional } = memory;
      // What lost its endpoint, or nobody knows, is learnt again.
      if (profile === undefined || profile.lostEndpoint !== undefined) return [];
      const { tags, words, parts, missing, ...plain } = profile;
      const saved = {
        ...plain,
        ...{
          keys: [...profile.keys],
          unknownKeys: [...profile.unknownKeys],
          missing: [...missing],
        },
        tags: Object.fromEntries(tags),
        words: Object.fromEntries(
          Array.from(words, ([key, names]) => [key, Object.fromEntries(names)]),
        ),
        parts: [...parts],
      };
      const learnAgainAtMs = clock.nowMs() + Math.max(0, leftMs(learnAgain, clock));
      return [{ deviceId, learnAgainAtMs, isProvisional, rules, profile: saved }];
    });
  }

  /** Takes up how devices speak, if that was learnt by these rules. What is known already stays. */
  restore(devices: readonly SavedDevice[], rules: string): void {
    const { clock } = this.#options;
    for (const { deviceId, learnAgainAtMs, profile, ...saved } of devices) {
      if (saved.rules !== rules || this.lastKnown(deviceId) !== undefined) continue;
      const { tags, words, parts } = profile;
      const memory = this.#of(deviceId);
      memory.profile = {
        ...profile,
        family: profile.family,
        tags: new Map(Object.entries(tags)),
        words: new Map(
          Object.entries(words).map(([key, names]) => [key, new Map(Object.entries(names))]),
        ),
        parts: new Set(parts),
      };
      const lengthMs = Math.min(learnAgainAtMs - clock.nowMs(), (1 + SPREAD_RATIO) * LIFETIME_MS);
      memory.learnAgain = waitFor(lengthMs, clock);
      memory.isProvisional = saved.isProvisional;
    }
  }

  #lifetimeMs(failures: number, { measurements }: DeviceReport): number {
    const spread = 1 + SPREAD_RATIO * (2 * this.#options.random() - 1);
    if (failures > 0) return (RETRIES_MS[failures - 1] ?? LIFETIME_MS) * spread;
    return (measurements.length === 0 ? SILENT_LIFETIME_MS : LIFETIME_MS) * spread;
  }

  #isOnline({ measurements, newestAtMs, serviceAheadMs }: DeviceReport): boolean {
    if (measurements.length === 0) return false;
    const serviceNowMs = this.#options.clock.nowMs() + serviceAheadMs;
    return newestAtMs === undefined || serviceNowMs - newestAtMs < ONLINE_MS;
  }

  #log(
    deviceId: string,
    memory: DeviceMemory,
    isInconclusive: boolean,
    previous: DeviceProfile | undefined,
  ): void {
    const { log } = this.#options;
    const { profile } = memory;
    if (profile === undefined || profile.isInterface) return;
    const { family, source, missing, unknownKeys, hasNoEnergyFlow } = profile;
    const labels = { device_id: deviceId };
    if (hasNoEnergyFlow && previous?.hasNoEnergyFlow !== true)
      log.info(labels, 'the service has no energy flow for this device; it is not asked again');
    if (family === undefined && !isInconclusive && !memory.isUnknownReported) {
      memory.isUnknownReported = true;
      log.warn(
        { ...labels, unknown_keys: unknownKeys.length },
        'nobody has described this inverter family: "solar-exporter devices --explain" prints what it sends',
      );
    }
    if (previous?.family !== family || previous?.source !== source)
      log.debug(
        { ...labels, family: family ?? 'unknown', source, missing: missing.length },
        'dialect learnt',
      );
  }
}

/** Returns the profile that misses fewer quantities; the known one, if both miss as many. */
function better(learnt: DeviceProfile, known: DeviceProfile | undefined): DeviceProfile {
  if (known === undefined || learnt.missing.length < known.missing.length) return learnt;
  return { ...known, hasNoEnergyFlow: known.hasNoEnergyFlow || learnt.hasNoEnergyFlow };
}
