import type { Source } from '../../model/readings.ts';
import { BASES, dimensionOf, type Family, type FieldRule } from './field-rule.ts';
import { RULES } from './rules.ts';
import { type Dimension, parseUnit } from './unit.ts';

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
