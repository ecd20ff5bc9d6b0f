import { describe, expect, test } from 'vitest';
import {
  flatSetting,
  holdsValue,
  isNumeric,
  numberOf,
  type Setting,
  showValue,
} from '../../../src/model/settings.ts';

const CHOICES = [
  { value: '0', label: 'USO' },
  { value: '1', label: 'SUB' },
  { value: '2', label: '2' },
];

function described(setting: Omit<Setting, 'form'>): Setting {
  return { ...setting, form: 'object' };
}

describe('a setting', () => {
  test.each([
    { what: 'a number', setting: described({ value: 60 }), expected: true },
    { what: 'a bare number', setting: flatSetting(60), expected: true },
    {
      what: 'text with a lower limit',
      setting: described({ value: '60', min: 0 }),
      expected: true,
    },
    {
      what: 'text with an upper limit',
      setting: described({ value: '1', max: 9 }),
      expected: true,
    },
    { what: 'text with a step', setting: described({ value: '60', step: 1 }), expected: true },
    { what: 'text with a unit', setting: described({ value: '44.5', unit: 'V' }), expected: true },
    { what: 'text', setting: described({ value: '60' }), expected: false },
    {
      what: 'a code with a unit',
      setting: described({ value: '011', unit: 'V' }),
      expected: false,
    },
    {
      what: 'a word with a unit',
      setting: described({ value: 'SUB', unit: 'A' }),
      expected: false,
    },
    { what: 'a switch', setting: described({ value: true, min: 0 }), expected: false },
    { what: 'a choice', setting: described({ value: 1, choices: CHOICES }), expected: false },
  ])('that is $what is a quantity: $expected', ({ setting, expected }) => {
    expect(isNumeric(setting)).toBe(expected);
  });

  test.each([
    { what: 'a number', setting: described({ value: 60 }), expected: 60 },
    { what: 'a number with noise', setting: flatSetting(56.400000000000006), expected: 56.4 },
    {
      what: 'a long number',
      setting: flatSetting(20_261_122_103_059),
      expected: 20_261_122_103_059,
    },
    { what: 'text with limits', setting: described({ value: '52.0', min: 40 }), expected: 52 },
    {
      what: 'no number within limits',
      setting: described({ value: '--', min: 40 }),
      expected: undefined,
    },
    { what: 'text', setting: flatSetting('60'), expected: undefined },
    { what: 'a switch', setting: flatSetting(true), expected: undefined },
    { what: 'a choice', setting: described({ value: 1, choices: CHOICES }), expected: undefined },
  ])('that is $what holds the number $expected', ({ setting, expected }) => {
    expect(numberOf(setting)).toBe(expected);
  });

  test.each([
    { what: 'no setting', setting: undefined, wanted: '1', expected: false },
    { what: 'bare text', setting: flatSetting('60'), wanted: '60', expected: true },
    { what: 'bare text against a number', setting: flatSetting('60'), wanted: 60, expected: false },
    { what: 'text', setting: described({ value: '1' }), wanted: '1', expected: true },
    { what: 'a number', setting: described({ value: 1 }), wanted: '1', expected: true },
    { what: 'a switch', setting: described({ value: true }), wanted: 'true', expected: true },
    { what: 'another text', setting: described({ value: '011' }), wanted: '11', expected: false },
    {
      what: 'a quantity with decimals',
      setting: described({ value: '52.0', min: 40 }),
      wanted: '52',
      expected: true,
    },
    { what: 'another quantity', setting: described({ value: 60 }), wanted: '61', expected: false },
    {
      what: 'another choice',
      setting: described({ value: '01', choices: CHOICES }),
      wanted: '1',
      expected: false,
    },
  ])('with $what holds $wanted: $expected', ({ setting, wanted, expected }) => {
    expect(holdsValue(setting, wanted)).toBe(expected);
  });
});

describe('a value is shown', () => {
  const priority = described({ value: '1', label: 'SUB', choices: CHOICES });

  test.each([
    { how: 'as it is', setting: flatSetting(false), value: false, shown: 'false' },
    { how: 'as it is', setting: undefined, value: '7', shown: '7' },
    { how: 'by its label', setting: priority, value: '1', shown: 'SUB (1)' },
    { how: 'by the label of another choice', setting: priority, value: '0', shown: 'USO (0)' },
    { how: 'once, where it is its label', setting: priority, value: '2', shown: '2' },
    { how: 'as it is, where it is no choice', setting: priority, value: '9', shown: '9' },
    {
      how: 'as the portal shows it, where it is no choice',
      setting: described({ value: '9', label: 'Other', choices: CHOICES }),
      value: '9',
      shown: 'Other (9)',
    },
  ])('$how: $shown', ({ setting, value, shown }) => {
    expect(showValue(setting, value)).toBe(shown);
  });
});
