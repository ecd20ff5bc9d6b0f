import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import { MOST_REMEMBERED, RecentMap } from '../../base/recent-map.ts';
import type { FiringAlarm } from '../../model/station.ts';
import type { DeviceReport } from '../../model/readings.ts';
import { decodeAnswer, type DecodedAnswer } from '../dialects/decoded-answer.ts';
import { INTERFACE_KEYS } from '../dialects/family.ts';
import type { FieldSample } from '../dialects/field-sample.ts';
import type { RuleSet } from '../dialects/rule-set.ts';
import type { ServiceClock } from '../exchange/service-clock.ts';
import { type DeviceProfile, missingQuantities } from './device-profile.ts';
import type { DeviceQuery, DeviceEndpoints } from './device-endpoints.ts';
import type { LatestState } from './device-samples.ts';
import { IncompleteSums } from './incomplete-sums.ts';
import { InterfaceUnitsCache } from './interface-units.ts';
import { learnProfile, type ProfileResult } from './learn-profile.ts';
import { Nights } from './night.ts';
import { ProfileCache } from './profile-cache.ts';

/** A learnt profile with everything that was seen, and the time of it by the service's clock. */
export interface ExplainedDialect extends ProfileResult {
  readonly serviceNowMs: number;
}

export interface DeviceReaderOptions {
  readonly endpoints: DeviceEndpoints;
  readonly rules: RuleSet;
  readonly clock: Clock;
  readonly random: () => number;
  readonly serviceClock: ServiceClock;
  readonly log: Logger;
}

/** The dialect of a device that has all keys of the interface, so that nothing has to be learnt. */
const INTERFACE_DIALECT: DeviceReport['dialect'] = {
  family: 'classic',
  source: 'history',
  missing: [],
  unknownKeys: [],
};

/**
 * Reads devices with one request each: by the interface's keys where a device has all of them, and
 * otherwise by a profile that is learnt once a day.
 */
export class DeviceReader {
  readonly #options: DeviceReaderOptions;
  readonly #firstKeys: readonly string[];
  readonly #profiles: ProfileCache;
  readonly #units: InterfaceUnitsCache;
  readonly #nights = new Nights();
  readonly #incompleteSums: IncompleteSums;
  readonly #firing = new RecentMap<string, readonly FiringAlarm[]>(MOST_REMEMBERED);

  constructor(options: DeviceReaderOptions) {
    this.#options = options;
    this.#firstKeys = [...new Set([...INTERFACE_KEYS, ...options.rules.userKeys])];
    this.#profiles = new ProfileCache(options);
    this.#units = new InterfaceUnitsCache(options);
    this.#incompleteSums = new IncompleteSums(options.log);
  }

  /** Reads the newest values of a device (interface endpoint 4). */
  async read(device: DeviceQuery): Promise<DeviceReport> {
    const { deviceId } = device;
    const profile = this.#profiles.current(deviceId);
    if (profile === undefined) return this.#readFirst(device);
    try {
      const report = await this.#readBy(profile, device);
      this.#profiles.noteReading(deviceId, report);
      return report;
    } catch (error) {
      this.#profiles.noteFailure(deviceId, error);
      // The alarms of the last state are outdated, so that the list of alarms has to be asked instead.
      this.#firing.delete(deviceId);
      throw error;
    }
  }

