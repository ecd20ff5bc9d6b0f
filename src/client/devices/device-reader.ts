import type { Clock } from '../../base/clock.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { MOST_REMEMBERED, RecentMap } from '../../base/recent-map.ts';
import { isOver, shortened, waitFor } from '../../base/wait.ts';
import type { DeviceReport, PastReading, SpokenDialect } from '../../model/readings.ts';
import type { FiringAlarm } from '../../model/station.ts';
import { greatestOf } from '../../model/units.ts';
import {
  decodeAnswer,
  type DecodedAnswer,
  type DescribedDevice,
  type FieldSample,
  isComplete,
  isPart,
  missingQuantities,
  type RuleSet,
} from '../dialects/interpret.ts';
import { INTERFACE_KEYS } from '../dialects/rules.ts';
import type { Call } from '../call.ts';
import { isFinalRefusal } from '../exchange/retry.ts';
import type { ServiceClock } from '../exchange/service-clock.ts';
import { type DeviceMemory, newMemory } from './device-memory.ts';
import {
  type DeviceEndpoint,
  type DeviceProfile,
  type Evidence,
  type Heard,
  learnFrom,
  type Learnt,
  MOST_PARTS,
} from './device-profile.ts';
import type { DeviceAnswer } from './device-samples.ts';
import { Habits } from './habits.ts';
import {
  askPast,
  askRecent,
  type DeviceQuery,
  EndlessPastError,
  type PastQuery,
  type Patience,
  replay,
  type SeriesDialect,
  type TimeSeries,
} from './series.ts';

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

/** A device whose answers are unlike those before is learnt again at once, but not more often. */
const CHECK_EVERY_MS = 3_600_000;

/** An answer of a device, decoded and reported. */
interface Reading {
  readonly report: DeviceReport;
  readonly decoded: DecodedAnswer;
}

/** What the endpoints of devices answer. */
type DeviceAnswers = { readonly readings: TimeSeries } & Readonly<
  Record<'latestState' | 'energyFlow' | 'attributes', DeviceAnswer>
>;

/** What devices are read with. */
export interface DeviceReaderOptions {
  readonly call: Call<DeviceAnswers>;
  readonly rules: RuleSet;
  readonly clock: Clock;
  readonly random: () => number;
  readonly serviceClock: ServiceClock;
  readonly log: Logger;
  /** What is known of the devices already; nothing when left out. */
  readonly memories?: DeviceMemories | undefined;
}

/** What is known of the devices, by their ids. */
export type DeviceMemories = RecentMap<string, DeviceMemory>;

/** Reads devices with one request each. */
export interface DeviceReader {
  /** Reads the newest values of a device (service.md#time-series), and the points after the last known one. */
  readonly fetchReadings: (device: DeviceQuery) => Promise<DeviceReport>;
  /** Learns how a device is read, with as many readings as that takes. */
  readonly learnDialect: (device: DeviceQuery) => Promise<Learnt>;
  /** Reads the past of a device, in the dialect that it speaks now: see {@link askPast}. */
  readonly past: (
    device: PastQuery,
    patiently: Patience,
    isOnce: boolean,
  ) => AsyncGenerator<Iterable<PastReading>>;
  /** Returns the alarms of the last reading; absent for devices whose readings have none. */
  readonly firingAlarms: (deviceId: string) => readonly FiringAlarm[] | undefined;
  /** What is known of the devices, for another reader to go on with. */
  readonly memories: DeviceMemories;
}

/**
 * Makes a {@link DeviceReader}. It reads by a profile that is learnt once a day: while it is, each reading asks one
 * question more.
 */
