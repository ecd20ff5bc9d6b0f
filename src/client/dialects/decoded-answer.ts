import type { Measurement, Source } from '../../model/readings.ts';
import { combineFields } from './combine.ts';
import { dimensionOf, type FieldRule, SIGNED_QUANTITIES } from './field-rule.ts';
import type { FieldSample, InterpretedField } from './field-sample.ts';
import type { AnswerContext, RuleSet } from './rule-set.ts';
import { MODE_NAMES } from './rules/state-rules.ts';
import { parseUnit } from './unit.ts';

/** One answer about a device, decoded by the rules: every field on its own, and what they measure. */
export interface DecodedAnswer {
  readonly source: Source;
  readonly fields: readonly InterpretedField[];
  readonly measurements: readonly Measurement[];
}

/**
 * Decodes an answer into measurements.
 *
 * @param tags - units by key that another answer named, for values that come without one.
 */
export function decodeAnswer(
  samples: readonly FieldSample[],
  context: AnswerContext,
  rules: RuleSet,
  tags: ReadonlyMap<string, string> = new Map(),
): DecodedAnswer {
  const tagged = samples.map((sample) => ({ ...sample, tag: sample.tag ?? tags.get(sample.key) }));
  const fields = interpretFields(tagged, context, rules);
  return { source: context.source, fields, measurements: combineFields(fields) };
}

/** Reads every field of an answer by its rule, each on its own. */
export function interpretFields(
  samples: readonly FieldSample[],
  context: AnswerContext,
  rules: RuleSet,
): readonly InterpretedField[] {
  const hasBms = samples.some(
    ({ key, number }) => /^bms.*voltage$/i.test(key) && (number?.value ?? 0) > 0,
  );
  return samples.map((sample) => {
    const resolved = rules.resolve(sample.key, context, sample.tag);
    if (typeof resolved === 'string') return { sample, verdict: resolved, rank: Infinity };
    const { rule, rank } = resolved;
    return { sample, rule, rank, ...read(sample, rule, hasBms) };
  });
}

type Reading = Pick<InterpretedField, 'verdict' | 'value'>;

function read(sample: FieldSample, rule: FieldRule, hasBms: boolean): Reading {
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
  // Inverters without a BMS send zeros for the values of a BMS (field notes 6, trap 29).
  if (number.value === 0 && !hasBms && /^bms/i.test(sample.key)) return { verdict: 'placeholder' };
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

function readCode({ text }: FieldSample, rule: FieldRule): Reading {
  if (text === undefined) return { verdict: 'no value' };
  // As a label, arbitrary text would make a new series each time, and it might name a person.
  if (!CODE.test(text.value)) return { verdict: 'not a code' };
  const name = rule.reads === 'workingMode' ? MODE_NAMES.get(text.value.toUpperCase()) : undefined;
  return { verdict: 'read', value: { ...text, value: name ?? text.value } };
}

/** One to four characters, as in all modes and directions that were seen; at most three digits. */
const CODE = /^(?:[A-Za-z+-][\w+-]{0,3}|\d{1,3})$/;

/** Returns the unit of the tag, else that of the rule; a user's rule takes precedence over the tag. */
function unitOf({ tag }: FieldSample, rule: FieldRule): ReturnType<typeof parseUnit> {
  const unit = parseUnit(rule.unit);
  if (rule.confidence === 'user') return unit;
  const tagged = parseUnit(tag);
  // An unknown unit may stand for thousands, so the unit of the rule must not replace it.
  const isTagUnknown = tagged === undefined && /\p{L}/u.test(tag ?? '');
  return isTagUnknown ? undefined : (tagged ?? unit);
}