  /** Learns the profile of a device and returns everything that was seen. */
  async learn(device: DeviceQuery): Promise<ExplainedDialect> {
    const { endpoints, serviceClock } = this.#options;
    const first = await endpoints.history(device, this.#firstKeys);
    return { ...(await this.#learn(device, first)), serviceNowMs: serviceClock.nowMs() };
  }

  /** Returns the alarms of the last reading; absent for devices whose readings have none. */
  firingAlarms(deviceId: string): readonly FiringAlarm[] | undefined {
    return this.#firing.get(deviceId);
  }

  /** Forgets a device that is no longer listed. */
  forget(deviceId: string): void {
    this.#profiles.forget(deviceId);
    this.#units.forget(deviceId);
    this.#incompleteSums.forget(deviceId);
    this.#firing.delete(deviceId);
  }

  async #readFirst(device: DeviceQuery): Promise<DeviceReport> {
    const { endpoints, rules } = this.#options;
    const { deviceId, model } = device;
    const first = await endpoints.history(device, this.#firstKeys);
    const context = { source: 'history', family: 'classic', model } as const;
    const isComplete = ({ measurements }: DecodedAnswer): boolean =>
      missingQuantities(measurements).length === 0;
    if (isComplete(decodeAnswer(first, context, rules))) {
      const { tags, isOtherFamily } = await this.#units.unitsOf(device);
      const answer = decodeAnswer(first, context, rules, tags);
      if (!isOtherFamily && isComplete(answer)) {
        this.#firing.delete(deviceId);
        return this.#report(device, answer, INTERFACE_DIALECT, first);
      }
    }
    const result = await this.#learn(device, first);
    const answer = this.#decode(result.profile, device, samplesOf(result.answers[0]));
    const report = this.#report(device, answer, dialectOf(result.profile), first);
    const profile = this.#profiles.store(deviceId, result, report);
    if (profile === result.profile) return report;
    return this.#readBy(profile, device);
  }

  async #learn(device: DeviceQuery, first: readonly FieldSample[]): Promise<ProfileResult> {
    const { endpoints, rules } = this.#options;
    const previous = this.#profiles.lastKnown(device.deviceId);
    const options = { endpoints, rules, firstKeys: this.#firstKeys };
    const result = await learnProfile(device, first, options, previous);
    this.#storeAlarms(device, result.profile, result.latest);
    return result;
  }

  async #readBy(profile: DeviceProfile, device: DeviceQuery): Promise<DeviceReport> {
    const { endpoints } = this.#options;
    const { source } = profile;
    const decode = (samples: readonly FieldSample[]): DeviceReport => {
      const answer = this.#decode(profile, device, samples);
      return this.#report(device, answer, dialectOf(profile), samples);
    };
    switch (source) {
      case 'history':
        return decode(await endpoints.history(device, profile.keys));
      case 'flow':
        return decode(await endpoints.energyFlow(device));
      case 'latest': {
        const state = await endpoints.latestState(device);
        this.#storeAlarms(device, profile, state);
        return decode(state.samples);
      }
    }
  }

  #decode(
    { source, family, tags, words, parts }: DeviceProfile,
    { model, timeZone }: DeviceQuery,
    samples: readonly FieldSample[],
  ): DecodedAnswer {
    const { rules, serviceClock } = this.#options;
    const isNight = this.#nights.isNight(serviceClock.nowMs(), timeZone);
    const context = { source, family, model, isNight };
    const answer = decodeAnswer(parts.complete(samples), context, rules, tags, words);
    parts.note(answer.fields);
    return answer;
  }

  /** Stores the alarms of a latest state. No other source has alarms. */
  #storeAlarms(
    { deviceId }: DeviceQuery,
    { source }: DeviceProfile,
    { firingAlarms, measuredAtMs }: Pick<LatestState, 'firingAlarms' | 'measuredAtMs'>,
  ): void {
    if (source !== 'latest') {
      this.#firing.delete(deviceId);
      return;
    }
    const { aheadMs } = this.#options.serviceClock;
    const observedAtMs = measuredAtMs === undefined ? undefined : measuredAtMs - aheadMs;
    const alarms = firingAlarms.map((alarm) => ({ ...alarm, deviceId, observedAtMs }));
    this.#firing.set(deviceId, alarms);
  }

  /** @param samples - of the time series, where one was asked: it has the times of several readings. */
  #report(
    { deviceId }: DeviceQuery,
    { measurements, incomplete }: DecodedAnswer,
    dialect: DeviceReport['dialect'],
    samples: readonly FieldSample[],
  ): DeviceReport {
    this.#incompleteSums.log(deviceId, incomplete);
    return {
      measurements,
      newestAtMs: newestOf(measurements),
      timesAtMs: samples.find(({ timesAtMs }) => timesAtMs !== undefined)?.timesAtMs,
      dialect: { ...dialect, missing: missingNow(dialect.missing, measurements, incomplete) },
      serviceAheadMs: this.#options.serviceClock.aheadMs,
    };
  }
}

function dialectOf({
  family,
  source,
  missing,
  unknownKeys,
}: DeviceProfile): DeviceReport['dialect'] {
  return { family: family ?? 'unknown', source, missing, unknownKeys };
}

function samplesOf({ fields }: DecodedAnswer): readonly FieldSample[] {
  return fields.map(({ sample }) => sample);
}

/**
 * Returns what is missing of this reading: what was missing when the device was learnt and is not measured
 * now, and the sums that want a part.
 */
function missingNow(
  learnt: DeviceReport['dialect']['missing'],
  measurements: DeviceReport['measurements'],
  incomplete: DecodedAnswer['incomplete'],
): DeviceReport['dialect']['missing'] {
  const now = missingQuantities(measurements);
  return now.filter(
    (quantity) => learnt.includes(quantity) || incomplete.some((sum) => sum.quantity === quantity),
  );
}

function newestOf(measurements: DeviceReport['measurements']): number | undefined {
  let newestAtMs: number | undefined;
  for (const { measuredAtMs } of measurements)
    if (measuredAtMs !== undefined && measuredAtMs > (newestAtMs ?? -Infinity))
      newestAtMs = measuredAtMs;
  return newestAtMs;
}
