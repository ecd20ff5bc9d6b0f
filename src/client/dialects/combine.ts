import { greatestOf, leastOf } from '../../model/extremes.ts';
import { type Measurement, QUANTITIES, type Quantity } from '../../model/readings.ts';
import { sumOf } from '../../model/units.ts';
import { type FieldRule, highestWatts, type Positive } from './field-rule.ts';
import type { InterpretedField, Timed } from './field-sample.ts';

/** A sum that is unknown although some of its parts are known. */
export interface IncompleteSum {
  readonly quantity: Quantity;
  /** The keys of the parts that have no value, or of all whose sum is more than the device can carry. */
  readonly keys: readonly string[];
  readonly why: 'no value' | 'implausible';
}

/** What the fields of an answer measure together. */
export interface CombinedFields {
  readonly measurements: readonly Measurement[];
  readonly incomplete: readonly IncompleteSum[];
}

type Reads = FieldRule['reads'];

/** A field that a rule reads, with its number where it is one. */
interface Part extends InterpretedField {
  readonly rule: FieldRule;
  readonly number: Timed<number> | undefined;
}

/** Turns fields into measurements: chooses among fields, splits signed values and adds up parts. */
export function combineFields(
  fields: readonly InterpretedField[],
  ratedPowerWatts?: number,
): CombinedFields {
  const chosen = bestFields(fields);
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
  const split = (value: Timed<number> | undefined, positive: Quantity, negative: Quantity) => {
    put(positive, value && { ...value, value: Math.max(0, value.value) });
    put(negative, value && { ...value, value: Math.max(0, 0 - value.value) });
  };
  /** Adds up parts. The sum is unknown while one of them is, which may carry anything. */
  const total = (quantity: Quantity, reads: Reads, parts: readonly Part[]) => {
    const sum = sumOfAll(parts.flatMap(({ number }) => number ?? []));
    const silent = parts.filter(({ number }) => number === undefined);
    const isPlausible = Math.abs(sum?.value ?? 0) <= highestWatts(reads, ratedPowerWatts);
    if (sum === undefined || (silent.length === 0 && isPlausible)) return sum;
    const keys = (silent.length > 0 ? silent : parts).map(({ sample }) => sample.key);
    const why = silent.length > 0 ? 'no value' : 'implausible';
    if (!measurements.has(`${quantity} `)) incomplete.push({ quantity, keys, why });
    return undefined;
  };
  const signed = (quantity: Quantity, reads: Reads, positive: Positive) =>
    total(quantity, reads, signedParts(chosen, reads, positive));

  for (const { rule, value } of chosen) {
    // Cells are not exported one by one: the hottest one becomes the battery's temperature below.
    const isCell = rule.reads === 'batteryTemperatureCelsius' && rule.part !== undefined;
    if (isQuantity(rule.reads) && !isCell) put(rule.reads, value, rule.part);
  }
  const { power, current } = batteryFlow(
    signed('batteryPowerWatts', 'batteryPower', 'discharging'),
    signed('batteryDischargeCurrentAmperes', 'batteryCurrent', 'discharging'),
  );
  put('batteryPowerWatts', power);
  split(current, 'batteryDischargeCurrentAmperes', 'batteryChargingCurrentAmperes');
  const grid = signed('gridFeedInPowerWatts', 'gridPower', 'import');
  split(grid, 'gridImportPowerWatts', 'gridFeedInPowerWatts');
  // A sum that the device sends takes precedence; the strings are never added to it (field notes 6, trap 7).
  put('pvPowerWatts', total('pvPowerWatts', 'stringPowerWatts', countedStrings(chosen)));
  const cells = partsOf(chosen, 'batteryTemperatureCelsius').flatMap(({ number }) => number ?? []);
  put('batteryTemperatureCelsius', cells.toSorted((one, other) => other.value - one.value)[0]);
  return { measurements: [...measurements.values()], incomplete };
}

