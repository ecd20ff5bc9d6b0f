import type { Measurement, Source } from '../../model/readings.ts';
import { combineFields, type IncompleteSum } from './combine.ts';
import { dimensionOf, type FieldRule, isSummed, SIGNED_QUANTITIES } from './field-rule.ts';
import type { FieldSample, InterpretedField } from './field-sample.ts';
import type { AnswerContext, RuleSet } from './rule-set.ts';
import { MODE_NAMES, modeOfWords } from './rules/state-rules.ts';
import { parseUnit } from './unit.ts';

/** One answer about a device, decoded by the rules: every field on its own, and what they measure. */
export interface DecodedAnswer {
  readonly source: Source;
  readonly fields: readonly InterpretedField[];
  readonly measurements: readonly Measurement[];
  /** Sums that are unknown because some of their parts have no value. */
  readonly incomplete: readonly IncompleteSum[];
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
  // One literal, and no spreading, which takes many times as long.
  const tagged = withLeftOut(samples, context.parts).map(
    ({ key, tag, number, text, words: own, timesAtMs }) => ({
      key,
      tag: tag ?? tags.get(key),
      number,
      text,
      words: own ?? words.get(key),
      timesAtMs,
    }),
  );
  const fields = interpretFields(tagged, context, rules).filter(
    (field) => !isUnnamedPart(field, context),
  );
  return { source: context.source, fields, ...combineFields(fields) };
}

/** Adds the strings and phases of the device that an answer leaves out, as those without a value. */
function withLeftOut(
  samples: readonly FieldSample[],
  parts: ReadonlySet<string> = new Set(),
): readonly FieldSample[] {
  // An answer without anything in it says nothing about strings either.
  if (samples.length === 0) return samples;
  const leftOut = [...parts].filter((part) => !samples.some(({ key }) => key === part));
  return [...samples, ...leftOut.map((key) => ({ key }))];
}

/** Whether a field is a string or a phase that nothing but our own question of the time series names. */
function isUnnamedPart(
  { sample, rule }: InterpretedField,
  { source, parts }: AnswerContext,
): boolean {
  if (parts === undefined || source !== 'history' || sample.text !== undefined) return false;
  return rule?.part !== undefined && isSummed(rule.reads) && !parts.has(sample.key);
}

/** Reads every field of an answer by its rule, each on its own. */
export function interpretFields(
  samples: readonly FieldSample[],
  context: AnswerContext,
  rules: RuleSet,
): readonly InterpretedField[] {
  const resolved = samples.map((sample) => ({
    sample,
    resolved: rules.resolve(sample.key, context, sample.tag),
  }));
  const says = (code: number): boolean =>
    resolved.some(
      ({ sample, resolved: found }) =>
        typeof found !== 'string' &&
        found.rule.reads === 'bmsCommunication' &&
        sample.number?.value === code,
    );
  const bms = bmsState(samples, says(0), says(1));
  return resolved.map(({ sample, resolved: found }) => {
    if (typeof found === 'string') return { sample, verdict: found, rank: Infinity };
    const { rule, rank } = found;
    return { sample, rule, rank, ...read(sample, rule, bms) };
  });
}

/**
 * What the values of a BMS are worth: none of them is a value while the BMS is silent (field notes 8.1),
 * and a 0 is none where nothing shows that there is a BMS (field notes 6, trap 29).
 */
type BmsState = 'silent' | 'answering' | 'unknown';

function bmsState(
  samples: readonly FieldSample[],
  isSilent: boolean,
  isAnswering: boolean,
): BmsState {
  if (isSilent) return 'silent';
  const volts = samples.filter(({ key, number }) => /^bms.*voltage$/i.test(key) && number);
  const hasVolts = volts.some(({ number }) => (number?.value ?? 0) > 0);
  return hasVolts || (isAnswering && volts.length === 0) ? 'answering' : 'unknown';
}

type Reading = Pick<InterpretedField, 'verdict' | 'value'>;

function read(sample: FieldSample, rule: FieldRule, bms: BmsState): Reading {
  const dimension = dimensionOf(rule);
  if (dimension === undefined) return { verdict: 'not exported' };
  if (dimension === 'text') return readCode(sample, rule);
  const isSigned = (SIGNED_QUANTITIES as readonly string[]).includes(rule.reads);
  if (isSigned && rule.positive === undefined && rule.directionKey === undefined)
    return { verdict: 'sign unconfirmed' };
  const unit = unitOf(sample, rule);
  if (unit === undefined) return { verdict: 'unit unconfirmed' };
  const { number } = sample;
  if (number === undefined) return { verdict: 'no value' };
  const isOfBms = /bms/i.test(sample.key);
  if (isOfBms && (bms === 'silent' || (bms === 'unknown' && number.value === 0)))
    return { verdict: 'placeholder' };
  if (number.value === 0 && rule.isZeroNoSensor === true) return { verdict: 'placeholder' };
  const value = unit.toBase(number.value);
  if (Math.abs(value) > HIGHEST_VALUE) return { verdict: 'implausible' };
  // Some devices send 6553.5 % for an unknown value.
  if (dimension === 'ratio' && (value < 0 || value > HIGHEST_RATIO))
    return { verdict: 'implausible' };
  const shown = dimension === 'ratio' ? Math.min(1, value) : value;
  return { verdict: 'read', value: { ...number, value: shown } };
}

/** Higher values are mistakes. The limit also keeps sums of such values finite. */
const HIGHEST_VALUE = 1e12;

/** Some batteries report slightly more than 100 % when they are full. */
const HIGHEST_RATIO = 1.05;

function readCode({ text, words }: FieldSample, rule: FieldRule): Reading {
  if (text === undefined) return { verdict: 'no value' };
  if (rule.reads === 'workingMode') {
    // People know a mode by its words; a number says nothing (field notes 8.1).
    const said = modeOfWords(words?.get(text.value)) ?? modeOfWords(text.value);
    const name = said ?? MODE_NAMES.get(text.value.toUpperCase());
    if (name !== undefined) return { verdict: 'read', value: { ...text, value: name } };
  }
  // As a label, arbitrary text would make a new series each time, and it might name a person.
  return CODE.test(text.value) ? { verdict: 'read', value: text } : { verdict: 'not a code' };
}

/** One to four characters, as in all modes and directions that were seen; at most three digits. */
const CODE = /^(?:[A-Za-z+-][\w+-]{0,3}|\d{1,3})$/;

/** Returns the unit of the tag, else that of the rule; of the rule first where it knows better than the tag. */
function unitOf({ tag }: FieldSample, rule: FieldRule): ReturnType<typeof parseUnit> {
  const unit = parseUnit(rule.unit);
  if (rule.confidence === 'user' || rule.isTagWrong === true) return unit;
  const tagged = parseUnit(tag);
  // An unknown unit may stand for thousands, so the unit of the rule must not replace it.
  const isTagUnknown = tagged === undefined && /\p{L}/u.test(tag ?? '');
  return isTagUnknown ? undefined : (tagged ?? unit);
}
