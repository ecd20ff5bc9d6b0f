import type { Readings } from './readings.ts';

/** What follows from {@link Readings} (interface 2.7); absent where an input is unknown. */
export interface DerivedPower {
  readonly loadPowerWatts?: number | undefined;
  /** Positive when discharging. */
  readonly batteryPowerWatts?: number | undefined;
  /** The interface's own rule, in which a discharging battery raises the import. */
  readonly gridPowerWatts?: number | undefined;
  /** Measured, else the energy balance: what the sun and the battery do not cover. */
  readonly gridImportPowerWatts?: number | undefined;
}

/** Whether there is any value young enough to show; without one nothing may be derived. */
export function isReporting(readings: Readings): boolean {
  return Object.entries(readings).some(
    ([name, value]) => value !== undefined && name !== 'measuredAtMs' && name !== 'dialect',
  );
}

/**
 * Derives the powers of interface 2.7, in watts.
 *
 * On a device that speaks the interface's own dialect a missing input counts as 0, as 2.7 says. On any
 * other, what depends on an unknown input is unknown: a 0 would be invented (field notes 6, traps 2
 * and 8). `gridPowerWatts` is the interface's rule to the letter; it adds the battery's discharge to
 * the import, which no meter would.
 */
export function derivePower(readings: Readings): DerivedPower {
  const missing = followsInterface(readings) ? 0 : undefined;
  const pvPowerWatts = readings.pvPowerWatts ?? missing;
  const loadPowerWatts = readings.loadPowerWatts ?? readings.acOutputPowerWatts ?? missing;
  const batteryPowerWatts = readings.batteryPowerWatts ?? terminalPower(readings, missing);
  const derived = { loadPowerWatts, batteryPowerWatts };
  const measuredImport = readings.gridImportPowerWatts;
  if (pvPowerWatts === undefined || loadPowerWatts === undefined || batteryPowerWatts === undefined)
    return { ...derived, gridImportPowerWatts: measuredImport };

  // Nobody imports and feeds in at once: where the balance shows an import, nothing was fed in.
  const feedInPowerWatts = readings.gridFeedInPowerWatts ?? 0;
  const demandWatts = loadPowerWatts - pvPowerWatts + feedInPowerWatts;
  return {
    ...derived,
    gridPowerWatts: Math.max(0, demandWatts + batteryPowerWatts),
    gridImportPowerWatts: measuredImport ?? Math.max(0, demandWatts - batteryPowerWatts),
  };
}

function followsInterface({ dialect }: Readings): boolean {
  return dialect === undefined || dialect.family === 'classic';
}

/** Current times voltage at the battery's terminals, where both are known. */
function terminalPower(readings: Readings, missing: number | undefined): number | undefined {
  const dischargeAmperes = readings.batteryDischargeCurrentAmperes ?? missing;
  const chargingAmperes = readings.batteryChargingCurrentAmperes ?? missing;
  const volts = readings.batteryVoltageVolts ?? missing;
  return dischargeAmperes === undefined || chargingAmperes === undefined || volts === undefined
    ? undefined
    : (dischargeAmperes - chargingAmperes) * volts;
}
