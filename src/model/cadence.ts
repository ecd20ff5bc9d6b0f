import { greatestOf, leastOf } from './extremes.ts';

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

/** How late readings arrive, by what the questions found. */
interface Arrival {
  /** A question asked so long after the time of a reading is too early, and one asked by then finds it. */
  readonly afterMs: number;
  readonly byMs: number;
  /** Whether the last reading was not there by then. */
  readonly isLate: boolean;
  /** The longest lag of such a reading; every reading makes it a little shorter. */
  readonly longestMs: number;
  /** How many readings in a row were there at the first question. */
  readonly prompt: number;
}

/** What is known of the times of a device's readings; an immutable value, replaced with every answer. */
export interface ReadingCadence {
  /** When the last readings were measured, ascending, by the clock that dates them. */
  readonly measuredAtMs: readonly number[];
  /** How far that clock is ahead of ours, and how far the service's was said to be when this was decided. */
  readonly aheadMs: number;
  readonly serviceAheadMs: number;
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
  const known = previous ?? { ...NOTHING_KNOWN, aheadMs: serviceAheadMs, serviceAheadMs };
  const misses = known.misses + 1;
  const lastAtMs = Math.max(newestAtMs, greatestOf(timesAtMs));
  if (lastAtMs === -Infinity) return { ...known, askedAtMs, misses };
  const knownAtMs = known.measuredAtMs.at(-1) ?? -Infinity;
  const isNew = lastAtMs > knownAtMs;
  const isClockChanged = Math.abs(serviceAheadMs - known.serviceAheadMs) > CLOCK_TOLERANCE_MS;
  const clock =
    isNew || isClockChanged
      ? { aheadMs: believedAheadMs(seenAtMs - lastAtMs, serviceAheadMs), serviceAheadMs }
      : known;
  const measuredAtMs = lastTimes(known, timesAtMs, lastAtMs);
  const intervalMs = usualInterval(measuredAtMs);
  const lagAt = (atMs: number): number => atMs - lastAtMs + clock.aheadMs;
  const inVainMs = known.misses > 0 ? lagAt(known.askedAtMs) : -Infinity;
  // What was learned by a clock that has been set back since means nothing.
  const held = knownAtMs - lastAtMs > LONGEST_MAX_AGE_MS ? undefined : known.arrival;
  const arrival = isNew ? arrivalAfter(held, inVainMs, lagAt(seenAtMs), intervalMs) : held;
  // The first reading that is found may have been there for long.
  const lagMs = isNew && held !== undefined ? slowest(arrival) : known.lagMs;
  // One literal, and no spreading: V8 would give each of these objects, kept per device, a hidden class of its own.
  return {
    measuredAtMs,
    aheadMs: clock.aheadMs,
    serviceAheadMs: clock.serviceAheadMs,
    askedAtMs,
    misses: isNew ? 0 : misses,
    arrival,
    intervalMs,
    lagMs,
    maxAgeMs: autoMaxAge(
      intervalsOf(measuredAtMs),
      intervalMs,
      lagMs ?? Math.min(UNKNOWN.lagMs, slowest(arrival)),
    ),
  };
}

const NOTHING_KNOWN = {
  measuredAtMs: [],
  askedAtMs: -Infinity,
  misses: -1,
  arrival: undefined,
  intervalMs: undefined,
  lagMs: undefined,
  maxAgeMs: LEAST_MAX_AGE_MS,
};

/**
 * Decides whether readings are dated by our clock or by the one that the service's answers show: the one
 * by which the reading is younger counts, because a wrong clock makes it older, or puts it into the
 * future, where no reading comes from. By a clock that is ahead of both, it is as young as can be.
 */
function believedAheadMs(delayMs: number, serviceAheadMs: number): number {
  const possible = [0, serviceAheadMs].filter((ms) => delayMs + ms >= -CLOCK_TOLERANCE_MS);
  return possible.length === 0 ? Math.max(0, serviceAheadMs) : leastOf(possible);
}

/** A reading that comes so much sooner after the one before than usual shows that there are more than were found. */
const MORE_OFTEN = 0.6;

