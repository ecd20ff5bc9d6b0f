import { CURVE_QUANTITIES, type CurveQuantity, type DayCurve } from '../model/day-curve.ts';
import type { CurveSeries, CurveStatus } from './status.ts';

/** Describes the curve of a day; absent where nothing is known of it. */
export function describeCurve(curve: DayCurve): CurveStatus | undefined {
  const series = CURVE_QUANTITIES.map(
    (name) => [name, curve.valuesOf(name).map((value) => shown(name, value))] as const,
  ).filter(([, values]) => values.length > 0);
  if (series.length === 0) return undefined;
  const { startsAtMs, endsAtMs, stepMs } = curve;
  return { startsAtMs, endsAtMs, stepMs, ...(Object.fromEntries(series) as CurveSeries) };
}

/** JSON cannot express what is not finite, and has no place for what is unknown. */
function shown(name: CurveQuantity, value: number | undefined): number | null {
  if (value === undefined || !Number.isFinite(value)) return null;
  if (name === 'batterySocRatio') return Math.round(value * 1000) / 1000;
  // Never -0.
  return Math.round(value) || 0;
}
