import { type Measurement, QUANTITIES, type Quantity, type Source } from '../../model/readings.ts';
import { greatestOf, leastOf, sumOf } from '../../model/units.ts';
import {
  INTERFACE_QUANTITIES,
  BASES,
  type Family,
  type FieldRule,
  MODE_NAMES,
  MODE_WORDS,
  RULES,
} from './rules.ts';
import { type Dimension, parseUnit, type Unit } from './unit.ts';

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

/** What became of one field. Only `read` fields have a value; the others say why they have none. */
export type Verdict =
  | 'read'
  | 'no value'
  | 'placeholder'
  | 'implausible'
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
  readonly rule?: FieldRule;
  /** Among fields that read the same quantity, the lowest counts. */
  readonly rank: number;
  readonly value?: Timed<number | string> | undefined;
}

/** What the record of a device says of how its answers are read. */
export interface DescribedDevice {
  readonly model?: string | undefined;
  readonly ratedPowerWatts?: number | undefined;
}

/** The device that an answer is about, and the source that the answer came from. */
export interface AnswerContext extends DescribedDevice {
  readonly source: Source;
  readonly family?: Family | undefined;
  /** The keys of the strings and phases that the device is known to have; absent where nothing is known. */
  readonly parts?: ReadonlySet<string> | undefined;
}

/** A rule and its rank among the rules for the same quantity; the lowest rank with a value counts. */
export interface RankedRule {
  readonly rule: FieldRule;
  readonly rank: number;
}

/** Why a key is not read: it has no rule, or its rules contradict each other. */
export type Unresolved = 'unknown' | 'ambiguous';

/** All rules, found by key: by the exact key first, then regardless of case. */
export class RuleSet {
  /** In the order of their ranks: those of the user's file, then those of the exporter. */
  readonly #byKey = new Map<string, RankedRule[]>();
  /** The keys that the user has rules for, in the order of the file. */
  readonly userKeys: readonly string[];
  /** Another text for other rules: what was learnt by others is learnt again. */
  readonly version: string;

  constructor(userRules: readonly FieldRule[] = []) {
    this.userKeys = userRules.map(({ key }) => key);
    this.version = JSON.stringify([RULES.length, ...userRules]);
    [...userRules, ...RULES].forEach((rule, rank) => {
      const key = rule.key.toLowerCase();
      this.#byKey.set(key, [...(this.#byKey.get(key) ?? []), { rule, rank }]);
    });
  }

  /**
   * Finds the rule for a key of a device: the user's rule, else the rule of the device's family, else the
   * rule for every family, else the rule of other families, provided that they all agree. A unit tag
   * excludes rules of another dimension. It does not exclude a rule of the user, who may know that the tag
   * is wrong. Of the user's rules, one for the device's model comes before one for every model.
   */
  resolve(key: string, context: AnswerContext, tag: string | undefined): RankedRule | Unresolved {
    const { family, model, source } = context;
    const all = this.#byKey.get(key.toLowerCase()) ?? [];
    const users = all.filter(({ rule }) => rule.confidence === 'user' && isForModel(rule, model));
    const user = users.find(({ rule }) => rule.model !== undefined) ?? users[0];
    if (user !== undefined) return user;
    const ours = all.filter(({ rule }) => rule.confidence !== 'user');
    const exact = ours.filter(({ rule }) => rule.key === key);
    const dimension = parseUnit(tag)?.dimension;
    const fitting = (exact.length > 0 ? exact : ours).filter(({ rule }) => fits(rule, dimension));
    if (fitting.length === 0) return 'unknown';
    // In a source where the key has not been seen, only a tag makes its unit certain.
    const usable = fitting.filter(
      ({ rule }) => dimension !== undefined || rule.sources.includes(source),
    );
    const [own] = familiesOf(family).flatMap(
      (one) => fitting.find(({ rule }) => rule.families.includes(one)) ?? [],
    );
    if (own !== undefined) return usable.includes(own) ? own : 'ambiguous';
    // A rule for every family holds where no rule of the device's own family says otherwise, and ranks like one.
    const general = usable.find(({ rule }) => rule.families.length === 0);
    if (general !== undefined) return general;
    const [one, ...others] = usable;
    const isAgreed = others.every(({ rule }) => agree(one?.rule, rule, dimension !== undefined));
    if (one === undefined || !isAgreed) return 'ambiguous';
    return { rule: one.rule, rank: one.rank + this.userKeys.length + RULES.length };
  }

