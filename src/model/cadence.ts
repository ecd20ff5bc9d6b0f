import { greatestOf } from './units.ts';

/** The age at which readings are withdrawn: fixed, or by the cadence of each device. */
export type MaxAge = number | 'auto';

const MINUTE_MS = 60_000;
/** Below this, a logger that sends every five minutes would flap. */
export const LEAST_MAX_AGE_MS = 15 * MINUTE_MS;
/** Enough for a reading every 30 minutes that takes 12 minutes, when one is lost. */
export const LONGEST_MAX_AGE_MS = 75 * MINUTE_MS;
/** Readings arrive a little late, and only the next request finds them. */
const MARGIN_MS = 2 * MINUTE_MS;
/** No known logger has readings less often than every 30 minutes: a longer gap is an outage and no interval. */
const LONGEST_INTERVAL_MS = 33 * MINUTE_MS;
/** Assumed until more is known: keeps readings that come every 30 minutes, even as late as any are known to come. */
const UNKNOWN = { intervalMs: 15 * MINUTE_MS, lagMs: 12 * MINUTE_MS };
/** How many readings are remembered. */
const REMEMBERED = 6;
/** A reading after less than this part of the usual interval shows that there are more readings than were found. */
const MORE_OFTEN = 0.6;
/** Clocks that differ by less are the same. */
const CLOCK_TOLERANCE_MS = MINUTE_MS;

/** What is known of the times of a device's readings; an immutable value, replaced with every answer. */
export interface ReadingCadence {
  /** When the last readings were measured, ascending, by the clock that dates them. */
  readonly measuredAtMs: readonly number[];
  /** How far that clock is ahead of ours. */
  readonly aheadMs: number;
  /** When the last question was asked, by our clock, and how many in a row found nothing new. */
  readonly askedAtMs: number;
  readonly misses: number;
  /** Counted from when a reading was measured: a request after `afterMs` is too early, one after `byMs` finds it. */
  readonly afterMs: number;
  readonly byMs: number;
  /** How late readings arrive, with exceptions; absent for the first one, which may have arrived long before. */
  readonly lagMs: number | undefined;
  /** How often the device has a reading; absent until it is known. */
  readonly intervalMs: number | undefined;
  /** The age at which its readings are withdrawn, where none is fixed. */
  readonly maxAgeMs: number;
}

/** The times of readings in an answer. */
export interface AnswerTimes {
  /** When the newest reading was measured; absent where the answer has no times, or no readings. */
  readonly newestAtMs?: number | undefined;
  /** When the last readings were measured, where the answer is a series, whatever values they have. */
  readonly timesAtMs?: readonly number[] | undefined;
  /** How far the service's clock is ahead of ours, by the dates of its answers. */
  readonly serviceAheadMs: number;
}

const NOTHING_KNOWN = {
  measuredAtMs: [],
  misses: -1,
  afterMs: -Infinity,
  byMs: Infinity,
  lagMs: undefined,
  intervalMs: undefined,
  maxAgeMs: LEAST_MAX_AGE_MS,
};

/** How much each reading lowers the lower bound: lags may have become shorter. */
const EASED_MS = 300;
/** Each reading removes this part of what exceptions have added to the lag. */
const FADED = 1 / 16;
/** How far apart the bounds are at least, and how far apart they may be to count as close. */
const [LEAST_WIDTH_MS, NARROW_MS] = [10_000, 40_000];

/**
 * Learns from an answer how often a device has readings and how late they arrive. A new reading is young, so our own
 * clock gives its lag, whatever the service's clock shows. The reading arrived between the last request in vain and the
 * one that found it. The latter may have been sent late for any reason, so it does not raise the upper bound of the
 * lag. Only a request in vain at that bound raises it, and only half way, because this reading may be an exception.
 *
 * @param seenAtMs - when the answer arrived, by our clock.
 * @param askedAtMs - when the question was asked, by our clock.
 */
