import type { Quantity } from '../../model/readings.ts';
import { recogniseFamily } from './family.ts';
import type { Family } from './field-rule.ts';
import type { FieldSample } from './field-sample.ts';
import { missingQuantities, readFrame } from './frame.ts';
import { interpretFields } from './interpret.ts';
import type { RuleBook, Speaker } from './rule-book.ts';

/** What a device tells about itself by the keys that it has. */
export interface SelfDescription {
  /** Absent for a family that nobody has described. */
  readonly family: Family | undefined;
  /** The keys that are worth asking for. */
  readonly keys: readonly string[];
  /** Unit tags by key, for answers that leave them out. */
  readonly tags: ReadonlyMap<string, string>;
  readonly missing: readonly Quantity[];
  /** Keys that no rule reads. */
  readonly unknownKeys: readonly string[];
}

/**
 * Describes a device by all samples of it: the family that its keys mark, the units that they came
 * with, and what they amount to together.
 *
 * @param isClassic - whether nothing but the interface's own endpoint has answered.
 */
export function describeDevice(
  samples: readonly FieldSample[],
  model: string | undefined,
  isClassic: boolean,
  book: RuleBook,
): SelfDescription {
  const names = [...new Set(samples.map(({ key }) => key))];
  const family = isClassic ? 'classic' : recogniseFamily(names);
  const tags = new Map<string, string>();
  for (const { key, tag } of samples) if (tag !== undefined && !tags.has(key)) tags.set(key, tag);

  const { fields, measurements } = readFrame(
    samples,
    { source: 'history', family, model },
    book,
    tags,
  );
  const isRead = new Set(
    fields.flatMap(({ sample, rule }) =>
      rule === undefined || rule.reads === 'nothing' ? [] : [sample.key],
    ),
  );
  const unread = fields.filter(({ verdict }) => verdict === 'unknown' || verdict === 'ambiguous');
  return {
    family,
    keys: names.filter((key) => isRead.has(key)),
    tags,
    missing: missingQuantities(measurements),
    unknownKeys: [...new Set(unread.map(({ sample }) => sample.key))],
  };
}

/**
 * Finds the keys of strings and phases that have no value anywhere while others of their kind have. A
 * model is listed with more of them than a device has, and a sum would wait for them for ever.
 */
export function absentParts(
  samples: readonly FieldSample[],
  speaker: Speaker,
  book: RuleBook,
): ReadonlySet<string> {
  const parts = interpretFields(samples, speaker, book).filter(
    ({ rule }) => rule?.part !== undefined,
  );
  const present = parts.filter(({ sample }) => sample.text !== undefined);
  const presentKeys = new Set(present.map(({ sample }) => sample.key));
  const presentKinds = new Set(present.map(({ rule }) => rule?.reads));
  const absent = parts.filter(
    ({ sample, rule }) => presentKinds.has(rule?.reads) && !presentKeys.has(sample.key),
  );
  return new Set(absent.map(({ sample }) => sample.key));
}

/** The samples without those that are known to be absent, as long as they have no value. */
export function withoutAbsent(
  samples: readonly FieldSample[],
  absentKeys: ReadonlySet<string>,
): readonly FieldSample[] {
  return absentKeys.size === 0
    ? samples
    : samples.filter(({ key, text }) => text !== undefined || !absentKeys.has(key));
}
