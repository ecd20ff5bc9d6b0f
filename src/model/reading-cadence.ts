import { greatestOf, leastOf } from './extremes.ts';
import { learnArrival, type ReadingArrival } from './reading-arrival.ts';

/** How many readings and how many delays are remembered. */
const REMEMBERED = 6;
/** Clocks that differ by less are the same. */
const CLOCK_TOLERANCE_MS = 60_000;

/** How often a device has a reading, and how long a reading takes to reach us; absent until it is known. */
export interface Rhythm {
  readonly intervalMs?: number | undefined;
  readonly lagMs?: number | undefined;
}

/** What is known of the times of a device's readings; an immutable value, replaced with every answer. */
export interface ReadingCadence {
  /** When the last readings were measured, ascending, by the clock that dates them. */
  readonly measuredAtMs: readonly number[];
  /**
   * How long after its time each of the last readings was first seen, by our clock, the newest last.
   * Only readings that came while we were asking count. Negative where the clock that dates them is ahead.
   */
  readonly delaysMs: readonly number[];
  /** How old, by our clock, the first reading was when it was found: the delay was shorter. */
  readonly foundAfterMs?: number | undefined;
  /** How far the clock that dates the readings is ahead of ours. */
  readonly aheadMs: number;
  /** How far the service's clock was said to be ahead when {@link aheadMs} was decided. */
  readonly serviceAheadMs: number;
  /** What follows from all that. */
  readonly rhythm: Rhythm;
  /** Whether the answers are series, which show the readings that no question found. */
  readonly isSeries: boolean;
  /** When readings arrive, by what the questions found. */
  readonly arrival: ReadingArrival;
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
 * Learns from an answer how often a device has readings and how late they come. That a reading is new
 * shows that it is young: so the lag follows from our own clock, whatever the service's clock says.
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
  const times = { askedAtMs, seenAtMs };
  const known = previous ?? {
    measuredAtMs: [],
    delaysMs: [],
    aheadMs: serviceAheadMs,
    serviceAheadMs,
    rhythm: {},
    isSeries: false,
  };
  const lastAtMs = Math.max(newestAtMs, greatestOf(timesAtMs));
  if (lastAtMs === -Infinity) {
    const { aheadMs } = known;
    const arrival = learnArrival(previous?.arrival, { ...times, aheadMs, isClockSet: false });
    return { ...known, arrival };
  }
  const knownAtMs = known.measuredAtMs.at(-1);
  const isNew = knownAtMs === undefined || lastAtMs > knownAtMs;
  const isClockChanged = Math.abs(serviceAheadMs - known.serviceAheadMs) > CLOCK_TOLERANCE_MS;
  const delayMs = seenAtMs - lastAtMs;
  const clock =
    isNew || isClockChanged
      ? { aheadMs: believedAheadMs(delayMs, serviceAheadMs), serviceAheadMs }
      : { aheadMs: known.aheadMs, serviceAheadMs: known.serviceAheadMs };
  const isClockSet = isClockChanged && clock.aheadMs !== known.aheadMs;
  const isSeries = timesAtMs.length > 0;
  const isFaster = isNew && !isSeries && isMoreOften(previous, lastAtMs, askedAtMs);
  // Readings later than the last were dated by a clock that has been set back since.
  const earlierAtMs = [...known.measuredAtMs.slice(isFaster ? -1 : 0), ...timesAtMs].filter(
    (atMs) => atMs < lastAtMs,
  );
  const measuredAtMs = [...new Set(earlierAtMs), lastAtMs]
    .toSorted((one, other) => one - other)
    .slice(-REMEMBERED);
  const { delaysMs, foundAfterMs } = delaysAfter(known, delayMs, isNew, isClockSet);
  const intervalMs = intervalOf({ measuredAtMs });
  const arrival = learnArrival(previous?.arrival, {
    ...times,
    ...(isNew && { newAtMs: lastAtMs }),
    isClockSet,
    aheadMs: clock.aheadMs,
    intervalMs,
  });
  // One literal, and no spreading: V8 would give each of these objects, kept per device, a hidden class of its own.
  return {
    measuredAtMs,
    delaysMs,
    foundAfterMs,
    aheadMs: clock.aheadMs,
    serviceAheadMs: clock.serviceAheadMs,
    rhythm: { intervalMs, lagMs: lagOf({ delaysMs, aheadMs: clock.aheadMs }) },
    isSeries,
    arrival,
  };
}

