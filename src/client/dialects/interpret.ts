import { type Range, rangeOf, within } from '../../model/bounds.ts';
import {
  type Measurement,
  type Misread,
  QUANTITIES,
  type Quantity,
  type Source,
} from '../../model/readings.ts';
import { greatestOf, leastOf, sumOf } from '../../model/units.ts';
import { BASES, type Family, type FieldRule, INTERFACE_QUANTITIES, RULES, SIGNS } from './rules.ts';
import { type Dimension, parseMode, parseUnit, type Unit } from './unit.ts';

/** A value and its time by the service's clock. */
export interface Timed<T> {
  readonly value: T;
  readonly measuredAtMs?: number | undefined;
}

/** The newest value of one field in one answer, as a number and as text. */
export interface FieldSample {
  readonly key: string;
  /** The unit of the value, as the service writes it. */
  readonly tag?: string | undefined;
  /** Absent when no element of the field is a number. */
  readonly number?: Timed<number> | undefined;
  /** Absent when the field has no value. Codes keep their leading zeros. */
  readonly text?: Timed<string> | undefined;
  /** The words that the service shows for codes of the field, by code. */
  readonly words?: ReadonlyMap<string, string> | undefined;
}

/** The words of the service for codes, by key and code. */
export type WordsByKey = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** The device that an answer is about, and the source that the answer came from. */
export interface AnswerContext {
  readonly source: Source;
  readonly family?: Family | undefined;
  readonly model?: string | undefined;
  readonly ratedPowerWatts?: number | undefined;
  /** The keys of the strings and phases that the device is known to have; absent where nothing is known. */
  readonly parts?: ReadonlySet<string> | undefined;
  /** Units by key that another answer named, for values that come without one. */
  readonly tags?: ReadonlyMap<string, string> | undefined;
  /** The words for codes that another answer named. */
  readonly words?: WordsByKey | undefined;
}

/** The fields of a device record that affect how its answers are decoded. */
export type DescribedDevice = Pick<AnswerContext, 'model' | 'ratedPowerWatts'>;

/** The outcome for a field. Only a `read` field has a value. An `unknown` or `ambiguous` key has no rule. */
type Verdict =
  | 'read'
  | 'no value'
  | 'placeholder'
  | 'implausible'
  | 'contradicted'
  | 'not a number'
  | 'not a code'
  | 'unit unconfirmed'
  | 'sign unconfirmed'
  | 'not exported'
  | 'ambiguous'
  | 'unknown';

/** One field and its rule; its value is in the unit of the quantity that the rule reads. */
export interface Field {
  readonly sample: FieldSample;
  readonly verdict: Verdict;
  readonly rule?: RankedRule | undefined;
  readonly value?: Timed<number | string> | undefined;
}

/** One answer about a device, decoded by the rules: every field, and the measurements made of the fields. */
export interface DecodedAnswer {
  readonly source: Source;
  readonly fields: readonly Field[];
  readonly measurements: readonly Measurement[];
  /** Invalid and implausible values, even where another field gives the quantity; absent when there are none. */
  readonly misread?: readonly Misread[] | undefined;
  /** The sums that are unknown although some of their parts are known. */
  readonly incomplete: readonly {
    readonly quantity: Quantity;
    /** The keys of the parts without a plausible value; the keys of all parts when only their sum is implausible. */
    readonly keys: readonly string[];
    readonly why: 'no value' | 'misread' | 'implausible sum';
  }[];
}

/** A rule with what follows from it. Of the rules for one quantity, the lowest-ranked one with a value counts. */
interface RankedRule extends FieldRule {
  readonly rank: number;
  readonly dimension: Dimension | undefined;
  /** The quantities that the rule reads, or to which its value contributes. */
  readonly quantities: readonly Quantity[];
  /** What the rule reads, and which part of it; rules with the same meaning compete. */
  readonly meaning: string;
}

/** The rule for a key with a tag. */
interface KnownKey {
  readonly tag: string | undefined;
  readonly rule: RankedRule | 'unknown' | 'ambiguous';
  /** The unit of its numbers; absent where it is unconfirmed. */
  readonly unit: Unit | undefined;
}

type RuledField = Field & { readonly rule: RankedRule };

/** A field whose value has not been read yet. */
type FoundField = Field & { readonly unit?: Unit | undefined };

