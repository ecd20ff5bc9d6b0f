import { describe, expect, test } from 'vitest';
import { decoderOf, dimensionOf, RuleSet } from '../../../src/client/dialects/interpret.ts';
import { FAMILIES, type FieldRule, RULES, SIGNS } from '../../../src/client/dialects/rules.ts';
import { parseUnit } from '../../../src/client/dialects/unit.ts';
import { QUANTITIES } from '../../../src/model/readings.ts';
import { RECORDING_NAMES } from '../../support/recordings.ts';

const rules = new RuleSet();

describe('no rule', () => {
  const strings = ['stringPowerWatts', 'stringVoltageVolts', 'stringCurrentAmperes'];
  const always = [...strings, 'temperatureCelsius'];
  const sometimes = ['gridPower', 'batteryTemperatureCelsius'];
  /** Whether two rules read the same key of one device differently. */
  const contradict = (one: FieldRule, other: FieldRule): boolean =>
    one.key.toLowerCase() === other.key.toLowerCase() &&
    (one.reads !== other.reads || one.part !== other.part || one.unit !== other.unit) &&
    (one.families.some((family) => other.families.includes(family)) ||
      [one, other].some(({ families }) => families.length === 0)) &&
    one.sources.some((source) => other.sources.includes(source)) &&
    [one, other].every(({ reads }) => reads !== 'nothing');

  const faults: Readonly<Record<string, (rule: FieldRule) => boolean>> = {
    'has a unit that does not exist, or of another dimension than what it reads': (rule) => {
      const unit = parseUnit(rule.unit);
      if (rule.unit === undefined || unit === undefined) return rule.unit !== unit;
      return rule.reads !== 'nothing' && unit.dimension !== dimensionOf(rule);
    },
    'has a sign that means nothing': ({ reads, positive = 'by direction' }) =>
      positive !== 'by direction' && SIGNS[reads]?.includes(positive) !== true,
    'has a direction that its family does not send': ({ families: [family], positive }) =>
      positive === 'by direction' &&
      !RULES.some(({ reads, families: [one] }) => reads === 'gridDirection' && one === family),
    'contradicts another one of its family': (rule) =>
      RULES.some((other) => other !== rule && contradict(rule, other)),
    'names a part where a quantity has one alone, or none where it has several': ({
      reads,
      part,
    }) =>
      part === undefined ? always.includes(reads) : ![...always, ...sometimes].includes(reads),
    'reads a signed quantity whose sign nobody has confirmed': ({
      key,
      families: [family],
      reads,
      positive,
    }) => {
      if (!(reads in SIGNS) || positive !== undefined) return false;
      const tag = reads === 'batteryCurrent' ? 'A' : 'W';
      const sample = { key, tag, number: { value: 5 }, text: { value: '5' } };
      const [field] = decoderOf({ source: 'latest', family }, rules)([sample]).fields;
      return field?.verdict !== 'sign unconfirmed';
    },
  };

  test.each(Object.entries(faults))('%s', (_does, isWrong) => {
    expect(RULES.filter(isWrong)).toEqual([]);
  });
});

test('every family has rules and an answer, every quantity a dimension', () => {
  expect(new Set(RULES.flatMap(({ families }) => families))).toEqual(new Set(FAMILIES));
  for (const family of FAMILIES)
    expect(RECORDING_NAMES.join(' '), family).toContain(`family-${family}-`);
  expect(QUANTITIES.map((reads) => dimensionOf({ reads }))).not.toContain(undefined);
});
