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

/** A field that a rule reads. */
interface RuledField extends InterpretedField {
  readonly rule: FieldRule;
}

/** One of the fields that are added up, with the value that it adds. */
interface Part {
  readonly field: RuledField;
  readonly value: Timed<number> | undefined;
}

/** A sum over parts; without a value where it is unknown. */
interface Total {
  readonly value?: Timed<number> | undefined;
  /** The parts that keep the sum unknown although other parts are known. */
  readonly lacking?: readonly RuledField[];
  readonly isImplausible?: boolean;
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
    if (value === undefined) return;
    put(positive, { ...value, value: Math.max(0, value.value) });
    put(negative, { ...value, value: Math.max(0, 0 - value.value) });
  };
  const noteLacking = (quantity: Quantity, { lacking = [], isImplausible }: Total): void => {
    const keys = lacking.map(({ sample }) => sample.key);
    const why = isImplausible === true ? 'implausible' : 'no value';
    if (keys.length > 0 && !measurements.has(`${quantity} `))
      incomplete.push({ quantity, keys, why });
  };
  const signed = (reads: FieldRule['reads'], positive: Positive): Total =>
    bounded(signedTotal(chosen, reads, positive), chosen, reads, ratedPowerWatts);
  for (const { rule, value } of chosen) {
    // Cells are not exported one by one: the hottest one becomes the battery's temperature below.
    const isCell = rule.reads === 'batteryTemperatureCelsius' && rule.part !== undefined;
    if (isQuantity(rule.reads) && !isCell) put(rule.reads, value, rule.part);
  }

  const { power, current } = batteryFlow(
    signed('batteryPower', 'discharging').value,
    signed('batteryCurrent', 'discharging').value,
  );
  put('batteryPowerWatts', power);
  split(current, 'batteryDischargeCurrentAmperes', 'batteryChargingCurrentAmperes');
  const grid = signed('gridPower', 'import');
  split(grid.value, 'gridImportPowerWatts', 'gridFeedInPowerWatts');
  noteLacking('gridFeedInPowerWatts', grid);
  // A sum that the device sends takes precedence; the strings are never added to it (field notes 6, trap 7).
  const strings = bounded(stringTotal(chosen), chosen, 'stringPowerWatts', ratedPowerWatts);
  put('pvPowerWatts', strings.value);
  noteLacking('pvPowerWatts', strings);
  put('batteryTemperatureCelsius', hottest(partsOf(chosen, 'batteryTemperatureCelsius')));
  return { measurements: [...measurements.values()], incomplete };
}

/** Returns the best field for each quantity and part. */
function bestFields(fields: readonly InterpretedField[]): readonly RuledField[] {
  const ranked = fields
    .filter((field): field is RuledField => field.rule !== undefined)
    .sort((one, other) => one.rank - other.rank);
  const best = new Map<string, RuledField>();
  for (const field of ranked) {
    const name = `${field.rule.reads} ${field.rule.part ?? ''}`;
    const known = best.get(name);
    // A field with a value replaces one without. A field without any still counts as a missing part.
    if (known === undefined || (known.value === undefined && field.value !== undefined))
      best.set(name, field);
  }
  return [...best.values()];
}

/** Returns the field for the whole; where it has no value, the fields for the parts. */
function partsOf(chosen: readonly RuledField[], reads: FieldRule['reads']): readonly Part[] {
  const all = chosen
    .filter(({ rule }) => rule.reads === reads)
    .map((field) => ({ field, value: numberOf(field) }));
  const whole = all.filter(({ field, value }) => field.rule.part === undefined && value);
  return whole.length > 0 ? whole : all.filter(({ field }) => field.rule.part !== undefined);
}

/** Adds up parts of which each may carry anything while it is unknown. */
function totalOf(parts: readonly Part[]): Total {
  const lacking = parts.filter(({ value }) => value === undefined).map(({ field }) => field);
  if (lacking.length === 0) return { value: sum(parts.flatMap(({ value }) => value ?? [])) };
  return lacking.length === parts.length ? {} : { lacking };
}