/** What plausible values depend on: the rated power, the placeholders of the BMS, and the battery's voltage. */
type Limits = Pick<DescribedDevice, 'ratedPowerWatts'> & {
  readonly isBmsPlaceholder: (value: number) => boolean;
  readonly batteryVolts?: number | undefined;
};

/** All rules, found by key regardless of case. */
export class RuleSet {
  /** In order of rank: the rules of the user's file, then those of the exporter. */
  readonly #byKey = new Map<string, RankedRule[]>();
  /** The keys that the user has rules for, in the order of the file. */
  readonly userKeys: readonly string[];

  constructor(userRules: readonly FieldRule[] = []) {
    this.userKeys = userRules.map(({ key }) => key);
    [...userRules, ...RULES].forEach((rule, rank) => {
      const key = rule.key.toLowerCase();
      const dimension = dimensionOf(rule) ?? parseUnit(rule.unit)?.dimension;
      const ranked = { ...rule, rank, dimension, ...meant(rule) };
      this.#byKey.set(key, [...(this.#byKey.get(key) ?? []), ranked]);
    });
  }

  /**
   * Finds the rule for a key of a device, in order of precedence: the user's for its model, the user's for every model,
   * that of its family, of its base family, for every family, or the one that all other families agree on.
   */
  resolve(
    key: string,
    { family, model, source }: AnswerContext,
    tag?: string,
  ): RankedRule | 'unknown' | 'ambiguous' {
    const tagged = parseUnit(tag)?.dimension;
    const fitting = (this.#byKey.get(key.toLowerCase()) ?? []).filter((rule) =>
      // The user may know that a tag is wrong. Codes have no unit, so their tag is ignored.
      rule.confidence === 'user'
        ? (rule.model ?? model) === model
        : tagged === undefined || [undefined, 'text', tagged].includes(rule.dimension),
    );
    if (fitting.length === 0) return 'unknown';
    const own =
      fitting.find((rule) => rule.model !== undefined) ??
      fitting.find(({ confidence }) => confidence === 'user') ??
      fitting.find(({ families }) => families.some((one) => one === family)) ??
      fitting.find(({ families }) => families.some((one) => family && one === BASES[family])) ??
      fitting.find(({ families }) => families.length === 0);
    // The unit may differ in a source where the key has not been seen. Only a tag makes it certain.
    const isUsable = ({ sources }: FieldRule) => tagged !== undefined || sources.includes(source);
    if (own !== undefined) return isUsable(own) ? own : 'ambiguous';
    const usable = fitting.filter(isUsable);
    // The unit of the rules does not matter for a tagged value.
    const meanings = usable.map(({ reads, part, positive, unit }) =>
      [reads, part, positive, tagged ?? unit].join(),
    );
    const [one] = usable;
    if (one === undefined || new Set(meanings).size > 1) return 'ambiguous';
    return { ...one, rank: one.rank + this.userKeys.length + RULES.length };
  }

  /** Returns the keys of the strings that a device of this family may have. */
  stringKeysOf(family: Family | undefined): readonly string[] {
    return [...this.#byKey.values()].flat().flatMap(({ key, reads, confidence, families }) => {
      const isOwn = families.some((one) => one === family || (family && one === BASES[family]));
      return reads === 'stringPowerWatts' && (isOwn || confidence === 'user') ? [key] : [];
    });
  }
}

/** The dimension of values, by the last word in the name of what is read. */
const DIMENSIONS: Readonly<Record<string, Dimension>> = {
  Watts: 'power',
  Power: 'power',
  Volts: 'voltage',
  Amperes: 'current',
  Current: 'current',
  Ratio: 'ratio',
  Hertz: 'frequency',
  Celsius: 'temperature',
  Mode: 'text',
  Direction: 'text',
  Connected: 'text',
  Alone: 'text',
};

/** Returns the dimension in which a rule's values are measured; absent for what is not exported. */
export function dimensionOf({ reads }: Pick<FieldRule, 'reads'>): Dimension | undefined {
  return DIMENSIONS[/[A-Z][a-z]+$/.exec(reads)?.[0] ?? ''];
}

/** Whether a rule reads a string or a phase, which are added up. */
export function isPart(rule: FieldRule | undefined): boolean {
  return rule?.part !== undefined && (rule.reads === 'stringPowerWatts' || rule.reads in SIGNS);
}