export function deviceReader(options: DeviceReaderOptions): DeviceReader {
  const { call, rules, clock, random, serviceClock, log } = options;
  const memories: DeviceMemories = options.memories ?? new RecentMap(MOST_REMEMBERED);
  /** The devices of which the log has said that their past has no end. */
  const endless = new RecentMap<string, true>(MOST_REMEMBERED);
  /** The keys that every device is asked for first. */
  const firstKeys = [...new Set([...INTERFACE_KEYS, ...rules.userKeys])];

  return {
    async fetchReadings(device) {
      const memory = memories.getOrMake(device.deviceId, newMemory);
      const { profile, evidence, learnAgain } = memory;
      try {
        if (profile === undefined || evidence !== undefined || isOver(learnAgain, clock))
          return (await readAndLearn(device, memory)).report;
        const now = await hear(profile.source, device, profile.keys, false);
        if (now.error !== undefined) throw now.error;
        const reading = reportOf(profile, device, now, memory);
        // What is missing all at once may stand in the latest state; until that is asked, a 0 would be invented.
        if (profile.isInterface && !isComplete(reading.decoded))
          return (await readAndLearn(device, memory, now)).report;
        const report = await doubt(reading, profile, device, now, memory);
        if (memory.isProvisional && isOnline(report)) learnAgainSoon(memory, 0);
        return report;
      } catch (error) {
        // The alarms of the last state are outdated, so that the list of alarms has to be asked instead.
        memory.alarms = undefined;
        // Of a device with all specified keys, there is no other source to learn.
        if (isFinalRefusal(error) && profile?.isInterface === false) learnAgainSoon(memory);
        throw error;
      }
    },

    learnDialect,

    async *past(device, patiently, isOnce) {
      const known = memories.get(device.deviceId)?.profile;
      const profile = known ?? (await patiently(() => learnDialect(device))).profile;
      try {
        yield* askPast(call, device, dialectOf(profile, device), patiently, isOnce);
      } catch (error) {
        if (error instanceof EndlessPastError && endless.get(device.deviceId) === undefined) {
          endless.set(device.deviceId, true);
          log.warn({ device_id: device.deviceId, err: error }, 'the past of a device has no end');
        }
        throw error;
      }
    },

    firingAlarms: (deviceId) => memories.get(deviceId)?.alarms,
    memories,
  };

  async function learnDialect(device: DeviceQuery): Promise<Learnt> {
    const memory = memories.getOrMake(device.deviceId, newMemory);
    for (;;) {
      const { learnt } = await readAndLearn(device, memory);
      if (learnt.next === undefined) return learnt;
    }
  }

  /**
   * Reads a device by what is known of it so far, unless its source was `heard` already, and asks the next question
   * about it.
   */
  async function readAndLearn(
    device: DeviceQuery,
    memory: DeviceMemory,
    heard?: Heard,
  ): Promise<{ readonly report: DeviceReport; readonly learnt: Learnt }> {
    const { profile: previous } = memory;
    const evidence = (memory.evidence ??= {});
    const learnNow = (): Learnt => learnFrom(evidence, device, firstKeys, previous, rules);
    /** The profile before stays in use until there is a new one, unless its source refuses or lacks a quantity. */
    const inUse = ({ profile }: Learnt): DeviceProfile => {
      const before = previous && evidence[previous.source];
      const isLacking = before && previous.isInterface && !profile.isInterface;
      return previous === undefined || before?.error || isLacking ? profile : previous;
    };

    const known = inUse(learnNow());
    const now = heard ?? (await hear(known.source, device, known.keys, known !== previous));
    const isNew = previous === undefined && evidence.history === undefined;
    if (now.error !== undefined && (isNew || !isFinalRefusal(now.error))) throw now.error;
    evidence[known.source] = now;
    // The latest state is asked for whatever the series says: there is nothing to decode yet.
    const isFirst = evidence.history !== undefined && evidence.latest === undefined;
    const next = isFirst ? { endpoint: 'latest' as const, keys: known.keys } : learnNow().next;
    if (next !== undefined) await askNext(evidence, device, next);
    const learnt = learnNow();
    const isDone = learnt.next === undefined;
    const profile = isDone ? learnt.profile : inUse(learnt);
    const { error, ...answer } = evidence[profile.source] ?? { samples: [] };
    if (error !== undefined) throw error;
    const reading = reportOf(profile, device, answer, memory);
    const { report } = reading;
    if (isDone) {
      settle(memory, device.deviceId, learnt, answer, reading);
      return { learnt, report };
    }
    // A series is large, and the next reading may be long in coming.
    if (evidence.history !== undefined)
      evidence.history = { ...evidence.history, recent: undefined };
    // Points are taken up once it is sure how they are read.
    return { learnt, report: { ...report, points: previous && report.points, isLearning: true } };
  }

  async function askNext(
    evidence: Evidence,
    device: DeviceQuery,
    { endpoint, keys }: NonNullable<Learnt['next']>,
  ): Promise<void> {
    const answer = await hear(endpoint, device, keys, true);
    const isRepeated = evidence[endpoint] !== undefined;
    if (isRepeated) evidence.wider = answer;
    if (!isRepeated || answer.error === undefined) evidence[endpoint] = answer;
  }

  /**
   * Returns a reading. Where it is unlike those before it, all is asked at once that tells how the device speaks now,
   * but at most once an hour; until it is sure, what has jumped is what it was before.
   */
  async function doubt(
    reading: Reading,
    profile: DeviceProfile,
    device: DeviceQuery,
    now: Heard,
    memory: DeviceMemory,
  ): Promise<DeviceReport> {
    const { habits } = memory;
    const jumped = habits.jumpedKeys(now.samples, reading.decoded);
    const { lost, sinceMs } = habits.takeUp(now, reading.decoded, jumped);
    if ((jumped.length > 0 || lost.length > 0) && isOver(memory.checkAgain, clock)) {
      memory.checkAgain = waitFor(CHECK_EVERY_MS, clock);
      const fromMs = jumped.length > 0 ? -Infinity : sinceMs;
      const learnt = await learnAtOnce(profile, device, now, fromMs);
      const { [learnt.profile.source]: answer = now } = learnt.evidence;
      const other = reportOf(learnt.profile, device, answer, memory);
      const isBetter = habits.isBack(lost, other.report.measurements);
      if (jumped.length > 0 ? !learnt.isInconclusive : isBetter) {
        log.info(
          { device_id: device.deviceId, jumped: jumped.length, lost: lost.length },
          'the device sends other values than before: how it speaks has been learnt again',
        );
        settle(memory, device.deviceId, learnt, answer, other);
        const { tags } = learnt.profile;
        memory.confirmed = jumped.filter((key) => tags.get(key) === profile.tags.get(key));
        return other.report;
      }
      habits.forget(lost);
      if (jumped.length > 0) learnAgainSoon(memory, CHECK_EVERY_MS);
    }
    const doubted = jumped.filter((key) => !memory.confirmed.includes(key));
    if (doubted.length === 0) return reading.report;
    const before = { ...now, samples: habits.withLast(now.samples, doubted) };
    // Its points come again with the first reading that is sure.
    return { ...reportOf(profile, device, before, memory).report, points: undefined };
  }

  /**
   * Asks all that tells how a device speaks whose source was heard just now.
   *
   * @param fromMs - values measured before count for nothing: a series shows a key that is gone as far as it reaches back.
   */
  async function learnAtOnce(
    previous: DeviceProfile,
    device: DeviceQuery,
    heard: Heard,
    fromMs: number,
  ): Promise<Learnt> {
    const evidence: Evidence = { [previous.source]: heard };
    for (;;) {
      const { history } = evidence;
      if (history !== undefined)
        evidence.history = { ...history, samples: history.samples.map(withoutOlder(fromMs)) };
      const learnt = learnFrom(evidence, device, firstKeys, previous, rules);
      if (learnt.next === undefined) return learnt;
      await askNext(evidence, device, learnt.next);
    }
  }

  /** Takes up what was learnt with its first reading, and says it where it is news. */
  function settle(
    memory: DeviceMemory,
    deviceId: string,
    { profile, isInconclusive }: Learnt,
    answer: DeviceAnswer,
    { report, decoded }: Reading,
  ): void {
    const { profile: previous } = memory;
    memory.habits = new Habits();
    memory.habits.takeUp(answer, decoded);
    memory.confirmed = [];
    const isRetried = isInconclusive || profile.lostSource !== undefined;
    memory.profile = profile;
    memory.evidence = undefined;
    memory.failures = isRetried ? memory.failures + 1 : 0;
    memory.isProvisional = !profile.isInterface && !isOnline(report);
    const usualMs = report.measurements.length === 0 ? SILENT_LIFETIME_MS : LIFETIME_MS;
    const retryMs = RETRIES_MS[memory.failures - 1] ?? LIFETIME_MS;
    const spread = 1 + SPREAD_RATIO * (2 * random() - 1);
    memory.learnAgain = waitFor((isRetried ? retryMs : usualMs) * spread, clock);

    const { familyName: family, source, missing, unknownKeys, hasNoEnergyFlow } = profile;
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
    if (previous?.familyName !== family || previous.source !== source)
      log.debug({ ...labels, family, source, missing: missing.length }, 'dialect learnt');
  }

  /** Has a profile learnt again: soon, when its source refuses, or with the next reading. */
  function learnAgainSoon(memory: DeviceMemory, lengthMs: number = RETRIES_MS[0]): void {
    memory.learnAgain = shortened(memory.learnAgain, lengthMs);
  }

  /** Whether a report is of a device that is online. */
  function isOnline(report: DeviceReport): boolean {
    const { measurements, newestAtMs = Infinity, serviceAheadMs } = report;
    return measurements.length > 0 && clock.nowMs() + serviceAheadMs - newestAtMs < ONLINE_MS;
  }

  /**
   * Asks an endpoint for a device, with one request; a failure becomes part of what was heard.
   *
   * @param keys - that the time series is asked for.
   * @param isOptional - whether the service may lack it: it has not answered for the device yet.
   */
  async function hear(
    endpoint: DeviceEndpoint,
    device: DeviceQuery,
    keys: readonly string[],
    isOptional: boolean,
  ): Promise<Heard> {
    const { deviceId, timeZone: stationTimeZone } = device;
    const ask = (): Promise<DeviceAnswer> => {
      if (endpoint === 'history') return askRecent(call, device, keys);
      const [name, parameters] = QUESTIONS[endpoint];
      const options = { stationTimeZone, isOptional };
      return call(name, () => ({ query: { deviceId, ...parameters } }), options);
    };
    try {
      const answer = await ask();
      return { ...answer, keys, outcome: answer.samples.length === 0 ? 'empty' : 'ok' };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return { samples: [], keys, outcome: error.code, error };
    }
  }

  /**
   * Returns how a device of this profile is read.
   *
   * @param parts - grows by what it says: points of the past say nothing of the strings that there are now.
   */
  function dialectOf(
    profile: DeviceProfile,
    device: DescribedDevice,
    parts = new Set(profile.parts),
  ): SeriesDialect {
    const { familyName: family, source, keys, missing, unknownKeys } = profile;
    return {
      keys,
      spoken: { family, source, missing, unknownKeys },
      decode(samples, from = 'history') {
        const answer = decodeAnswer(samples, { ...device, ...profile, parts, source: from }, rules);
        // From its first value on, a sum waits for a part.
        for (const { sample, rule } of answer.fields)
          if (isPart(rule) && sample.text !== undefined && parts.size < MOST_PARTS)
            parts.add(sample.key);
        return answer;
      },
    };
  }

  /** Reports an answer of the device's source, with the points that are later than the last known one. */
  function reportOf(
    profile: DeviceProfile,
    device: DeviceQuery,
    { samples, recent, firingAlarms, measuredAtMs }: DeviceAnswer,
    memory: DeviceMemory,
  ): Reading {
    const { aheadMs } = serviceClock;
    const { deviceId } = device;
    const observedAtMs = measuredAtMs && measuredAtMs - aheadMs;
    memory.alarms = firingAlarms?.map((alarm) => ({ ...alarm, deviceId, observedAtMs }));
    const decoded = dialectOf(profile, device, profile.parts).decode(samples, profile.source);
    const dialect = dialectOf(profile, device);
    const { measurements, misread } = decoded;
    const latestAtMs = greatestOf(measurements.map(({ measuredAtMs: atMs = -Infinity }) => atMs));
    const newestAtMs = latestAtMs === -Infinity ? undefined : latestAtMs;
    const report = {
      ...{ measurements, misread, newestAtMs, timesAtMs: recent?.timesAtMs },
      dialect: dialectNow(dialect.spoken, decoded),
      serviceAheadMs: aheadMs,
    };
    // A latest state or an energy flow is a point itself.
    const point = { atMs: recent?.timesAtMs.at(-1) ?? latestAtMs, report };
    const { afterMs = point.atMs - 1 } = device;
    const readings: Iterable<PastReading> =
      recent === undefined
        ? [point].filter(({ atMs }) => atMs > afterMs)
        : { [Symbol.iterator]: () => replay(recent.series, dialect, afterMs, { known: point }) };
    const fromMs = recent?.fromMs ?? newestAtMs ?? Infinity;
    return { decoded, report: { ...report, points: { fromMs, readings } } };
  }
}

/** Returns a function that leaves out what was measured before this. */
function withoutOlder(fromMs: number): (sample: FieldSample) => FieldSample {
  return (sample) =>
    (sample.text?.measuredAtMs ?? Infinity) < fromMs ? { key: sample.key } : sample;
}

/** The endpoints beside the time series, and what they are asked beside the device. */
const QUESTIONS = {
  latest: ['latestState', { dataSource: '1' }],
  flow: ['energyFlow', { dataSource: '1' }],
  attributes: ['attributes', { category: '1', renderIn: '2' }],
} as const;

/**
 * Returns a dialect with what is missing of this reading: what was missing when the device was learnt and is not
 * measured now, and the sums that want a part.
 */
function dialectNow(
  dialect: SpokenDialect,
  { measurements, incomplete }: DecodedAnswer,
): SpokenDialect {
  const silentKeys = incomplete.flatMap(({ keys, why }) => (why === 'no value' ? keys : []));
  const missing = missingQuantities(measurements).filter(
    (quantity) =>
      dialect.missing.includes(quantity) || incomplete.some((sum) => sum.quantity === quantity),
  );
  return { ...dialect, missing, silentKeys: silentKeys.length > 0 ? silentKeys : undefined };
}
