import { greatestOf, leastOf } from './units.ts';

/** The age at which readings are withdrawn: fixed, or by the cadence of each device. */
export type MaxAge = number | 'auto';

const MINUTE_MS = 60_000;
/** Below this, a logger that sends every five minutes would flap. */
export const LEAST_MAX_AGE_MS = 15 * MINUTE_MS;
/** Enough for a reading every 30 minutes that takes 12 minutes, when one is lost. */
export const LONGEST_MAX_AGE_MS = 75 * MINUTE_MS;
/** Readings come a little late, and are seen at the next question. */
const MARGIN_MS = 2 * MINUTE_MS;
/** No known logger has readings less often than every 30 minutes: a longer gap is an outage, and says nothing. */
const LONGEST_INTERVAL_MS = 33 * MINUTE_MS;
/** Until more is known: lets readings every 30 minutes stay, as late as any are known to come. */
const UNKNOWN = { intervalMs: 15 * MINUTE_MS, lagMs: 12 * MINUTE_MS };
/** How many readings are remembered. */
const REMEMBERED = 6;
/** Clocks that differ by less are the same. */
const CLOCK_TOLERANCE_MS = MINUTE_MS;

/** When the next reading arrives, as time after it was measured. */
interface Arrival {
  /** A question asked so long after the time of a reading is too early, and one asked by then finds it. */
  readonly afterMs: number;
  readonly byMs: number;
  /** The longest lag of a reading that was not there by then; every reading makes it a little shorter. */
  readonly longestMs: number;
}

/** What is known of the times of a device's readings; an immutable value, replaced with every answer. */
export interface ReadingCadence {
  /** When the last readings were measured, ascending, by the clock that dates them. */
  readonly measuredAtMs: readonly number[];
  /** How far that clock is ahead of ours. */
  readonly aheadMs: number;
  /** When the last question was asked, by our clock, and how many in a row found nothing new. */
  readonly askedAtMs: number;
  readonly misses: number;
  /** Absent before the first reading with a time. */
  readonly arrival: Arrival | undefined;
  /** How often the device has a reading, and how late; absent until it is known. */
  readonly intervalMs: number | undefined;
  readonly lagMs: number | undefined;
  /** The age at which its readings are withdrawn, where none is fixed. */
  readonly maxAgeMs: number;
}

/** What an answer says about the times of readings. */
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
  arrival: undefined,
  intervalMs: undefined,
  lagMs: undefined,
  maxAgeMs: LEAST_MAX_AGE_MS,
};

/**
 * Learns from an answer how often a device has readings and how late they come. That a reading is new shows that
 * it is young: so the lag follows from our own clock, whatever the service's clock says.
 *
 * @param seenAtMs - when the answer arrived, by our clock.
 * @param askedAtMs - when the question was asked, by our clock.
 */
export function learnCadence(
  previous: ReadingCadence | undefined,
  { newestAtMs = -Infinity, timesAtMs = [], serviceAheadMs }: AnswerTimes,
  seenAtMs: number,
  askedAtMs = seenAtMs,
): ReadingCadence {
  const known = previous ?? { ...NOTHING_KNOWN, aheadMs: serviceAheadMs, askedAtMs };
  const misses = known.misses + 1;
  const lastAtMs = Math.max(newestAtMs, greatestOf(timesAtMs));
  if (lastAtMs === -Infinity) return { ...known, askedAtMs, misses };
  const knownAtMs = known.measuredAtMs.at(-1) ?? -Infinity;
  const isNew = lastAtMs > knownAtMs;
  const believedMs = isNew ? undefined : known.aheadMs;
  const aheadMs = believedAheadMs(seenAtMs - lastAtMs, serviceAheadMs, believedMs);
  const measuredAtMs = lastTimes(known, timesAtMs, lastAtMs);
  const intervalsMs = intervalsOf(measuredAtMs);
  const intervalMs = usualInterval(intervalsMs);
  // What was learned by a clock that has been set back since means nothing.
  const held = knownAtMs - lastAtMs > LONGEST_MAX_AGE_MS ? undefined : known.arrival;
  const inVainMs = known.misses > 0 ? known.askedAtMs - lastAtMs + aheadMs : -Infinity;
  const foundMs = seenAtMs - lastAtMs + aheadMs;
  const arrival = isNew ? arrivalAfter(held, inVainMs, foundMs, intervalMs) : held;
  const slowestMs = arrival && Math.max(0, arrival.byMs, arrival.longestMs);
  // The first reading that is found may have been there for long.
  const lagMs = isNew && held !== undefined ? slowestMs : known.lagMs;
  // One literal, and no spreading: V8 would give each of these objects, kept per device, a hidden class of its own.
  return {
    measuredAtMs,
    aheadMs,
    askedAtMs,
    misses: isNew ? 0 : misses,
    arrival,
    intervalMs,
    lagMs,
    maxAgeMs: autoMaxAge(intervalsMs, lagMs ?? Math.min(UNKNOWN.lagMs, slowestMs ?? Infinity)),
  };
}