/** Decodes answers into measurements. */
type Decode = (samples: readonly FieldSample[]) => DecodedAnswer;

/** Returns the decoder for the answers of one source of a device. It looks up the rule of each key once. */
export function decoderOf(context: AnswerContext, rules: RuleSet): Decode {
  const known = new Map<string, KnownKey>();
  const lookUp = (key: string, tag: string | undefined): KnownKey => {
    const found = known.get(key);
    if (found !== undefined && found.tag === tag) return found;
    const rule = rules.resolve(key, context, tag);
    const one = { tag, rule, unit: typeof rule === 'string' ? undefined : unitOf(rule, tag) };
    known.set(key, one);
    return one;
  };
  return (samples) => decodeAnswer(samples, context, lookUp);
}

function decodeAnswer(
  samples: readonly FieldSample[],
  { source, parts, tags, words, ratedPowerWatts }: AnswerContext,
  lookUp: (key: string, tag: string | undefined) => KnownKey,
): DecodedAnswer {
  const sent = new Set(samples.map(({ key }) => key));
  const leftOut = [...(parts ?? [])].filter((part) => !sent.has(part));
  const found = [...samples, ...leftOut.map((key): FieldSample => ({ key }))]
    .map(
      ({ key, number, text, tag = tags?.get(key), words: own = words?.get(key) }): FoundField => {
        // One literal: spreading takes many times as long.
        const sample = { key, number, text, tag, words: own };
        const { rule, unit } = lookUp(key, tag);
        return typeof rule === 'string'
          ? { sample, verdict: rule, unit }
          : { sample, verdict: 'no value', rule, unit };
      },
    )
    // A string or phase that only our own request for the time series names does not exist.
    .filter(
      ({ sample: { key, text }, rule }) =>
        source !== 'history' || text !== undefined || !isPart(rule) || (parts?.has(key) ?? true),
    );
  const limits = { ratedPowerWatts, isBmsPlaceholder: bmsPlaceholders(found) };
  const withVoltage = found.map((field) => (isVoltage(field) ? withValue(field, limits) : field));
  const [measured] = numbersOf(bestFields(withVoltage.filter(isVoltage)));
  const allLimits = { ...limits, batteryVolts: measured?.value };
  const fields = withoutDeadVoltage(
    withFirstString(
      withVoltage.map((field) => (isVoltage(field) ? field : withValue(field, allLimits))),
    ),
  );
  const { measurements, incomplete } = combine(bestFields(fields), allLimits);
  const misread = [
    ...fields.flatMap((field) => misreadOf(field, allLimits) ?? []),
    ...incomplete.flatMap(({ quantity, keys, why }) =>
      why === 'implausible sum'
        ? { key: keys.join(', '), quantities: [quantity], why: tooMuch(keys) }
        : [],
    ),
  ];
  const anyMisread = misread.length > 0 ? misread : undefined;
  return { source, fields, measurements, misread: anyMisread, incomplete };
}

/** The currents at the terminals of a battery. */
const CURRENTS: readonly Quantity[] = [
  'batteryDischargeCurrentAmperes',
  'batteryChargingCurrentAmperes',
];
/** Less of a current is noise, and less of a voltage is none. */
const [LEAST_AMPERES, LEAST_VOLTS] = [1, 1];

function isVoltage({ rule }: Field): boolean {
  return rule?.reads === 'batteryVoltageVolts';
}

/** Leaves out a voltage of 0 beside a current: no battery has that, and its power would be said to be nothing. */
function withoutDeadVoltage(fields: readonly Field[]): readonly Field[] {
  const isDead = (field: Field): boolean =>
    isVoltage(field) && Number(field.value?.value) < LEAST_VOLTS;
  const isFlowing = ({ rule, value }: Field): boolean =>
    Math.abs(Number(value?.value)) >= LEAST_AMPERES &&
    rule?.quantities.some((quantity) => CURRENTS.includes(quantity)) === true;
  if (!fields.some(isDead) || !fields.some(isFlowing)) return fields;
  return fields.map((field) =>
    isDead(field) ? { ...field, verdict: 'contradicted', value: undefined } : field,
  );
}

function tooMuch(keys: readonly string[]): string {
  return `${keys.length > 1 ? 'add up to' : 'says'} more than the device can carry`;
}

