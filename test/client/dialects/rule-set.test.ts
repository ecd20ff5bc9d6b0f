import { describe, expect, test } from 'vitest';
import {
  EVERYWHERE,
  type Family,
  type FieldRule,
} from '../../../src/client/dialects/field-rule.ts';
import {
  RuleSet,
  type AnswerContext,
  type UserRule,
} from '../../../src/client/dialects/rule-set.ts';
import type { Source } from '../../../src/model/readings.ts';

interface Asked {
  readonly key: string;
  readonly family?: Family;
  readonly source?: Source;
  readonly tag?: string;
  readonly model?: string;
}

/** What a key is read as, such as `pvPowerWatts kW`, or why it is not. */
function readAs(asked: Asked, rules: RuleSet = new RuleSet()): string {
  const { key, family, source = 'latest', tag, model } = asked;
  const context: AnswerContext = { source, family, model };
  const resolved = rules.resolve(key, context, tag);
  if (typeof resolved === 'string') return resolved;
  const { reads, part, unit } = resolved.rule;
  return [reads, part, unit].filter((word) => word !== undefined).join(' ');
}

function userRule(changes: Partial<UserRule> & Pick<FieldRule, 'key'>): UserRule {
  return {
    reads: 'pvPowerWatts',
    unit: 'W',
    families: [],
    sources: EVERYWHERE,
    confidence: 'user',
    ...changes,
  };
}

describe('a key is read', () => {
  test.each<Asked & { as: string; by: string }>([
    { by: 'its own family', key: 'generationPower', family: 'sierro', as: 'pvPowerWatts W' },
    { by: 'its own family', key: 'generationPower', family: 'pi30', as: 'pvPowerWatts kW' },
    {
      by: 'its own family',
      key: 'pv1Power',
      family: 'uwb1',
      as: 'stringPowerWatts 1 W',
    },
    { by: 'its own family', key: 'pv1Power', family: 'msdc', as: 'stringPowerWatts 1 kW' },
    { by: 'its own family', key: 'batteryCapacity', family: 'sierro', as: 'nothing Ah' },
    {
      by: 'its own family, which it means something else in',
      key: 'pvInputPower',
      family: 'mega-eco',
      source: 'flow',
      as: 'stringPowerWatts 1 kW',
    },
    {
      by: 'the only family that has it',
      key: 'outputActivePower',
      as: 'acOutputPowerWatts kW',
    },
    {
      by: 'other families that agree',
      key: 'outputActivePower',
      family: 'classic',
      as: 'acOutputPowerWatts kW',
    },
    { by: 'all families alike', key: 'gridVoltage', family: 'maniy', as: 'gridVoltageVolts V' },
    {
      by: 'families that agree but for the unit, which is tagged',
      key: 'generationPower',
      tag: 'W',
      as: 'pvPowerWatts kW',
    },
    {
      by: 'the family that was seen to answer there',
      key: 'acOutputActivePower',
      source: 'history',
      as: 'acOutputPowerWatts kW',
    },
    {
      by: 'a rule of the dimension of its tag',
      key: 'batteryCapacity',
      tag: '%',
      as: 'batterySocRatio %',
    },
    {
      by: 'a rule of the dimension of its tag before its own family',
      key: 'batteryCapacity',
      family: 'sierro',
      tag: '%',
      as: 'batterySocRatio %',
    },
    {
      by: 'a rule of the dimension of its tag before its own family',
      key: 'batteryCapacity',
      family: 'hpvinv02',
      tag: 'Ah',
      as: 'nothing Ah',
    },
    {
      by: 'any rule where the unit of the tag is unknown',
      key: 'batteryVoltage',
      tag: 'abc',
      as: 'batteryVoltageVolts V',
    },
    { by: 'any case', key: 'BatteryVoltage', as: 'batteryVoltageVolts V' },
    { by: 'any case', key: 'gridpower', family: 'mega-eco', as: 'gridPower W' },
    { by: 'its exact name', key: 'PVVoltage', as: 'stringVoltageVolts 1 V' },
  ])('by $by: $key of $family in $source with "$tag"', ({ as, ...asked }) => {
    expect(readAs(asked)).toBe(as);
  });
});

