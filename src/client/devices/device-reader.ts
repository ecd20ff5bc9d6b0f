import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import type { FiringAlarm } from '../../model/station.ts';
import type { DeviceReport, PastReading } from '../../model/readings.ts';
import { decodeAnswer, type DecodedAnswer } from '../dialects/interpret.ts';
import { INTERFACE_KEYS } from '../dialects/family.ts';
import type { FieldSample } from '../dialects/field-sample.ts';
import type { RuleSet } from '../dialects/rule-set.ts';
import type { ServiceClock } from '../exchange/transport.ts';
import { type DeviceProfile, dialectOf, missingQuantities } from './device-profile.ts';
import type { DeviceEndpoints, DeviceQuery, RecentSeries } from './device-endpoints.ts';
import { DeviceReports } from './device-reports.ts';
import { InterfaceUnitsCache } from './interface-units.ts';
import { learnProfile, type ProfileResult } from './learn-profile.ts';
import { ProfileCache } from './profile-cache.ts';
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
  readonly #reports: DeviceReports;
  /** The readings that are under way, by device. */
  readonly #running = new Map<string, Promise<DeviceReport>>();

  constructor(options: DeviceReaderOptions) {
    this.#options = options;
    this.#firstKeys = [...new Set([...INTERFACE_KEYS, ...options.rules.userKeys])];
    this.#profiles = new ProfileCache(options);
    this.#units = new InterfaceUnitsCache(options);
    this.#reports = new DeviceReports(options);
  }

  /** Reads the newest values of a device (interface endpoint 4). */
  async read(device: DeviceQuery): Promise<DeviceReport> {
    const { deviceId } = device;
    const running = this.#read(device);
    this.#running.set(deviceId, running);
    try {
      return await running;
    } finally {
      // Another reading of the device may have begun meanwhile.
      if (this.#running.get(deviceId) === running) this.#running.delete(deviceId);
    }
  }

  /**
   * Returns how the time series of a device is read. What is not known of a device is learnt by reading it
   * now.
   */
  async seriesDialect(device: DeviceQuery): Promise<SeriesDialect> {
    const { deviceId } = device;
    if (this.#knownDialect(device) === undefined)
      await (this.#running.get(deviceId) ?? this.read(device));
    const known = this.#knownDialect(device);
    if (known === undefined) throw new Error(`nothing was learnt of device ${deviceId}`);
    return known;
  }

  #knownDialect(device: DeviceQuery): SeriesDialect | undefined {
    const { deviceId } = device;
    const profile = this.#profiles.lastKnown(deviceId);
    if (profile !== undefined) return this.#seriesDialectOf(profile, device);
    const units = this.#units.known(deviceId);
    return units === undefined || units.isOtherFamily
      ? undefined
      : this.#interfaceDialect(device, units.tags);
  }

  #seriesDialectOf(profile: DeviceProfile, device: DeviceQuery): SeriesDialect {
    return {
      keys: profile.keys,
      spoken: dialectOf(profile),
      decode: (samples) => this.#reports.decode(profile, device, samples, 'history'),
    };
  }

  /** Returns how a device is read that has all keys of the interface. */
  #interfaceDialect(device: DeviceQuery, tags?: ReadonlyMap<string, string>): SeriesDialect {
    const context = { ...device, source: 'history', family: 'classic' } as const;
    return {
      keys: this.#firstKeys,
      spoken: INTERFACE_DIALECT,
      decode: (samples) => decodeAnswer(samples, context, this.#options.rules, tags),
    };
  }

  async #read(device: DeviceQuery): Promise<DeviceReport> {
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
      this.#reports.forgetAlarms(deviceId);
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
    return this.#reports.firingAlarms(deviceId);
  }

  /** Forgets a device that is no longer listed. */
  forget(deviceId: string): void {
    this.#profiles.forget(deviceId);
    this.#units.forget(deviceId);
    this.#reports.forget(deviceId);
  }

  async #readFirst(device: DeviceQuery): Promise<DeviceReport> {
    const { endpoints } = this.#options;
    const { deviceId } = device;
    const first = await endpoints.history(device, this.#firstKeys);
    const { samples } = liveOf(first.series, this.#firstKeys, first.liveFromMs);
    const isComplete = ({ decode }: SeriesDialect): boolean => {
      const { measurements, fields } = decode(samples);
      return missingQuantities(measurements).every((quantity) =>
        // In the right unit it may be plausible, and a misreading is no reason to learn another dialect.
        fields.some(({ rule, verdict }) => rule?.reads === quantity && verdict === 'implausible'),
      );
    };
    // The units are asked for where the answer seems complete without them.
    if (this.#units.areKnown(deviceId) || isComplete(this.#interfaceDialect(device))) {
      const { tags, isOtherFamily } = await this.#units.unitsOf(device);
      const dialect = this.#interfaceDialect(device, tags);
      if (!isOtherFamily && isComplete(dialect)) {
        this.#reports.forgetAlarms(deviceId);
        return this.#reportOfSeries(device, first, dialect);
      }
    }
    const result = await this.#learn(device, first);
    const { profile: learnt } = result;
    const recent = result.recent ?? first;
    const dialect = this.#seriesDialectOf(learnt, device);
    const report =
      learnt.source === 'history'
        ? this.#reportOfSeries(device, recent, dialect)
        : this.#reportOfState(device, learnt, samplesOf(result.answers[0]), { recent, dialect });
    const profile = this.#profiles.store(deviceId, result, report);
    if (profile === learnt) return report;
    return this.#readBy(profile, device);
  }

  async #learn(device: DeviceQuery, recent: RecentSeries): Promise<ProfileResult> {
    const { endpoints, rules } = this.#options;
    const previous = this.#profiles.lastKnown(device.deviceId);
    const options = { endpoints, rules, firstKeys: this.#firstKeys };
    const { samples } = liveOf(recent.series, this.#firstKeys, recent.liveFromMs);
    const result = await learnProfile(device, samples, options, previous);
    this.#reports.storeAlarms(device, result.profile, result.latest);
    return result;
  }

  async #readBy(profile: DeviceProfile, device: DeviceQuery): Promise<DeviceReport> {
    const { endpoints } = this.#options;
    switch (profile.source) {
      case 'history': {
        const recent = await endpoints.history(device, profile.keys);
        return this.#reportOfSeries(device, recent, this.#seriesDialectOf(profile, device));
      }
      case 'flow':
        return this.#reportOfState(device, profile, await endpoints.energyFlow(device));
      case 'latest': {
        const state = await endpoints.latestState(device);
        this.#reports.storeAlarms(device, profile, state);
        return this.#reportOfState(device, profile, state.samples);
      }
    }
  }

  /** Reports a time series, with the points that are later than the last known one. */
  #reportOfSeries(
    device: DeviceQuery,
    { series, liveFromMs, fromMs }: RecentSeries,
    dialect: SeriesDialect,
  ): DeviceReport {
    const { samples, timesAtMs } = liveOf(series, dialect.keys, liveFromMs);
    const answer = dialect.decode(samples);
    const report = this.#reports.report(answer, dialect.spoken, timesAtMs);
    const newestAtMs = timesAtMs.at(-1) ?? -Infinity;
    const { afterMs = newestAtMs - 1 } = device;
    const readings = {
      [Symbol.iterator]: () =>
        new SeriesReplay(dialect, afterMs).readings(series, { atMs: newestAtMs, report }),
    };
    return { ...report, points: { fromMs, readings } };
  }

  /**
   * Reports a latest state or an energy flow, which is a point itself.
   *
   * @param past - the time series of the device, where it was asked as well: it has the points before.
   */
  #reportOfState(
    device: DeviceQuery,
    profile: DeviceProfile,
    samples: readonly FieldSample[],
    past?: { readonly recent: RecentSeries; readonly dialect: SeriesDialect },
  ): DeviceReport {
    const answer = this.#reports.decode(profile, device, samples);
    const report = this.#reports.report(answer, dialectOf(profile));
    const { newestAtMs: atMs = Infinity } = report;
    const { afterMs = atMs - 1 } = device;
    const readings = function* (): Generator<PastReading> {
      if (past !== undefined)
        for (const reading of new SeriesReplay(past.dialect, afterMs).readings(past.recent.series))
          if (reading.atMs < atMs) yield reading;
      if (atMs > afterMs && atMs < Infinity) yield { atMs, report };
    };
    const fromMs = past?.recent.fromMs ?? atMs;
    return { ...report, points: { fromMs, readings: { [Symbol.iterator]: readings } } };
  }
}

function samplesOf({ fields }: DecodedAnswer): readonly FieldSample[] {
  return fields.map(({ sample }) => sample);
}
