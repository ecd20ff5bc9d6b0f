import { SOURCES } from '../../model/readings.ts';
import {
  type AnswerContext,
  type Field,
  type FieldSample,
  isPart,
  type RuleSet,
} from '../dialects/interpret.ts';
import type { FieldRule } from '../dialects/rules.ts';

/** More than any inverter has; a device may spell each key differently every time. */
const MOST_PARTS = 500;

/**
 * Returns the keys of the strings and phases of a device: those that its answers name.
 *
 * @param sent - the latest state and the energy flow, which name what the device sends.
 * @param history - the time series, which names what it was asked for.
 * @param catalogue - absent when the service has none for this device.
 */
export function namedParts(
  sent: readonly FieldSample[],
  history: readonly FieldSample[],
  catalogue: readonly FieldSample[] = [],
  context: AnswerContext,
  rules: RuleSet,
): readonly string[] {
  const partsAmong = (samples: readonly FieldSample[]): readonly FieldRule[] =>
    rulesOf(samples, context, rules).filter(isPart);
  const named = partsAmong(sent);
  // A string may sleep, and be left out of all answers. A phase does not sleep: where the device sends
  // one phase and leaves another out, the catalogue is that of a model with more phases.
  const believed = partsAmong(catalogue).filter(
    ({ reads }) => reads === 'stringPowerWatts' || !named.some((part) => part.reads === reads),
  );
  return [...named, ...believed, ...partsAmong(history.filter(hasValue))].map(({ key }) => key);
}

/** Returns the parts that were named before. A catalogue that lacks one says that the device has lost it. */
export function earlierParts(
  parts: ReadonlySet<string> = new Set(),
  catalogue: readonly FieldSample[] | undefined,
): readonly string[] {
  return [...parts].filter((part) => catalogue?.some(({ key }) => key === part) ?? true);
}

/**
 * Returns the keys of strings that the family may have and no sample names, where the samples name some
 * string and give no sum. A phase does not sleep, so one that is not named is not there.
 */
export function unnamedStrings(
  samples: readonly FieldSample[],
  context: AnswerContext,
  rules: RuleSet,
): readonly string[] {
  const gives = (of: readonly FieldSample[], quantity: FieldRule['reads']): boolean =>
    rulesOf(of, context, rules).some(({ reads }) => reads === quantity);
  if (!gives(samples, 'stringPowerWatts') || gives(samples.filter(hasValue), 'pvPowerWatts'))
    return [];
  const named = new Set(samples.map(({ key }) => key.toLowerCase()));
  return rules.stringKeysOf(context.family).filter((key) => !named.has(key.toLowerCase()));
}

/** Remembers the parts that have a value. From now on a sum waits for them. */
export function noteParts(parts: Set<string>, fields: readonly Field[]): void {
  for (const { sample, rule } of fields)
    if (isPart(rule) && hasValue(sample) && parts.size < MOST_PARTS) parts.add(sample.key);
}

/** Reads samples as of every source: what a key is a part of does not depend on where it was seen. */
function rulesOf(
  samples: readonly FieldSample[],
  context: AnswerContext,
  rules: RuleSet,
): readonly FieldRule[] {
  return SOURCES.flatMap((source) =>
    samples.flatMap(({ key, tag }) => {
      const found = rules.resolve(key, { ...context, source }, tag);
      return typeof found === 'string' ? [] : [{ ...found.rule, key }];
    }),
  );
}

function hasValue({ text }: FieldSample): boolean {
  return text !== undefined;
}
