import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import { greatestOf } from '../../model/units.ts';
import type { DeviceReport, PastReading, Source } from '../../model/readings.ts';
import type { FiringAlarm } from '../../model/station.ts';
import {
  decodeAnswer,
  type DecodedAnswer,
  type FieldSample,
  type RuleSet,
} from '../dialects/interpret.ts';
import { INTERFACE_KEYS, recogniseFamily } from '../dialects/rules.ts';
import type { ServiceClock } from '../exchange/transport.ts';
import type { DeviceEndpoints, DeviceQuery, RecentSeries } from './device-endpoints.ts';
import { DeviceMemories, type SavedDevice } from './device-memory.ts';
import {
  type DeviceProfile,
  dialectOf,
  interfaceProfile,
  missingQuantities,
} from './device-profile.ts';
import type { LatestState } from './device-samples.ts';
import {
  learnProfile,
  mayAnswerSoon,
  probeEndpoint,
  type ProbeResult,
  type ProfileResult,
} from './learn-profile.ts';
import { noteParts } from './parts.ts';
import { liveOf, type SeriesDialect, SeriesReplay } from './series.ts';

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

/**
 * Reads devices with one request each, by a profile that is learnt once a day: that of the interface's keys where
 * a device has all of them.
 */
export class DeviceReader {
  readonly #options: DeviceReaderOptions;
  readonly #memories: DeviceMemories;
  /** Of a device with all keys of the interface, in units that nobody has said. */
  readonly #unitless: DeviceProfile;
  /** That of the last device with all keys of the interface: nearly all have the same units, and share it. */
  #shared: DeviceProfile;

  constructor(options: DeviceReaderOptions) {
    this.#options = options;
    this.#memories = new DeviceMemories(options);
    const firstKeys = [...new Set([...INTERFACE_KEYS, ...options.rules.userKeys])];
    this.#unitless = interfaceProfile(firstKeys, new Map());
    this.#shared = this.#unitless;
  }

  /** Reads the newest values of a device (interface endpoint 4), and the points after the last known one. */
  read(device: DeviceQuery): Promise<DeviceReport> {
    return this.#memories.run(device.deviceId, this.#read(device));
  }

  /**
   * Returns how the time series of a device is read. What is not known of a device is learnt by reading it
   * now.
   */
  async seriesDialect(device: DeviceQuery): Promise<SeriesDialect> {
    const { deviceId } = device;
    const memories = this.#memories;
    if (memories.lastKnown(deviceId) === undefined)
      await (memories.running(deviceId) ?? this.read(device));
    const profile = memories.lastKnown(deviceId);
    if (profile === undefined) throw new Error(`nothing was learnt of device ${deviceId}`);
    return this.#seriesDialectOf(profile, device);
  }

  /** Learns the profile of a device and returns everything that was seen. */
  async learn(device: DeviceQuery): Promise<ExplainedDialect> {
    const first = await this.#options.endpoints.history(device, this.#unitless.keys);
    const learnt = await this.#learn(device, first);
    return { ...learnt, serviceNowMs: this.#options.serviceClock.nowMs() };
  }

  /** Returns the alarms of the last reading; absent for devices whose readings have none. */
  firingAlarms(deviceId: string): readonly FiringAlarm[] | undefined {
    return this.#memories.firingAlarms(deviceId);
  }

  /** Forgets a device that is no longer listed. */
  forget(deviceId: string): void {
    this.#memories.forget(deviceId);
  }

  /** Returns how the devices speak, so that another run need not learn it. */
  saved(): readonly SavedDevice[] {
    return this.#memories.saved(this.#options.rules.version);
  }

  /** Takes up how devices speak. What is known already stays. */
  restore(devices: readonly SavedDevice[]): void {
    this.#memories.restore(devices, this.#options.rules.version);
  }

  async #read(device: DeviceQuery): Promise<DeviceReport> {
    const { deviceId } = device;
    const profile = this.#memories.current(deviceId);
    if (profile === undefined) return this.#readFirst(device);
    try {
      const report = await this.#readBy(profile, device);
      this.#memories.noteReading(deviceId, report);
      return report;
    } catch (error) {
      this.#memories.noteFailure(deviceId, error);
      throw error;
    }
  }

