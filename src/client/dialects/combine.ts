import { type Measurement, QUANTITIES, type Quantity } from '../../model/readings.ts';
import { ChosenFields } from './chosen-fields.ts';
import type { FieldRule } from './field-rule.ts';
import type { InterpretedField, Timed } from './field-sample.ts';

/** A sum that is unknown because some of its parts have no value while others have one. */
export interface IncompleteSum {
  readonly quantity: Quantity;
  /** The keys of the parts that have no value. */
  readonly keys: readonly string[];
}

/** What the fields of an answer measure together. */
export interface CombinedFields {
  readonly measurements: readonly Measurement[];
  readonly incomplete: readonly IncompleteSum[];
}

/** Turns fields into measurements: chooses among fields, splits signed values and adds up parts. */
export function combineFields(fields: readonly InterpretedField[]): CombinedFields {
  const chosen = new ChosenFields(fields);
  const measurements = new Map<string, Measurement>();
  const incomplete: IncompleteSum[] = [];
  /** Keeps a measured value and ignores a later one that is calculated from other values. */
  const put = (quantity: Quantity, value: Timed<number | string> | undefined, part = ''): void => {
    const name = `${quantity} ${part}`;
    if (value === undefined || measurements.has(name)) return;
    // Not by spreading: these objects are kept, and one with room for four properties is a third smaller.
    const { value: measured, measuredAtMs } = value;
    measurements.set(name, { quantity, part, value: measured, measuredAtMs });
  };
  const lack = (quantity: Quantity, keys: readonly string[]): void => {
    if (keys.length > 0 && !measurements.has(`${quantity} `)) incomplete.push({ quantity, keys });
  };
  for (const { rule, value } of chosen.all()) {
    // Cells are not exported one by one: the hottest one becomes the battery's temperature below.
    const isCell = rule.reads === 'batteryTemperatureCelsius' && rule.part !== undefined;
    if (isQuantity(rule.reads) && !isCell) put(rule.reads, value, rule.part);
  }

  const { power, current } = batteryFlow(
    chosen.signed('batteryPower', 'discharging').value,
    chosen.signed('batteryCurrent', 'discharging').value,
  );
  put('batteryPowerWatts', power);
  put('batteryDischargeCurrentAmperes', positiveOf(current));
  put('batteryChargingCurrentAmperes', negativeOf(current));
  const grid = chosen.signed('gridPower', 'import');
  put('gridImportPowerWatts', positiveOf(grid.value));
  put('gridFeedInPowerWatts', negativeOf(grid.value));
  lack('gridFeedInPowerWatts', grid.lacking);
  // A sum that the device sends takes precedence; the strings are never added to it (field notes 6, trap 7).
  const strings = chosen.stringTotal();
  put('pvPowerWatts', strings.value);
  lack('pvPowerWatts', strings.lacking);
  put('batteryTemperatureCelsius', chosen.highest('batteryTemperatureCelsius'));
  return { measurements: [...measurements.values()], incomplete };
}

/** Below these a battery rests, and the sign of what its sensors say means nothing. */
const RESTING_WATTS = 100;
const RESTING_AMPERES = 0.5;

/**
 * Compares the signed power and the signed current of a battery. Where their signs contradict each other,
 * the current is unknown; where both are far from 0, one of the signs is wrong, and nobody knows which
 * (field notes 8.1). A current of 0 beside a power is no measurement either.
 */
function batteryFlow(
  power: Timed<number> | undefined,
  current: Timed<number> | undefined,
): { readonly power?: Timed<number> | undefined; readonly current?: Timed<number> | undefined } {
  if (power === undefined || current === undefined) return { power, current };
  const isFlowing = Math.abs(power.value) >= RESTING_WATTS;
  if (power.value * current.value < 0)
    return isFlowing && Math.abs(current.value) >= RESTING_AMPERES ? {} : { power };
  return current.value === 0 && isFlowing ? { power } : { power, current };
}

function isQuantity(reads: FieldRule['reads']): reads is Quantity {
  return (QUANTITIES as readonly string[]).includes(reads);
}

function positiveOf(signed: Timed<number> | undefined): Timed<number> | undefined {
  return signed && { ...signed, value: Math.max(0, signed.value) };
}

function negativeOf(signed: Timed<number> | undefined): Timed<number> | undefined {
  return signed && { ...signed, value: Math.max(0, 0 - signed.value) };
}
