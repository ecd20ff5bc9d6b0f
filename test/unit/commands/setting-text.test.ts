import { describe, expect, test } from 'vitest';
import { readSettingText } from '../../../src/commands/setting-text.ts';
import type { Setting } from '../../../src/model/settings.ts';

function described(setting: Omit<Setting, 'form'>): Setting {
  return { ...setting, form: 'object' };
}

const PRIORITY = described({
  value: '011',
  choices: [
    { value: '010', label: 'Utility first' },
    { value: '011', label: 'Solar first' },
  ],
});
const CURRENT = described({ value: 60, unit: 'A', min: 10, max: 80, step: 10 });

describe('a choice', () => {
  test.each([
    { typed: '010', value: '010' },
    { typed: 'Utility first', value: '010' },
    { typed: 'SOLAR FIRST', value: '011' },
  ])('is found by $typed', ({ typed, value }) => {
    expect(readSettingText(PRIORITY, typed)).toEqual({ value });
  });

  test.each(['10', '11', 'Solar', '', ' 010'])('is not found by %j', (typed) => {
    expect(readSettingText(PRIORITY, typed)).toEqual({
      problem: `${JSON.stringify(typed)} is not accepted; accepted: Utility first (010), Solar first (011)`,
    });
  });

  const TWISTED = described({
    value: '0',
    choices: [
      { value: '0', label: '1' },
      { value: '1', label: 'Same' },
      { value: '2', label: 'same' },
    ],
  });

  test('is found by its value before another by its label', () => {
    expect(readSettingText(TWISTED, '1')).toEqual({ value: '1' });
  });

  test('is not guessed where two have the same label', () => {
    expect(readSettingText(TWISTED, 'same')).toEqual({
      problem: '"same" is not accepted; accepted: 1 (0), Same (1), same (2)',
    });
  });
});

describe('a number', () => {
  test.each([
    { typed: '10', value: '10' },
    { typed: '80', value: '80' },
    { typed: '060', value: '60' },
    { typed: ' 20.0 ', value: '20' },
  ])('is taken from $typed', ({ typed, value }) => {
    expect(readSettingText(CURRENT, typed)).toEqual({ value });
  });

  test.each(['0', '90', '15', 'many', '', '1e1', 'NaN'])('is not taken from %j', (typed) => {
    expect(readSettingText(CURRENT, typed)).toEqual({
      problem: `${JSON.stringify(typed)} is not accepted; accepted: a number from 10 to 80 A in steps of 10`,
    });
  });

  test.each([
    { limits: {}, typed: '-3.5' },
    { limits: { min: -5 }, typed: '-5' },
    { limits: { max: 5 }, typed: '-100' },
    { limits: { step: 0.1 }, typed: '52.3' },
    { limits: { min: 40.5, step: 0.1 }, typed: '57.6' },
  ])('may be $typed within $limits', ({ limits, typed }) => {
    expect(readSettingText(described({ value: 1, ...limits }), typed)).toEqual({ value: typed });
  });

  test.each([
    { limits: {}, accepted: 'a number' },
    { limits: { min: 5 }, accepted: 'a number from 5' },
    { limits: { max: -5 }, accepted: 'a number to -5' },
    { limits: { step: 0.7 }, accepted: 'a number in steps of 0.7' },
  ])('outside $limits is refused with the limits', ({ limits, accepted }) => {
    const typed = Object.keys(limits).length === 0 ? 'x' : '1';
    expect(readSettingText(described({ value: 1, ...limits }), typed)).toEqual({
      problem: `"${typed}" is not accepted; accepted: ${accepted}`,
    });
  });
});

describe('any other setting', () => {
  test.each(['true', 'false'])('that is a switch takes %s', (typed) => {
    expect(readSettingText(described({ value: true }), typed)).toEqual({ value: typed });
  });

  test('that is a switch takes nothing else', () => {
    expect(readSettingText(described({ value: true }), '1')).toEqual({
      problem: '"1" is not accepted; accepted: true, false',
    });
  });

  test('takes any text that is not empty', () => {
    expect(readSettingText(described({ value: 'east' }), '007')).toEqual({ value: '007' });
    expect(readSettingText(described({ value: 'east' }), '')).toEqual({
      problem: 'is empty; accepted: a text such as the current value',
    });
  });

  test('takes no value when it is read-only', () => {
    expect(readSettingText({ ...PRIORITY, isWritable: false }, '010')).toEqual({
      problem: 'the device does not let it be changed',
    });
  });
});
