import type { Clock } from '../../base/clock.ts';
import { MOST_FIELDS, type NoteDropped } from '../../base/limits.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { MOST_REMEMBERED, RecentMap } from '../../base/recent-map.ts';
import { isOver, shortened, type Wait, waitFor } from '../../base/wait.ts';
import { LEAST_MAX_AGE_MS } from '../../model/cadence.ts';
import type {
  DeviceField,
  DeviceReport,
  PastReading,
  Source,
  KnownDialect,
} from '../../model/readings.ts';
import type { FiringAlarm } from '../../model/station.ts';
import { greatestOf } from '../../model/units.ts';
import {
  type DecodedAnswer,
  decoderOf,
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
  type Answer,
  type Answers,
  type DeviceEndpoint,
  type DeviceProfile,
  learnFrom,
  type Learnt,
  MOST_PARTS,
} from './device-profile.ts';
import type { DeviceAnswer } from './device-samples.ts';
import { Habits } from './habits.ts';
import { askPast, type PastQuery, type Retry } from './past-series.ts';
import {
  askRecent,
  type DeviceQuery,
  type RecentSeries,
  replay,
  type SeriesReader,
  type TimeSeries,
  withLost,
} from './series.ts';

/** A firmware update can change what a device sends. A wrong unit must not stay for longer than a day. */
const LIFETIME_MS = 24 * 3_600_000;
/** Spreads the lifetimes, so that devices that were learnt together are not all learnt again together. */
const SPREAD_RATIO = 0.1;
/** How soon a profile is learnt again after the first, the second and every further failure in a row. */
const RETRIES_MS = [10 * 60_000, 3_600_000, LIFETIME_MS] as const;
/** A device that has not sent anything yet may start to, at any endpoint. */
const SILENT_LIFETIME_MS = 3_600_000;
/** How many consecutive failures of the time series points wait for it to complete them. */
const MOST_PAST_FAILURES = 3;
/** A device with a younger reading counts as online. */
const ONLINE_MS = 3_600_000;

/** A device whose answers are unlike those before is learnt again at once, but not more often. */
const CHECK_EVERY_MS = 3_600_000;

const NOTHING: Answer = { samples: [], keys: [], outcome: 'empty' };

/** An endpoint that never answered counts as lacking for every device once it was missing for this many. */
const LACKING_AFTER = 20;

/** How often an endpoint was missing. */
interface Lack {
  readonly times: number;
  readonly error: ServiceError;
  readonly until: Wait;
}

/** An answer of a device, decoded and reported. */
interface Reading {
  readonly report: DeviceReport;
  readonly decoded: DecodedAnswer;
}

type DeviceAnswers = { readonly readings: TimeSeries } & Readonly<
  Record<'latestState' | 'energyFlow' | 'attributes', DeviceAnswer>
>;

export interface DeviceReaderOptions {
  readonly call: Call<DeviceAnswers>;
  readonly rules: RuleSet;
  readonly clock: Clock;
  readonly random: () => number;
  readonly serviceClock: ServiceClock;
  readonly log: Logger;
  /** Whether reports have every number that a device sends. */
  readonly isEveryKeyWanted: boolean;
  /** Is called when a device sends too many numbers. */
  readonly noteDropped: NoteDropped;
  /** What is known of the devices already; nothing when left out. */
  readonly memories?: DeviceMemories | undefined;
}

/** What is known of the devices, by their ids. */
export type DeviceMemories = RecentMap<string, DeviceMemory>;

/** Reads devices with one request each. */
export interface DeviceReader {
  /** Reads the newest values of a device (service.md#time-series), and the points after the last known one. */
  readonly fetchReadings: (device: DeviceQuery) => Promise<DeviceReport>;
  /** Learns how a device is read. */
  readonly learnDialect: (device: DeviceQuery) => Promise<Learnt>;
  /** Reads the past of a device, in its present dialect: see {@link askPast}. */
  readonly past: (device: PastQuery, retry: Retry) => AsyncGenerator<Iterable<PastReading>>;
  /** Returns the alarms of the last reading; absent for devices whose readings have none. */
  readonly firingAlarms: (deviceId: string) => readonly FiringAlarm[] | undefined;
  /** What is known of the devices, for the next reader. */
  readonly memories: DeviceMemories;
}

