import { greatestOf, leastOf, sumOf } from '../../model/units.ts';
import { type Measurement, QUANTITIES, type Quantity } from '../../model/readings.ts';
import { type FieldRule, highestWatts } from './field-rule.ts';
import type { Field, Timed } from './field-sample.ts';

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
type RuledField = Field & { readonly rule: FieldRule };

/** Turns fields into measurements: chooses among fields, splits signed values and adds up parts. */
export function combineFields(fields: readonly Field[], ratedPowerWatts?: number): CombinedFields {
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
  const total = (quantity: Quantity, reads: Reads, parts: readonly RuledField[]) => {
    const numbers = numbersOf(parts);
    const silent = parts.filter((part) => numberOf(part) === undefined);
    const value = sumOf(numbers.map((number) => number.value));
    const isPlausible = Math.abs(value) <= highestWatts(reads, ratedPowerWatts);
    if (numbers.length === 0) return undefined;
    if (silent.length === 0 && isPlausible) return { value, measuredAtMs: oldestOf(numbers) };
    const keys = (silent.length > 0 ? silent : parts).map(({ sample }) => sample.key);
    const why = silent.length > 0 ? 'no value' : 'implausible';
    if (!measurements.has(`${quantity} `)) incomplete.push({ quantity, keys, why });
    return undefined;
  };
  const signed = (quantity: Quantity, reads: Reads) =>
    total(quantity, reads, signedParts(chosen, reads));

  for (const { rule, value } of chosen) {
    // Cells are not exported one by one: the hottest one becomes the battery's temperature below.
    const isCell = rule.reads === 'batteryTemperatureCelsius' && rule.part !== undefined;
    if (isQuantity(rule.reads) && !isCell) put(rule.reads, value, rule.part);
  }
  const { power, current } = batteryFlow(
    signed('batteryPowerWatts', 'batteryPower'),
    signed('batteryDischargeCurrentAmperes', 'batteryCurrent'),
  );
  put('batteryPowerWatts', power);
  split(current, 'batteryDischargeCurrentAmperes', 'batteryChargingCurrentAmperes');
  const grid = signed('gridFeedInPowerWatts', 'gridPower');
  split(grid, 'gridImportPowerWatts', 'gridFeedInPowerWatts');
  // A sum that the device sends takes precedence; the strings are never added to it (field notes 6, trap 7).
  put('pvPowerWatts', total('pvPowerWatts', 'stringPowerWatts', countedStrings(chosen)));
  const cells = numbersOf(partsOf(chosen, 'batteryTemperatureCelsius'));
  put('batteryTemperatureCelsius', cells.toSorted((one, other) => other.value - one.value)[0]);
  return { measurements: [...measurements.values()], incomplete };
}

/** Returns the best field for each quantity and part. */
export function bestFields(fields: readonly Field[]): readonly RuledField[] {
  const best = new Map<string, RuledField>();
  for (const field of fields.toSorted((one, other) => one.rank - other.rank)) {
    const { rule, value } = field;
    if (rule === undefined) continue;
    const name = `${rule.reads} ${rule.part ?? ''}`;
    const known = best.get(name);
    // A field with a value replaces one without. A field without any still counts as a missing part.
    if (known === undefined || (known.value === undefined && value !== undefined))
      best.set(name, { ...field, rule });
  }
  return [...best.values()];
}

/** Returns the field for the whole; where it has no value, the fields for the parts. */
function partsOf(chosen: readonly RuledField[], reads: Reads): readonly RuledField[] {
  const all = chosen.filter(({ rule }) => rule.reads === reads);
  const whole = all.filter(({ rule, value }) => rule.part === undefined && value !== undefined);
  return whole.length > 0 ? whole : all.filter(({ rule }) => rule.part !== undefined);
}

/** Returns a signed value, or its phases, with import and discharging positive. */
function signedParts(chosen: readonly RuledField[], reads: Reads): readonly RuledField[] {
  const turned = (field: RuledField): Timed<number> | undefined => {
    const { positive, directionKey } = field.rule;
    const number = numberOf(field);
    if (number === undefined) return undefined;
    const negated = { ...number, value: 0 - number.value };
    if (directionKey === undefined)
      return positive === 'import' || positive === 'discharging' ? number : negated;
    const direction = chosen.find(({ rule }) => rule.key === directionKey)?.value;
    // Without a direction only zero is certain.
    if (direction === undefined || !/^[+-]$/.test(String(direction.value)))
      return number.value === 0 ? number : undefined;
    const directed = direction.value === '+' ? number : negated;
    return { ...directed, measuredAtMs: oldestOf([number, direction]) };
  };
  return partsOf(chosen, reads).map((part) => ({ ...part, value: turned(part) }));
}

/** A string that has been silent for longer than this has gone to sleep; until then it may be late. */
const LATE_MS = 15 * 60_000;

/**
 * Returns the PV strings that are added up. One without a value sleeps, and counts as 0, while all others
 * produce nothing. Otherwise it may produce, as does one whose current flows and whose power no field gives.
 */
function countedStrings(chosen: readonly RuledField[]): readonly RuledField[] {
  const strings = partsOf(chosen, 'stringPowerWatts');
  const unmeasured = partsOf(chosen, 'stringCurrentAmperes')
    .filter((part) => !isDark([part]))
    .filter(({ rule }) => !strings.some((string) => string.rule.part === rule.part))
    .map((part) => ({ ...part, value: undefined }));
  if (unmeasured.length > 0) return [...strings, ...unmeasured];
  const awake = isDark(strings) ? strings.filter(({ verdict }) => verdict !== 'no value') : strings;
  // The last value before a string went to sleep is left out once the others produce nothing.
  const newestAtMs = greatestOf(awake.flatMap(({ value }) => value?.measuredAtMs ?? []));
  const onTime = awake.filter(
    ({ value }) => newestAtMs - (value?.measuredAtMs ?? Infinity) <= LATE_MS,
  );
  return isDark(onTime) && numbersOf(awake).length === awake.length ? onTime : awake;
}

/** Whether none of the strings produces, as far as they say. */
function isDark(strings: readonly Field[]): boolean {
  return numbersOf(strings).every(({ value }) => value <= 0);
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

function numberOf({ value }: Field): Timed<number> | undefined {
  return typeof value?.value === 'number' ? (value as Timed<number>) : undefined;
}

function numbersOf(fields: readonly Field[]): readonly Timed<number>[] {
  return fields.flatMap((field) => numberOf(field) ?? []);
}

function oldestOf(values: readonly Timed<unknown>[]): number | undefined {
  const instants = values.flatMap(({ measuredAtMs }) => measuredAtMs ?? []);
  return instants.length === 0 ? undefined : leastOf(instants);
}