/** Returns the best field for each quantity and part. */
function bestFields(fields: readonly InterpretedField[]): readonly Part[] {
  const best = new Map<string, Part>();
  for (const { sample, rule, rank, verdict, value } of fields.toSorted((a, b) => a.rank - b.rank)) {
    if (rule === undefined) continue;
    const name = `${rule.reads} ${rule.part ?? ''}`;
    const known = best.get(name);
    // A field with a value replaces one without. A field without any still counts as a missing part.
    if (known !== undefined && (known.value !== undefined || value === undefined)) continue;
    const number = typeof value?.value === 'number' ? { ...value, value: value.value } : undefined;
    best.set(name, { sample, rule, rank, verdict, ...(value && { value }), number });
  }
  return [...best.values()];
}

/** Returns the field for the whole; where it has no value, the fields for the parts. */
function partsOf(chosen: readonly Part[], reads: Reads): readonly Part[] {
  const all = chosen.filter(({ rule }) => rule.reads === reads);
  const whole = all.filter(({ rule, number }) => rule.part === undefined && number !== undefined);
  return whole.length > 0 ? whole : all.filter(({ rule }) => rule.part !== undefined);
}

/** Returns a signed value, or its phases, with the sign that `positive` names. */
function signedParts(chosen: readonly Part[], reads: Reads, positive: Positive): readonly Part[] {
  const turned = ({ rule, number }: Part): Timed<number> | undefined => {
    if (number === undefined) return undefined;
    if (rule.directionKey === undefined)
      return rule.positive === positive ? number : negated(number);
    const direction = chosen.find((field) => field.rule.key === rule.directionKey)?.value;
    // Without a direction only zero is certain.
    if (direction === undefined || !/^[+-]$/.test(String(direction.value)))
      return number.value === 0 ? number : undefined;
    const dated = { ...number, measuredAtMs: oldestOf([number, direction]) };
    return direction.value === '+' ? dated : negated(dated);
  };
  return partsOf(chosen, reads).map((part) => ({ ...part, number: turned(part) }));
}

/** A string that has been silent for longer than this has gone to sleep; until then it may be late. */
const LATE_MS = 15 * 60_000;

/**
 * Returns the PV strings that are added up. One without a value sleeps, and counts as 0, while all others
 * produce nothing. Otherwise it may produce, as does one whose current flows and whose power no field gives.
 */
function countedStrings(chosen: readonly Part[]): readonly Part[] {
  const strings = partsOf(chosen, 'stringPowerWatts');
  const unmeasured = partsOf(chosen, 'stringCurrentAmperes')
    .filter(({ number }) => number !== undefined && number.value > 0)
    .filter(({ rule }) => !strings.some((string) => string.rule.part === rule.part))
    .map((part) => ({ ...part, number: undefined }));
  const isDark = (parts: readonly Part[]) =>
    parts.every(({ number }) => number === undefined || number.value <= 0);
  if (unmeasured.length > 0 && strings.length > 0) return [...strings, ...unmeasured];
  const awake = isDark(strings) ? strings.filter(({ verdict }) => verdict !== 'no value') : strings;
  // The last value before a string went to sleep is left out once the others produce nothing.
  const newestAtMs = greatestOf(awake.flatMap(({ number }) => number?.measuredAtMs ?? []));
  const onTime = awake.filter(
    ({ number }) => newestAtMs - (number?.measuredAtMs ?? Infinity) <= LATE_MS,
  );
  return isDark(onTime) && awake.every(({ number }) => number !== undefined) ? onTime : awake;
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

function isQuantity(reads: Reads): reads is Quantity {
  return (QUANTITIES as readonly string[]).includes(reads);
}

/** Returns the sum of all values, as old as the oldest of them; absent for none. */
function sumOfAll(values: readonly Timed<number>[]): Timed<number> | undefined {
  if (values.length === 0) return undefined;
  return { value: sumOf(values.map(({ value }) => value)), measuredAtMs: oldestOf(values) };
}

function oldestOf(values: readonly Timed<unknown>[]): number | undefined {
  const instants = values.flatMap(({ measuredAtMs }) => measuredAtMs ?? []);
  return instants.length === 0 ? undefined : leastOf(instants);
}

function negated({ value, measuredAtMs }: Timed<number>): Timed<number> {
  return { value: 0 - value, measuredAtMs };
}
