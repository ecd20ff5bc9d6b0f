import type { Source } from '../../model/readings.ts';
import { dimensionOf, type Family, type FieldRule } from './field-rule.ts';
import { RULES } from './rules.ts';
import { parseUnit } from './unit.ts';

/** A rule from the user's dialect file; of one model where it names one. */
export interface UserRule extends FieldRule {
  readonly model?: string | undefined;
}

/** Who is speaking, and where. */
export interface Speaker {
  readonly source: Source;
  readonly family?: Family | undefined;
  readonly model?: string | undefined;
}

/** A rule and its rank among the rules for the same quantity; the lowest that has a value counts. */
export interface RankedRule {
  readonly rule: FieldRule;
  readonly rank: number;
}

/** Why a key is not read: nobody has described it, or the descriptions contradict each other. */
export type Unresolved = 'unknown' | 'ambiguous';

/** Every rule there is, found by key: exactly first, without regard to case second. */
export class RuleBook {
  readonly #users: readonly UserRule[];
  readonly #exact = new Map<string, RankedRule[]>();
  readonly #anyCase = new Map<string, RankedRule[]>();
  /** The keys that the user has rules for, in the order of the file. */
  readonly userKeys: readonly string[];

  constructor(userRules: readonly UserRule[] = []) {
    this.#users = userRules;
    this.userKeys = userRules.map(({ key }) => key);
    RULES.forEach((rule, rank) => {
      add(this.#exact, rule.key, { rule, rank });
      add(this.#anyCase, rule.key.toLowerCase(), { rule, rank });
    });
  }

  /**
   * Finds the rule by which a device means a key: the user's, its own family's, or, when all agree,
   * the others'. A unit tag rules out what is measured in another dimension, but no rule of the user:
   * who names a unit may know that the tag is wrong.
   */
  resolve(key: string, speaker: Speaker, tag: string | undefined): RankedRule | Unresolved {
    const usersOwn = this.#usersOwn(key, speaker.model);
    if (usersOwn !== undefined) return usersOwn;
    const found = this.#exact.get(key) ?? this.#anyCase.get(key.toLowerCase()) ?? [];
    const dimension = parseUnit(tag)?.dimension;
    const fitting = found.filter(({ rule }) => fits(rule, dimension));
    if (fitting.length === 0) return 'unknown';
    // Where a key was not seen so far, its unit is only certain when it is tagged.
    const isUsable = ({ rule }: RankedRule): boolean =>
      dimension !== undefined || rule.sources.includes(speaker.source);

    const { family } = speaker;
    const ofFamily = fitting.filter(
      ({ rule }) => family !== undefined && rule.families.includes(family),
    );
    const own = ofFamily.find(({ rule }) => rule.sources.includes(speaker.source)) ?? ofFamily[0];
    if (own !== undefined)
      return isUsable(own) ? { ...own, rank: own.rank - RULES.length } : 'ambiguous';
    const [first, ...others] = fitting.filter(isUsable);
    if (first === undefined) return 'ambiguous';
    const isAgreed = others.every(({ rule }) => agree(first.rule, rule, dimension !== undefined));
    if (!isAgreed) return 'ambiguous';
    // What holds for all families holds for this one, too.
    const isEveryones = first.rule.families.length === 0;
    return isEveryones ? { ...first, rank: first.rank - RULES.length } : first;
  }

  /** The user's rule for that model, else for all; before every other, in the order of the file. */
  #usersOwn(key: string, model: string | undefined): RankedRule | undefined {
    const fitting = this.#users.filter(
      (rule) =>
        rule.key.toLowerCase() === key.toLowerCase() &&
        (rule.model === undefined || rule.model === model),
    );
    const rule = fitting.find((candidate) => candidate.model !== undefined) ?? fitting[0];
    if (rule === undefined) return undefined;
    return { rule, rank: this.#users.indexOf(rule) - this.#users.length - RULES.length };
  }
}

function add(index: Map<string, RankedRule[]>, key: string, rule: RankedRule): void {
  const known = index.get(key);
  if (known === undefined) index.set(key, [rule]);
  else known.push(rule);
}

function fits(rule: FieldRule, dimension: string | undefined): boolean {
  if (dimension === undefined) return true;
  const expected = dimensionOf(rule) ?? parseUnit(rule.unit)?.dimension;
  return expected === undefined || expected === 'text' || expected === dimension;
}

/** Whether two families mean the same; of a tagged value, the untagged unit does not matter. */
function agree(one: FieldRule, other: FieldRule, isTagged: boolean): boolean {
  return (
    one.reads === other.reads &&
    one.part === other.part &&
    one.positive === other.positive &&
    one.directionKey === other.directionKey &&
    (isTagged || one.unit === other.unit)
  );
}
