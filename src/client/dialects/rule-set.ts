import type { Source } from '../../model/readings.ts';
import { BASES, dimensionOf, type Family, type FieldRule, isSummed } from './field-rule.ts';
import { RULES } from './rules.ts';
import { parseUnit } from './unit.ts';

/** A rule from the user's dialect file. It holds for one model where it names one. */
export interface UserRule extends FieldRule {
  readonly model?: string | undefined;
}

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
  readonly #userRules: readonly UserRule[];
  readonly #byKey = new Map<string, RankedRule[]>();
  /** The keys that the user has rules for, in the order of the file. */
  readonly userKeys: readonly string[];
  /** Another text for other rules: what was learnt by others is learnt again. */
  readonly version: string;

  constructor(userRules: readonly UserRule[] = []) {
    this.#userRules = userRules;
    this.userKeys = userRules.map(({ key }) => key);
    this.version = JSON.stringify([RULES.length, ...userRules]);
    RULES.forEach((rule, rank) => {
      const key = rule.key.toLowerCase();
      this.#byKey.set(key, [...(this.#byKey.get(key) ?? []), { rule, rank }]);
    });
  }

  /**
   * Finds the rule for a key of a device: the user's rule, else the rule of the device's family, else the
   * rule for every family, else the rule of other families, provided that they all agree. A unit tag excludes rules of another
   * dimension. It does not exclude a rule of the user, who may know that the tag is wrong.
   */
  resolve(key: string, context: AnswerContext, tag: string | undefined): RankedRule | Unresolved {
    const userRule = this.#userRule(key, context.model);
    if (userRule !== undefined) return userRule;
    const all = this.#byKey.get(key.toLowerCase()) ?? [];
    const exact = all.filter(({ rule }) => rule.key === key);
    const dimension = parseUnit(tag)?.dimension;
    const fitting = (exact.length > 0 ? exact : all).filter(({ rule }) => fits(rule, dimension));
    if (fitting.length === 0) return 'unknown';
    // In a source where the key has not been seen, only a tag makes its unit certain.
    const isUsable = ({ rule }: RankedRule): boolean =>
      dimension !== undefined || rule.sources.includes(context.source);
    for (const family of familiesOf(context.family)) {
      const rules = fitting.filter(({ rule }) => rule.families.includes(family));
      const own = rules.find(({ rule }) => rule.sources.includes(context.source)) ?? rules[0];
      if (own !== undefined) return isUsable(own) ? first(own) : 'ambiguous';
    }
    const usable = fitting.filter(isUsable);
    // A rule for every family holds where no rule of the device's own family says otherwise, and ranks like one.
    const general = usable.find(({ rule }) => rule.families.length === 0);
    if (general !== undefined) return first(general);
    const [one, ...others] = usable;
    const isAgreed = others.every(({ rule }) => agree(one?.rule, rule, dimension !== undefined));
    return one !== undefined && isAgreed ? one : 'ambiguous';
  }

  /** Returns the rules for the strings and phases that devices of this family may have. */
  partsOf({ family, model }: AnswerContext): readonly FieldRule[] {
    const families = familiesOf(family);
    const own = RULES.filter((rule) => families.some((one) => rule.families.includes(one)));
    const users = this.#userRules.filter((rule) => isForModel(rule, model));
    const excluded = new Set(users.map(({ key }) => key.toLowerCase()));
    return [...own.filter(({ key }) => !excluded.has(key.toLowerCase())), ...users].filter(
      ({ reads, part }) => part !== undefined && isSummed(reads),
    );
  }

  /**
   * Finds the user's rule for that model, else the one for all models. It ranks before all rules of
   * the exporter; the user's rules among themselves rank in the order of the file.
   */
  #userRule(key: string, model: string | undefined): RankedRule | undefined {
    if (this.#userRules.length === 0) return undefined;
    const fitting = this.#userRules.filter(
      (rule) => rule.key.toLowerCase() === key.toLowerCase() && isForModel(rule, model),
    );
    const rule = fitting.find((candidate) => candidate.model !== undefined) ?? fitting[0];
    if (rule === undefined) return undefined;
    return { rule, rank: this.#userRules.indexOf(rule) - this.#userRules.length - RULES.length };
  }
}

/** Returns a rule with the rank of one of the device's own family, before those of other families. */
function first({ rule, rank }: RankedRule): RankedRule {
  return { rule, rank: rank - RULES.length };
}

/** Returns the family, and the family whose keys it uses as well. */
function familiesOf(family: Family | undefined): readonly Family[] {
  const base = family === undefined ? undefined : BASES[family];
  return [family, base].filter((one) => one !== undefined);
}

function isForModel(rule: UserRule, model: string | undefined): boolean {
  return rule.model === undefined || rule.model === model;
}

/** Values of these have no unit, whatever stands beside them. */
const UNTAGGED: ReadonlySet<string> = new Set(['text', 'flag']);

function fits(rule: FieldRule, dimension: string | undefined): boolean {
  if (dimension === undefined) return true;
  const expected = dimensionOf(rule) ?? parseUnit(rule.unit)?.dimension;
  return expected === undefined || UNTAGGED.has(expected) || expected === dimension;
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