  /** Returns the keys of the strings that a device of this family may have. */
  stringKeysOf(family: Family | undefined): readonly string[] {
    const families = new Set(familiesOf(family));
    return [...this.#byKey.values()].flat().flatMap(({ rule }) => {
      const isOwn = rule.confidence === 'user' || rule.families.some((one) => families.has(one));
      return isOwn && rule.reads === 'stringPowerWatts' ? [rule.key] : [];
    });
  }
}

/** Returns the family, and the family whose keys it uses as well. */
function familiesOf(family: Family | undefined): readonly Family[] {
  return [family, family && BASES[family]].filter((one) => one !== undefined);
}

function isForModel(rule: FieldRule, model: string | undefined): boolean {
  return rule.model === undefined || rule.model === model;
}

/** Whether a rule may read values with that tag. Codes and flags have no unit, whatever stands beside them. */
function fits(rule: FieldRule, tagged: Dimension | undefined): boolean {
  if (tagged === undefined) return true;
  const expected = dimensionOf(rule) ?? parseUnit(rule.unit)?.dimension;
  return [undefined, 'text', 'flag', tagged].includes(expected);
}

/** Whether two rules read a value alike. The unit of the rules does not matter for a tagged value. */
function agree(one: FieldRule | undefined, other: FieldRule, isTagged: boolean): boolean {
  return (
    one?.reads === other.reads &&
    one.part === other.part &&
    one.positive === other.positive &&
    one.directionKey === other.directionKey &&
    (isTagged || one.unit === other.unit)
  );
}

export function isSigned(reads: FieldRule['reads']): boolean {
  return reads === 'gridPower' || reads === 'batteryPower' || reads === 'batteryCurrent';
}

/** Whether a rule reads a string or a phase, which are added up. */
export function isPart(rule: FieldRule | undefined): boolean {
  if (rule?.part === undefined) return false;
  return rule.reads === 'stringPowerWatts' || isSigned(rule.reads);
}

/** Higher powers are misreadings, of a device whose rated power is unknown. */
const HIGHEST_WATTS = 200_000;

/** Returns the power above which a value is no measurement: twice what the device can carry. */
export function highestWatts(
  reads: FieldRule['reads'],
  ratedPowerWatts = HIGHEST_WATTS / 2,
): number {
  // A meter of the house may measure these, and with it what other inverters carry.
  const isOfHouse = /^(?:loadPower|gridPower|gridImportPower)/.test(reads);
  return Math.max(2 * ratedPowerWatts, isOfHouse ? HIGHEST_WATTS : 0);
}

/** What is read, by how its name ends, and the dimension of its values. */
const DIMENSIONS: readonly (readonly [suffix: string, dimension: Dimension])[] = [
  ['Watts', 'power'],
  ['Power', 'power'],
  ['Volts', 'voltage'],
  ['Amperes', 'current'],
  ['Current', 'current'],
  ['Ratio', 'ratio'],
  ['Hertz', 'frequency'],
  ['Celsius', 'temperature'],
  ['Mode', 'text'],
  ['Direction', 'text'],
  ['Connected', 'flag'],
];

/** Returns the dimension in which a rule's values are measured; absent for what is not exported. */
export function dimensionOf({ reads }: Pick<FieldRule, 'reads'>): Dimension | undefined {
  return DIMENSIONS.find(([suffix]) => reads.endsWith(suffix))?.[1];
}

/** One answer about a device, decoded by the rules: every field on its own, and what they measure. */
export interface DecodedAnswer extends CombinedFields {
  readonly source: Source;
  readonly fields: readonly Field[];
}

/** The words of the service for codes, by key and code. */
export type WordsByKey = ReadonlyMap<string, ReadonlyMap<string, string>>;