function lastTimes(
  { measuredAtMs, intervalMs = 0 }: ReadingCadence,
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
function usualInterval(measuredAtMs: readonly number[]): number | undefined {
  const ascendingMs = intervalsOf(measuredAtMs).toSorted((one, other) => one - other);
  return ascendingMs.length < 2 ? undefined : ascendingMs[Math.floor((ascendingMs.length - 1) / 2)];
}

/** How far a single late reading moves the upper bound: it may be an exception. */
const MOST_SHIFT_MS = MINUTE_MS;
/** How much further each prompt reading in a row moves the lower bound: the lag may have become shorter. */
const EASED_MS = 50;
/** How much shorter each reading makes the longest lag. */
const FADED_MS = 1000;
/** Bounds are at least so far apart, and close enough when they are no further than that. */
const [LEAST_WIDTH_MS, NARROW_MS] = [10_000, 40_000];

/**
 * Learns from a new reading. It has arrived between the last question in vain and the one that found it. How long
 * that one was delayed says nothing about the lag: so readings are awaited later only when a question as late as
 * they were awaited was in vain, and much later only when the next reading is late as well.
 */
function arrivalAfter(
  known: Arrival | undefined,
  inVainMs: number,
  foundMs: number,
  intervalMs = LONGEST_INTERVAL_MS,
): Arrival {
  // The first may have been there for long, but the one after it was not there.
  if (known === undefined)
    return bounded(foundMs - intervalMs, foundMs, { isLate: false, longestMs: 0, prompt: 0 });
  // Where the newest reading is very old, the one after it is late, or else lost, or a clock was set.
  const isLate = Math.max(inVainMs, foundMs - 1.5 * intervalMs) >= known.byMs;
  const prompt = inVainMs === -Infinity ? known.prompt + 1 : 0;
  const provenMs = inVainMs >= known.byMs ? Math.min(foundMs, UNKNOWN.lagMs) : 0;
  const longestMs = Math.max(known.longestMs - FADED_MS, provenMs);
  const easedMs = Math.max(known.afterMs - prompt * EASED_MS, inVainMs);
  if (!isLate)
    return bounded(easedMs, Math.min(known.byMs, foundMs), { isLate, longestMs, prompt });
  if (known.isLate) return bounded(inVainMs, foundMs, { isLate, longestMs, prompt });
  const shiftedMs = Math.min(known.byMs + MOST_SHIFT_MS, foundMs);
  return bounded(known.afterMs, shiftedMs, { isLate, longestMs, prompt });
}

/** No reading is there before it was measured, and bounds do not meet. */
function bounded(
  afterMs: number,
  byMs: number,
  others: Pick<Arrival, 'isLate' | 'longestMs' | 'prompt'>,
): Arrival {
  const leastMs = Math.max(afterMs, -CLOCK_TOLERANCE_MS);
  return { afterMs: Math.min(leastMs, byMs - LEAST_WIDTH_MS), byMs, ...others };
}

function slowest(arrival: Arrival | undefined): number {
  return arrival === undefined ? UNKNOWN.lagMs : Math.max(0, arrival.byMs, arrival.longestMs);
}

/**
 * Returns the lag and two intervals, so that one lost reading changes nothing, within bounds. A last interval that
 * was longer than most counts at once: the device may have begun to send less often, and the next reading would
 * come too late.
 */
function autoMaxAge(gapsMs: readonly number[], usualMs: number | undefined, lagMs: number): number {
  const lastMs = gapsMs.at(-1) ?? 0;
  const intervalMs =
    usualMs === undefined
      ? Math.min(UNKNOWN.intervalMs, leastOf(gapsMs))
      : Math.max(usualMs, lastMs > LONGEST_INTERVAL_MS ? 0 : lastMs);
  const ageMs = lagMs + 2 * intervalMs + MARGIN_MS;
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

/** A question follows another after this at the earliest. */
const SHORTEST_WAIT_MS = 30_000;
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
  const { intervalMs = leastOf(intervalsOf(measuredAtMs)) } = cadence;
  if (arrival === undefined || lastAtMs === undefined || intervalMs === Infinity)
    return askedAtMs + Math.min(MINUTE_MS * 2 ** misses, LONGEST_FIRST_PAUSE_MS);
  // Readings that come more often than once a minute are not asked for one by one.
  const awaitedAtMs = lastAtMs - aheadMs + Math.max(MINUTE_MS, intervalMs);
  const inVainMs = misses > 0 ? askedAtMs - awaitedAtMs : -Infinity;
  const widthMs = arrival.byMs - Math.max(arrival.afterMs, inVainMs);
  const turnAtMs = awaitedAtMs + arrival.byMs - (widthMs > NARROW_MS ? widthMs / 3 : 0);
  if (turnAtMs > askedAtMs) return Math.max(turnAtMs, askedAtMs + SHORTEST_WAIT_MS);
  const lateMs = misses > 0 ? askedAtMs - turnAtMs : 0;
  return askedAtMs + Math.min(Math.max(MINUTE_MS, lateMs), Math.max(LONGEST_PAUSE_MS, intervalMs));
}