/**
 * Whether a question that was asked between two readings has found a third: the device has readings more
 * often than was known, and what was known before means nothing. A series shows that by its times.
 */
function isMoreOften(
  previous: ReadingCadence | undefined,
  newAtMs: number,
  askedAtMs: number,
): boolean {
  const intervalMs = previous?.rhythm.intervalMs;
  if (previous?.arrival.lag === undefined || intervalMs === undefined) return false;
  const knownAtMs = greatestOf(previous.measuredAtMs);
  const shortMs = 0.75 * intervalMs;
  const isBetween = askedAtMs - knownAtMs - previous.arrival.lag.byMs < shortMs;
  return isBetween && newAtMs - knownAtMs < shortMs;
}

/** Adds the delay of a reading. The first that is found may have been there for long. */
function delaysAfter(
  {
    measuredAtMs,
    delaysMs,
    foundAfterMs,
  }: Pick<ReadingCadence, 'measuredAtMs' | 'delaysMs' | 'foundAfterMs'>,
  delayMs: number,
  isNew: boolean,
  isClockSet: boolean,
): Pick<ReadingCadence, 'delaysMs' | 'foundAfterMs'> {
  if (measuredAtMs.length === 0) return { delaysMs, foundAfterMs: delayMs };
  // Delays by a clock that was set since mean nothing.
  const held = isClockSet ? [] : delaysMs;
  return {
    delaysMs: isNew ? [...held, delayMs].slice(-REMEMBERED) : held,
    foundAfterMs: isClockSet ? undefined : foundAfterMs,
  };
}

/**
 * Decides whether readings are dated by our clock or by the one that the service's answers show: the one
 * by which the reading is younger counts, because a wrong clock makes it older, or puts it into the
 * future, where no reading comes from. By a clock that is ahead of both, it is as young as can be.
 */
function believedAheadMs(delayMs: number, serviceAheadMs: number): number {
  const possible = [0, serviceAheadMs].filter(
    (aheadMs) => delayMs + aheadMs >= -CLOCK_TOLERANCE_MS,
  );
  return possible.length === 0 ? Math.max(0, serviceAheadMs) : leastOf(possible);
}

/** Returns what the interval is not longer than: it is shorter where a reading was lost. */
export function longestIntervalMs(cadence: ReadingCadence): number {
  return leastOf(intervalsOf(cadence));
}

/** Returns what the lag is not longer than, by the first reading. */
export function longestLagMs({ foundAfterMs = Infinity, aheadMs }: ReadingCadence): number {
  return Math.max(0, foundAfterMs + aheadMs);
}

/** Returns the median of the last intervals, on which a lost reading has no effect; of one, nobody can tell. */
function intervalOf(cadence: Pick<ReadingCadence, 'measuredAtMs'>): number | undefined {
  const ascendingMs = intervalsOf(cadence).toSorted((one, other) => one - other);
  return ascendingMs.length < 2 ? undefined : ascendingMs[Math.floor((ascendingMs.length - 1) / 2)];
}

/** Returns how far the last readings were apart, in their order. */
export function intervalsOf({
  measuredAtMs,
}: Pick<ReadingCadence, 'measuredAtMs'>): readonly number[] {
  const intervalsMs: number[] = [];
  let earlierAtMs: number | undefined;
  for (const atMs of measuredAtMs) {
    if (earlierAtMs !== undefined) intervalsMs.push(atMs - earlierAtMs);
    earlierAtMs = atMs;
  }
  return intervalsMs;
}

/** Returns how late readings come: the longest of the last delays but for one outlier. */
function lagOf({
  delaysMs,
  aheadMs,
}: Pick<ReadingCadence, 'delaysMs' | 'aheadMs'>): number | undefined {
  const [longest, second, third] = delaysMs.toSorted((one, other) => other - one);
  const delayMs = third === undefined ? longest : second;
  return delayMs === undefined ? undefined : Math.max(0, delayMs + aheadMs);
}
