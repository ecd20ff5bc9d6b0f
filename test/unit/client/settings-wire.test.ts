import { describe, expect, test } from 'vitest';
import { decodeSettings } from '../../../src/client/settings.ts';
import { ANSWER } from '../../support/answer.ts';

/** Decodes an answer with one setting. */
function decodeOne(wire: unknown) {
  return decodeSettings({ setting: wire }, ANSWER).get('setting');
}

describe('the settings', () => {
  test.each<[wire: unknown, value: unknown]>([
    ['Self-Use', 'Self-Use'],
    [false, false],
    ['', ''],
    [[1, 2], '[1,2]'],
  ])('may be bare values: %j is %j', (wire, value) => {
    expect(decodeOne(wire)).toEqual({ value });
  });

  test('cannot be read from a text', () => {
    expect(() => decodeSettings('none', ANSWER)).toThrow(
      expect.objectContaining({ code: 'SERVICE_PAYLOAD_INVALID' }),
    );
  });

  test('may be a list, of which entries without a key are left out', () => {
    const list = [{ name: 'x', value: 1 }, { key: '', value: 1 }, { key: 7, value: 1 }, 'x', null];
    const settings = decodeSettings([...list, { key: 'other', value: 1 }], ANSWER);
    expect([...settings.keys()]).toEqual(['other']);
  });

  test.each([null, { value: '' }, { valueDisplay: 'SUB' }])(
    'leave out %j, which has no value',
    (wire) => {
      expect(decodeOne(wire)).toBeUndefined();
    },
  );
});

describe('a setting that describes itself', () => {
  test.each([
    [' x ', ' x '],
    [0, 0],
    [false, false],
  ])('has the value %j as it is: %j', (value, expected) => {
    expect(decodeOne({ value })?.value).toBe(expected);
  });

  const CHOICES = [
    { id: '1', value: '0', text: 'USO' },
    { id: '0', value: 1, localeText: 'SUB' },
    { id: '2', value: '2' },
  ];
  const BY_OTHER_NAME = { enumValueDisplays: CHOICES, enumValues: 0 };

  test.each<[when: string, wire: object, label?: string]>([
    ['a choice with a text', { value: '0', valueDisplay: 'Other' }, 'USO'],
    ['a choice with a local text', { value: '1' }, 'SUB'],
    ['a choice without a text', { value: '2' }, '2'],
    ['a choice by the other name', { ...BY_OTHER_NAME, value: '0' }, 'USO'],
    ['none of the choices', { value: '9', valueDisplay: 'Other' }, 'Other'],
    ['none of the choices and no text', { value: '9' }],
    ['broken choices', { value: '1', valueDisplay: 'SUB', enumValues: 'USO' }],
  ])('has the label of %s', (_when, wire, label) => {
    expect(decodeOne({ enumValues: CHOICES, ...wire })?.label).toBe(label);
  });

  test('has at most a hundred choices', () => {
    const enumValues = Array.from({ length: 200 }, (_, value) => ({ value }));
    expect(decodeOne({ value: 1, enumValues })?.choices).toHaveLength(100);
  });

  test('has limits as numbers or as text, and none that mean nothing', () => {
    const limits = { min: -10, max: 80.5, step: 0.5 };
    const texts = { min: '-10', max: '80.5', step: '0.5' };
    for (const wire of [limits, texts])
      expect(decodeOne({ value: 60, ...wire })).toMatchObject(limits);
    const setting = decodeOne({ value: 60, min: null, max: 'many', step: 0 });
    expect(setting).toEqual({ value: 60, isDescribed: true });
  });
});

describe('a setting that is written under another key', () => {
  const enumValues = [{ value: '0', text: 'USO' }];
  const limits = { min: 10, max: 80, step: 10 };
  const WRITTEN = { key: 'its own', isWritableConfigAttribute: true, enumValues, ...limits };

  test.each([
    'settingDeviceOutputSourcePriority',
    'setOutputSourcePriority',
    'outputSourcePrioritySetting',
  ])('is one setting, with the limits of where it is written: %s', (writeKey) => {
    const read = { value: '1', unit: 'A', isWritableConfigAttribute: false };
    expect(decodeSettings({ outputSourcePriority: read, [writeKey]: WRITTEN }, ANSWER)).toEqual(
      new Map([
        [
          'outputSourcePriority',
          {
            value: '1',
            unit: 'A',
            isDescribed: true,
            isWritable: true,
            writeKey,
            choices: [{ value: '0', label: 'USO' }],
            ...limits,
          },
        ],
      ]),
    );
  });

  test('keeps its own choices where that has none', () => {
    const data = {
      priority: { value: '1', enumValues },
      setPriority: { ...WRITTEN, enumValues: 0 },
    };
    expect(decodeSettings(data, ANSWER).get('priority')?.choices).toHaveLength(1);
  });

  const read = { value: '1' };
  test.each([
    ['it is written itself', { priority: { ...read, ...WRITTEN }, setPriority: WRITTEN }],
    ['two keys would fit', { priority: read, setPriority: WRITTEN, prioritySetting: WRITTEN }],
    ['the other is not written either', { priority: read, setPriority: { enumValues } }],
    ['the other is about something else', { priority: read, setInput: WRITTEN }],
    ['it is a bare value', { priority: '1', setPriority: WRITTEN }],
  ])('is not looked for when %s', (_when, data) => {
    expect(decodeSettings(data, ANSWER).get('priority')?.writeKey).toBeUndefined();
  });
});
