import { CURVE_QUANTITIES } from '../../model/day-curve.ts';
import { greatestOf } from '../../model/units.ts';

/** @import { CurveQuantity } from '../../model/day-curve.ts' */
/** @import { CurveStatus, StationPageStatus } from '../../status/status.ts' */

/** A curve has a step every five minutes; the hours of the demo are short, and so are its steps. */
const STEPS_PER_HOUR = 12;
/** Every second step is drawn, as the mean of two: a phone has no more points. */
const STEPS_PER_POINT = 2;
/** From a last step that is not older than this, a line leads to the values of this moment. */
const STEPS_UP_TO_NOW = 6;

/**
 * What a station measured at one time of its day; what is unknown is absent.
 *
 * @typedef {{ since: number, hour: number } & Partial<Record<CurveQuantity, number>>} Point
 */

/**
 * Returns how many hours after midnight an instant is.
 *
 * @param {CurveStatus} curve
 * @param {number} atMs
 */
export function hourOf({ startsAtMs, stepMs }, atMs) {
  return (atMs - startsAtMs) / (stepMs * STEPS_PER_HOUR);
}

/**
 * Returns the points of a curve, and this moment where it follows closely.
 *
 * @param {CurveStatus} curve
 * @param {Pick<StationPageStatus, 'flow' | 'partial'>} station
 * @param {number} atMs
 * @returns {readonly Point[]}
 */
export function pointsOf(curve, { flow, partial }, atMs) {
  const steps = greatestOf(CURVE_QUANTITIES.map((name) => curve[name]?.length ?? 0));
  const points = Array.from({ length: Math.ceil(steps / STEPS_PER_POINT) }, (_, index) => {
    const point = pointAt(curve, curve.startsAtMs + index * STEPS_PER_POINT * curve.stepMs);
    for (const name of CURVE_QUANTITIES) {
      const from = index * STEPS_PER_POINT;
      const values = (curve[name] ?? [])
        .slice(from, from + STEPS_PER_POINT)
        .filter((value) => value !== null);
      if (values.length > 0)
        point[name] = values.reduce((sum, value) => sum + value, 0) / values.length;
    }
    return point;
  });
  const lastAtMs = curve.startsAtMs + (steps - 1) * curve.stepMs;
  if (atMs <= lastAtMs || atMs >= curve.endsAtMs) return points;
  if (atMs - lastAtMs > STEPS_UP_TO_NOW * curve.stepMs) return points;
  const now = pointAt(curve, atMs);
  // A sum that lacks a device would look like a drop, and what only this moment knows like a rise.
  for (const name of CURVE_QUANTITIES)
    if (flow[name] !== undefined && curve[name] !== undefined && !partial.includes(name))
      now[name] = flow[name];
  return [...points, now];
}

/**
 * @param {CurveStatus} curve
 * @param {number} atMs
 * @returns {Point}
 */
function pointAt(curve, atMs) {
  const since = hourOf(curve, atMs);
  const changed = 24 - Math.round(hourOf(curve, curve.endsAtMs));
  // The clocks change early in the morning, on a day of 23 or 25 hours.
  return { since, hour: since < 6 ? since : since + changed };
}
