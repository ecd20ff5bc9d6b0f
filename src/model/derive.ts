import type { DerivedPower, MonthlyEnergy, Readings } from './station.ts';

/** Whether the window held at least one reading; without one nothing may be derived. */
export function isReporting(readings: Readings): boolean {
  const { measuredAtMs, ...quantities } = readings;
  return (
    measuredAtMs !== undefined || Object.values(quantities).some((value) => value !== undefined)
  );
}

/**
 * Derives the powers of interface 2.7, in watts; a missing input counts as 0 there.
 *
 * `gridPowerWatts` is the interface's rule to the letter. It adds the battery's discharge to the
 * import, which no meter would; `gridImportPowerWatts` is the balance a meter would show.
 */
export function derivePower(readings: Readings): DerivedPower {
  const pvPowerWatts = readings.pvPowerWatts ?? 0;
  const feedInPowerWatts = readings.gridFeedInPowerWatts ?? 0;
  const loadPowerWatts = readings.acOutputPowerWatts ?? 0;
  const batteryPowerWatts = batteryPower(readings);
  return {
    loadPowerWatts,
    batteryPowerWatts,
    gridPowerWatts: Math.max(
      0,
      loadPowerWatts - pvPowerWatts + batteryPowerWatts + feedInPowerWatts,
    ),
    gridImportPowerWatts: Math.max(
      0,
      loadPowerWatts - pvPowerWatts - batteryPowerWatts + feedInPowerWatts,
    ),
  };
}

function batteryPower(readings: Readings): number {
  const dischargeAmperes = readings.batteryDischargeCurrentAmperes ?? 0;
  const chargingAmperes = readings.batteryChargingCurrentAmperes ?? 0;
  return (dischargeAmperes - chargingAmperes) * (readings.batteryVoltageVolts ?? 0);
}

/** The month's candidates by quantity, in order of preference, in kWh (interface 2.7). */
export interface MonthlyCandidates {
  readonly pvGeneratedKwh: readonly (number | undefined)[];
  readonly gridImportKwh: readonly (number | undefined)[];
  readonly consumptionKwh: readonly (number | undefined)[];
}

/** Picks the first non-zero candidate of each quantity and the share of the sun (interface 2.7). */
export function deriveMonthlyEnergy(candidates: MonthlyCandidates): MonthlyEnergy {
  const pvGeneratedKwh = firstNonZero(candidates.pvGeneratedKwh);
  const consumptionKwh = firstNonZero(candidates.consumptionKwh);
  return {
    pvGeneratedKwh,
    gridImportKwh: firstNonZero(candidates.gridImportKwh),
    consumptionKwh,
    solarRatio: solarRatio(pvGeneratedKwh, consumptionKwh),
  };
}

function firstNonZero(candidates: readonly (number | undefined)[]): number {
  return candidates.find((candidate) => candidate !== undefined && candidate !== 0) ?? 0;
}

function solarRatio(generatedKwh: number, consumedKwh: number): number {
  // The interface rounds the percentage to one decimal; that is the ratio's third.
  return consumedKwh > 0 ? Math.round((1000 * generatedKwh) / consumedKwh) / 1000 : 0;
}
