import { greatestOf, leastOf } from '../../model/extremes.ts';
import { sumOf } from '../../model/units.ts';
import type { FieldRule } from './field-rule.ts';
import type { InterpretedField, Timed } from './field-sample.ts';

type Reads = FieldRule['reads'];

/** A string that has been silent for longer than this has gone to sleep; until then it may be late. */
const LATE_MS = 15 * 60_000;

/** A field that a rule reads. */
export interface RuledField extends InterpretedField {
  readonly rule: FieldRule;
}

/** A sum over the parts of a quantity. */
export interface Total {
  /** Absent where the sum is unknown. */
  readonly value?: Timed<number> | undefined;
  /** The keys of the parts that keep the sum unknown although other parts are known. */
  readonly lacking: readonly string[];
}

const UNKNOWN: Total = { lacking: [] };

/** The best field for each quantity and part, and the totals over the parts of a quantity. */
export class ChosenFields {
  readonly #fields: readonly RuledField[];

  constructor(fields: readonly InterpretedField[]) {
    const ranked = fields
      .filter((field): field is RuledField => field.rule !== undefined)
      .sort((one, other) => one.rank - other.rank);
    const best = new Map<string, RuledField>();
    for (const field of ranked) {
      const name = `${field.rule.reads} ${field.rule.part ?? ''}`;
      if (best.get(name)?.value === undefined) {
        // A field with a value replaces one without. A field without any still counts as a missing part.
        if (field.value !== undefined || !best.has(name)) best.set(name, field);
      }
    }
    this.#fields = [...best.values()];
  }

  all(): readonly RuledField[] {
    return this.#fields;
  }

  /**
   * Returns the sum over the PV strings. A string without a value sleeps, and counts as 0, while the
   * others produce nothing. Otherwise it may produce, so that the sum is unknown.
   */
  stringTotal(): Total {
    const strings = this.#parts('stringPowerWatts').map((field) => ({
      field,
      value: numberOf(field),
    }));
    const unmeasured = this.#unmeasuredStrings(strings.map(({ field }) => field.rule.part));
    const known = strings.flatMap(({ value }) => value ?? []);
    const silent = strings.filter(({ value }) => value === undefined).map(({ field }) => field);
    const lacking = [...silent, ...unmeasured].map(({ sample }) => sample.key);
    if (lacking.length === 0) return { value: sum(withoutSleeping(known)), lacking };
    const mayAllSleep = silent.every(({ verdict }) => verdict === 'no value');
    if (known.length === 0) return UNKNOWN;
    const isDark = unmeasured.length === 0 && known.every(({ value }) => value <= 0);
    return isDark && mayAllSleep
      ? { value: sum(withoutSleeping(known)), lacking: [] }
      : { lacking };
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
  signed(reads: Reads, positive: 'discharging' | 'import'): Total {
    const phases = this.#parts(reads).map((field) => ({
      field,
      value: this.#turned(field, positive),
    }));
    const silent = phases.filter(({ value }) => value === undefined);
    // Whatever the other phases say, an unknown one may carry anything.
    if (silent.length > 0)
      return silent.length === phases.length
        ? UNKNOWN
        : { lacking: silent.map(({ field }) => field.sample.key) };
    return { value: sum(phases.flatMap(({ value }) => value ?? [])), lacking: [] };
  }

  #turned(field: RuledField, positive: 'discharging' | 'import'): Timed<number> | undefined {
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
  #parts(reads: Reads): readonly RuledField[] {
    const fields = this.#fields.filter(({ rule }) => rule.reads === reads);
    const whole = fields.filter(
      ({ rule, value }) => rule.part === undefined && value !== undefined,
    );
    return whole.length > 0 ? whole : fields.filter(({ rule }) => rule.part !== undefined);
  }

  /** Returns the currents that flow in strings whose power no field gives. */
  #unmeasuredStrings(measured: readonly (string | undefined)[]): readonly RuledField[] {
    if (measured.length === 0) return [];
    return this.#fields.filter(
      (field) =>
        field.rule.reads === 'stringCurrentAmperes' &&
        !measured.includes(field.rule.part) &&
        (numberOf(field)?.value ?? 0) > 0,
    );
  }
}

/** Leaves out the last values before a string went to sleep, once the others produce nothing. */
function withoutSleeping(values: readonly Timed<number>[]): readonly Timed<number>[] {
  const newestAtMs = newestOf(values);
  if (newestAtMs === undefined) return values;
  const isLate = ({ measuredAtMs = newestAtMs }: Timed<number>): boolean =>
    newestAtMs - measuredAtMs > LATE_MS;
  const awake = values.filter((value) => !isLate(value));
  return awake.every(({ value }) => value <= 0) ? awake : values;
}

function numberOf({ value }: RuledField): Timed<number> | undefined {
  return typeof value?.value === 'number' ? { ...value, value: value.value } : undefined;
}

/** Returns the sum of all values; absent for none. */
function sum(values: readonly Timed<number>[]): Timed<number> | undefined {
  return values.reduce<Timed<number> | undefined>(
    (total, value) =>
      total === undefined
        ? value
        : { value: sumOf([total.value, value.value]), measuredAtMs: olderOf(total, value) },
    undefined,
  );
}

/** Returns the time of a value that is calculated from both: that of the older one. */
function olderOf(one: Timed<unknown>, other: Timed<unknown>): number | undefined {
  const instants = [one.measuredAtMs, other.measuredAtMs].filter((atMs) => atMs !== undefined);
  return instants.length === 0 ? undefined : leastOf(instants);
}

function newestOf(values: readonly Timed<unknown>[]): number | undefined {
  const instants = values.flatMap(({ measuredAtMs }) => measuredAtMs ?? []);
  return instants.length === 0 ? undefined : greatestOf(instants);
}

function negated({ value, measuredAtMs }: Timed<number>): Timed<number> {
  return { value: 0 - value, measuredAtMs };
}
