import { interpretFields } from '../dialects/decoded-answer.ts';
import { EVERYWHERE, type FieldRule, isSummed } from '../dialects/field-rule.ts';
import type { FieldSample, InterpretedField } from '../dialects/field-sample.ts';
import type { AnswerContext, RuleSet } from '../dialects/rule-set.ts';

/** More than any inverter has; a device may spell each key differently every time. */
const MOST_PARTS = 500;

/**
 * The keys of strings and phases that a device has, by which a sum over them knows its parts.
 *
 * What is null is not absent: a string sleeps at night, and an answer may leave it out. Only what the
 * device's own lists of keys lack is no part of the device.
 */
export class PartKeys {
  readonly #listed: Set<string>;
  readonly #guessed: Set<string>;

  /**
   * @param listed - the keys that the device lists, or that had a value once.
   * @param guessed - keys of the family that are asked for because no list of the device is known.
   *   They are parts of the device once they have a value.
   */
  constructor(listed: Iterable<string> = [], guessed: Iterable<string> = []) {
    this.#listed = new Set(listed);
    this.#guessed = new Set(guessed);
  }

  get listed(): ReadonlySet<string> {
    return this.#listed;
  }

  get guessed(): ReadonlySet<string> {
    return this.#guessed;
  }

  /** Adds the parts that an answer leaves out, and leaves out guessed parts that have no value. */
  complete(samples: readonly FieldSample[]): readonly FieldSample[] {
    // An answer without anything in it says nothing about strings either.
    if (samples.length === 0) return samples;
    const answered = new Set(samples.map(({ key }) => key));
    const leftOut = [...this.#listed].filter((key) => !answered.has(key));
    return [
      ...samples.filter(({ key, text }) => text !== undefined || !this.#guessed.has(key)),
      ...leftOut.map((key) => ({ key })),
    ];
  }

  /** Remembers the parts that have a value. From now on the sum waits for them. */
  note(fields: readonly InterpretedField[]): void {
    for (const { sample } of fields.filter(isPart).filter(hasValue)) {
      if (this.#listed.size < MOST_PARTS) this.#listed.add(sample.key);
      this.#guessed.delete(sample.key);
    }
  }
}

/** What is known of the parts of a device: by its lists of keys, and by values. */
export interface SeenParts {
  /** Samples of the latest state and of the energy flow, which name what the device sends. */
  readonly sent: readonly FieldSample[];
  /** Samples of the time series, which names what it was asked for. */
  readonly history: readonly FieldSample[];
  /** The keys of the catalogue; absent when the service has none for this device. */
  readonly catalogue: readonly FieldSample[] | undefined;
  /** Keys that nothing lists and that are asked for all the same. */
  readonly guessed: readonly string[];
  readonly previous: PartKeys | undefined;
}

/** Finds the keys of the strings and phases of a device. */
export function findPartKeys(seen: SeenParts, context: AnswerContext, rules: RuleSet): PartKeys {
  const { sent, history, catalogue = [], guessed, previous } = seen;
  const partsIn = (samples: readonly FieldSample[]) =>
    interpretAnywhere(samples, context, rules).filter(isPart);
  const named = partsIn(sent);
  const offered = partsIn(catalogue);
  // A string may sleep, and be left out of all answers. A phase does not sleep: where the device sends
  // one phase and leaves another out, the catalogue is that of a model with more phases.
  const believed = offered.filter(
    ({ rule }) =>
      rule?.reads === 'stringPowerWatts' || !named.some((part) => part.rule?.reads === rule?.reads),
  );
  const measured = partsIn(history).filter(hasValue);
  const keysOf = (fields: readonly InterpretedField[]) => fields.map(({ sample }) => sample.key);
  const listed = new Set([
    ...keysOf([...named, ...believed, ...measured]),
    ...listedEarlier(previous, seen.catalogue),
  ]);
  const unlisted = [...keysOf(offered), ...guessed].filter((key) => !listed.has(key));
  return new PartKeys(listed, unlisted);
}

/** Returns the parts that were listed before. A catalogue that lacks one says that the device has lost it. */
export function listedEarlier(
  previous: PartKeys | undefined,
  catalogue: readonly FieldSample[] | undefined,
): readonly string[] {
  const inCatalogue = new Set(catalogue?.map(({ key }) => key));
  return [...(previous?.listed ?? [])].filter(
    (key) => catalogue === undefined || inCatalogue.has(key),
  );
}

/**
 * Returns the keys of strings and phases that the family may have and no sample names, for quantities of
 * which the samples have some part and no whole.
 */
export function findUnnamedParts(
  samples: readonly FieldSample[],
  context: AnswerContext,
  rules: RuleSet,
): readonly FieldRule[] {
  const fields = interpretAnywhere(samples, context, rules);
  const named = new Set(fields.map(({ sample }) => sample.key.toLowerCase()));
  return rules
    .partsOf(context)
    .filter(
      ({ key, reads }) =>
        !named.has(key.toLowerCase()) &&
        fields.some((field) => isPart(field) && field.rule?.reads === reads) &&
        !fields.some((field) => field.value !== undefined && isWholeOf(field, reads)),
    );
}

/** Reads samples as of every source: what a key is a part of does not depend on where it was seen. */
function interpretAnywhere(
  samples: readonly FieldSample[],
  context: AnswerContext,
  rules: RuleSet,
): readonly InterpretedField[] {
  return EVERYWHERE.flatMap((source) => interpretFields(samples, { ...context, source }, rules));
}

function isPart({ rule }: InterpretedField): boolean {
  return rule?.part !== undefined && isSummed(rule.reads);
}

function isWholeOf({ rule }: InterpretedField, reads: string): boolean {
  const whole = reads === 'stringPowerWatts' ? 'pvPowerWatts' : reads;
  return rule?.part === undefined && rule?.reads === whole;
}

function hasValue({ sample }: InterpretedField): boolean {
  return sample.text !== undefined;
}
