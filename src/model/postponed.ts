/** How many requests are wanted, and how many may be sent. */
export interface RequestTerms {
  /** How many would be sent if nothing were postponed. */
  readonly wantedPerSecond: number;
  /** Absent: there is no limit. */
  readonly ratePerSecond?: number | undefined;
  /** What may still be sent before more are there; absent: there is no limit. */
  readonly budget?: { readonly requests: number; readonly resetsAtMs: number } | undefined;
}

/** The rest of the rate is for what nobody plans: a repetition, a device that is new. */
const PLANNED_RATIO = 0.95;

/** What is due sooner, such as a value that has ended already, is taken to be asked for every minute. */
export const LEAST_WAIT_MS = 60_000;

/** How often questions would be asked if none were postponed, by their kind. */
export interface Wishes {
  /** Those that are asked at fixed intervals, all of which are stretched in the same proportion. */
  readonly othersPerSecond: number;
  /** Those about readings, each when the next reading is awaited. */
  readonly readingsPerSecond: number;
  /** The same if each were asked as often as it counts in that proportion. */
  readonly weightedPerSecond: number;
}

/**
 * Returns how many requests are wanted, as the ratio by which intervals are stretched goes by it. A device that is
 * asked when its next reading is awaited counts as one that is asked more often: so it is asked as rarely as that
 * until the intervals of everything else are stretched a few times, and longer waits are stretched only then.
 */
export function wantedPerSecond(
  { othersPerSecond, readingsPerSecond, weightedPerSecond }: Wishes,
  allowedPerSecond: number,
): number {
  const allPerSecond = othersPerSecond + readingsPerSecond;
  if (allPerSecond <= allowedPerSecond) return allPerSecond;
  const mostPerSecond = othersPerSecond + weightedPerSecond;
  const leftPerSecond = allowedPerSecond - readingsPerSecond;
  if (leftPerSecond <= 0) return mostPerSecond;
  return Math.min((othersPerSecond / leftPerSecond) * allowedPerSecond, mostPerSecond);
}

/**
 * Returns until when a question is postponed where only so many requests may be sent; -Infinity where it is not. All
 * questions share what there is: each waits longer in the same proportion, so that none is left out, whoever asks first.
 *
 * A budget is spent evenly until it is renewed, and nothing is postponed any longer. The end follows from what is left
 * at this moment: so what the others ask less is there for the rest.
 *
 * @param sinceMs - when it was answered last.
 * @param waitMs - how long it would wait if any number could be sent.
 */
export function postponedUntil(
  sinceMs: number,
  waitMs: number,
  { wantedPerSecond, ratePerSecond = Infinity, budget }: RequestTerms,
): number {
  const shortestMs = Math.max(LEAST_WAIT_MS, waitMs);
  const byRateMs = sinceMs + shortestMs * (wantedPerSecond / (ratePerSecond * PLANNED_RATIO));
  const byBudgetMs =
    budget === undefined ? -Infinity : spentEvenly(sinceMs, shortestMs, wantedPerSecond, budget);
  const untilMs = Math.max(byRateMs, byBudgetMs);
  return untilMs > sinceMs + waitMs ? untilMs : -Infinity;
}

function spentEvenly(
  sinceMs: number,
  waitMs: number,
  wantedPerSecond: number,
  { requests, resetsAtMs }: NonNullable<RequestTerms['budget']>,
): number {
  if (requests <= 0 || resetsAtMs <= sinceMs) return resetsAtMs;
  // So often the rest would be spent during one such wait. The wait is as much longer as the time until the reset,
  // which grows shorter meanwhile: t - since = share × (reset - t).
  const share = (waitMs / 1000) * (wantedPerSecond / requests);
  return sinceMs + (share / (1 + share)) * (resetsAtMs - sinceMs);
}
