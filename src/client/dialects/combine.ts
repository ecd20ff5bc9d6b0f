import { type Measurement, QUANTITIES, type Quantity } from '../../model/readings.ts';
import type { FieldRule } from './field-rule.ts';
import type { Timed } from './field-sample.ts';
import type { InterpretedField } from './interpret.ts';

type Reads = FieldRule['reads'];

/** Makes measurements of interpreted fields: picks, splits signed values, adds up parts. */
export function combineFields(fields: readonly InterpretedField[]): readonly Measurement[] {
  const chosen = new ChosenFields(fields);
  const measurements = new Map<string, Measurement>();
  /** What is measured itself goes before what is made of other values. */
  const put = (quantity: Quantity, value: Timed<number | string> | undefined, part = ''): void => {
    const name = `${quantity} ${part}`;
    if (value === undefined || measurements.has(name)) return;
    measurements.set(name, { quantity, part, ...value });
  };
  for (const { rule, value } of chosen.all()) {
    // Cells are no quantity of their own: the hottest of them is the battery's temperature, below.
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
  // Never added to a sum that the device gives itself (field notes 6, trap 7).
  put('pvPowerWatts', chosen.total('stringPowerWatts'));
  put('batteryTemperatureCelsius', chosen.highest('batteryTemperatureCelsius'));
  return [...measurements.values()];
}

interface Field extends InterpretedField {
  readonly rule: FieldRule;
}

/** The best field for each thing that can be read, and what several of them make together. */
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
        // A key without a value yields to the next, but is remembered as missing.
        if (field.value !== undefined || !best.has(name)) best.set(name, field);
      }
    }
    this.#fields = [...best.values()];
  }

  all(): readonly Field[] {
    return this.#fields;
  }

  /** The sum of all parts; unknown as soon as one of them is. */
  total(reads: Reads): Timed<number> | undefined {
    return sum(this.#parts(reads).map((field) => numberOf(field)));
  }

  /** The highest of all parts that are known. */
  highest(reads: Reads): Timed<number> | undefined {
    const values = this.#parts(reads)
      .map((field) => numberOf(field))
      .filter((value) => value !== undefined);
    return values.reduce<Timed<number> | undefined>(
      (highest, value) => (highest !== undefined && highest.value >= value.value ? highest : value),
      undefined,
    );
  }

  /** A signed value with `positive` counted as positive: the whole, or the sum over its phases. */
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
    // Nothing flows in no direction.
    if (direction === undefined || !/^[+-]$/.test(String(direction.value)))
      return value.value === 0 ? value : undefined;
    const dated = { ...value, measuredAtMs: olderOf(value, direction) };
    return direction.value === '+' ? dated : negated(dated);
  }

  /** The field for the whole; where there is none, those for its parts. */
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
    total = { value: (total?.value ?? 0) + part.value, measuredAtMs: olderOf(total, part) };
  }
  return total;
}

/** What two values make together is as old as the older of them. */
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
