import { greatestOf, leastOf } from './extremes.ts';
import { intervalsOf, type ReadingCadence } from './reading-cadence.ts';
import { creditAtLastReading, type LagBounds } from './reading-arrival.ts';

const MINUTE_MS = 60_000;
/** A question follows another after this at the earliest. */
const SHORTEST_WAIT_MS = 30_000;
/** Readings that come more often than this are not asked for one by one. */
const LEAST_INTERVAL_MS = MINUTE_MS;
/** A device is asked so long before its values would be withdrawn. */
const MARGIN_MS = MINUTE_MS;
/** A device of which two readings are not known yet is asked so often. */
const LONGEST_FIRST_PAUSE_MS = 16 * MINUTE_MS;
/** A device that is silent is asked so often, or once an interval where that is longer. */
const LONGEST_PAUSE_MS = 12 * MINUTE_MS;
/** The lag is known well enough when its bounds are so close. */
const NARROW_MS = 40_000;
/** How much later a reading is asked for, for each question that found nothing and had no credit left. */
const CAUTION_MS = MINUTE_MS;
/** How far below the upper bound of the lag a question is asked: a part of the width, smaller with little credit. */
const [BELOW, LITTLE_BELOW] = [1 / 3, 1 / 8];
/** How much later than usual the next reading may be, where they are not evenly spaced. */
const MOST_UNEVEN_MS = MINUTE_MS;
/** After so many readings each, a question is asked halfway between two. */
const HALFWAY_AFTER = 48;

/**
 * Returns when a device is asked next, by our clock: when its next reading can have arrived, by how often
 * it has readings and how late they come. A question that is too early costs a request, one that is too
 * late makes the reading older. So:
 *
 * - While the bounds of the lag are far apart, a question is asked a third of the way below the upper one,
 *   or an eighth with little credit. It finds the reading, or it does not and the next one is asked between
 *   there and the upper bound: either way the bounds are closer. Once they are close, every question is
 *   asked at the upper one.
 * - A reading that is late is asked for after one minute, two, four, and so on until the next one is due.
 * - Questions that find nothing cost credit, and readings earn some. Without credit, a device is only
 *   asked once for each reading, and later with every question that finds nothing all the same: where the
 *   readings scatter by so much that no question could be right, most of them are there by then.
 * - A device that is silent is asked after a quarter of the time that its reading is late: at most every
 *   twelve minutes or once an interval, whichever is longer.
 * - Where an answer shows the last reading only, a question halfway between two readings finds out from
 *   time to time whether there are more.
 * - Before two readings are known, a question is asked after one minute, two, four, and so on.
 */
export function nextQuestionAtMs(cadence: ReadingCadence, maxAgeMs: number): number {
  const plannedAtMs = plannedQuestionAtMs(cadence);
  const { askedAtMs } = cadence.arrival;
  const longestMs = maxAgeMs - Math.min(MARGIN_MS, maxAgeMs / 4);
  const lastChanceAtMs = greatestOf(cadence.measuredAtMs) - cadence.aheadMs + longestMs;
  const atMs = lastChanceAtMs > askedAtMs ? Math.min(plannedAtMs, lastChanceAtMs) : plannedAtMs;
  return Math.min(atMs, askedAtMs + longestMs);
}

function plannedQuestionAtMs(cadence: ReadingCadence): number {
  const { askedAtMs, lag, misses, credit } = cadence.arrival;
  const lastAtMs = greatestOf(cadence.measuredAtMs);
  const intervalMs = awaitedIntervalMs(cadence);
  if (lag === undefined || intervalMs === undefined)
    return askedAtMs + Math.min(MINUTE_MS * 2 ** misses, LONGEST_FIRST_PAUSE_MS);
  const { byMs } = lag;
  const silentMs = askedAtMs - (lastAtMs + intervalMs + byMs);
  const pauseMs = Math.min(silentMs / 4, Math.max(LONGEST_PAUSE_MS, intervalMs));
  const earliestAtMs = askedAtMs + Math.max(SHORTEST_WAIT_MS, pauseMs);
  if (isHalfwayDue(cadence, intervalMs))
    return Math.max(lastAtMs + intervalMs / 2 + byMs, earliestAtMs);
  const offsetMs = offsetToAsk(cadence, lag, intervalMs);
  // Readings before the awaited one are lost: its turn has come as well.
  const turn = Math.max(1, Math.floor((askedAtMs - lastAtMs - offsetMs) / intervalMs));
  const turnAtMs = lastAtMs + turn * intervalMs + offsetMs;
  if (turnAtMs > askedAtMs) return Math.max(turnAtMs, earliestAtMs);
  const nextTurnAtMs = turnAtMs + intervalMs;
  const againAtMs = askedAtMs + Math.max(MINUTE_MS, askedAtMs - turnAtMs);
  return Math.max(credit >= 1 ? Math.min(againAtMs, nextTurnAtMs) : nextTurnAtMs, earliestAtMs);
}

/** Returns how long after its time a reading is asked for. */
function offsetToAsk(
  { measuredAtMs, arrival }: ReadingCadence,
  { afterMs, byMs }: LagBounds,
  intervalMs: number,
): number {
  const { askedAtMs, misses } = arrival;
  // As it was at the last reading: or a question that finds nothing would put off the one that it was itself.
  const credit = creditAtLastReading(arrival);
  if (credit < 0) return byMs - credit * CAUTION_MS;
  const notYetMs = misses === 0 ? -Infinity : askedAtMs - greatestOf(measuredAtMs) - intervalMs;
  const widthMs = byMs - Math.max(afterMs, notYetMs);
  if (widthMs <= NARROW_MS) return byMs;
  return byMs - widthMs * (credit < 1 ? LITTLE_BELOW : BELOW);
}

/** Returns how long after the last reading the next one is awaited; absent until two are known. */
function awaitedIntervalMs(cadence: ReadingCadence): number | undefined {
  const intervalsMs = intervalsOf(cadence);
  if (intervalsMs.length === 0) return undefined;
  const { intervalMs = leastOf(intervalsMs) } = cadence.rhythm;
  if (intervalMs < LEAST_INTERVAL_MS) return Math.ceil(LEAST_INTERVAL_MS / intervalMs) * intervalMs;
  if (cadence.arrival.credit >= 0) return intervalMs;
  return greatestOf(intervalsMs.filter((lengthMs) => lengthMs - intervalMs <= MOST_UNEVEN_MS));
}

/** Whether to look for a reading between the last one and the next. */
function isHalfwayDue(
  { isSeries, arrival: { misses, found, credit } }: ReadingCadence,
  intervalMs: number,
): boolean {
  const isTurn = misses === 0 && found % HALFWAY_AFTER === 0;
  return isTurn && !isSeries && credit >= 1 && intervalMs >= 2 * LEAST_INTERVAL_MS;
}
