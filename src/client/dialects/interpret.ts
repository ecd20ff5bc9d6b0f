import { dimensionOf, type FieldRule, SIGNED_QUANTITIES } from './field-rule.ts';
import type { FieldSample, Timed } from './field-sample.ts';
import type { RuleBook, Speaker } from './rule-book.ts';
import { MODE_NAMES } from './state-rules.ts';
import { parseUnit } from './unit.ts';

/** How one field fared. Only `read` fields have a value; the others say why they have none. */
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

/** One field, by its rule: its value is in the unit of what the rule reads. */
export interface InterpretedField {
  readonly sample: FieldSample;
  readonly verdict: Verdict;
  readonly rule?: FieldRule;
  /** Among fields that read the same, the lowest counts. */
  readonly rank: number;
  readonly value?: Timed<number | string>;
}

/** Reads every field of one answer by the rules, each on its own; combining them comes after. */
export function interpretFields(
  samples: readonly FieldSample[],
  speaker: Speaker,
  book: RuleBook,
): readonly InterpretedField[] {
  const hasBms = samples.some(
    ({ key, number }) => /^bms.*voltage$/i.test(key) && (number?.value ?? 0) > 0,
  );
  return samples.map((sample) => {
    const resolved = book.resolve(sample.key, speaker, sample.tag);
    if (typeof resolved === 'string') return { sample, verdict: resolved, rank: Infinity };
    const { rule, rank } = resolved;
    return { sample, rule, rank, ...read(sample, rule, hasBms) };
  });
}

function read(
  sample: FieldSample,
  rule: FieldRule,
  hasBms: boolean,
): Pick<InterpretedField, 'verdict' | 'value'> {
  const dimension = dimensionOf(rule);
  if (dimension === undefined) return { verdict: 'not exported' };
  if (dimension === 'text') {
    const { text } = sample;
    if (text === undefined) return { verdict: 'no value' };
    // A label of arbitrary text would be a series for each, and might be anybody's name.
    if (!CODE.test(text.value)) return { verdict: 'not a code' };
    const value = rule.reads === 'workingMode' ? modeName(text.value) : text.value;
    return { verdict: 'read', value: { ...text, value } };
  }
  const isSigned = (SIGNED_QUANTITIES as readonly string[]).includes(rule.reads);
  if (isSigned && rule.positive === undefined && rule.directionKey === undefined)
    return { verdict: 'sign unconfirmed' };
  const [tagged, ruled] = [parseUnit(sample.tag), parseUnit(rule.unit)];
  const isUsers = rule.confidence === 'user';
  const unit = isUsers ? ruled : (tagged ?? ruled);
  // A tag that nobody has described may as well mean thousands.
  const isTagStrange = !isUsers && tagged === undefined && /\p{L}/u.test(sample.tag ?? '');
  if (unit === undefined || isTagStrange) return { verdict: 'unit unconfirmed' };
  const { number } = sample;
  if (number === undefined) return { verdict: 'no value' };
  // Inverters without a BMS send zeros for what it would say (field notes 6, trap 29).
  if (number.value === 0 && !hasBms && /^bms/i.test(sample.key)) return { verdict: 'placeholder' };
  const value = unit.toBase(number.value);
  if (Math.abs(value) > MOST_OF_ANYTHING) return { verdict: 'implausible' };
  // 6553.5 % is how some say that they do not know.
  if (dimension === 'ratio' && (value < 0 || value > MOST_RATIO)) return { verdict: 'implausible' };
  const shown = dimension === 'ratio' ? Math.min(1, value) : value;
  return { verdict: 'read', value: { ...number, value: shown } };
}

/** No house has a terawatt; and what is below stays finite when it is added up. */
const MOST_OF_ANYTHING = 1e12;

/** Some batteries round up when they are full. */
const MOST_RATIO = 1.05;

/** One to four characters, as all modes and directions that were seen; numbers have three digits at most. */
const CODE = /^(?:[A-Za-z+-][\w+-]{0,3}|\d{1,3})$/;

function modeName(code: string): string {
  return MODE_NAMES.get(code.toUpperCase()) ?? code;
}