/** Leaves out a sum that is more than the device can carry. */
function bounded(
  total: Total,
  chosen: readonly RuledField[],
  reads: FieldRule['reads'],
  ratedPowerWatts: number | undefined,
): Total {
  if (Math.abs(total.value?.value ?? 0) <= highestWatts(reads, ratedPowerWatts)) return total;
  return { lacking: partsOf(chosen, reads).map(({ field }) => field), isImplausible: true };
}

/** Returns a signed value, or the sum over its phases, with the sign that `positive` names. */
function signedTotal(
  chosen: readonly RuledField[],
  reads: FieldRule['reads'],
  positive: Positive,
): Total {
  const turned = ({ field: { rule }, value }: Part): Timed<number> | undefined => {
    if (value === undefined) return undefined;
    if (rule.directionKey === undefined) return rule.positive === positive ? value : negated(value);
    const direction = chosen.find((field) => field.rule.key === rule.directionKey)?.value;
    // Without a direction only zero is certain.
    if (direction === undefined || !/^[+-]$/.test(String(direction.value)))
      return value.value === 0 ? value : undefined;
    const dated = { ...value, measuredAtMs: oldestOf([value, direction]) };
    return direction.value === '+' ? dated : negated(dated);
  };
  return totalOf(partsOf(chosen, reads).map((part) => ({ ...part, value: turned(part) })));
}

/**
 * Returns the sum over the PV strings. A string without a value sleeps, and counts as 0, while the
 * others produce nothing. Otherwise it may produce, so that the sum is unknown.
 */
function stringTotal(chosen: readonly RuledField[]): Total {
  const strings = partsOf(chosen, 'stringPowerWatts');
  const known = strings.flatMap(({ value }) => value ?? []);
  if (known.length === 0) return {};
  // A current that flows in a string whose power no field gives.
  const unmeasured = partsOf(chosen, 'stringCurrentAmperes').filter(
    ({ field, value }) =>
      (value?.value ?? 0) > 0 && !strings.some((one) => one.field.rule.part === field.rule.part),
  );
  const silent = strings.filter(({ value }) => value === undefined);
  const maySleep = isDark(known) && silent.every(({ field }) => field.verdict === 'no value');
  if (unmeasured.length === 0 && (silent.length === 0 || maySleep))
    return { value: sum(withoutSleeping(known)) };
  return { lacking: [...silent, ...unmeasured].map(({ field }) => field) };
}

function isDark(values: readonly Timed<number>[]): boolean {
  return values.every(({ value }) => value <= 0);
}

/** A string that has been silent for longer than this has gone to sleep; until then it may be late. */
const LATE_MS = 15 * 60_000;

/** Leaves out the last values before a string went to sleep, once the others produce nothing. */
function withoutSleeping(values: readonly Timed<number>[]): readonly Timed<number>[] {
  const newestAtMs = greatestOf(values.flatMap(({ measuredAtMs }) => measuredAtMs ?? []));
  const awake = values.filter(
    ({ measuredAtMs = Infinity }) => newestAtMs - measuredAtMs <= LATE_MS,
  );
  return isDark(awake) ? awake : values;
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

function hottest(parts: readonly Part[]): Timed<number> | undefined {
  const values = parts.flatMap(({ value }) => value ?? []);
  return values.toSorted((one, other) => other.value - one.value)[0];
}

function isQuantity(reads: FieldRule['reads']): reads is Quantity {
  return (QUANTITIES as readonly string[]).includes(reads);
}

function numberOf({ value }: RuledField): Timed<number> | undefined {
  return typeof value?.value === 'number' ? { ...value, value: value.value } : undefined;
}

/** Returns the sum of all values, as old as the oldest of them; absent for none. */
function sum(values: readonly Timed<number>[]): Timed<number> | undefined {
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
