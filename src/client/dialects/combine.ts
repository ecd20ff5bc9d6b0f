import { type Measurement, QUANTITIES, type Quantity } from '../../model/readings.ts';
import { sumOf } from '../../model/units.ts';
import type { FieldRule } from './field-rule.ts';
import type { InterpretedField, Timed } from './field-sample.ts';

type Reads = FieldRule['reads'];

/** Turns fields into measurements: chooses among fields, splits signed values and adds up parts. */
export function combineFields(fields: readonly InterpretedField[]): readonly Measurement[] {
  const chosen = new ChosenFields(fields);
  const measurements = new Map<string, Measurement>();
  /** Keeps a measured value and ignores a later one that is calculated from other values. */
  const put = (quantity: Quantity, value: Timed<number | string> | undefined, part = ''): void => {
    const name = `${quantity} ${part}`;
    if (value === undefined || measurements.has(name)) return;
    measurements.set(name, { quantity, part, ...value });
  };
  for (const { rule, value } of chosen.all()) {
    // Cells are not exported one by one: the hottest one becomes the battery's temperature below.
    const isCell = rule.reads === 'batteryTemperatureCelsius' && rule.part !== undefined;
    if (isQuantity(rule.reads) && !isCell) put(rule.reads, value, rule.part);
  }

  const battery = chosen.signed('batteryPower', 'discharging');
  put('batteryPowerWatts', battery);
  const current = chosen.signed('batteryCurrent', 'discharging');
  put('batteryDischargeCurrentAmperes', positiveOf(current));
  put('batteryChargingCurrentAmperes', negativeOf(current));
  const grid = chosen.signed('gridPower', 'import');
  put('gridImportPowerWatts', positiveOf(grid));
  put('gridFeedInPowerWatts', negativeOf(grid));
  // A sum that the device sends takes precedence; the strings are never added to it (field notes 6, trap 7).
  put('pvPowerWatts', chosen.total('stringPowerWatts'));
  put('batteryTemperatureCelsius', chosen.highest('batteryTemperatureCelsius'));
  return [...measurements.values()];
}

interface Field extends InterpretedField {
  readonly rule: FieldRule;
}

/** The best field for each quantity and part, and the totals over the parts of a quantity. */
class ChosenFields {
  readonly #fields: readonly Field[];

  constructor(fields: readonly InterpretedField[]) {
    const ranked = fields
      .filter((field): field is Field => field.rule !== undefined)
      .sort((one, other) => one.rank - other.rank);
    const best = new Map<string, Field>();
    for (const field of ranked) {
      const name = `${field.rule.reads} ${field.rule.part ?? ''}`;
      if (best.get(name)?.value === undefined) {
        // A field with a value replaces one without. A field without any still counts as a missing part.
        if (field.value !== undefined || !best.has(name)) best.set(name, field);
      }
    }
    this.#fields = [...best.values()];
  }

  all(): readonly Field[] {
    return this.#fields;
  }

  /** Returns the sum of all parts; absent when one of them is unknown. */
  total(reads: Reads): Timed<number> | undefined {
    return sum(this.#parts(reads).map((field) => numberOf(field)));
  }

  /** Returns the highest of the known parts. */
  highest(reads: Reads): Timed<number> | undefined {
    const values = this.#parts(reads)
      .map((field) => numberOf(field))
      .filter((value) => value !== undefined);
    return values.reduce<Timed<number> | undefined>(
      (highest, value) => (highest !== undefined && highest.value >= value.value ? highest : value),
      undefined,
    );
  }

  /** Returns a signed value, or the sum over its phases, with the sign that `positive` names. */
  signed(reads: Reads, positive: 'discharging' | 'import'): Timed<number> | undefined {
    return sum(this.#parts(reads).map((field) => this.#turned(field, positive)));
  }

  #turned(field: Field, positive: 'discharging' | 'import'): Timed<number> | undefined {
    const value = numberOf(field);
    if (value === undefined) return undefined;
    const { directionKey } = field.rule;
    if (directionKey === undefined)
      return field.rule.positive === positive ? value : negated(value);
    const direction = this.#fields.find(({ rule }) => rule.key === directionKey)?.value;
    // Without a direction only zero is certain.
    if (direction === undefined || !/^[+-]$/.test(String(direction.value)))
      return value.value === 0 ? value : undefined;
    const dated = { ...value, measuredAtMs: olderOf(value, direction) };
    return direction.value === '+' ? dated : negated(dated);
  }

  /** Returns the field for the whole; where it has no value, the fields for the parts. */
  #parts(reads: Reads): readonly Field[] {
    const fields = this.#fields.filter(({ rule }) => rule.reads === reads);
    const whole = fields.filter(
      ({ rule, value }) => rule.part === undefined && value !== undefined,
    );
    return whole.length > 0 ? whole : fields.filter(({ rule }) => rule.part !== undefined);
  }
}

function isQuantity(reads: Reads): reads is Quantity {
  return (QUANTITIES as readonly string[]).includes(reads);
}

function numberOf({ value }: Field): Timed<number> | undefined {
  return typeof value?.value === 'number' ? { ...value, value: value.value } : undefined;
}

function sum(parts: readonly (Timed<number> | undefined)[]): Timed<number> | undefined {
  let total: Timed<number> | undefined;
  for (const part of parts) {
    if (part === undefined) return undefined;
    total = { value: sumOf(total?.value ?? 0, part.value), measuredAtMs: olderOf(total, part) };
  }
  return total;
}

/** Returns the time of a value that is calculated from both: that of the older one. */
function olderOf(one?: Timed<unknown>, other?: Timed<unknown>): number | undefined {
  const instants = [one?.measuredAtMs, other?.measuredAtMs].filter((atMs) => atMs !== undefined);
  return instants.length === 0 ? undefined : Math.min(...instants);
}

function negated({ value, measuredAtMs }: Timed<number>): Timed<number> {
  return { value: 0 - value, measuredAtMs };
}

function positiveOf(signed: Timed<number> | undefined): Timed<number> | undefined {
  return signed && { ...signed, value: Math.max(0, signed.value) };
}

function negativeOf(signed: Timed<number> | undefined): Timed<number> | undefined {
  return signed && { ...signed, value: Math.max(0, 0 - signed.value) };
}
