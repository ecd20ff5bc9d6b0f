import { EVERYWHERE, type FieldRule, isSummed } from '../dialects/field-rule.ts';
import type { FieldSample, InterpretedField } from '../dialects/field-sample.ts';
import type { AnswerContext, RuleSet } from '../dialects/rule-set.ts';

/** More than any inverter has; a device may spell each key differently every time. */
const MOST_PARTS = 500;

/** What is known of a device by its lists of keys, and by values. */
interface SeenSamples {
  /** Of the latest state and of the energy flow, which name what the device sends. */
  readonly sent: readonly FieldSample[];
  /** Of the time series, which names what it was asked for. */
  readonly history: readonly FieldSample[];
  /** The keys of the catalogue; absent when the service has none for this device. */
  readonly catalogue: readonly FieldSample[] | undefined;
  readonly earlier: readonly string[];
}

/** Returns the keys of the strings and phases of a device: those that its answers name. */
export function namedParts(
  { sent, history, catalogue = [], earlier }: SeenSamples,
  context: AnswerContext,
  rules: RuleSet,
): Set<string> {
  const named = partsAmong(sent, context, rules);
  // A string may sleep, and be left out of all answers. A phase does not sleep: where the device sends
  // one phase and leaves another out, the catalogue is that of a model with more phases.
  const believed = partsAmong(catalogue, context, rules).filter(
    ({ reads }) => reads === 'stringPowerWatts' || !named.some((part) => part.reads === reads),
  );
  const measured = partsAmong(history.filter(hasValue), context, rules);
  return new Set([...[...named, ...believed, ...measured].map(({ key }) => key), ...earlier]);
}

/** Returns the parts that were named before. A catalogue that lacks one says that the device has lost it. */
export function earlierParts(
  parts: ReadonlySet<string> = new Set(),
  catalogue: readonly FieldSample[] | undefined,
): readonly string[] {
  return [...parts].filter((part) => catalogue?.some(({ key }) => key === part) ?? true);
}

/**
 * Returns the rules for strings and phases that the family may have and no sample names, for quantities of
 * which the samples have some part and no whole.
 */
export function unnamedParts(
  samples: readonly FieldSample[],
  context: AnswerContext,
  rules: RuleSet,
): readonly FieldRule[] {
  const named = partsAmong(samples, context, rules);
  const wholes = new Set<string>(
    rulesOf(samples.filter(hasValue), context, rules)
      .filter(({ part }) => part === undefined)
      .map(({ reads }) => (reads === 'pvPowerWatts' ? 'stringPowerWatts' : reads)),
  );
  const keys = new Set(samples.map(({ key }) => key.toLowerCase()));
  return rules
    .partsOf(context)
    .filter(
      ({ key, reads }) =>
        !keys.has(key.toLowerCase()) &&
        !wholes.has(reads) &&
        named.some((part) => part.reads === reads),
    );
}

/** Remembers the parts that have a value. From now on a sum waits for them. */
export function noteParts(parts: Set<string>, fields: readonly InterpretedField[]): void {
  for (const { sample, rule } of fields)
    if (rule !== undefined && isPart(rule) && hasValue(sample) && parts.size < MOST_PARTS)
      parts.add(sample.key);
}

/** The rules for those samples that are a string or a phase, each with the key as the device spells it. */
function partsAmong(
  samples: readonly FieldSample[],
  context: AnswerContext,
  rules: RuleSet,
): readonly FieldRule[] {
  return rulesOf(samples, context, rules).filter(isPart);
}

/** Reads samples as of every source: what a key is a part of does not depend on where it was seen. */
function rulesOf(
  samples: readonly FieldSample[],
  context: AnswerContext,
  rules: RuleSet,
): readonly FieldRule[] {
  return EVERYWHERE.flatMap((source) =>
    samples.flatMap(({ key, tag }) => {
      const found = rules.resolve(key, { ...context, source }, tag);
      return typeof found === 'string' ? [] : [{ ...found.rule, key }];
    }),
  );
}

function isPart({ reads, part }: FieldRule): boolean {
  return part !== undefined && isSummed(reads);
}

function hasValue({ text }: FieldSample): boolean {
  return text !== undefined;
}