  async #readFirst(device: DeviceQuery): Promise<DeviceReport> {
    const { endpoints } = this.#options;
    const first = await endpoints.history(device, this.#unitless.keys);
    const known = this.#memories.lastKnown(device.deviceId);
    const before = known?.isInterface === true ? known : this.#unitless;
    // The units are asked for where the answer seems complete without them.
    if (!isComplete(this.#liveOf(before, device, first))) return this.#learnBy(device, first);
    const latest = await probeEndpoint('latest-state', device, endpoints, []);
    const profile = this.#interfaceProfileBy(latest, before);
    const family = recogniseFamily(latest.samples.map(({ key }) => key));
    // The keys of the interface mean something else on a device that has those of another family.
    const isOther = family !== undefined && family !== 'classic';
    const live = this.#liveOf(profile, device, first);
    if (isOther || !isComplete(live)) return this.#learnBy(device, first, [latest]);
    const report = this.#reportOfSeries(profile, device, first, live);
    const isInconclusive = latest.error !== undefined && mayAnswerSoon(latest.error);
    this.#memories.storeAlarms(device.deviceId, undefined);
    this.#memories.store(
      device.deviceId,
      { profile, isInconclusive, isEndpointRefused: false },
      report,
    );
    return report;
  }

  /** Returns the profile in the units of the latest state; in those before where that did not answer. */
  #interfaceProfileBy({ samples, error }: ProbeResult, before: DeviceProfile): DeviceProfile {
    if (error !== undefined && mayAnswerSoon(error)) return before;
    const tags = new Map<string, string>();
    for (const { key, tag } of samples)
      if (tag !== undefined && INTERFACE_KEYS.includes(key)) tags.set(key, tag);
    if (!isDeepStrictEqual(tags, this.#shared.tags))
      this.#shared = interfaceProfile(this.#unitless.keys, tags);
    return this.#shared;
  }

  /** Decodes the newest values of a time series. */
  #liveOf(
    profile: DeviceProfile,
    device: DeviceQuery,
    { series, liveFromMs }: RecentSeries,
  ): LiveAnswer {
    const { samples, timesAtMs } = liveOf(series, profile.keys, liveFromMs);
    return { timesAtMs, answer: this.#decode(profile, device, samples, 'history') };
  }

  /** Learns the profile of a device that lacks a key of the interface, and reads the device by it. */
  async #learnBy(
    device: DeviceQuery,
    first: RecentSeries,
    asked: readonly ProbeResult[] = [],
  ): Promise<DeviceReport> {
    const result = await this.#learn(device, first, asked);
    const { profile: learnt } = result;
    const recent = result.recent ?? first;
    const report =
      learnt.source === 'history'
        ? this.#reportOfSeries(learnt, device, recent, this.#liveOf(learnt, device, recent))
        : this.#reportOfState(learnt, device, samplesOf(result.answers[0]), recent);
    const profile = this.#memories.store(device.deviceId, result, report);
    return profile === learnt ? report : this.#readBy(profile, device);
  }

  async #learn(
    device: DeviceQuery,
    { series, liveFromMs }: RecentSeries,
    asked?: readonly ProbeResult[],
  ): Promise<ProfileResult> {
    const { endpoints, rules } = this.#options;
    const firstKeys = this.#unitless.keys;
    const { samples } = liveOf(series, firstKeys, liveFromMs);
    const known = this.#memories.lastKnown(device.deviceId);
    const previous = known?.isInterface === true ? undefined : known;
    const options = { endpoints, rules, firstKeys };
    const result = await learnProfile(device, samples, options, previous, asked);
    const { profile, latest } = result;
    this.#storeAlarms(device, profile.source === 'latest' ? latest : undefined);
    return result;
  }

