import { MOST_REMEMBERED, RecentMap } from '../../base/recent-map.ts';
import { greatestOf } from '../../model/extremes.ts';
import type { DeviceReport, Source } from '../../model/readings.ts';
import type { FiringAlarm } from '../../model/station.ts';
import { decodeAnswer, type DecodedAnswer } from '../dialects/interpret.ts';
import type { FieldSample } from '../dialects/field-sample.ts';
import type { RuleSet } from '../dialects/rule-set.ts';
import type { ServiceClock } from '../exchange/transport.ts';
import type { DeviceQuery } from './device-endpoints.ts';
import { type DeviceProfile, missingQuantities } from './device-profile.ts';
import type { LatestState } from './device-samples.ts';
import { noteParts } from './parts.ts';

export interface DeviceReportsOptions {
  readonly rules: RuleSet;
  readonly serviceClock: ServiceClock;
}

/** Makes reports of the answers about devices, and remembers the alarms that came with the last of them. */
export class DeviceReports {
  readonly #options: DeviceReportsOptions;
  readonly #firing = new RecentMap<string, readonly FiringAlarm[]>(MOST_REMEMBERED);

  constructor(options: DeviceReportsOptions) {
    this.#options = options;
  }

  /**
   * Decodes an answer by the profile of the device.
   *
   * @param source - where it comes from, if not from the source that the profile names.
   */
  decode(
    profile: Pick<DeviceProfile, 'source' | 'family' | 'tags' | 'words' | 'parts'>,
    device: DeviceQuery,
    samples: readonly FieldSample[],
    source: Source = profile.source,
  ): DecodedAnswer {
    const { family, tags, words, parts } = profile;
    const context = { ...device, source, family, parts };
    const answer = decodeAnswer(samples, context, this.#options.rules, tags, words);
    noteParts(parts, answer.fields);
    return answer;
  }

  /** @param timesAtMs - the last times of the time series, where one was asked. */
  report(
    { measurements, incomplete }: DecodedAnswer,
    dialect: DeviceReport['dialect'],
    timesAtMs?: readonly number[],
  ): DeviceReport {
    return {
      measurements,
      newestAtMs: newestOf(measurements),
      timesAtMs,
      dialect: dialectNow(dialect, measurements, incomplete),
      serviceAheadMs: this.#options.serviceClock.aheadMs,
    };
  }

  /** Stores the alarms of a latest state. No other source has alarms. */
  storeAlarms(
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

  /** Lets go of the alarms of a device, so that the list of alarms is asked instead. */
  forgetAlarms(deviceId: string): void {
    this.#firing.delete(deviceId);
  }

  /** Returns the alarms of the last reading; absent for devices whose readings have none. */
  firingAlarms(deviceId: string): readonly FiringAlarm[] | undefined {
    return this.#firing.get(deviceId);
  }

  /** Forgets a device that is no longer listed. */
  forget(deviceId: string): void {
    this.#firing.delete(deviceId);
  }
}

/**
 * Returns a dialect with what is missing of this reading: what was missing when the device was learnt and is not
 * measured now, and the sums that want a part. The same object where that is the same.
 */
function dialectNow(
  dialect: DeviceReport['dialect'],
  measurements: DeviceReport['measurements'],
  incomplete: DecodedAnswer['incomplete'],
): DeviceReport['dialect'] {
  const learnt = dialect.missing;
  const missing = missingQuantities(measurements).filter(
    (quantity) => learnt.includes(quantity) || incomplete.some((sum) => sum.quantity === quantity),
  );
  const silentKeys = incomplete.flatMap(({ keys }) => keys);
  if (silentKeys.length > 0) return { ...dialect, missing, silentKeys };
  const isSame =
    missing.length === learnt.length && missing.every((quantity) => learnt.includes(quantity));
  return isSame ? dialect : { ...dialect, missing };
}

/** Returns when the newest value was measured; absent where no value has a time. */
export function newestOf(measurements: DeviceReport['measurements']): number | undefined {
  const newestAtMs = greatestOf(measurements.flatMap(({ measuredAtMs }) => measuredAtMs ?? []));
  return newestAtMs === -Infinity ? undefined : newestAtMs;
}