/** Makes a {@link DeviceReader}. How a device is read is learnt at its first reading, and again once a day. */
export function deviceReader(options: DeviceReaderOptions): DeviceReader {
  const { call, rules, clock, random, serviceClock, log, isEveryKeyWanted } = options;
  const memories: DeviceMemories = options.memories ?? new RecentMap(MOST_REMEMBERED);
  /** The keys that every device is asked for first. */
  const firstKeys = [...new Set([...INTERFACE_KEYS, ...rules.userKeys])];
  /** The endpoints that have answered for any device. */
  const answering = new Set<DeviceEndpoint>();
  /** The endpoints that were missing: for how many devices, and when they are tried again. */
  const lacking = new Map<DeviceEndpoint, Lack>();

  return {
    async fetchReadings(device) {
      const memory = memories.getOrMake(device.deviceId, newMemory);
      const { profile } = memory;
      try {
        if (profile === undefined || isOver(memory.learnAgain, clock))
          return (await learn(device, memory)).report;
        const answer = await ask(profile.source, device, profile.keys, false);
        if (answer.error !== undefined) throw answer.error;
        const reading = reportOf(profile, device, answer, memory);
        // Quantities that are suddenly missing may be in the latest state; without them, a 0 would be invented.
        if (profile.isInterface && memory.failures === 0 && !isComplete(reading.decoded))
          return (await learn(device, memory, { [profile.source]: answer })).report;
        const report = await doubt(reading, profile, device, answer, memory);
        if (memory.isProvisional && isOnline(report)) learnAgainSoon(memory, 0);
        return await withPast(report, profile, device, memory);
      } catch (error) {
        // The alarms of the last state are outdated, so the list of alarms has to be asked instead.
        memory.alarms = undefined;
        // A device with all specified keys has no other source to learn.
        if (isFinalRefusal(error) && profile?.isInterface === false) learnAgainSoon(memory);
        throw error;
      }
    },

    learnDialect,

    async *past(device, retry) {
      const known = memories.get(device.deviceId)?.profile;
      const profile = known ?? (await retry(() => learnDialect(device))).profile;
      yield* askPast(call, device, readerOf(profile, device), retry);
    },

    firingAlarms: (deviceId) => memories.get(deviceId)?.alarms,
    memories,
  };

  async function learnDialect(device: DeviceQuery): Promise<Learnt> {
    return (await learn(device, memories.getOrMake(device.deviceId, newMemory))).learnt;
  }

  /** Learns how a device is read; the same answers are its first reading. */
  async function learn(
    device: DeviceQuery,
    memory: DeviceMemory,
    known: Answers = {},
  ): Promise<{ readonly report: DeviceReport; readonly learnt: Learnt }> {
    const learnt = await askUntilKnown(device, memory.profile, known);
    const { profile, answers, answer = NOTHING } = learnt;
    if (answer.error !== undefined) {
      learnAgainSoon(memory);
      throw answer.error;
    }
    const { recent } = answers.allKeys ?? answers.history ?? NOTHING;
    const past = profile.source === 'history' ? undefined : recent;
    const reading = reportOf(profile, device, answer, memory, past);
    settle(memory, device.deviceId, learnt, answer, reading);
    return { learnt, report: reading.report };
  }

  /**
   * Asks each endpoint once, until it is known how a device is read.
   *
   * @param fromMs - values from before are ignored: within its span, a series still shows a key that is gone.
   */
  async function askUntilKnown(
    device: DeviceQuery,
    previous: DeviceProfile | undefined,
    known: Answers,
    fromMs = -Infinity,
  ): Promise<Learnt> {
    const answers: Answers = { ...known };
    const learning = { answers, device, firstKeys, previous, rules, isEveryKeyWanted };
    for (;;) {
      const step = learnFrom(learning);
      if ('learnt' in step) return step.learnt;
      const { endpoint, keys } = step.next;
      const answer = await ask(endpoint, device, keys, true);
      const { error } = answer;
      const isRepeated = answers[endpoint] !== undefined;
      const isNeeded = !isRepeated && endpoint === (previous?.source ?? 'history');
      // Without its source nothing can be read; but another source may have replaced one that is refused.
      if (isNeeded && error && (previous === undefined || !isFinalRefusal(error))) throw error;
      const isSeries = endpoint === 'history' && fromMs > -Infinity;
      answers[isRepeated ? 'allKeys' : endpoint] = isSeries ? withoutOlder(answer, fromMs) : answer;
    }
  }

  /**
   * Returns the report of a reading. If it is unlike those before it, learns at once how the device is read now, but at
   * most once an hour. Until that is certain, values that jumped keep their previous value.
   */
  async function doubt(
    reading: Reading,
    profile: DeviceProfile,
    device: DeviceQuery,
    answer: Answer,
    memory: DeviceMemory,
  ): Promise<DeviceReport> {
    const { habits } = memory;
    const jumped = habits.jumpedKeys(answer.samples, reading.decoded);
    const { lost, sinceMs } = habits.note(answer, reading.decoded, jumped);
    if ((jumped.length > 0 || lost.length > 0) && isOver(memory.checkAgain, clock)) {
      memory.checkAgain = waitFor(CHECK_EVERY_MS, clock);
      const fromMs = jumped.length > 0 ? -Infinity : sinceMs;
      const known = { [profile.source]: withoutOlder(answer, fromMs) };
      const learnt = await askUntilKnown(device, profile, known, fromMs);
      const { answer: newest = answer } = learnt;
      const other = reportOf(learnt.profile, device, newest, memory);
      const isBetter = habits.isBack(lost, other.report.measurements);
      if (jumped.length > 0 ? !learnt.isInconclusive : isBetter) {
        log.info(
          { device_id: device.deviceId, jumped: jumped.length, lost: lost.length },
          'the device sends other values than before: how it speaks has been learnt again',
        );
        settle(memory, device.deviceId, learnt, newest, other);
        const { tags } = learnt.profile;
        memory.confirmed = jumped.filter((key) => tags.get(key) === profile.tags.get(key));
        return other.report;
      }
      habits.forget(lost);
      if (jumped.length > 0) learnAgainSoon(memory, CHECK_EVERY_MS);
    }
    const doubted = jumped.filter((key) => !memory.confirmed.includes(key));
    if (doubted.length === 0) return reading.report;
    const before = { ...answer, samples: habits.withLast(answer.samples, doubted) };
    // Its points may be wrong in the same way: the counters have a gap.
    memory.doubtedUntilMs = answer.recent?.timesAtMs.at(-1);
    return { ...reportOf(profile, device, before, memory).report, points: undefined };
  }

  /**
   * Completes the points of a device that is not read from its time series: where some are missing after the last known
   * one, asks the series for them. If the series fails temporarily, all points come with the next reading.
   */
  async function withPast(
    report: DeviceReport,
    profile: DeviceProfile,
    device: DeviceQuery,
    memory: DeviceMemory,
  ): Promise<DeviceReport> {
    const { afterMs = Infinity, spacingMs = LEAST_MAX_AGE_MS } = device;
    const { points, newestAtMs = serviceClock.nowMs() } = report;
    const isMissing = newestAtMs - afterMs > spacingMs && isOver(memory.pastAgain, clock);
    if (profile.source === 'history' || points === undefined || !isMissing) return report;
    const { recent, error } = await ask('history', device, profile.keys, true);
    if (error !== undefined && !isFinalRefusal(error) && memory.pastFailures < MOST_PAST_FAILURES) {
      memory.pastFailures += 1;
      return { ...report, points: undefined };
    }
    memory.pastFailures = 0;
    memory.pastAgain = waitFor(LEAST_MAX_AGE_MS, clock);
    if (recent === undefined) return report;
    const reader = readerOf(profile, device);
    const before = () => replay(recent.series, reader, afterMs, { beforeMs: newestAtMs });
    return { ...report, points: joined(before, points) };
  }

  /** Stores what was learnt, with its first reading, and logs what is new. */
  function settle(
    memory: DeviceMemory,
    deviceId: string,
    { profile, isInconclusive }: Learnt,
    answer: DeviceAnswer,
    { report, decoded }: Reading,
  ): void {
    const { profile: previous } = memory;
    memory.habits = new Habits(profile.family === previous?.family ? memory.habits : undefined);
    memory.habits.note(answer, decoded);
    memory.confirmed = [];
    const isRetried = isInconclusive || profile.lostSource !== undefined;
    memory.profile = profile;
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

  /** Shortens the time until a profile is learnt again: by default to that after a first failure. */
  function learnAgainSoon(memory: DeviceMemory, lengthMs: number = RETRIES_MS[0]): void {
    memory.learnAgain = shortened(memory.learnAgain, lengthMs);
  }

  /** Whether a report is of a device that is online. */
  function isOnline(report: DeviceReport): boolean {
    const { measurements, newestAtMs = Infinity, serviceAheadMs } = report;
    return measurements.length > 0 && clock.nowMs() + serviceAheadMs - newestAtMs < ONLINE_MS;
  }

  /**
   * Asks an endpoint for a device, with one request; a failure becomes part of the answer. An endpoint that the service
   * lacks is not asked for any other device.
   *
   * @param keys - the keys that the time series is asked for.
   * @param isOptional - whether the service may lack it: it has not answered for the device yet.
   */
  async function ask(
    endpoint: DeviceEndpoint,
    device: DeviceQuery,
    keys: readonly string[],
    isOptional: boolean,
  ): Promise<Answer> {
    const lack = lacking.get(endpoint);
    try {
      if (lack !== undefined && lack.times >= LACKING_AFTER && !isOver(lack.until, clock))
        throw lack.error;
      const answer = await send(endpoint, device, keys, isOptional);
      answering.add(endpoint);
      lacking.delete(endpoint);
      return { ...answer, keys, outcome: answer.samples.length === 0 ? 'empty' : 'ok' };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const isLacking = error.isMissing && endpoint !== 'history' && !answering.has(endpoint);
      if (isLacking && error !== lack?.error)
        lacking.set(endpoint, {
          error,
          until: waitFor(LIFETIME_MS, clock),
          times: (lack?.times ?? 0) + 1,
        });
      return { samples: [], keys, outcome: error.code, error };
    }
  }

  function send(
    endpoint: DeviceEndpoint,
    device: DeviceQuery,
    keys: readonly string[],
    isOptional: boolean,
  ): Promise<DeviceAnswer> {
    if (endpoint === 'history') return askRecent(call, device, keys);
    const { deviceId, timeZone: stationTimeZone } = device;
    const [name, parameters] = QUESTIONS[endpoint];
    const options = { stationTimeZone, isOptional };
    return call(name, () => ({ query: { deviceId, ...parameters } }), options);
  }

  /**
   * Returns the reader of a device with this profile.
   *
   * @param parts - strings and phases, to which answers add. A copy by default: past points may have other ones.
   */
  function readerOf(
    profile: DeviceProfile,
    device: DescribedDevice,
    parts = new Set(profile.parts),
  ): SeriesReader {
    const { familyName: family, source, keys, missing, unknownKeys } = profile;
    const context = { ...device, ...profile, parts };
    const decoderFrom = (from: Source) => decoderOf({ ...context, source: from }, rules);
    // Made once, because a series is decoded point by point.
    const ofSeries = decoderFrom('history');
    return {
      keys,
      dialect: { family, source, missing, unknownKeys, ofHouse: profile.ofHouse },
      decode(samples, from = 'history') {
        const decode = from === 'history' ? ofSeries : decoderFrom(from);
        const answer = decode(samples);
        // From the first value of a part on, the sum needs that part.
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
    past?: RecentSeries,
  ): Reading {
    const { aheadMs } = serviceClock;
    const { deviceId } = device;
    const observedAtMs = measuredAtMs && measuredAtMs - aheadMs;
    memory.alarms = firingAlarms?.map((alarm) => ({ ...alarm, deviceId, observedAtMs }));
    const decoded = readerOf(profile, device, profile.parts).decode(samples, profile.source);
    const reader = readerOf(profile, device);
    const { misread } = decoded;
    const { quantities } = memory.habits;
    const measured = decoded.measurements;
    const latestAtMs = greatestOf(measured.map(({ measuredAtMs: atMs = -Infinity }) => atMs));
    const measurements = withLost(measured, quantities);
    const newestAtMs = latestAtMs === -Infinity ? undefined : latestAtMs;
    const report = {
      measurements,
      misread,
      newestAtMs,
      timesAtMs: recent?.timesAtMs,
      dialect: dialectNow(reader.dialect, decoded),
      serviceAheadMs: aheadMs,
    };
    // A latest state or an energy flow is a point itself.
    const point = { atMs: recent?.timesAtMs.at(-1) ?? latestAtMs, report };
    const { doubtedUntilMs = -Infinity } = memory;
    const afterMs = Math.max(device.afterMs ?? point.atMs - 1, doubtedUntilMs);
    const now = [point].filter(({ atMs }) => atMs > afterMs);
    const [series, more] = recent
      ? [recent.series, { known: point, quantities }]
      : [past?.series, { beforeMs: point.atMs, quantities }];
    const before = series && (() => replay(series, reader, afterMs, more));
    const points = joined(before, recent ? [] : now);
    const fields = isEveryKeyWanted ? fieldsOf(deviceId, decoded) : undefined;
    return { decoded, report: { ...report, fields, points } };
  }

  /** Returns the numbers of an answer as the service spells them, read by a rule or not, up to a limit. */
  function fieldsOf(deviceId: string, { fields }: DecodedAnswer): readonly DeviceField[] {
    const all = fields.flatMap(({ sample: { key: field, tag: unit, number } }) =>
      number === undefined ? [] : { field, unit, ...number },
    );
    const dropped = all.length - MOST_FIELDS;
    if (dropped > 0) options.noteDropped('points', dropped, `the numbers of device ${deviceId}`);
    return all.slice(0, MOST_FIELDS);
  }
}

/** Joins points; the first ones are decoded when they are asked for. */
function joined(
  first: (() => Iterable<PastReading>) | undefined,
  rest: Iterable<PastReading>,
): Iterable<PastReading> {
  return {
    *[Symbol.iterator]() {
      if (first !== undefined) yield* first();
      yield* rest;
    },
  };
}

/** Leaves out values that were measured before an instant. */
function withoutOlder(answer: Answer, fromMs: number): Answer {
  const isOlder = ({ text }: FieldSample) => (text?.measuredAtMs ?? Infinity) < fromMs;
  const samples = answer.samples.map((sample) => (isOlder(sample) ? { key: sample.key } : sample));
  return { ...answer, samples };
}

/** The endpoints besides the time series, and the parameters that they are asked with besides the device. */
const QUESTIONS = {
  latest: ['latestState', { dataSource: '1' }],
  flow: ['energyFlow', { dataSource: '1' }],
  attributes: ['attributes', { category: '1', renderIn: '2' }],
} as const;

/**
 * Returns a dialect with the quantities that this reading lacks: those that were missing when the device was learnt
 * and are not measured now, and the sums that lack a part.
 */
function dialectNow(
  dialect: KnownDialect,
  { measurements, incomplete }: DecodedAnswer,
): KnownDialect {
  const silentKeys = incomplete.flatMap(({ keys, why }) => (why === 'no value' ? keys : []));
  const missing = missingQuantities(measurements).filter(
    (quantity) =>
      dialect.missing.includes(quantity) || incomplete.some((sum) => sum.quantity === quantity),
  );
  return { ...dialect, missing, silentKeys: silentKeys.length > 0 ? silentKeys : undefined };
}
