import type { FieldSample } from '../dialects/field-sample.ts';
import { interpretFields } from '../dialects/decoded-answer.ts';
import type { AnswerContext, RuleSet } from '../dialects/rule-set.ts';

/**
 * Finds the keys of strings and phases that the device does not have.
 *
 * The service lists a model with more strings and phases than a device may have. A sum over all of them
 * would stay unknown forever, because it waits for each of its parts. A part counts as absent when it
 * has no value in any of the samples while another part of the same quantity has one.
 *
 * @param samples - all samples that were seen of the device, from every endpoint.
 */
export function findAbsentKeys(
  samples: readonly FieldSample[],
  context: AnswerContext,
  rules: RuleSet,
): ReadonlySet<string> {
  const parts = interpretFields(samples, context, rules).filter(
    ({ rule }) => rule?.part !== undefined,
  );
  const present = parts.filter(({ sample }) => sample.text !== undefined);
  const presentKeys = new Set(present.map(({ sample }) => sample.key));
  const presentQuantities = new Set(present.map(({ rule }) => rule?.reads));
  const absent = parts.filter(
    ({ sample, rule }) => presentQuantities.has(rule?.reads) && !presentKeys.has(sample.key),
  );
  return new Set(absent.map(({ sample }) => sample.key));
}

/** Leaves out the samples of absent keys. A key that has a value after all is kept. */
export function withoutAbsent(
  samples: readonly FieldSample[],
  absentKeys: ReadonlySet<string>,
): readonly FieldSample[] {
  return absentKeys.size === 0
    ? samples
    : samples.filter(({ key, text }) => text !== undefined || !absentKeys.has(key));
}