/** The quantities to which a value contributes, where they are not just the one that is read. */
const PART_OF: Readonly<Partial<Record<FieldRule['reads'], readonly Quantity[]>>> = {
  stringPowerWatts: ['stringPowerWatts', 'pvPowerWatts'],
  stringCurrentAmperes: ['stringCurrentAmperes', 'pvPowerWatts'],
  gridPower: ['gridImportPowerWatts', 'gridFeedInPowerWatts'],
  batteryPower: ['batteryPowerWatts'],
  batteryCurrent: ['batteryDischargeCurrentAmperes', 'batteryChargingCurrentAmperes'],
};

/** Derives the quantities and the meaning of a rule. */
function meant({ reads, part = '' }: Pick<FieldRule, 'reads' | 'part'>) {
  const quantities = PART_OF[reads] ?? QUANTITIES.filter((quantity) => quantity === reads);
  return { quantities, meaning: `${reads} ${part}` };
}

/** Returns the unit of untagged or tagged numbers; undefined where it is unconfirmed. */
function unitOf(rule: RankedRule, tag: string | undefined): Unit | undefined {
  const isTagWrong = rule.confidence === 'user' || rule.isTagWrong === true;
  // A tag with an unknown unit may mean thousands, so the unit of the rule must not replace it.
  const isTagUnit = parseUnit(tag) !== undefined || /\p{L}/u.test(tag ?? '');
  return parseUnit(isTagUnit && !isTagWrong ? tag : rule.unit);
}

/** The verdicts of values that came and are invalid or implausible. */
const MISREAD: ReadonlySet<Verdict> = new Set(['implausible', 'not a number', 'contradicted']);

/** Describes an invalid or implausible value; undefined where a field has a good value or none. */
function misreadOf({ sample, rule, verdict }: Field, limits: Limits): Misread | undefined {
  if (rule === undefined || !MISREAD.has(verdict)) return undefined;
  const { key, number, tag = rule.unit ?? '' } = sample;
  const { quantities } = rule;
  if (verdict === 'not a number') return { key, quantities, why: 'says a text, and no number' };
  if (verdict === 'contradicted')
    return { key, quantities, why: `says ${number?.value} ${tag} while a current flows` };
  const range = rangeOfRule(rule, limits);
  if (number === undefined || range === undefined) return undefined;
  const percent = rule.dimension === 'ratio' ? 100 : 1;
  const unit = { power: 'W', voltage: 'V', current: 'A', frequency: 'Hz', temperature: '°C' };
  const possible = [range.lowest, range.highest].map((bound) => Math.round(bound * percent));
  const inUnit = { ...unit, ratio: '%' }[rule.dimension as 'ratio' | keyof typeof unit];
  const why = isExtreme(number.value)
    ? `says ${number.value} ${tag}, which stands for no value`
    : `says ${number.value} ${tag}, and ${possible.join(' to ')} ${inUnit} can be`;
  return { key, quantities, why };
}

/**
 * Returns a test for placeholders of a BMS: every value while the BMS is silent (service.md#bms), and a 0 where no
 * field shows that there is a BMS.
 */
function bmsPlaceholders(fields: readonly Field[]): (value: number) => boolean {
  const numbersWhere = (isMeant: (field: Field) => boolean): readonly number[] =>
    fields.filter(isMeant).flatMap(({ sample }) => sample.number?.value ?? []);
  const says = numbersWhere(({ rule }) => rule?.reads === 'batteryBmsConnected');
  const volts = numbersWhere(({ sample }) => /^bms.*voltage$/i.test(sample.key));
  const isThere = volts.length > 0 ? volts.some((value) => value > 0) : says.includes(1);
  return (value) => says.includes(0) || (value === 0 && !isThere);
}

function withValue(field: FoundField, limits: Limits): Field {
  const { sample, rule } = field;
  const value = valueOf(field, limits);
  const isRead = typeof value !== 'string';
  return isRead ? { sample, rule, verdict: 'read', value } : { sample, rule, verdict: value };
}

