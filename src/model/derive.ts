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
  const { pvWatts, loadWatts, batteryWatts, feedInWatts } = counted;
  // The rule takes the output for the load, also where the house is measured by itself.
  const drawnWatts = readings.acOutputPowerWatts ?? loadWatts;
  return {
    loadPowerWatts: loadWatts,
    batteryPowerWatts: batteryWatts,
    gridPowerWatts: total(importOf(measured, readings), less(measured.feedInWatts)),
    gridImportPowerWatts: importOf(counted, readings),
    interfaceGridPowerWatts: atLeastZero(
      total(drawnWatts, batteryWatts, feedInWatts, less(pvWatts)),
    ),
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

/** Whether the interface counts a missing quantity of this device as 0. */
function countsAsZero({ dialect, withdrawn }: Readings, quantity: Quantity): boolean {
  const followsInterface = dialect === undefined || dialect.family === 'classic';
  return followsInterface && withdrawn?.has(quantity) !== true;
}

type Power = number | undefined;

/** What the powers of the grid are made of. */
type Inputs = ReturnType<typeof inputsOf>;

function inputsOf(readings: Readings, isZero: (quantity: Quantity) => boolean) {
  const input = (quantity: Quantity): Power =>
    readings[quantity] ?? (isZero(quantity) ? 0 : undefined);
  const volts = input('batteryVoltageVolts');
  const amperes = total(
    input('batteryDischargeCurrentAmperes'),
    less(input('batteryChargingCurrentAmperes')),
  );
  const atTerminals =
    amperes === undefined || volts === undefined ? undefined : productOf(amperes, volts);
  return {
    pvWatts: input('pvPowerWatts'),
    loadWatts: readings.loadPowerWatts ?? input('acOutputPowerWatts'),
    batteryWatts: readings.batteryPowerWatts ?? atTerminals,
    feedInWatts: input('gridFeedInPowerWatts'),
  };
}

function importOf(inputs: Inputs, { gridImportPowerWatts, withdrawn }: Readings): Power {
  // Where a device measures the import, an estimate could be mistaken for a measurement.
  if (gridImportPowerWatts !== undefined || withdrawn?.has('gridImportPowerWatts') === true)
    return gridImportPowerWatts;
  const { pvWatts, loadWatts, batteryWatts, feedInWatts = 0 } = inputs;
  // A house does not import and feed in at once: where the balance shows an import, nothing was fed in.
  return atLeastZero(total(loadWatts, feedInWatts, less(pvWatts), less(batteryWatts)));
}

/** Adds up powers; absent where one of them is unknown. */
function total(...powers: readonly Power[]): Power {
  return powers.includes(undefined) ? undefined : sumOf(powers as readonly number[]);
}

function less(power: Power): Power {
  return power && -power;
}

function atLeastZero(power: Power): Power {
  return power && Math.max(0, power);
}
