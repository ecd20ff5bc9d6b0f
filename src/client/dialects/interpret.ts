import type { Source } from '../../model/readings.ts';
import { bestFields, type CombinedFields, combineFields } from './combine.ts';
import { dimensionOf, type FieldRule, highestWatts, isPart, isSigned } from './field-rule.ts';
import type { Field, FieldSample } from './field-sample.ts';
import type { AnswerContext, RuleSet } from './rule-set.ts';
import { MODE_NAMES, MODE_WORDS } from './rules.ts';
import { parseUnit, type Unit } from './unit.ts';

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
