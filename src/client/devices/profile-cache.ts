import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import { isOver, NO_WAIT, type Wait, waitFor } from '../../base/wait.ts';
import type { DeviceReport } from '../../model/readings.ts';
import { MOST_REMEMBERED, RecentMap } from '../../base/recent-map.ts';
import { isFinalRefusal } from '../exchange/retry.ts';
import type { DeviceProfile } from './device-profile.ts';
import type { ProfileResult } from './learn-profile.ts';

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

interface Entry {
  readonly profile: DeviceProfile;
  /** Consecutive attempts to learn the profile during which an endpoint failed. */
  readonly failures: number;
  /** It began when the profile was learnt. */
  learnAgain: Wait;
  /** Whether the device was offline: when it is online again, another source may be better. */
  readonly isProvisional: boolean;
}

export interface ProfileCacheOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** The profile of every device, and when it has to be learnt again. */
export class ProfileCache {
  readonly #options: ProfileCacheOptions;
  readonly #entries = new RecentMap<string, Entry>(MOST_REMEMBERED);
  /** The devices whose unknown family was reported. */
  readonly #reportedUnknown = new RecentMap<string, true>(MOST_REMEMBERED);

  constructor(options: ProfileCacheOptions) {
    this.#options = options;
  }

  /** Returns the profile of a device; absent when there is none and when it has to be learnt again. */
  current(deviceId: string): DeviceProfile | undefined {
    const entry = this.#entries.get(deviceId);
    if (entry === undefined || isOver(entry.learnAgain, this.#options.clock)) return undefined;
    return entry.profile;
  }

  /** Returns the last profile of a device, even when it has to be learnt again. */
  lastKnown(deviceId: string): DeviceProfile | undefined {
    return this.#entries.get(deviceId)?.profile;
  }

  /**
   * Stores what was learnt and returns the profile to use from now on. This is the previous profile
   * when an endpoint failed for the moment and the new profile is no better.
   *
   * @param report - the first reading by the new profile.
   */
  store(deviceId: string, result: ProfileResult, report: DeviceReport): DeviceProfile {
    const { clock } = this.#options;
    const previous = this.#entries.get(deviceId);
    const isRetried = result.isInconclusive || result.profile.lostEndpoint !== undefined;
    const failures = isRetried ? (previous?.failures ?? 0) + 1 : 0;
    const isPreviousUsable = result.isInconclusive && !result.isEndpointRefused;
    const profile = isPreviousUsable ? better(result.profile, previous?.profile) : result.profile;
    this.#entries.set(deviceId, {
      profile,
      failures,
      learnAgain: waitFor(this.#lifetimeMs(failures, report), clock),
      isProvisional: !this.#isOnline(report),
    });
    this.#log(deviceId, profile, result.isInconclusive, previous?.profile);
    return profile;
  }

  /** Has a provisional profile learnt again when the device is online again. */
  noteReading(deviceId: string, report: DeviceReport): void {
    const entry = this.#entries.get(deviceId);
    if (entry?.isProvisional === true && this.#isOnline(report)) entry.learnAgain = NO_WAIT;
  }

  /** Has the profile learnt again soon when the source that used to answer starts to refuse. */
  noteFailure(deviceId: string, error: unknown): void {
    const entry = this.#entries.get(deviceId);
    if (entry === undefined || !isFinalRefusal(error)) return;
    const [soonestMs] = RETRIES_MS;
    const { stopwatch, lengthMs } = entry.learnAgain;
    entry.learnAgain = { stopwatch, lengthMs: Math.min(lengthMs, soonestMs) };
  }

  /** Forgets a device that is no longer listed. */
  forget(deviceId: string): void {
    this.#entries.delete(deviceId);
    this.#reportedUnknown.delete(deviceId);
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
    profile: DeviceProfile,
    isInconclusive: boolean,
    previous: DeviceProfile | undefined,
  ): void {
    const { log } = this.#options;
    const { family, source, missing, unknownKeys, hasNoEnergyFlow } = profile;
    const labels = { device_id: deviceId };
    if (hasNoEnergyFlow && previous?.hasNoEnergyFlow !== true)
      log.info(labels, 'the service has no energy flow for this device; it is not asked again');
    if (family === undefined && !isInconclusive && this.#reportedUnknown.get(deviceId) !== true) {
      this.#reportedUnknown.set(deviceId, true);
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