/** Returns the value of one field in the unit of what its rule reads, or why there is none. */
function valueOf(field: FoundField, limits: Limits): Timed<number | string> | Verdict {
  const { rule, verdict, sample, unit } = field;
  if (rule === undefined) return verdict;
  const { key, number, text, words } = sample;
  const { reads, dimension } = rule;
  if (reads === 'nothing') return 'not exported';
  if (dimension === 'text') {
    if (text === undefined) return 'no value';
    const isFlag = number?.value === 0 || number?.value === 1;
    if (reads === 'batteryBmsConnected') return isFlag ? number : 'not a code';
    // The words for a code tell the mode; a number alone does not (service.md#modes).
    const mode = parseMode(words?.get(text.value)) ?? parseMode(text.value);
    if (reads === 'workingMode' && mode !== undefined) return { ...text, value: mode };
    // As a label, arbitrary text would make a new series each time, and it might name a person.
    return /^(?:[A-Za-z+-][\w+-]{0,3}|\d{1,3})$/.test(text.value) ? text : 'not a code';
  }
  if (reads in SIGNS && rule.positive === undefined) return 'sign unconfirmed';
  if (unit === undefined) return 'unit unconfirmed';
  const isNewer = number === undefined || number.measuredAtMs !== text?.measuredAtMs;
  // Dashes are no text: displays show them for a missing value.
  if (isNewer && /[\p{L}\d]/u.test(text?.value ?? '')) return 'not a number';
  if (number === undefined) return 'no value';
  const isNoSensor = rule.isZeroNoSensor === true && number.value === 0;
  if (isNoSensor || (/bms/i.test(key) && limits.isBmsPlaceholder(number.value)))
    return 'placeholder';
  const range = rangeOfRule(rule, limits);
  const value = range && within(range, unit.toBase(number.value));
  if (value === undefined || isExtreme(number.value)) return 'implausible';
  return { ...number, value };
}

/** The highest values of registers without and with a sign, and the lowest of those with one. */
const EXTREMES = /^(?:-?0*(?:65535|4294967295|32767|2147483647)|-0*(?:32768|2147483648))$/;

/** Whether a register has its highest or lowest value, wherever its decimal point is: that stands for an unknown value. */
function isExtreme(value: number): boolean {
  return EXTREMES.test(String(value).replace('.', ''));
}

/**
 * Returns the range of plausible values of a rule.
 *
 * @param positive - the meaning of a positive value; undefined where values have no sign, or another key gives it.
 */
function rangeOfRule(
  rule: RankedRule,
  limits: Limits,
  positive: string | undefined = rule.positive === 'by direction' ? undefined : rule.positive,
): Range | undefined {
  const [first = 'workingMode', second = first] = rule.quantities;
  if (first === 'workingMode' || second === 'workingMode') return undefined;
  const [ours] = SIGNS[rule.reads] ?? [];
  if (ours === undefined || positive === undefined) return rangeOf(first, limits);
  return positive === ours ? rangeOf(first, limits, second) : rangeOf(second, limits, first);
}

/** Returns the best field for each quantity and part: the first with a value, else the first, as a part without one. */
function bestFields(fields: readonly Field[]): readonly RuledField[] {
  const best = new Map<string, RuledField>();
  const ruled = fields.filter((field): field is RuledField => field.rule !== undefined);
  for (const field of ruled.sort((one, other) => one.rule.rank - other.rule.rank)) {
    const known = best.get(field.rule.meaning);
    if (known === undefined || (known.value === undefined && field.value !== undefined))
      best.set(field.rule.meaning, field);
  }
  return [...best.values()];
}