  async #readBy(profile: DeviceProfile, device: DeviceQuery): Promise<DeviceReport> {
    const { endpoints } = this.#options;
    switch (profile.source) {
      case 'history': {
        const recent = await endpoints.history(device, profile.keys);
        const live = this.#liveOf(profile, device, recent);
        if (profile.isInterface && !isComplete(live)) return this.#learnBy(device, recent);
        return this.#reportOfSeries(profile, device, recent, live);
      }
      case 'flow':
        return this.#reportOfState(profile, device, await endpoints.energyFlow(device));
      case 'latest': {
        const state = await endpoints.latestState(device);
        this.#storeAlarms(device, state);
        return this.#reportOfState(profile, device, state.samples);
      }
    }
  }

  /** Stores the alarms of a latest state. No other source has alarms. */
  #storeAlarms(
    { deviceId }: DeviceQuery,
    state: Pick<LatestState, 'firingAlarms' | 'measuredAtMs'> | undefined,
  ): void {
    const { aheadMs } = this.#options.serviceClock;
    const observedAtMs =
      state?.measuredAtMs === undefined ? undefined : state.measuredAtMs - aheadMs;
    this.#memories.storeAlarms(
      deviceId,
      state?.firingAlarms.map((alarm) => ({ ...alarm, deviceId, observedAtMs })),
    );
  }

  /**
   * Decodes an answer by the profile of the device.
   *
   * @param source - where it comes from, if not from the source that the profile names.
   */
  #decode(
    profile: DeviceProfile,
    device: DeviceQuery,
    samples: readonly FieldSample[],
    source: Source = profile.source,
  ): DecodedAnswer {
    const { family, tags, words, isInterface } = profile;
    const parts = isInterface ? undefined : profile.parts;
    const context = { ...device, source, family, parts };
    const answer = decodeAnswer(samples, context, this.#options.rules, tags, words);
    if (parts !== undefined) noteParts(parts, answer.fields);
    return answer;
  }

  #seriesDialectOf(profile: DeviceProfile, device: DeviceQuery): SeriesDialect {
    return {
      keys: profile.keys,
      spoken: dialectOf(profile),
      decode: (samples) => this.#decode(profile, device, samples, 'history'),
    };
  }

  #report(
    { measurements, incomplete }: DecodedAnswer,
    dialect: DeviceReport['dialect'],
    timesAtMs?: readonly number[],
  ): DeviceReport {
    const newestAtMs = greatestOf(measurements.flatMap(({ measuredAtMs }) => measuredAtMs ?? []));
    return {
      measurements,
      newestAtMs: newestAtMs === -Infinity ? undefined : newestAtMs,
      timesAtMs,
      dialect: dialectNow(dialect, measurements, incomplete),
      serviceAheadMs: this.#options.serviceClock.aheadMs,
    };
  }

  /** Reports a time series, with the points that are later than the last known one. */
  #reportOfSeries(
    profile: DeviceProfile,
    device: DeviceQuery,
    { series, fromMs }: RecentSeries,
    { answer, timesAtMs }: LiveAnswer,
  ): DeviceReport {
    const dialect = this.#seriesDialectOf(profile, device);
    const report = this.#report(answer, dialect.spoken, timesAtMs);
    const newestAtMs = timesAtMs.at(-1) ?? -Infinity;
    const { afterMs = newestAtMs - 1 } = device;
    const newest = { atMs: newestAtMs, report };
    const readings = {
      [Symbol.iterator]: () => new SeriesReplay(dialect, afterMs).readings(series, newest),
    };
    return { ...report, points: { fromMs, readings } };
  }

  /**
   * Reports a latest state or an energy flow, which is a point itself.
   *
   * @param past - the time series of the device, where it was asked as well: it has the points before.
   */
  #reportOfState(
    profile: DeviceProfile,
    device: DeviceQuery,
    samples: readonly FieldSample[],
    past?: RecentSeries,
  ): DeviceReport {
    const dialect = this.#seriesDialectOf(profile, device);
    const report = this.#report(this.#decode(profile, device, samples), dialect.spoken);
    const { newestAtMs: atMs = Infinity } = report;
    const { afterMs = atMs - 1 } = device;
    const readings = function* (): Generator<PastReading> {
      if (past !== undefined)
        for (const reading of new SeriesReplay(dialect, afterMs).readings(past.series))
          if (reading.atMs < atMs) yield reading;
      if (atMs > afterMs && atMs < Infinity) yield { atMs, report };
    };
    const points = { fromMs: past?.fromMs ?? atMs, readings: { [Symbol.iterator]: readings } };
    return { ...report, points };
  }
}

/** What a time series says of now. */
interface LiveAnswer {
  readonly answer: DecodedAnswer;
  readonly timesAtMs: readonly number[];
}

/** Whether an answer has all quantities of the interface. */
function isComplete({ answer: { measurements, fields } }: LiveAnswer): boolean {
  return missingQuantities(measurements).every((quantity) =>
    // In the right unit it may be plausible, and a misreading is no reason to learn another dialect.
    fields.some(({ rule, verdict }) => rule?.reads === quantity && verdict === 'implausible'),
  );
}

function samplesOf({ fields }: DecodedAnswer): readonly FieldSample[] {
  return fields.map(({ sample }) => sample);
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