export function learnCadence(
  previous: ReadingCadence | undefined,
  answer: AnswerTimes,
  seenAtMs: number,
  askedAtMs = seenAtMs,
): ReadingCadence {
  const { newestAtMs = -Infinity, timesAtMs = [], serviceAheadMs } = answer;
  const known = previous ?? { ...NOTHING_KNOWN, aheadMs: serviceAheadMs, askedAtMs };
  const lastAtMs = Math.max(newestAtMs, greatestOf(timesAtMs));
  const knownAtMs = known.measuredAtMs.at(-1) ?? -Infinity;
  const isNew = lastAtMs > knownAtMs;
  // Start again if the clock that dates readings was set back; but an answer may merely lack a reading or two.
  if (lastAtMs > -Infinity && knownAtMs - lastAtMs > 2 * (known.intervalMs ?? 0))
    return learnCadence(undefined, answer, seenAtMs, askedAtMs);
  const aheadMs = clockAhead(seenAtMs - lastAtMs, serviceAheadMs, isNew ? NaN : known.aheadMs);
  if (!isNew) return { ...known, aheadMs, askedAtMs, misses: known.misses + 1 };
  const isMoreOften = lastAtMs - knownAtMs < MORE_OFTEN * (known.intervalMs ?? 0);
  const before = [...(isMoreOften ? [knownAtMs] : known.measuredAtMs), ...timesAtMs];
  const measuredAtMs = [...new Set([...before, lastAtMs])].sort((a, b) => a - b).slice(-REMEMBERED);
  const intervalsMs = intervalsOf(measuredAtMs);
  const foundMs = seenAtMs - lastAtMs + aheadMs;
  const inVainMs = known.misses > 0 ? known.askedAtMs - lastAtMs + aheadMs : -Infinity;
  const isLate = inVainMs >= known.byMs;
  const byMs = isLate ? (known.byMs + foundMs) / 2 : Math.min(known.byMs, foundMs);
  const afterMs = isLate ? known.afterMs : Math.max(known.afterMs - EASED_MS, inVainMs);
  const exceptionMs = isLate ? Math.min(foundMs, UNKNOWN.lagMs) : 0;
  const fadedMs = byMs + (1 - FADED) * ((known.lagMs ?? byMs) - byMs);
  const lagMs = known.byMs === Infinity ? undefined : Math.max(0, byMs, exceptionMs, fadedMs);
  // One literal, and no spreading: V8 would give each of these objects, kept per device, a hidden class of its own.
  return {
    measuredAtMs,
    misses: 0,
    // No reading is there before it was measured, and bounds do not meet.
    afterMs: Math.min(Math.max(afterMs, -CLOCK_TOLERANCE_MS), byMs - LEAST_WIDTH_MS),
    byMs,
    lagMs,
    intervalMs: usualInterval(intervalsMs),
    maxAgeMs: autoMaxAge(intervalsMs, lagMs ?? Math.min(UNKNOWN.lagMs, byMs)),
    aheadMs,
    askedAtMs,
  };
}

/**
 * Decides which clock dates the readings, and returns how far it is ahead of ours. It keeps the previous clock while
 * that is possible. Otherwise it takes our clock or the one that the service's answers show, whichever makes the
 * reading younger: a wrong clock makes it older, or puts it into the future, which is impossible.
 */
function clockAhead(delayMs: number, serviceAheadMs: number, knownMs: number): number {
  const isPossible = (ms: number): boolean => delayMs + ms >= -CLOCK_TOLERANCE_MS;
  const isSame = (ms: number): boolean => Math.abs(ms - knownMs) <= CLOCK_TOLERANCE_MS;
  if (isPossible(knownMs) && (isSame(0) || isSame(serviceAheadMs))) return knownMs;
  const youngestMs = Math.min(0, serviceAheadMs);
  return isPossible(youngestMs) ? youngestMs : Math.max(0, serviceAheadMs);
}

