import {
  intervalsOf,
  longestIntervalMs,
  longestLagMs,
  type ReadingCadence,
  type Rhythm,
} from './reading-cadence.ts';

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

/**
 * Returns the age at which the readings of a device are withdrawn. With `auto` this is the lag and two
 * intervals, so that one lost reading changes nothing, within bounds. A last interval that was longer than most
 * counts at once: the device may have begun to send less often, and the next reading would come too late.
 */
export function maxAgeMs(maxAge: MaxAge, cadence: ReadingCadence | undefined): number {
  if (maxAge !== 'auto') return maxAge;
  if (cadence === undefined || cadence.measuredAtMs.length === 0) return LEAST_MAX_AGE_MS;
  const { intervalMs = Math.min(UNKNOWN.intervalMs, longestIntervalMs(cadence)) } =
    withLastInterval(cadence);
  const { lagMs = Math.min(UNKNOWN.lagMs, longestLagMs(cadence)) } = cadence.rhythm;
  const ageMs = lagMs + 2 * intervalMs + MARGIN_MS;
  return Math.min(Math.max(ageMs, LEAST_MAX_AGE_MS), LONGEST_MAX_AGE_MS);
}

/** Returns the rhythm, with the last interval in place of the usual one where that was shorter. */
function withLastInterval(cadence: ReadingCadence): Rhythm {
  const { rhythm } = cadence;
  const lastMs = intervalsOf(cadence).at(-1) ?? 0;
  if (rhythm.intervalMs === undefined || lastMs > LONGEST_INTERVAL_MS) return rhythm;
  return { ...rhythm, intervalMs: Math.max(rhythm.intervalMs, lastMs) };
}

/** Returns the maximum age of what has no cadence of its own. */
export function leastMaxAgeMs(maxAge: MaxAge): number {
  return maxAgeMs(maxAge, undefined);
}

/** Returns the longest maximum age of any device. */
export function longestMaxAgeMs(maxAge: MaxAge): number {
  return maxAge === 'auto' ? LONGEST_MAX_AGE_MS : maxAge;
}
