/** How many questions that find nothing new may be asked at first, and at most in advance. */
export const MOST_CREDIT = 2;
/** What a new reading adds to that: in the long run, one question in thirteen may find nothing new. */
const EARNED = 0.08;
/** What a question that finds nothing costs before two readings are known: nobody can tell which are too early. */
const EARLY_COST = 0.5;
/** After so many questions in a row that found nothing, the device is silent, and the next ones cost nothing. */
const MOST_COSTLY = 2;
/** Where questions find nothing however late they are, they become no later than this makes them. */
const LEAST_CREDIT = -8;
/** How far a single late reading moves the time of the next questions. */
const MOST_SHIFT_MS = 60_000;
/** By how much the lag may have become shorter with every reading that the first question finds. */
const EASED_MS = 1000;
/** After so many of them in a row, the lag is looked for further and further below. */
const EASED_FASTER_AFTER = 24;
const LONGEST_EASED_MS = 5 * 60_000;
/** Bounds of the lag that have met are set apart by this much. */
const LEAST_WIDTH_MS = 10_000;
/** No known logger has readings less often. */
const LONGEST_INTERVAL_MS = 30 * 60_000;
/** No reading is older than this before it was measured: clocks that differ by less are the same. */
const CLOCK_TOLERANCE_MS = 60_000;

/**
 * Between which delays readings arrive, counted from the time of the reading, which may be another
 * clock's: so both may be negative.
 */
export interface LagBounds {
  /** A question asked so long after the time of a reading is too early. */
  readonly afterMs: number;
  /** A question asked so long after the time of a reading finds it. */
  readonly byMs: number;
}

/** What the questions about a device showed of when its readings arrive; an immutable value. */
export interface ReadingArrival {
  /** When the last question was asked, by our clock. */
  readonly askedAtMs: number;
  /** How many questions in a row found nothing new. */
  readonly misses: number;
  /** Absent before the first reading with a time. */
  readonly lag?: LagBounds | undefined;
  /** How many readings in a row were not there when they were known to be. */
  readonly late: number;
  /** How many readings in a row no question was asked too early for. */
  readonly prompt: number;
  /** How many questions may find nothing new before the device is asked later; negative once it is. */
  readonly credit: number;
  /** How many new readings were found. */
  readonly found: number;
}

/** What an answer says, beside what was known before it. */
export interface Answered {
  readonly askedAtMs: number;
  /** When the answer arrived. */
  readonly seenAtMs: number;
  /** When the newest reading was measured, if the answer has one that was not known before. */
  readonly newAtMs?: number | undefined;
  /** Whether the clock was set by which delays were measured before. */
  readonly isClockSet: boolean;
  /** How far the clock that dates the readings is ahead of ours. */
  readonly aheadMs: number;
  /** How often the device has a reading, if that is known. */
  readonly intervalMs?: number | undefined;
}

/**
 * Learns from an answer when readings arrive. A reading that a question finds has arrived by then, and one
 * that a question before it did not find has arrived since: the lag is between the two.
 *
 * How long the question itself was delayed says nothing about the lag. So `byMs` becomes longer only when
 * a question was asked as late as that and found nothing: by little the first time, which may be an
 * exception, and by all of it when the next reading is late as well.
 */
export function learnArrival(
  previous: ReadingArrival | undefined,
  answered: Answered,
): ReadingArrival {
  const { askedAtMs, newAtMs, isClockSet } = answered;
  if (previous === undefined) {
    const lag = newAtMs === undefined ? undefined : firstBounds(newAtMs, answered);
    const found = newAtMs === undefined ? 0 : 1;
    return { askedAtMs, misses: 0, lag, late: 0, prompt: 0, credit: MOST_CREDIT, found };
  }
  const { misses, credit } = previous;
  const lag = isClockSet ? undefined : previous.lag;
  if (newAtMs === undefined) {
    const creditLeft = Math.max(LEAST_CREDIT, credit - costOf(previous));
    return { ...previous, askedAtMs, lag, misses: misses + 1, credit: creditLeft };
  }
  const notYetMs = misses === 0 ? -Infinity : previous.askedAtMs - newAtMs;
  const isLate = lag !== undefined && notYetMs >= lag.byMs;
  const next = {
    askedAtMs,
    misses: 0,
    late: isLate ? previous.late + 1 : 0,
    prompt: lag === undefined || notYetMs > lag.afterMs ? 0 : previous.prompt + 1,
    credit: Math.min(MOST_CREDIT, credit + EARNED),
    found: previous.found + 1,
  };
  // Not by spreading: V8 would give each of these objects, kept per device, a hidden class of its own.
  if (lag === undefined) return Object.assign(next, { lag: firstBounds(newAtMs, answered) });
  const foundMs = answered.seenAtMs - newAtMs;
  const move = isLate ? later : closer;
  return Object.assign(next, { lag: move(lag, notYetMs, foundMs, next) });
}

/** Returns how much credit there was when the last reading was found, or at least as much as counts. */
export function creditAtLastReading({ credit, misses }: ReadingArrival): number {
  return credit + Math.min(misses, MOST_COSTLY);
}

function costOf({ found, misses }: ReadingArrival): number {
  if (found < 2) return EARLY_COST;
  return misses < MOST_COSTLY ? 1 : 0;
}

/** The first reading that is found may have been there for long, but the next one was not there. */
function firstBounds(
  newAtMs: number,
  { askedAtMs, seenAtMs, aheadMs, intervalMs = LONGEST_INTERVAL_MS }: Answered,
): LagBounds {
  const leastMs = Math.max(-aheadMs - CLOCK_TOLERANCE_MS, askedAtMs - newAtMs - intervalMs);
  return bounds(leastMs, seenAtMs - newAtMs);
}

/** Moves the bounds of a lag after a reading that came later than they say. */
function later(
  { afterMs, byMs }: LagBounds,
  notYetMs: number,
  foundMs: number,
  { late }: Pick<ReadingArrival, 'late'>,
): LagBounds {
  return late > 1
    ? bounds(notYetMs, foundMs)
    : bounds(afterMs, Math.min(foundMs, byMs + MOST_SHIFT_MS));
}

/**
 * Moves the bounds of a lag closer after a reading that came within them or sooner. The lower one is eased
 * with every reading that the first question finds, because the lag may have become shorter: slowly at
 * first, and then by more and more, until a question is too early again.
 */
function closer(
  { afterMs, byMs }: LagBounds,
  notYetMs: number,
  foundMs: number,
  { prompt, credit }: Pick<ReadingArrival, 'prompt' | 'credit'>,
): LagBounds {
  // A reading may come sooner than most: without credit, the next questions do not follow it.
  if (credit < 0) return bounds(Math.max(afterMs, notYetMs), byMs);
  const fasterMs = EASED_MS * 1.5 ** Math.max(0, prompt - EASED_FASTER_AFTER);
  const easedMs = prompt === 0 ? 0 : Math.min(fasterMs, LONGEST_EASED_MS);
  return bounds(Math.max(afterMs - easedMs, notYetMs), Math.min(byMs, foundMs));
}

function bounds(afterMs: number, byMs: number): LagBounds {
  return { afterMs: Math.min(afterMs, byMs - LEAST_WIDTH_MS), byMs };
}
