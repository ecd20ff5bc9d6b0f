import { z } from 'zod';
import { isBelievable } from '../../base/instant.ts';
import type { Logger } from '../../base/log.ts';
import type { RecentMap } from '../../base/recent-map.ts';
import { type BothClocks, leftMs, NO_WAIT, type Wait, waitFor } from '../../base/wait.ts';
import type { DeviceReport } from '../../model/readings.ts';
import type { FiringAlarm } from '../../model/station.ts';
import { type DeviceProfile, type Evidence, type Learnt, profileSchema } from './device-profile.ts';

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
export interface DeviceMemory {
  /** Absent until it is learnt for the first time. */
  profile?: DeviceProfile | undefined;
  /** It began when the profile was learnt. */
  learnAgain: Wait;
  /** Absent while nothing is being learnt. */
  evidence?: Evidence | undefined;
  /** Consecutive attempts to learn the profile during which an endpoint failed. */
  failures: number;
  /** Whether the device was offline: when it is online again, another source may be better. */
  isProvisional: boolean;
  isUnknownReported: boolean;
  /** Of the last latest state; absent where the device is not read from it. */
  alarms?: readonly FiringAlarm[] | undefined;
}

/** Remembers nothing of a device yet. */
export function newMemory(): DeviceMemory {
  return { learnAgain: NO_WAIT, failures: 0, isProvisional: false, isUnknownReported: false };
}

/**
 * Takes up what was learnt, and says it where it is news.
 *
 * @param report - the first reading by it.
 */
export function settle(
  memory: DeviceMemory,
  deviceId: string,
  { profile, isInconclusive }: Learnt,
  report: DeviceReport,
  { clock, random, log }: { clock: BothClocks; random: () => number; log: Logger },
): void {
  const { profile: previous } = memory;
  const isRetried = isInconclusive || profile.lostSource !== undefined;
  memory.profile = profile;
  memory.evidence = undefined;
  memory.failures = isRetried ? memory.failures + 1 : 0;
  memory.isProvisional = !profile.isInterface && !isOnline(report, clock);
  const usualMs = report.measurements.length === 0 ? SILENT_LIFETIME_MS : LIFETIME_MS;
  const retryMs = RETRIES_MS[memory.failures - 1] ?? LIFETIME_MS;
  const spread = 1 + SPREAD_RATIO * (2 * random() - 1);
  memory.learnAgain = waitFor((isRetried ? retryMs : usualMs) * spread, clock);

  const { family = 'unknown', source, missing, unknownKeys, hasNoEnergyFlow } = profile;
  if (profile.isInterface) return;
  const labels = { device_id: deviceId };
  if (hasNoEnergyFlow && previous?.hasNoEnergyFlow !== true)
    log.info(labels, 'the service has no energy flow for this device; it is not asked again');
  if (family === 'unknown' && !isInconclusive && !memory.isUnknownReported) {
    memory.isUnknownReported = true;
    log.warn(
      { ...labels, unknown_keys: unknownKeys.length },
      'nobody has described this inverter family: "solar-exporter devices --explain" prints what it sends',
    );
  }
  if (previous?.family !== profile.family || previous?.source !== source)
    log.debug({ ...labels, family, source, missing: missing.length }, 'dialect learnt');
}

/** Has a profile learnt again: soon, when its source refuses, or with the next reading. */
export function learnAgainSoon(memory: DeviceMemory, lengthMs: number = RETRIES_MS[0]): void {
  const { stopwatch, lengthMs: plannedMs } = memory.learnAgain;
  memory.learnAgain = { stopwatch, lengthMs: Math.min(plannedMs, lengthMs) };
}

/** Whether a report is of a device that is online. */
export function isOnline(
  { measurements, newestAtMs = Infinity, serviceAheadMs }: DeviceReport,
  clock: BothClocks,
): boolean {
  return measurements.length > 0 && clock.nowMs() + serviceAheadMs - newestAtMs < ONLINE_MS;
}

/** How a device speaks, as it is kept over restarts. */
export const savedDeviceSchema = z.object({
  deviceId: z.string().min(1),
  learnAgainAtMs: z.number().refine(isBelievable),
  isProvisional: z.boolean(),
  /** The rules that it was learnt by. */
  rules: z.string(),
  profile: profileSchema,
});

/** As it was read from a file. */
export type SavedDevice = z.output<typeof savedDeviceSchema>;

/** What is remembered of each device. */
export type DeviceMemories = RecentMap<string, DeviceMemory>;

/**
 * Returns what is kept of the devices. Nothing of one that lost its source, or that nobody knows: it is learnt again.
 *
 * @param rules - the version of those that they were learnt by.
 */
export function savedDevices(
  memories: DeviceMemories,
  rules: string,
  clock: BothClocks,
): readonly z.input<typeof savedDeviceSchema>[] {
  return [...memories.entries()].flatMap(([deviceId, { profile, learnAgain, isProvisional }]) => {
    if (profile === undefined || profile.lostSource !== undefined) return [];
    const learnAgainAtMs = clock.nowMs() + Math.max(0, leftMs(learnAgain, clock));
    return savedDeviceSchema.encode({ deviceId, learnAgainAtMs, isProvisional, rules, profile });
  });
}

/** Takes up how devices speak, if that was learnt by these rules. What is known already stays. */
export function restoreDevices(
  memories: DeviceMemories,
  devices: readonly SavedDevice[],
  rules: string,
  clock: BothClocks,
): void {
  for (const { deviceId, learnAgainAtMs, isProvisional, rules: learntBy, profile } of devices) {
    const memory = memories.getOrMake(deviceId, newMemory);
    if (learntBy !== rules || memory.profile !== undefined) continue;
    const lengthMs = Math.min(learnAgainAtMs - clock.nowMs(), (1 + SPREAD_RATIO) * LIFETIME_MS);
    Object.assign(memory, { profile, isProvisional, learnAgain: waitFor(lengthMs, clock) });
  }
}