/**
 * Decodes an answer into measurements.
 *
 * @param tags - units by key that another answer named, for values that come without one.
 * @param words - words for codes, by key, that another answer named.
 */
export function decodeAnswer(
  samples: readonly FieldSample[],
  context: AnswerContext,
  rules: RuleSet,
  tags: ReadonlyMap<string, string> = new Map(),
  words: WordsByKey = new Map(),
): DecodedAnswer {
  const { source, parts, ratedPowerWatts } = context;
  const sent = new Set(samples.map(({ key }) => key));
  // An answer without anything in it says nothing about strings and phases either.
  const leftOut = sent.size === 0 ? [] : [...(parts ?? [])].filter((part) => !sent.has(part));
  const found = [...samples, ...leftOut.map((key): FieldSample => ({ key }))].map((one): Field => {
    const { key, number, text, tag = tags.get(key) } = one;
    // One literal, and no spreading, which takes many times as long.
    const sample = { key, number, text, tag, words: one.words ?? words.get(key) };
    const rule = rules.resolve(key, context, tag);
    if (typeof rule === 'string') return { sample, verdict: rule, rank: Infinity };
    return { sample, verdict: 'no value', rule: rule.rule, rank: rule.rank };
  });
  // A string or a phase that nothing but our own question of the time series names is none.
  const isNamed = ({ sample: { key, text }, rule }: Field): boolean =>
    source !== 'history' || text !== undefined || !isPart(rule) || (parts?.has(key) ?? true);
  const bms = bmsState(found);
  const volts = found
    .filter(({ rule }) => rule?.reads === 'batteryVoltageVolts')
    .map((field) => withValue(field, { bms }));
  const batteryVolts = Number(bestFields(volts)[0]?.value?.value ?? 0);
  const limits = { bms, batteryVolts, ratedPowerWatts };
  const fields = found.filter(isNamed).map((field) => withValue(field, limits));
  return { source, fields, ...combineFields(fields, ratedPowerWatts) };
}

/** What an answer says as a whole about the worth of its values. */
interface Limits {
  readonly bms: BmsState;
  readonly batteryVolts?: number;
  readonly ratedPowerWatts?: number | undefined;
}

/** Reads one field by its rule. */
function withValue(field: Field, limits: Limits): Field {
  const { sample, rule, rank } = field;
  if (rule === undefined) return field;
  const value = valueOf(sample, rule, limits);
  if (typeof value === 'string') return { sample, rule, rank, verdict: value };
  return { sample, rule, rank, verdict: 'read', value };
}

/**
 * What the values of a BMS are worth: none of them is a value while the BMS is silent (field notes 8.1),
 * and a 0 is none where nothing shows that there is a BMS (field notes 6, trap 29).
 */
type BmsState = 'silent' | 'answering' | 'unknown';

function bmsState(fields: readonly Field[]): BmsState {
  const says = (code: number): boolean =>
    fields.some(
      ({ sample, rule }) => rule?.reads === 'batteryBmsConnected' && sample.number?.value === code,
    );
  if (says(0)) return 'silent';
  const volts = fields.flatMap(({ sample: { key, number } }) =>
    number !== undefined && /^bms.*voltage$/i.test(key) ? number.value : [],
  );
  const hasVolts = volts.some((value) => value > 0);
  return hasVolts || (says(1) && volts.length === 0) ? 'answering' : 'unknown';
}

/** Higher values are mistakes. The limit also keeps sums of such values finite. */
const HIGHEST_VALUE = 1e12;

/** Returns the value above which a value is a misreading, as a current of more power than a battery has. */
function highestOf(rule: FieldRule, { batteryVolts = 0, ratedPowerWatts }: Limits): number {
  if (dimensionOf(rule) === 'power') return highestWatts(rule.reads, ratedPowerWatts);
  if (!/^battery.*Current/.test(rule.reads)) return HIGHEST_VALUE;
  const amperes = highestWatts('batteryPower', ratedPowerWatts) / Math.abs(batteryVolts);
  return Math.min(HIGHEST_VALUE, amperes);
}

/** Some batteries report slightly more than 100 % when they are full. */
const HIGHEST_RATIO = 1.05;