/**
 * Decides by which clock readings are dated: the one that was believed before, while it is one of those that are
 * possible, else ours or the one that the service's answers show. Of these, the one by which the reading is younger
 * counts: a wrong clock makes it older, or puts it into the future, where no reading comes from.
 */
function believedAheadMs(delayMs: number, serviceAheadMs: number, believedMs = NaN): number {
  const possible = [0, serviceAheadMs].filter((ms) => delayMs + ms >= -CLOCK_TOLERANCE_MS);
  if (possible.some((ms) => Math.abs(ms - believedMs) <= CLOCK_TOLERANCE_MS)) return believedMs;
  // By a clock that is ahead of both, the reading is as young as can be.
  return possible.length === 0 ? Math.max(0, serviceAheadMs) : leastOf(possible);
}

/** A reading that comes so much sooner after the one before than usual shows that there are more than were found. */
const MORE_OFTEN = 0.6;

function lastTimes(
  { measuredAtMs, intervalMs = 0 }: Pick<ReadingCadence, 'measuredAtMs' | 'intervalMs'>,
  timesAtMs: readonly number[],
  lastAtMs: number,
): readonly number[] {
  const knownAtMs = measuredAtMs.at(-1) ?? lastAtMs;
  const isMoreOften = lastAtMs > knownAtMs && lastAtMs - knownAtMs < MORE_OFTEN * intervalMs;
  // Readings later than the last were dated by a clock that has been set back since.
  const earlier = [...(isMoreOften ? [knownAtMs] : measuredAtMs), ...timesAtMs].filter(
    (atMs) => atMs < lastAtMs,
  );
  return [...new Set(earlier), lastAtMs].sort((one, other) => one - other).slice(-REMEMBERED);
}

/** Returns how far the last readings were apart, in their order. */
export function intervalsOf(measuredAtMs: readonly number[]): readonly number[] {
  return measuredAtMs.slice(1).map((atMs, index) => atMs - (measuredAtMs[index] ?? atMs));
}

/** Returns the median of the last intervals, on which a lost reading has no effect; of one, nobody can tell. */
export function usualInterval(intervalsMs: readonly number[]): number | undefined {
  const ascendingMs = intervalsMs.toSorted((one, other) => one - other);
  return ascendingMs.length < 2 ? undefined : ascendingMs[Math.floor((ascendingMs.length - 1) / 2)];
}

/** How much each reading lowers the lower bound: lags may have become shorter. */
const EASED_MS = 300;
/** How much shorter each reading makes the longest lag. */
const FADED_MS = 1000;
/** Bounds are at least so far apart, and close enough when they are no further than that. */
const [LEAST_WIDTH_MS, NARROW_MS] = [10_000, 40_000];

/**
 * Learns from a new reading. It has arrived between the last question in vain and the one that found it. How long
 * that one was delayed says nothing about the lag: so readings are awaited later only when a question as late as
 * they were awaited was in vain, and then half as much later, because it may be an exception.
 */
function arrivalAfter(
  known: Arrival | undefined,
  inVainMs: number,
  foundMs: number,
  intervalMs = LONGEST_INTERVAL_MS,
): Arrival {
  // The first may have been there for long, but the one after it was not there.
  const before = known ?? { afterMs: foundMs - intervalMs, byMs: foundMs, longestMs: 0 };
  const isLate = known !== undefined && inVainMs >= before.byMs;
  const byMs = isLate ? (before.byMs + foundMs) / 2 : Math.min(before.byMs, foundMs);
  const afterMs = isLate ? before.afterMs : Math.max(before.afterMs - EASED_MS, inVainMs);
  const lateMs = isLate ? Math.min(foundMs, UNKNOWN.lagMs) : 0;
  return {
    // No reading is there before it was measured, and bounds do not meet.
    afterMs: Math.min(Math.max(afterMs, -CLOCK_TOLERANCE_MS), byMs - LEAST_WIDTH_MS),
    byMs,
    longestMs: Math.max(before.longestMs - FADED_MS, lateMs),
  };
}

