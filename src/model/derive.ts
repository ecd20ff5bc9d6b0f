import type { Readings } from './readings.ts';

/** Power derived from {@link Readings} (interface 2.7); absent where an input is unknown. */
export interface DerivedPower {
  readonly loadPowerWatts?: number | undefined;
  /** Positive when discharging. */
  readonly batteryPowerWatts?: number | undefined;
  /** By the interface's own rule, in which a discharging battery raises the import. */
  readonly gridPowerWatts?: number | undefined;
  /** Measured, else from the energy balance: the load that PV and battery do not cover. */
  readonly gridImportPowerWatts?: number | undefined;
}

/** Fields that describe the readings rather than measure something. */
const ABOUT_READINGS: ReadonlySet<string> = new Set(['measuredAtMs', 'withdrawn', 'dialect']);

/** Whether the device has any value that is recent enough to show. */
export function isReporting(readings: Readings): boolean {
  return Object.entries(readings).some(
    ([name, value]) => value !== undefined && !ABOUT_READINGS.has(name),
  );
}

/**
 * Derives the powers of interface 2.7, in watts.
 *
 * On a device with the interface's own dialect a missing input counts as 0, as 2.7 says, unless it was
 * measured too long ago. On any other device a missing input is unknown, and so is everything that
 * depends on it: a 0 would be invented (field notes 6, traps 2 and 8). `gridPowerWatts` follows the
 * interface's rule to the letter: it adds the battery's discharge to the import, which no meter does.
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
  // A house does not import and feed in at once: where the balance shows an import, nothing was fed in.
  const balanceWatts = demandWatts - batteryPowerWatts + (feedInPowerWatts ?? 0);
  return {
    ...derived,
    gridPowerWatts:
      feedInPowerWatts === undefined
        ? undefined
        : Math.max(0, demandWatts + batteryPowerWatts + feedInPowerWatts),
    // Where a device measures the import, an estimate could be mistaken for a measurement.
    gridImportPowerWatts: isImportMeasured ? measuredImport : Math.max(0, balanceWatts),
  };
}

/** Derives the powers of a device that reports; of one that does not, nothing is derived. */
export function derivePowerIfReporting(readings: Readings): DerivedPower {
  return isReporting(readings) ? derivePower(readings) : {};
}

/** The interface's own quantities (interface 2.4). */
type Input =
  | 'pvPowerWatts'
  | 'acOutputPowerWatts'
  | 'gridFeedInPowerWatts'
  | 'batteryDischargeCurrentAmperes'
  | 'batteryChargingCurrentAmperes'
  | 'batteryVoltageVolts';

/** Returns an input of the derivation; 0 where the interface counts a missing one as 0. */
function inputOf(readings: Readings, quantity: Input): number | undefined {
  const { dialect, withdrawn } = readings;
  const followsInterface = dialect === undefined || dialect.family === 'classic';
  const isZero = followsInterface && withdrawn?.has(quantity) !== true;
  return readings[quantity] ?? (isZero ? 0 : undefined);
}

/** Multiplies current and voltage at the battery's terminals, where both are known. */
function terminalPower(readings: Readings): number | undefined {
  const dischargeAmperes = inputOf(readings, 'batteryDischargeCurrentAmperes');
  const chargingAmperes = inputOf(readings, 'batteryChargingCurrentAmperes');
  const volts = inputOf(readings, 'batteryVoltageVolts');
  return dischargeAmperes === undefined || chargingAmperes === undefined || volts === undefined
    ? undefined
    : (dischargeAmperes - chargingAmperes) * volts;
}
