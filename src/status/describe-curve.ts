import { CURVE_QUANTITIES, type DayCurve } from '../model/day-curve.ts';
import type { CurveSeries, StationPageStatus } from './status.ts';

/** Describes the curve of a day; without a field where nothing is known of it. */
export function describeCurve(curve: DayCurve): Pick<StationPageStatus, 'curve'> {
  const series = CURVE_QUANTITIES.map((name) => {
    const round = name === 'batterySocRatio' ? toThousandths : toWhole;
    return [name, curve.valuesOf(name).map((value) => shown(value, round))] as const;
  }).filter(([, values]) => values.length > 0);
  if (series.length === 0) return {};
  const { startsAtMs, endsAtMs, stepMs } = curve;
  return {
    curve: {
      startsAtMs,
      endsAtMs,
      stepMs,
      ...(Object.fromEntries(series) as CurveSeries),
    },
  };
}

/** JSON cannot express what is not finite, and has no place for what is unknown. */
function shown(value: number | undefined, round: (value: number) => number): number | null {
  return value !== undefined && Number.isFinite(value) ? round(value) : null;
}

/** Never -0. */
function toWhole(watts: number): number {
  return Math.round(watts) || 0;
}

function toThousandths(ratio: number): number {
  return Math.round(ratio * 1000) / 1000;
}