type Value = NonNullable<Field['value']>;

/** Returns the value of one field in the unit of what its rule reads, or why there is none. */
function valueOf(sample: FieldSample, rule: FieldRule, limits: Limits): Value | Field['verdict'] {
  const dimension = dimensionOf(rule);
  if (dimension === undefined) return 'not exported';
  if (dimension === 'text') return codeOf(sample, rule);
  if (dimension === 'flag') return flagOf(sample);
  if (isSigned(rule.reads) && rule.positive === undefined && rule.directionKey === undefined)
    return 'sign unconfirmed';
  const unit = unitOf(sample, rule);
  if (unit === undefined) return 'unit unconfirmed';
  const { key, number } = sample;
  if (number === undefined) return 'no value';
  const isZero = number.value === 0;
  if (isZero && rule.isZeroNoSensor === true) return 'placeholder';
  const { bms } = limits;
  if (/bms/i.test(key) && (bms === 'silent' || (bms === 'unknown' && isZero))) return 'placeholder';
  const value = unit.toBase(number.value);
  if (Math.abs(value) > highestOf(rule, limits)) return 'implausible';
  if (dimension !== 'ratio') return { ...number, value };
  // Some devices send 6553.5 % for an unknown value.
  if (value < 0 || value > HIGHEST_RATIO) return 'implausible';
  return { ...number, value: Math.min(1, value) };
}

function flagOf({ number, text }: FieldSample): Value | 'no value' | 'not a code' {
  if (text === undefined) return 'no value';
  return number?.value === 0 || number?.value === 1 ? number : 'not a code';
}

/** Returns the unit of the tag, else that of the rule; of the rule first where it knows better than the tag. */
function unitOf({ tag }: FieldSample, rule: FieldRule): Unit | undefined {
  const unit = parseUnit(rule.unit);
  if (rule.confidence === 'user' || rule.isTagWrong === true) return unit;
  const tagged = parseUnit(tag);
  // An unknown unit may stand for thousands, so the unit of the rule must not replace it.
  const isTagUnknown = tagged === undefined && /\p{L}/u.test(tag ?? '');
  return isTagUnknown ? undefined : (tagged ?? unit);
}

/** One to four characters, as in all modes and directions that were seen; at most three digits. */
const CODE = /^(?:[A-Za-z+-][\w+-]{0,3}|\d{1,3})$/;

function codeOf({ text, words }: FieldSample, rule: FieldRule): Value | 'no value' | 'not a code' {
  if (text === undefined) return 'no value';
  if (rule.reads === 'workingMode') {
    // People know a mode by its words; a number says nothing (field notes 8.1).
    const said = modeOfWords(words?.get(text.value)) ?? modeOfWords(text.value);
    const name = said ?? MODE_NAMES.get(text.value.toUpperCase());
    if (name !== undefined) return { ...text, value: name };
  }
  // As a label, arbitrary text would make a new series each time, and it might name a person.
  return CODE.test(text.value) ? text : 'not a code';
}

/** Returns the mode of words such as "Line Mode"; absent for other words, and for those of other languages. */
function modeOfWords(words = ''): string | undefined {
  const bare = words.toLowerCase().replace(/[\s_-]+/g, '');
  return MODE_WORDS.get(bare.replace(/mode$/, ''));
}

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

/** Returns the quantities of the interface that are not measured. A load stands for the AC output. */
export function missingQuantities(measurements: readonly Measurement[]): readonly Quantity[] {
  const measured = new Set(measurements.map(({ quantity }) => quantity));
  if (measured.has('loadPowerWatts')) measured.add('acOutputPowerWatts');
  return INTERFACE_QUANTITIES.filter((quantity) => !measured.has(quantity));
}

/** Whether an answer has all quantities of the interface. */
export function isComplete({ measurements, fields }: DecodedAnswer): boolean {
  return missingQuantities(measurements).every((quantity) =>
    // In the right unit it may be plausible, and a misreading is no reason to learn another dialect.
    fields.some(({ rule, verdict }) => rule?.reads === quantity && verdict === 'implausible'),
  );
}
