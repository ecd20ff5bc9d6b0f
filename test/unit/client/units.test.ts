import { describe, expect, test } from 'vitest';
import { parseUnit, toKilowattHours, UNIT_NAMES } from '../../../src/client/dialects/unit.ts';

describe('a unit tag', () => {
  test.each<[tags: readonly string[], name: string, dimension: string, of2: number]>([
    [['W', 'w', ' W ', 'Watt', 'WATT'], 'W', 'power', 2],
    [['kW', 'kw', 'KW', 'Kw', ' k W', 'kW.'], 'kW', 'power', 2000],
    [['MW', 'M W'], 'MW', 'power', 2_000_000],
    [['mW'], 'mW', 'power', 0.002],
    [['VA', 'va'], 'VA', 'apparent power', 2],
    [['kVA', 'KVA'], 'kVA', 'apparent power', 2000],
    [['var', 'VAR', 'Var'], 'var', 'apparent power', 2],
    [['kvar', 'kVar'], 'kvar', 'apparent power', 2000],
    [['Wh', 'WH', 'W·h', 'W.h', 'W*h'], 'Wh', 'energy', 0.002],
    [['kWh', 'KWH', 'kW·h', 'kW h'], 'kWh', 'energy', 2],
    [['MWh', 'MW·h'], 'MWh', 'energy', 2000],
    [['V', 'v', 'volt', 'Volt'], 'V', 'voltage', 2],
    [['mV', 'mv'], 'mV', 'voltage', 0.002],
    [['kV', 'KV'], 'kV', 'voltage', 2000],
    [['A', 'a', 'amp', 'Amp'], 'A', 'current', 2],
    [['mA', 'ma'], 'mA', 'current', 0.002],
    [['Ah', 'AH', 'A·h'], 'Ah', 'charge', 2],
    [['mAh', 'mah'], 'mAh', 'charge', 0.002],
    [['%', ' % ', '％', 'percent', 'Percent'], '%', 'ratio', 0.02],
    [['Hz', 'HZ', 'hz'], 'Hz', 'frequency', 2],
    [['°C', '°c', '℃', 'C', 'degC', '° C'], '°C', 'temperature', 2],
    [['°F', '℉', 'F', 'degF'], '°F', 'temperature', -16.7],
  ])('in %j is %s', (tags, name, dimension, of2) => {
    for (const tag of tags) {
      const unit = parseUnit(tag);
      expect(unit, tag).toMatchObject({ name, dimension });
      expect(unit?.toBase(2), tag).toBe(of2);
    }
  });

  test.each([
    undefined,
    '',
    ' ',
    'mw',
    'Mw',
    'mWh',
    'VAh',
    'kWp',
    'km',
    '--',
    'constructor',
    '__proto__',
  ])('is unknown: %j', (tag) => {
    expect(parseUnit(tag)).toBeUndefined();
  });
});

test('every name that a dialect file may use is the name of its own unit', () => {
  expect(UNIT_NAMES.map((name) => parseUnit(name)?.name)).toEqual(UNIT_NAMES);
});

test.each<readonly [unit: string | undefined, energyKwh: number | undefined]>([
  [undefined, 140],
  ['', 140],
  ['KWH', 140],
  [' kW·h ', 140],
  ['kWhs', 140],
  ['kilowatt hours', 140],
  ['W.h', 0.14],
  ['watt-hours', 0.14],
  ['MWh', 140_000],
  ['mwh', 140_000],
  ['Megawatt_Hour', 140_000],
  ...['s', 'W', 'kW', 'GWh', '€', 'constructor'].map((unit) => [unit, undefined] as const),
])('140 %s are %s kWh', (unit, energyKwh) => {
  expect(toKilowattHours(140, unit)).toBe(energyKwh);
});
