import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { decodeAnswer, dimensionOf, RuleSet } from '../../../src/client/dialects/interpret.ts';
import {
  type Family,
  FAMILIES,
  type FieldRule,
  INTERFACE_KEYS,
  INTERFACE_QUANTITIES,
  RULES,
  SIGNS,
} from '../../../src/client/dialects/rules.ts';
import { parseUnit } from '../../../src/client/dialects/unit.ts';
import { QUANTITIES, SOURCES } from '../../../src/model/readings.ts';
import { FAMILIES as SIMULATED } from '../../../src/simulator/simulator.ts';
import { RECORDING_NAMES } from '../../support/recordings.ts';

/** Every key that the field notes name, by section or by family. */
const KNOWN_KEYS = JSON.parse(
  readFileSync(new URL('../../fixtures/known-keys.json', import.meta.url), 'utf8'),
) as Readonly<Record<'anyFamily' | 'ofFamily', Readonly<Record<string, readonly string[]>>>>;

const rules = new RuleSet();

/** The keys that no rule knows in any of the places where a device of the family may send them. */
function unknownOf(keys: readonly string[], family?: Family): readonly string[] {
  const isKnown = (key: string): boolean =>
    SOURCES.some((source) => {
      const resolved = rules.resolve(key, { source, family }, undefined);
      return family === undefined ? resolved !== 'unknown' : typeof resolved !== 'string';
    });
  return keys.filter((key) => !isKnown(key));
}

describe('the rules know', () => {
  test.each(Object.entries(KNOWN_KEYS.anyFamily))('every key of field notes %s', (_, keys) => {
    expect(unknownOf(keys)).toEqual([]);
  });

  test.each(Object.entries(KNOWN_KEYS.ofFamily))(
    'what %s does with every key of 8.1',
    (family, keys) => {
      expect(unknownOf(keys, family as Family)).toEqual([]);
    },
  );

  test('the keys of the interface, each as a quantity of its own', () => {
    const reads = INTERFACE_KEYS.map((key) => {
      const resolved = rules.resolve(key, { source: 'history', family: 'classic' }, undefined);
      return typeof resolved === 'string' ? resolved : resolved.reads;
    });
    expect(reads).toEqual(INTERFACE_QUANTITIES);
  });
});

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
      const [field] = decodeAnswer([sample], { source: 'latest', family }, rules).fields;
      return field?.verdict !== 'sign unconfirmed';
    },
  };

  test.each(Object.entries(faults))('%s', (_does, isWrong) => {
    expect(RULES.filter(isWrong)).toEqual([]);
  });
});

test('every family has rules, a recorded answer and a simulation, and every quantity a dimension', () => {
  expect(new Set(RULES.flatMap(({ families }) => families))).toEqual(new Set(FAMILIES));
  for (const family of FAMILIES)
    expect(RECORDING_NAMES.join(' '), family).toContain(`family-${family}-`);
  // Of this one, a single answer was captured: too little to simulate it.
  expect(FAMILIES.filter((family) => !SIMULATED.some((one) => one === family))).toEqual([
    'line-interactive',
  ]);
  expect(QUANTITIES.map((reads) => dimensionOf({ reads }))).not.toContain(undefined);
});