/** Turns fields into measurements: splits signed values and adds up parts. */
function combine(chosen: readonly RuledField[], limits: Limits) {
  const measurements: Measurement[] = [];
  const incomplete: DecodedAnswer['incomplete'][number][] = [];
  const isMeasured = (quantity: Quantity) => measurements.some((one) => one.quantity === quantity);
  /** Keeps a measured value, and ignores a later one that is calculated from other values. */
  const put = (quantity: Quantity, timed: Field['value'], part = ''): void => {
    if (timed === undefined || (part === '' && isMeasured(quantity))) return;
    // No spreading: these objects are kept, and a literal of four properties takes a third less memory.
    const { value, measuredAtMs } = timed;
    measurements.push({ quantity, part, value, measuredAtMs });
  };
  const split = (timed: Timed<number> | undefined, positive: Quantity, negative: Quantity) => {
    put(positive, timed && { ...timed, value: Math.max(0, timed.value) });
    put(negative, timed && { ...timed, value: Math.max(0, 0 - timed.value) });
  };
  /** Adds up parts. The sum is unknown while any part is unknown. */
  const total = (quantity: Quantity, parts: readonly RuledField[]): Timed<number> | undefined => {
    const numbers = numbersOf(parts);
    if (numbers.length === 0) return undefined;
    const value = sumOf(numbers.map((number) => number.value));
    const silent = parts.filter((part) => part.value === undefined);
    const isPlausible = parts.every(({ rule }) => {
      const [ours] = SIGNS[rule.reads] ?? [];
      const range = rangeOfRule(rule, limits, ours);
      return range && within(range, value) !== undefined;
    });
    if (silent.length === 0 && isPlausible) return { value, measuredAtMs: oldestOf(numbers) };
    const keys = (silent.length > 0 ? silent : parts).map(({ sample }) => sample.key);
    const isMisread = silent.some((part) => misreadOf(part, limits) !== undefined);
    const why = silent.length === 0 ? 'implausible sum' : isMisread ? 'misread' : 'no value';
    if (!isMeasured(quantity)) incomplete.push({ quantity, keys, why });
    return undefined;
  };
  const [direction] = fieldsOf('gridDirection', chosen);
  /** Returns the signed value of the whole; where there is none, the sum of its phases. */
  const signed = (quantity: Quantity, reads: FieldRule['reads']): Timed<number> | undefined => {
    const all = fieldsOf(reads, chosen);
    const isWhole = all.some(({ rule, value }) => rule.part === undefined && value !== undefined);
    const parts = all.filter(({ rule }) => (rule.part === undefined) === isWhole);
    const inOurSign = parts.map((part) => ({ ...part, value: turned(part, direction?.value) }));
    return total(quantity, inOurSign);
  };

  for (const { rule, value } of chosen) {
    const quantity = rule.quantities.find((one) => one === rule.reads);
    // Cells are not exported one by one: the hottest one becomes the battery's temperature below.
    const isCell = quantity === 'batteryTemperatureCelsius' && rule.part !== undefined;
    if (quantity !== undefined && !isCell) put(quantity, value, rule.part);
  }
  const cells = numbersOf(fieldsOf('batteryTemperatureCelsius', chosen));
  put('batteryTemperatureCelsius', cells.toSorted((one, other) => other.value - one.value)[0]);

  const power = signed('batteryPowerWatts', 'batteryPower');
  const current = signed('batteryDischargeCurrentAmperes', 'batteryCurrent');
  // Where the signs of the battery's power and current contradict each other, the current is unknown. Where both
  // are far from 0, the power is unknown, too: one sign is wrong, and either may be it (service.md#families). A
  // current of 0 is not a measurement while power flows.
  const [watts, amperes] = [power?.value ?? 0, current?.value ?? 0];
  const isFlowing = Math.abs(watts) >= 100;
  const isOpposed = watts * amperes < 0;
  if (!isOpposed || !isFlowing || Math.abs(amperes) < 0.5) put('batteryPowerWatts', power);
  if (!isOpposed && !(isFlowing && amperes === 0))
    split(current, 'batteryDischargeCurrentAmperes', 'batteryChargingCurrentAmperes');
  const grid = signed('gridFeedInPowerWatts', 'gridPower');
  split(grid, 'gridImportPowerWatts', 'gridFeedInPowerWatts');
  // A sum that the device sends takes precedence; the strings are never added to it (service.md#families).
  put('pvPowerWatts', total('pvPowerWatts', countedStrings(chosen)));
  return { measurements, incomplete };
}

/** Returns a signed value with import and discharging positive. Without a direction only zero is certain. */
function turned(field: RuledField, gridDirection: Field['value']): Timed<number> | undefined {
  const { positive } = field.rule;
  const [number] = numbersOf([field]);
  const direction = positive === 'by direction' ? gridDirection : undefined;
  const sign = String(direction?.value ?? positive);
  const isOpposite = ['feed-in', 'charging', '-'].includes(sign);
  const isKnown = isOpposite || ['import', 'discharging', '+'].includes(sign);
  if (number === undefined || (!isKnown && number.value !== 0)) return undefined;
  const value = isOpposite ? 0 - number.value : number.value;
  return { value, measuredAtMs: oldestOf([number, direction ?? number]) };
}

