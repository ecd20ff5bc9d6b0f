import { describe, expect, test } from 'vitest';
import { parseUnit, toKilowattHours, UNIT_NAMES } from '../../../src/client/dialects/unit.ts';

describe('a unit tag', () => {
  test.each([
    { tags: ['W', 'w', ' W ', 'Watt', 'WATT'], name: 'W', dimension: 'power', of2: 2 },
    { tags: ['kW', 'kw', 'KW', 'Kw', ' k W', 'kW.'], name: 'kW', dimension: 'power', of2: 2000 },
    { tags: ['MW', 'M W'], name: 'MW', dimension: 'power', of2: 2_000_000 },
    { tags: ['mW'], name: 'mW', dimension: 'power', of2: 0.002 },
    { tags: ['VA', 'va'], name: 'VA', dimension: 'apparent power', of2: 2 },
    { tags: ['kVA', 'KVA'], name: 'kVA', dimension: 'apparent power', of2: 2000 },
    { tags: ['var', 'VAR', 'Var'], name: 'var', dimension: 'apparent power', of2: 2 },
    { tags: ['kvar', 'kVar'], name: 'kvar', dimension: 'apparent power', of2: 2000 },
    { tags: ['Wh', 'WH', 'W·h', 'W.h', 'W*h'], name: 'Wh', dimension: 'energy', of2: 0.002 },
    { tags: ['kWh', 'KWH', 'kW·h', 'kW h'], name: 'kWh', dimension: 'energy', of2: 2 },
    { tags: ['MWh', 'MW·h'], name: 'MWh', dimension: 'energy', of2: 2000 },
    { tags: ['V', 'v', 'volt', 'Volt'], name: 'V', dimension: 'voltage', of2: 2 },
    { tags: ['mV', 'mv'], name: 'mV', dimension: 'voltage', of2: 0.002 },
    { tags: ['kV', 'KV'], name: 'kV', dimension: 'voltage', of2: 2000 },
    { tags: ['A', 'a', 'amp', 'Amp'], name: 'A', dimension: 'current', of2: 2 },
    { tags: ['mA', 'ma'], name: 'mA', dimension: 'current', of2: 0.002 },
    { tags: ['Ah', 'AH', 'A·h'], name: 'Ah', dimension: 'charge', of2: 2 },
    { tags: ['mAh', 'mah'], name: 'mAh', dimension: 'charge', of2: 0.002 },
    { tags: ['%', ' % ', '％', 'percent', 'Percent'], name: '%', dimension: 'ratio', of2: 0.02 },
    { tags: ['Hz', 'HZ', 'hz'], name: 'Hz', dimension: 'frequency', of2: 2 },
    {
      tags: ['°C', '°c', '℃', 'C', 'degC', '° C'],
      name: '°C',
      dimension: 'temperature',
      of2: 2,
    },
    {
      tags: ['°F', '℉', 'F', 'degF'],
      name: '°F',
      dimension: 'temperature',
      of2: -16.7,
    },
  ])('is $name in any of $tags', ({ tags, name, dimension, of2 }) => {
    for (const tag of tags) {
      const unit = parseUnit(tag);
      expect(unit, tag).toMatchObject({ name, dimension });
      expect(unit?.toBase(2), tag).toBe(of2);
    }
  });

  test.each([
    { tag: undefined },
    { tag: '' },
    { tag: ' ' },
    { tag: 'mw' },
    { tag: 'Mw' },
    { tag: 'mWh' },
    { tag: 'VAh' },
    { tag: 'kWp' },
    { tag: 'km' },
    { tag: '--' },
    { tag: 'constructor' },
    { tag: '__proto__' },
  ])('is unknown: $tag', ({ tag }) => {
    expect(parseUnit(tag)).toBeUndefined();
  });
});

describe('the conversion', () => {
  test.each([
    { tag: 'kW', value: 1.003, base: 1003 },
    { tag: 'MWh', value: 1.003, base: 1003 },
    { tag: 'kV', value: 0.2301, base: 230.1 },
    { tag: 'MW', value: 0.0011, base: 1100 },
    { tag: '%', value: 7, base: 0.07 },
    { tag: '°F', value: 32, base: 0 },
    { tag: '°F', value: 104, base: 40 },
    { tag: 'kW', value: -0.4, base: -400 },
  ])('of $value $tag gives $base without noise', ({ tag, value, base }) => {
    expect(parseUnit(tag)?.toBase(value)).toBe(base);
  });
});

test('every name that a dialect file may use is the name of its own unit', () => {
  expect(UNIT_NAMES.map((name) => parseUnit(name)?.name)).toEqual(UNIT_NAMES);
});

describe('an energy in kWh', () => {
  test.each([
    { unit: undefined, expected: 140 },
    { unit: 'watt-hours', expected: 0.14 },
    { unit: 'kWhs', expected: 140 },
    { unit: 'Megawatt_Hour', expected: 140_000 },
    { unit: 's', expected: undefined },
    { unit: 'W', expected: undefined },
    { unit: 'constructor', expected: undefined },
  ])('is $expected for 140 $unit', ({ unit, expected }) => {
    expect(toKilowattHours(140, unit)).toBe(expected);
  });
});