/** Returns how far the last readings were apart, in their order. */
export function intervalsOf(measuredAtMs: readonly number[]): readonly number[] {
  return measuredAtMs.slice(1).map((atMs, index) => atMs - (measuredAtMs[index] ?? atMs));
}

/** Returns the median of the last intervals, which a lost reading does not change; undefined for fewer than two. */
export function usualInterval(intervalsMs: readonly number[]): number | undefined {
  const ascendingMs = intervalsMs.toSorted((one, other) => one - other);
  return ascendingMs.length < 2 ? undefined : ascendingMs[Math.floor((ascendingMs.length - 1) / 2)];
}

/**
 * Returns the lag plus two intervals, within bounds: one lost reading changes nothing. A last interval that was longer
 * than usual counts at once: if the device now sends less often, its next reading would come too late.
 */
function autoMaxAge(intervalsMs: readonly number[], lagMs: number): number {
  const lastMs = intervalsMs.at(-1) ?? Infinity;
  const usualMs = usualInterval(intervalsMs) ?? Math.min(UNKNOWN.intervalMs, lastMs);
  const isRarer = intervalsMs.length > 1 && lastMs <= LONGEST_INTERVAL_MS;
  const ageMs = lagMs + 2 * Math.max(usualMs, isRarer ? lastMs : 0) + MARGIN_MS;
  return Math.min(Math.max(ageMs, LEAST_MAX_AGE_MS), LONGEST_MAX_AGE_MS);
}

/** Returns the age at which the readings of a device are withdrawn. */
export function maxAgeMs(
  maxAge: MaxAge,
  { maxAgeMs: autoMs }: Pick<ReadingCadence, 'maxAgeMs'> = NOTHING_KNOWN,
): number {
  return maxAge === 'auto' ? autoMs : maxAge;
}

/** The longest pause for a silent device, unless its interval is longer; and the one before two readings are known. */
const [LONGEST_PAUSE_MS, LONGEST_FIRST_PAUSE_MS] = [12 * MINUTE_MS, 16 * MINUTE_MS];

/**
 * Returns when a device is asked next, by our clock: when its next reading can have arrived, and in any case before
 * the last one is withdrawn. A request that is too early is wasted, and one that is too late finds an older reading. So
 * a request is sent a third of the way below the upper bound while the bounds are far apart: any result brings them
 * closer. A late reading is asked for again after two minutes, four, and so on.
 *
 * @param ageMs - the age at which its readings are withdrawn.
 */
export function nextQuestionAtMs(cadence: ReadingCadence, ageMs: number): number {
  const { askedAtMs, measuredAtMs, afterMs, byMs } = cadence;
  const lastAtMs = (measuredAtMs.at(-1) ?? -Infinity) - cadence.aheadMs;
  const intervalMs = cadence.intervalMs ?? intervalsOf(measuredAtMs)[0];
  const delayMs = byMs - (byMs - afterMs > NARROW_MS ? (byMs - afterMs) / 3 : 0);
  // Readings that come more often than once a minute are not asked for one by one.
  const turnAtMs = lastAtMs + Math.max(MINUTE_MS, intervalMs ?? NaN) + delayMs;
  const mostMs = Math.max(LONGEST_PAUSE_MS, intervalMs ?? LONGEST_FIRST_PAUSE_MS);
  const pauseMs = Math.min(MINUTE_MS * 2 ** cadence.misses, mostMs);
  const plannedAtMs = turnAtMs > askedAtMs ? turnAtMs : askedAtMs + pauseMs;
  const longestMs = ageMs - Math.min(MINUTE_MS, ageMs / 4);
  const lastChanceAtMs = lastAtMs + longestMs > askedAtMs ? lastAtMs + longestMs : Infinity;
  return Math.min(plannedAtMs, lastChanceAtMs, askedAtMs + longestMs);
}
