import type { Readings } from './readings.ts';
import { productOf, sumOf } from './units.ts';

/** Power derived from {@link Readings} (interface 2.7); absent where an input is unknown. */
export interface DerivedPower {
  readonly loadPowerWatts?: number | undefined;
  /** Positive when discharging. */
  readonly batteryPowerWatts?: number | undefined;
  /** The net of the grid: positive while importing, negative while feeding in. */
  readonly gridPowerWatts?: number | undefined;
  /** Measured, else from the energy balance: the load that PV and battery do not cover. */
  readonly gridImportPowerWatts?: number | undefined;
  /** By the interface's own rule, in which a discharging battery raises the import. */
  readonly interfaceGridPowerWatts?: number | undefined;
}

/** Fields that describe the readings rather than measure something. */
const ABOUT_READINGS: ReadonlySet<string> = new Set([
  'measuredAtMs',
  'intervalMs',
  'maxAgeMs',
  'withdrawn',
  'dialect',
]);

/** Whether the device has any value that is recent enough to show. */
export function isReporting(readings: Readings): boolean {
  return Object.entries(readings).some(
    ([name, value]) => value !== undefined && !ABOUT_READINGS.has(name),
  );
}

/**
 * Derives the powers of interface 2.7, in watts, and those that a meter would show.
 *
 * On a device with the interface's own dialect a missing input counts as 0, as 2.7 says, unless it was
 * measured too long ago. On any other device a missing input is unknown, and so is everything that
 * depends on it: a 0 would be invented (field notes 6, traps 2 and 8). `interfaceGridPowerWatts` follows
 * the interface's rule to the letter: it adds the battery's discharge to the import, which no meter does.
 * `gridPowerWatts` is what people call the grid, so it is never made of a 0 that merely stands in.
 */
export function derivePower(readings: Readings): DerivedPower {
  const counted = inputsOf(readings, (quantity) => countsAsZero(readings, quantity));
  const measured = inputsOf(readings, () => false);
  const { loadPowerWatts, batteryPowerWatts } = counted;
  return {
    loadPowerWatts,
    batteryPowerWatts,
    gridPowerWatts: netPower(measured, readings),
    gridImportPowerWatts: importPower(counted, readings),
    interfaceGridPowerWatts: interfaceGridPower(counted, readings.acOutputPowerWatts),
  };
}

/** Derives the powers of a device that reports; of one that does not, nothing is derived. */
export function derivePowerIfReporting(readings: Readings): DerivedPower {
  return isReporting(readings) ? derivePower(readings) : {};
}

/** The interface's own quantities (interface 2.4). */
type Quantity =
  | 'pvPowerWatts'
  | 'acOutputPowerWatts'
  | 'gridFeedInPowerWatts'
  | 'batteryDischargeCurrentAmperes'
  | 'batteryChargingCurrentAmperes'
  | 'batteryVoltageVolts';

/** What the powers of the grid are made of. */
interface Inputs {
  readonly pvPowerWatts: number | undefined;
  readonly loadPowerWatts: number | undefined;
  readonly batteryPowerWatts: number | undefined;
  readonly feedInPowerWatts: number | undefined;
}

/** Whether the interface counts a missing quantity of this device as 0. */
function countsAsZero({ dialect, withdrawn }: Readings, quantity: Quantity): boolean {
  const followsInterface = dialect === undefined || dialect.family === 'classic';
  return followsInterface && withdrawn?.has(quantity) !== true;
}

function inputsOf(readings: Readings, isZero: (quantity: Quantity) => boolean): Inputs {
  const input = (quantity: Quantity): number | undefined =>
    readings[quantity] ?? (isZero(quantity) ? 0 : undefined);
  return {
    pvPowerWatts: input('pvPowerWatts'),
    loadPowerWatts: readings.loadPowerWatts ?? input('acOutputPowerWatts'),
    batteryPowerWatts: readings.batteryPowerWatts ?? terminalPower(input),
    feedInPowerWatts: input('gridFeedInPowerWatts'),
  };
}

/** Multiplies current and voltage at the battery's terminals, where both are known. */
function terminalPower(input: (quantity: Quantity) => number | undefined): number | undefined {
  const dischargeAmperes = input('batteryDischargeCurrentAmperes');
  const chargingAmperes = input('batteryChargingCurrentAmperes');
  const volts = input('batteryVoltageVolts');
  return dischargeAmperes === undefined || chargingAmperes === undefined || volts === undefined
    ? undefined
    : productOf(sumOf([dischargeAmperes, -chargingAmperes]), volts);
}

/** Returns what was imported, less what was fed in; absent unless both are known. */
function netPower(inputs: Inputs, readings: Readings): number | undefined {
  const importWatts = importPower(inputs, readings);
  const { feedInPowerWatts } = inputs;
  return importWatts === undefined || feedInPowerWatts === undefined
    ? undefined
    : sumOf([importWatts, -feedInPowerWatts]);
}

function importPower(inputs: Inputs, readings: Readings): number | undefined {
  const { gridImportPowerWatts, withdrawn } = readings;
  // Where a device measures the import, an estimate could be mistaken for a measurement.
  const isMeasured =
    gridImportPowerWatts !== undefined || withdrawn?.has('gridImportPowerWatts') === true;
  if (isMeasured) return gridImportPowerWatts;
  const { pvPowerWatts, loadPowerWatts, batteryPowerWatts, feedInPowerWatts = 0 } = inputs;
  if (pvPowerWatts === undefined || loadPowerWatts === undefined || batteryPowerWatts === undefined)
    return undefined;
  // A house does not import and feed in at once: where the balance shows an import, nothing was fed in.
  return Math.max(0, sumOf([loadPowerWatts, -pvPowerWatts, -batteryPowerWatts, feedInPowerWatts]));
}

/** @param acOutputWatts - which the rule takes for the load, also where the house is measured by itself. */
function interfaceGridPower(inputs: Inputs, acOutputWatts?: number): number | undefined {
  const { pvPowerWatts, loadPowerWatts, batteryPowerWatts, feedInPowerWatts } = inputs;
  const drawnWatts = acOutputWatts ?? loadPowerWatts;
  if (pvPowerWatts === undefined || drawnWatts === undefined) return undefined;
  if (batteryPowerWatts === undefined || feedInPowerWatts === undefined) return undefined;
  return Math.max(0, sumOf([drawnWatts, -pvPowerWatts, batteryPowerWatts, feedInPowerWatts]));
}