/** Whether PV has a key without a number: the whole or the first string, unless a rule of the user decides that. */
function isUnnumberedPv({ rule, sample }: Field): boolean {
  const isPv = rule?.reads === 'pvPowerWatts' || rule?.reads === 'stringPowerWatts';
  return isPv && rule.confidence !== 'user' && /^pv\D*$/i.test(sample.key);
}

/**
 * Reads a PV key without a number as the first string where other keys are strings (service.md#families). If one of
 * them is the first string, the value is the sum where it is nearer to the sum than to the first string.
 */
function withFirstString(fields: readonly Field[]): readonly Field[] {
  const isString = ({ rule }: Field): boolean => rule?.reads === 'stringPowerWatts';
  const numbered = fields.filter((field) => isString(field) && !isUnnumberedPv(field));
  if (numbered.length === 0) return fields;
  const first = numbered.filter(({ rule }) => rule?.part === '1');
  const wattsOf = (of: readonly Field[]): number => sumOf(numbersOf(of).map(({ value }) => value));
  const [sumWatts, firstWatts] = [wattsOf(numbered), wattsOf(first)];
  return fields.map((field) => {
    const { rule } = field;
    if (rule === undefined || !isUnnumberedPv(field)) return field;
    const [watts = sumWatts] = numbersOf([field]).map(({ value }) => value);
    const isSum = first.length > 0 && Math.abs(watts - sumWatts) <= Math.abs(watts - firstWatts);
    const read = isSum
      ? ({ reads: 'pvPowerWatts', part: undefined } as const)
      : ({ reads: 'stringPowerWatts', part: '1' } as const);
    return { ...field, rule: { ...rule, ...read, ...meant(read) } };
  });
}

/**
 * Returns the PV strings that are added up. A string without a value, or with an old one from before it went to
 * sleep, is left out while all others produce nothing. Otherwise it may produce, as may a string with a current but
 * no field for its power.
 */
function countedStrings(chosen: readonly RuledField[]): readonly RuledField[] {
  const powers = fieldsOf('stringPowerWatts', chosen);
  const unmeasured = fieldsOf('stringCurrentAmperes', chosen)
    .filter(({ value }) => Number(value?.value) > 0)
    .filter(({ rule }) => !powers.some((power) => power.rule.part === rule.part))
    .map((current) => ({ ...current, value: undefined }));
  const strings = [...powers, ...unmeasured];
  const newestAtMs = greatestOf(powers.flatMap(({ value }) => value?.measuredAtMs ?? []));
  // A value that is not older than this may only be late.
  const earliestAtMs = newestAtMs - 15 * 60_000;
  const awake = strings.filter(
    ({ verdict, value }) =>
      verdict !== 'no value' && (value?.measuredAtMs ?? Infinity) >= earliestAtMs,
  );
  // Where a string has no value, the last value of a sleeping string may be the only sign that it is day.
  const known = numbersOf(powers.some(({ value }) => value === undefined) ? strings : awake);
  return unmeasured.length === 0 && known.every(({ value }) => value <= 0) ? awake : strings;
}

function fieldsOf(reads: FieldRule['reads'], chosen: readonly RuledField[]): readonly RuledField[] {
  return chosen.filter(({ rule }) => rule.reads === reads);
}

function numbersOf(fields: readonly Field[]): readonly Timed<number>[] {
  return fields
    .map(({ value }) => value)
    .filter((value): value is Timed<number> => typeof value?.value === 'number');
}

function oldestOf(values: readonly Timed<unknown>[]): number | undefined {
  const oldestAtMs = leastOf(values.map(({ measuredAtMs = Infinity }) => measuredAtMs));
  return oldestAtMs === Infinity ? undefined : oldestAtMs;
}

/** Returns the specified quantities that are not measured. A load counts as the AC output. */
export function missingQuantities(measurements: readonly Measurement[]): readonly Quantity[] {
  const measured = new Set(measurements.map(({ quantity }) => quantity));
  if (measured.has('loadPowerWatts')) measured.add('acOutputPowerWatts');
  return INTERFACE_QUANTITIES.filter((quantity) => !measured.has(quantity));
}

/** Whether an answer has all specified quantities. */
export function isComplete({ measurements, misread = [] }: DecodedAnswer): boolean {
  return missingQuantities(measurements).every((quantity) =>
    // A misread value may be plausible in its right unit, so it is no reason to learn another dialect.
    misread.some(({ quantities }) => quantities.includes(quantity)),
  );
}
