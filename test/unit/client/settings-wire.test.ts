import { describe, expect, test } from 'vitest';
import { decodeSettings } from '../../../src/client/settings/settings-wire.ts';

const PATH = '/apis/path';
const INVALID = expect.objectContaining({ code: 'SERVICE_PAYLOAD_INVALID' }) as Error;

/** Decodes an answer with one setting. */
function decodeOne(wire: unknown) {
  return decodeSettings({ setting: wire }, PATH).get('setting');
}

describe('the settings', () => {
  test('are bare values; one that is neither text, number nor boolean becomes JSON text', () => {
    const settings = decodeSettings(
      {
        operatingMode: 'Self-Use',
        maxChargingCurrent: 60,
        gridChargingEnabled: false,
        label: '',
        batteryPriority: null,
        schedule: [1, 2],
        quietHours: { from: 22 },
      },
      PATH,
    );
    expect([...settings].map(([name, { value, form }]) => [name, value, form])).toEqual([
      ['operatingMode', 'Self-Use', 'flat'],
      ['maxChargingCurrent', 60, 'flat'],
      ['gridChargingEnabled', false, 'flat'],
      ['label', '', 'flat'],
      ['schedule', '[1,2]', 'flat'],
      ['quietHours', '{"from":22}', 'flat'],
    ]);
  });

  test.each([{ data: {} }, { data: [] }, { data: null }, { data: undefined }])(
    'are none in $data',
    ({ data }) => {
      expect(decodeSettings(data, PATH).size).toBe(0);
    },
  );

  test.each([{ data: 'none' }, { data: 3 }, { data: true }])(
    'cannot be read from $data',
    ({ data }) => {
      expect(() => decodeSettings(data, PATH)).toThrow(INVALID);
    },
  );

  test.each([
    { entry: { name: 'without a key', value: 1 } },
    { entry: { key: '', value: 1 } },
    { entry: { key: 7, value: 1 } },
    { entry: 'text' },
    { entry: null },
  ])('leave $entry of a list out', ({ entry }) => {
    const settings = decodeSettings([entry, { key: 'other', value: 1 }], PATH);
    expect([...settings.keys()]).toEqual(['other']);
  });

  test.each([
    { wire: { value: null } },
    { wire: { value: '' } },
    { wire: { key: 'setting' } },
    { wire: { valueDisplay: 'SUB' } },
  ])('leave $wire, which has no value, out', ({ wire }) => {
    expect(decodeOne(wire)).toBeUndefined();
  });
});

describe('a setting that describes itself', () => {
  test.each([
    { wire: '1', value: '1' },
    { wire: '011', value: '011' },
    { wire: ' x ', value: ' x ' },
    { wire: 0, value: 0 },
    { wire: false, value: false },
    { wire: [1], value: '[1]' },
  ])('has the value $wire as it is', ({ wire, value }) => {
    expect(decodeOne({ value: wire })?.value).toBe(value);
  });

  const choices = [
    { id: '1', value: '0', text: 'USO' },
    { id: '0', value: 1, localeText: 'SUB' },
    { id: '2', value: '2' },
  ];

  test.each([
    { when: 'a choice with a text', wire: { value: '0', enumValues: choices }, label: 'USO' },
    { when: 'a choice as a number', wire: { value: 0, enumValues: choices }, label: 'USO' },
    { when: 'a choice with a local text', wire: { value: '1', enumValues: choices }, label: 'SUB' },
    { when: 'a choice without a text', wire: { value: '2', enumValues: choices }, label: '2' },
    {
      when: 'the other name of the choices',
      wire: { value: '0', enumValueDisplays: choices },
      label: 'USO',
    },
    {
      when: 'a text beside the choice',
      wire: { value: '0', valueDisplay: 'Other', enumValues: choices },
      label: 'USO',
    },
    {
      when: 'none of the choices',
      wire: { value: '9', valueDisplay: 'Other', enumValues: choices },
      label: 'Other',
    },
    { when: 'none of the choices and no text', wire: { value: '9', enumValues: choices } },
    { when: 'a plain number', wire: { value: 60, valueDisplay: '60' } },
    { when: 'no choices', wire: { value: '1', valueDisplay: 'SUB', enumValues: [] } },
    { when: 'broken choices', wire: { value: '1', valueDisplay: 'SUB', enumValues: 'USO' } },
  ])('is called $label for $when', ({ wire, label }) => {
    expect(decodeOne(wire)?.label).toBe(label);
  });

  test('skips choices without a value', () => {
    const enumValues = [null, 'USO', { id: '1', text: 'USO' }, { value: '1', text: ' SUB ' }];
    expect(decodeOne({ value: '1', enumValues })?.choices).toEqual([{ value: '1', label: 'SUB' }]);
  });

  test('has at most a hundred choices', () => {
    const enumValues = Array.from({ length: 200 }, (_, value) => ({
      value,
      text: `word ${value}`,
    }));
    expect(decodeOne({ value: 1, enumValues })?.choices).toHaveLength(100);
  });

  test.each([
    { what: 'as numbers', wire: { min: 10, max: 80, step: 0.5 }, limits: [10, 80, 0.5] },
    { what: 'as text', wire: { min: '-10', max: '80.5', step: '1' }, limits: [-10, 80.5, 1] },
    { what: 'that are missing', wire: {}, limits: [undefined, undefined, undefined] },
    {
      what: 'that mean nothing',
      wire: { min: null, max: 'many', step: 0 },
      limits: [undefined, undefined, undefined],
    },
  ])('has limits $what', ({ wire, limits }) => {
    const setting = decodeOne({ value: 60, ...wire });
    expect([setting?.min, setting?.max, setting?.step]).toEqual(limits);
  });
});