/**
 * Returns the lag and two intervals, so that one lost reading changes nothing, within bounds. A last interval that
 * was longer than most counts at once: the device may have begun to send less often, and the next reading would
 * come too late.
 */
function autoMaxAge(intervalsMs: readonly number[], lagMs: number): number {
  const lastMs = intervalsMs.at(-1) ?? Infinity;
  const usualMs = usualInterval(intervalsMs) ?? Math.min(UNKNOWN.intervalMs, lastMs);
  const longerMs = intervalsMs.length < 2 || lastMs > LONGEST_INTERVAL_MS ? 0 : lastMs;
  const ageMs = lagMs + 2 * Math.max(usualMs, longerMs) + MARGIN_MS;
  return Math.min(Math.max(ageMs, LEAST_MAX_AGE_MS), LONGEST_MAX_AGE_MS);
}

/** Returns the age at which the readings of a device are withdrawn. */
export function maxAgeMs(maxAge: MaxAge, cadence?: ReadingCadence): number {
  return maxAge === 'auto' ? (cadence?.maxAgeMs ?? LEAST_MAX_AGE_MS) : maxAge;
}

/** Returns the longest maximum age of any device. */
export function longestMaxAgeMs(maxAge: MaxAge): number {
  return maxAge === 'auto' ? LONGEST_MAX_AGE_MS : maxAge;
}

/** A device of which two readings are not known yet is asked so often at least. */
const LONGEST_FIRST_PAUSE_MS = 16 * MINUTE_MS;
/** A device that is silent is asked so often, or once an interval where that is longer. */
const LONGEST_PAUSE_MS = 12 * MINUTE_MS;

/**
 * Returns when a device is asked next, by our clock: when its next reading can have arrived, and in any case before
 * the last one is withdrawn.
 *
 * @param ageMs - the age at which its readings are withdrawn.
 */
export function nextQuestionAtMs(cadence: ReadingCadence, ageMs: number): number {
  const { askedAtMs, measuredAtMs, aheadMs } = cadence;
  const longestMs = ageMs - Math.min(MINUTE_MS, ageMs / 4);
  const lastChanceAtMs = (measuredAtMs.at(-1) ?? -Infinity) - aheadMs + longestMs;
  const latestAtMs = lastChanceAtMs > askedAtMs ? lastChanceAtMs : Infinity;
  return Math.min(plannedAtMs(cadence), latestAtMs, askedAtMs + longestMs);
}

/**
 * A question that is too early costs a request, and one that is too late makes the reading older. So a question is
 * asked a third below the upper bound while the bounds are far apart: whatever it finds, they are closer then. A
 * reading that is late is asked for after one minute, two, four, and so on.
 */
function plannedAtMs(cadence: ReadingCadence): number {
  const { askedAtMs, measuredAtMs, misses, arrival, aheadMs } = cadence;
  const lastAtMs = measuredAtMs.at(-1);
  const intervalMs = cadence.intervalMs ?? intervalsOf(measuredAtMs)[0];
  if (arrival === undefined || lastAtMs === undefined || intervalMs === undefined)
    return askedAtMs + Math.min(MINUTE_MS * 2 ** misses, LONGEST_FIRST_PAUSE_MS);
  const widthMs = arrival.byMs - arrival.afterMs;
  const delayMs = arrival.byMs - (widthMs > NARROW_MS ? widthMs / 3 : 0);
  // Readings that come more often than once a minute are not asked for one by one.
  const turnAtMs = lastAtMs - aheadMs + Math.max(MINUTE_MS, intervalMs) + delayMs;
  if (turnAtMs > askedAtMs) return turnAtMs;
  const waitMs = misses > 0 ? Math.max(MINUTE_MS, askedAtMs - turnAtMs) : MINUTE_MS;
  return askedAtMs + Math.min(waitMs, Math.max(LONGEST_PAUSE_MS, intervalMs));
}
