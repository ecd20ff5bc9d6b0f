import { describe, expect, test } from 'vitest';
import {
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

function described(setting: Setting): Setting {
  return { ...setting, isDescribed: true };
}

const choice = (value: string | number) => described({ value, choices: CHOICES });

describe('a setting', () => {
  test.each([
    ['a number', described({ value: 60 }), true],
    ['a bare number', { value: 60 }, true],
    ['text with a lower limit', described({ value: '60', min: 0 }), true],
    ['text with an upper limit', described({ value: '1', max: 9 }), true],
    ['text with a step', described({ value: '60', step: 1 }), true],
    ['text with a unit', described({ value: '44.5', unit: 'V' }), true],
    ['text', described({ value: '60' }), false],
    ['a code with a unit', described({ value: '011', unit: 'V' }), false],
    ['a word with a unit', described({ value: 'SUB', unit: 'A' }), false],
    ['a switch', described({ value: true, min: 0 }), false],
    ['a choice', choice(1), false],
  ])('that is %s is a quantity: %s', (_what, setting, expected) => {
    expect(isNumeric(setting)).toBe(expected);
  });

  test.each([
    ['a number', described({ value: 60 }), 60],
    ['a number with noise', { value: 56.400000000000006 }, 56.4],
    ['a long number', { value: 20_261_122_103_059 }, 20_261_122_103_059],
    ['text with limits', described({ value: '52.0', min: 40 }), 52],
    ['no number within limits', described({ value: '--', min: 40 }), undefined],
    ['text', { value: '60' }, undefined],
    ['a switch', { value: true }, undefined],
    ['a choice', choice(1), undefined],
  ])('that is %s holds the number %s', (_what, setting, expected) => {
    expect(numberOf(setting)).toBe(expected);
  });

  test.each<[what: string, setting: Setting | undefined, wanted: string | number, holds: boolean]>([
    ['no setting', undefined, '1', false],
    ['bare text', { value: '60' }, '60', true],
    ['bare text against a number', { value: '60' }, 60, false],
    ['text', described({ value: '1' }), '1', true],
    ['a number', described({ value: 1 }), '1', true],
    ['a switch', described({ value: true }), 'true', true],
    ['another text', described({ value: '011' }), '11', false],
    ['a quantity with decimals', described({ value: '52.0', min: 40 }), '52', true],
    ['another quantity', described({ value: 60 }), '61', false],
    ['another choice', choice('01'), '1', false],
  ])('with %s %j holds %j: %s', (_what, setting, wanted, holds) => {
    expect(holdsValue(setting, wanted)).toBe(holds);
  });
});

describe('a value is shown', () => {
  const priority = described({ value: '1', label: 'SUB', choices: CHOICES });
  const other = described({ value: '9', label: 'Other', choices: CHOICES });

  test.each<[how: string, setting: Setting | undefined, value: string | boolean, shown: string]>([
    ['as it is', { value: false }, false, 'false'],
    ['as it is', undefined, '7', '7'],
    ['by its label', priority, '1', 'SUB (1)'],
    ['by the label of another choice', priority, '0', 'USO (0)'],
    ['once, where it is its label', priority, '2', '2'],
    ['as it is, where it is no choice', priority, '9', '9'],
    ['as the portal shows it, where it is no choice', other, '9', 'Other (9)'],
  ])('%s', (_how, setting, value, shown) => {
    expect(showValue(setting, value)).toBe(shown);
  });
});