describe('a setting that is written under another key', () => {
  const CHOICES = [
    { value: '0', text: 'USO' },
    { value: '1', text: 'SUB' },
  ];
  const WRITTEN = { key: 'its own', isWritableConfigAttribute: true, enumValues: CHOICES };

  test.each([
    { read: 'outputSourcePriority', write: 'settingDeviceOutputSourcePriority' },
    { read: 'outputSourcePriority', write: 'setOutputSourcePriority' },
    { read: 'outputSourcePriority', write: 'outputSourcePrioritySetting' },
  ])('is one setting: $read, $write', ({ read, write }) => {
    const settings = decodeSettings(
      { [read]: { value: '1', isWritableConfigAttribute: false }, [write]: WRITTEN },
      PATH,
    );
    expect([...settings.keys()]).toEqual([read]);
    expect(settings.get(read)).toMatchObject({
      value: '1',
      writeKey: write,
      isWritable: true,
      choices: [
        { value: '0', label: 'USO' },
        { value: '1', label: 'SUB' },
      ],
    });
  });

  test('has its limits from where it is written', () => {
    const settings = decodeSettings(
      {
        chargeCurrent: { value: 60, unit: 'A' },
        setChargeCurrent: { ...WRITTEN, enumValues: [], min: 10, max: 80, step: 10 },
      },
      PATH,
    );
    expect(settings.get('chargeCurrent')).toMatchObject({
      unit: 'A',
      writeKey: 'setChargeCurrent',
      min: 10,
      max: 80,
      step: 10,
    });
  });

  test.each([
    {
      when: 'it is written itself',
      data: { outputPriority: { value: '1', ...WRITTEN }, setOutputPriority: WRITTEN },
    },
    {
      when: 'two keys would fit',
      data: {
        outputPriority: { value: '1' },
        setOutputPriority: WRITTEN,
        outputPrioritySetting: WRITTEN,
      },
    },
    {
      when: 'the other is not written either',
      data: { outputPriority: { value: '1' }, setOutputPriority: { enumValues: CHOICES } },
    },
    {
      when: 'the other is about something else',
      data: { outputPriority: { value: '1' }, setInputPriority: WRITTEN },
    },
    { when: 'it is a bare value', data: { outputPriority: '1', setOutputPriority: WRITTEN } },
  ])('is not looked for when $when', ({ data }) => {
    expect(decodeSettings(data, PATH).get('outputPriority')?.writeKey).toBeUndefined();
  });
});

test.each([
  { wire: { value: 1, name: 'Buzzer', nameDisplay: 'Sound' }, name: 'Sound' },
  { wire: { value: 1, name: 'Buzzer' }, name: 'Buzzer' },
  { wire: { value: 1 }, name: undefined },
])('a setting is called $name', ({ wire, name }) => {
  expect(decodeOne(wire)?.name).toBe(name);
});