describe('a key is not read', () => {
  test.each<Asked & { why: string; as: string }>([
    { why: 'it has no rule', key: 'solarYieldNow', as: 'unknown' },
    { why: 'its tag is of another dimension', key: 'pvPower', tag: 'kWh', as: 'unknown' },
    { why: 'its tag is of another dimension', key: 'batterySOC', tag: 'V', as: 'unknown' },
    { why: 'families differ in its unit', key: 'generationPower', as: 'ambiguous' },
    { why: 'families differ in its unit', key: 'pv1Power', family: 'classic', as: 'ambiguous' },
    { why: 'families differ in what it is', key: 'pvInputPower', tag: 'W', as: 'ambiguous' },
    { why: 'families differ in what it is', key: 'batteryCapacity', as: 'ambiguous' },
    {
      why: 'its family was never seen to answer there and it has no unit',
      key: 'acOutputActivePower',
      family: 'mega-eco',
      source: 'history',
      as: 'ambiguous',
    },
    {
      why: 'no family was ever seen to answer there and it has no unit',
      key: 'aPhaseMainsPower',
      source: 'history',
      as: 'ambiguous',
    },
  ])('when $why: $key of $family in $source with "$tag"', ({ as, ...asked }) => {
    expect(readAs(asked)).toBe(as);
  });

  test('elsewhere than seen, except with a unit', () => {
    const asked = { key: 'acOutputActivePower', family: 'mega-eco', source: 'history' } as const;
    expect(readAs({ ...asked, tag: 'W' })).toBe('acOutputPowerWatts W');
  });
});

describe("a user's rule", () => {
  const rules = new RuleSet([
    userRule({ key: 'pvPower', unit: 'W' }),
    userRule({ key: 'gridVoltage', reads: 'nothing' }),
    userRule({ key: 'houseMeter', reads: 'loadPowerWatts', unit: 'kW', model: 'XX1' }),
    userRule({ key: 'outputActivePower', unit: 'W', model: 'XX1' }),
    userRule({ key: 'BATTERYVOLTAGE', reads: 'nothing' }),
  ]);

  test.each<Asked & { what: string; as: string }>([
    { what: 'before its family', key: 'pvPower', family: 'hpvinv02', as: 'pvPowerWatts W' },
    { what: 'in spite of a tag', key: 'pvPower', tag: 'kWh', as: 'pvPowerWatts W' },
    { what: 'of nothing', key: 'gridVoltage', tag: 'V', as: 'nothing W' },
    { what: 'for its model', key: 'houseMeter', model: 'XX1', as: 'loadPowerWatts kW' },
    { what: 'for another model', key: 'houseMeter', model: 'XX2', as: 'unknown' },
    { what: 'for a device without model', key: 'houseMeter', as: 'unknown' },
    {
      what: 'for its model before its family',
      key: 'outputActivePower',
      family: 'hpvinv02',
      model: 'XX1',
      as: 'pvPowerWatts W',
    },
    {
      what: 'for another model leaves its family alone',
      key: 'outputActivePower',
      family: 'hpvinv02',
      model: 'XX2',
      as: 'acOutputPowerWatts kW',
    },
    {
      what: 'in other case before all others',
      key: 'batteryVoltage',
      as: 'nothing W',
    },
    { what: 'holds in any case', key: 'HouseMeter', model: 'XX1', as: 'loadPowerWatts kW' },
  ])('counts $what', ({ as, ...asked }) => {
    expect(readAs(asked, rules)).toBe(as);
  });

  test.each([
    { order: 'after', models: [undefined, 'XX1'] },
    { order: 'before', models: ['XX1', undefined] },
  ])('of a model wins over one for all that stands $order it', ({ models }) => {
    const both = new RuleSet(
      models.map((model) => userRule({ key: 'k', unit: model === undefined ? 'W' : 'kW', model })),
    );
    expect(readAs({ key: 'k', model: 'XX1' }, both)).toBe('pvPowerWatts kW');
    expect(readAs({ key: 'k', model: 'XX2' }, both)).toBe('pvPowerWatts W');
  });

  test('has its key asked for', () => {
    expect(rules.userKeys).toEqual([
      'pvPower',
      'gridVoltage',
      'houseMeter',
      'outputActivePower',
      'BATTERYVOLTAGE',
    ]);
    expect(new RuleSet().userKeys).toEqual([]);
  });
});

describe('the rank', () => {
  function rankOf(key: string, family: Family | undefined, rules: RuleSet): number {
    const resolved = rules.resolve(key, { source: 'latest', family }, undefined);
    return typeof resolved === 'string' ? Number.NaN : resolved.rank;
  }

  test("puts the user's rules first, then those of the family and of all, then those of others", () => {
    const rules = new RuleSet([
      userRule({ key: 'last', reads: 'batterySocRatio', unit: '%' }),
      userRule({ key: 'later', reads: 'batterySocRatio', unit: '%' }),
    ]);
    const ranks = [
      rankOf('last', 'msdc', rules),
      rankOf('later', 'msdc', rules),
      rankOf('battery_charge_state', 'msdc', rules),
      rankOf('soc', 'msdc', rules),
      rankOf('batterySOC', 'msdc', rules),
      rankOf('batteryPercentage', 'msdc', rules),
    ];
    expect(ranks).toEqual(ranks.toSorted((one, other) => one - other));
  });
});
