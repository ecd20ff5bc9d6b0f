import type { CurvePoint } from '../../model/day-curve.ts';
import { derivePowerIfReporting } from '../../model/derive.ts';
import type { Readings } from '../../model/readings.ts';

/** Returns what the curve of a day takes from the readings of a device at one time. */
export function curvePointOf({
  atMs,
  readings,
}: {
  readonly atMs: number;
  readonly readings: Readings;
}): CurvePoint {
  const derived = derivePowerIfReporting(readings);
  return {
    atMs,
    values: {
      pvPowerWatts: readings.pvPowerWatts,
      loadPowerWatts: derived.loadPowerWatts,
      gridImportPowerWatts: derived.gridImportPowerWatts,
      gridFeedInPowerWatts: readings.gridFeedInPowerWatts,
      batteryPowerWatts: derived.batteryPowerWatts,
      batterySocRatio: readings.batterySocRatio,
    },
  };
}
