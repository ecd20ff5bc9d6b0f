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

/** What says something about the values, and is none. */
const ABOUT_READINGS: ReadonlySet<string> = new Set(['measuredAtMs', 'withdrawn', 'dialect']);

/** Whether there is any value young enough to show; without one nothing may be derived. */
export function isReporting(readings: Readings): boolean {
  return Object.entries(readings).some(
    ([name, value]) => value !== undefined && !ABOUT_READINGS.has(name),
  );
}

/**
 * Derives the powers of interface 2.7, in watts.
 *
 * On a device that speaks the interface's own dialect a missing input counts as 0, as 2.7 says; one
 * that was measured too long ago is unknown all the same. On any other, whatever is missing is unknown,
 * and so is what depends on it: a 0 would be invented (field notes 6, traps 2 and 8). `gridPowerWatts`
 * is the interface's rule to the letter; it adds the battery's discharge to the import, which no meter
 * would.
 */
export function derivePower(readings: Readings): DerivedPower {
  const pvPowerWatts = inputOf(readings, 'pvPowerWatts');
  const loadPowerWatts = readings.loadPowerWatts ?? inputOf(readings, 'acOutputPowerWatts');
  const feedInPowerWatts = inputOf(readings, 'gridFeedInPowerWatts');
  const batteryPowerWatts = readings.batteryPowerWatts ?? terminalPower(readings);
  const derived = { loadPowerWatts, batteryPowerWatts };
  const measuredImport = readings.gridImportPowerWatts;
  const isImportMeasured =
    measuredImport !== undefined || readings.withdrawn?.has('gridImportPowerWatts') === true;
  if (pvPowerWatts === undefined || loadPowerWatts === undefined || batteryPowerWatts === undefined)
    return { ...derived, gridImportPowerWatts: measuredImport };

  const demandWatts = loadPowerWatts - pvPowerWatts;
  // Nobody imports and feeds in at once: where the balance shows an import, nothing was fed in.
  const balanceWatts = demandWatts - batteryPowerWatts + (feedInPowerWatts ?? 0);
  return {
    ...derived,
    gridPowerWatts:
      feedInPowerWatts === undefined
        ? undefined
        : Math.max(0, demandWatts + batteryPowerWatts + feedInPowerWatts),
    // Where it is measured, an estimate would not be told from a measurement.
    gridImportPowerWatts: isImportMeasured ? measuredImport : Math.max(0, balanceWatts),
  };
}

/** The interface's own quantities (interface 2.4). */
type Input =
  | 'pvPowerWatts'
  | 'acOutputPowerWatts'
  | 'gridFeedInPowerWatts'
  | 'batteryDischargeCurrentAmperes'
  | 'batteryChargingCurrentAmperes'
  | 'batteryVoltageVolts';

/** A value that something is derived from; 0 where the interface counts a missing one as 0. */
function inputOf(readings: Readings, quantity: Input): number | undefined {
  const { dialect, withdrawn } = readings;
  const followsInterface = dialect === undefined || dialect.family === 'classic';
  const isZero = followsInterface && withdrawn?.has(quantity) !== true;
  return readings[quantity] ?? (isZero ? 0 : undefined);
}

/** Current times voltage at the battery's terminals, where both are known. */
function terminalPower(readings: Readings): number | undefined {
  const dischargeAmperes = inputOf(readings, 'batteryDischargeCurrentAmperes');
  const chargingAmperes = inputOf(readings, 'batteryChargingCurrentAmperes');
  const volts = inputOf(readings, 'batteryVoltageVolts');
  return dischargeAmperes === undefined || chargingAmperes === undefined || volts === undefined
    ? undefined
    : (dischargeAmperes - chargingAmperes) * volts;
}
