import { describe, expect, test } from 'vitest';
import { EVERYWHERE, type Family } from '../../../src/client/dialects/field-rule.ts';
import { type FieldSample, toNumber, toText } from '../../../src/client/dialects/field-sample.ts';
import { decodeAnswer, interpretFields } from '../../../src/client/dialects/decoded-answer.ts';
import { RuleSet, type UserRule } from '../../../src/client/dialects/rule-set.ts';
import { measuredIn, samplesOf } from './fixture.ts';

const AT_MS = Date.parse('2026-08-24T07:55:01Z');

function sample(key: string, element: unknown, tag?: string, words?: string): FieldSample {
  const [number, text] = [toNumber(element), toText(element)];
  return {
    key,
    tag,
    number: number === undefined ? undefined : { value: number, measuredAtMs: AT_MS },
    text: text === undefined ? undefined : { value: text, measuredAtMs: AT_MS },
    ...(words !== undefined && { words: new Map([[text ?? '', words]]) }),
  };
}

/** The verdict on each field, and its value where it has one. */
function interpreted(
  samples: readonly FieldSample[],
  family: Family | undefined,
  userRules: readonly UserRule[] = [],
): unknown[] {
  const context = { source: 'latest', family } as const;
  return interpretFields(samples, context, new RuleSet(userRules)).map(({ verdict, value }) =>
    value === undefined ? verdict : [verdict, value.value],
  );
}

describe('a field', () => {
  test.each<{
    what: string;
    field: FieldSample;
    family?: Family;
    expected: unknown;
  }>([
    {
      what: 'in the unit of its tag',
      field: sample('pvPower', 1.2, 'kW'),
      family: 'hpvinv02',
      expected: ['read', 1200],
    },
    {
      what: 'in the unit of its tag before that of its rule',
      field: sample('pvPower', 1200, 'W'),
      family: 'hpvinv02',
      expected: ['read', 1200],
    },
    {
      what: 'in the unit of its rule without a tag',
      field: sample('pvPower', 1.2),
      family: 'hpvinv02',
      expected: ['read', 1200],
    },
    {
      what: 'in the unit of its rule with a tag that is no unit',
      field: sample('pvPower', 1.2, '--'),
      family: 'hpvinv02',
      expected: ['read', 1200],
    },
    {
      what: 'in an unknown unit',
      field: sample('pvPower', 1.2, 'kWp'),
      family: 'hpvinv02',
      expected: 'unit unconfirmed',
    },
    {
      what: 'in an unconfirmed unit',
      field: sample('pv1RealTimePower', 1.2),
      family: 'maniy',
      expected: 'unit unconfirmed',
    },
    {
      what: 'in a unit that its tag confirms',
      field: sample('pv1RealTimePower', 1.2, 'kW'),
      family: 'maniy',
      expected: ['read', 1200],
    },
    {
      what: 'of numeric text',
      field: sample('batteryVoltage', ' 52.4 '),
      expected: ['read', 52.4],
    },
    { what: 'of a measured zero', field: sample('batteryVoltage', 0), expected: ['read', 0] },
    { what: 'of no value', field: sample('batteryVoltage', null), expected: 'no value' },
    {
      what: 'of text where a number is due',
      field: sample('batteryVoltage', 'L'),
      expected: 'no value',
    },
    {
      what: 'of a mode with a name',
      field: sample('workingMode', 'B'),
      expected: ['read', 'battery'],
    },
    {
      what: 'of a mode in lower case',
      field: sample('workingMode', 'l'),
      expected: ['read', 'line'],
    },
    {
      what: 'of a mode without a name',
      field: sample('workingStates', '04'),
      expected: ['read', '04'],
    },
    { what: 'of a mode in digits', field: sample('mode', 4), expected: ['read', '4'] },
    {
      what: 'of a mode in digits with words',
      field: sample('workingStates', '4', '', 'Line Mode'),
      expected: ['read', 'line'],
    },
    {
      what: 'of a mode with other words than its letter has',
      field: sample('mode', 'L', '', 'Mains Mode'),
      family: 'hpvinv02',
      expected: ['read', 'line'],
    },
    {
      what: 'of a mode with words of another language',
      field: sample('workingStates', '4', '', 'Режим сети'),
      expected: ['read', '4'],
    },
    {
      what: 'of a mode that is words itself',
      field: sample('workingMode', 'Power On Mode'),
      expected: ['read', 'power_on'],
    },
    {
      what: 'of a mode that is other words',
      field: sample('workingMode', 'House of Jane'),
      expected: 'not a code',
    },
    {
      what: 'of a priority under the name of a mode',
      field: sample('workingMode', '1', '', 'SBU'),
      family: 'hpvinv02',
      expected: 'not exported',
    },
    {
      what: 'of a priority under the name of a mode, in a family with the same keys',
      field: sample('workingMode', '1', '', 'SBU'),
      family: 'techfine',
      expected: 'not exported',
    },
    {
      what: 'whose tag is known to be wrong',
      field: sample('outputPower', 0.9, 'W'),
      family: 'msdc',
      expected: ['read', 900],
    },
    {
      what: 'whose tag is right elsewhere',
      field: sample('outputPower', 235, 'W'),
      family: 'sierro',
      expected: ['read', 235],
    },
    {
      what: 'of a clamp',
      field: sample('CTPower', 2400, 'W'),
      family: 'mega-eco',
      expected: ['read', 2400],
    },
    {
      what: 'of no clamp',
      field: sample('CTPower', 0, 'W'),
      family: 'mega-eco',
      expected: 'placeholder',
    },
    { what: 'of no mode', field: sample('workingMode', ' '), expected: 'no value' },
    {
      what: 'of a direction',
      field: sample('mainsCurrentFlowDirection', '-'),
      expected: ['read', '-'],
    },
    {
      what: 'with a confirmed sign, unchanged',
      field: sample('GridPower', -120, 'W'),
      expected: ['read', -120],
    },
    {
      what: 'with an unconfirmed sign',
      field: sample('totalActivePowerOfTheElectricMeter', 0.5, 'kW'),
      expected: 'sign unconfirmed',
    },
    {
      what: 'with a current of unconfirmed sign',
      field: sample('lithiumBatteryChargeDischargeCurrent', 3, 'A'),
      expected: 'sign unconfirmed',
    },
    {
      what: 'that is known and not exported',
      field: sample('pvGeneratedEnergyOfDay', 4.5, 'kWh'),
      expected: 'not exported',
    },
    { what: 'without a rule', field: sample('houseMeter', 5, 'W'), expected: 'unknown' },
    {
      what: 'with rules that contradict each other',
      field: sample('generationPower', 5),
      expected: 'ambiguous',
    },
  ])('$what: $expected', ({ field, family, expected }) => {
    expect(interpreted([field], family)).toEqual([expected]);
  });

  test('keeps the time of its value, and its sample', () => {
    const field = sample('batterySOC', 93);
    const [read] = interpretFields([field], { source: 'latest' }, new RuleSet());
    expect(read).toMatchObject({ sample: field, value: { value: 0.93, measuredAtMs: AT_MS } });
  });
});

describe('a zero of a BMS', () => {
  const zeros = [sample('bmsCurrentSOC', 0), sample('bmsChargingCurrent', 0)];

  test.each([
    { beside: 'no voltage of one', voltage: [], expected: 'placeholder' },
    {
      beside: 'no volts',
      voltage: [sample('bmsBatteryVoltage', 0)],
      expected: 'placeholder',
    },
    {
      beside: 'an unknown voltage',
      voltage: [sample('bmsBatteryVoltage', null)],
      expected: 'placeholder',
    },
    {
      beside: 'the voltage of the inverter',
      voltage: [sample('batteryVoltage', 52)],
      expected: 'placeholder',
    },
    {
      beside: 'its volts',
      voltage: [sample('bmsBatteryVoltage', 52)],
      expected: ['read', 0],
    },
  ])('beside $beside is $expected', ({ voltage, expected }) => {
    const fields = interpreted([...zeros, ...voltage], 'hpvinv02');
    expect(fields.slice(0, 2)).toEqual([expected, expected]);
  });

  test('makes no other value of it one', () => {
    expect(interpreted([sample('bmsCurrentSOC', 87)], 'hpvinv02')).toEqual([['read', 0.87]]);
  });
});

describe('a value of a BMS', () => {
  const soc = sample('bmsCurrentSOC', 100);
  const volts = sample('bmsBatteryVoltage', 53);

  test.each([
    {
      what: 'that does not answer',
      says: [sample('bmsCommunicationNormal', '0')],
      is: 'placeholder',
    },
    { what: 'that has no status', says: [sample('bmsCommunicationStatus', 0)], is: 'placeholder' },
    { what: 'that answers', says: [sample('bmsCommunicationNormal', '1')], is: ['read', 1] },
    { what: 'that says nothing of itself', says: [], is: ['read', 1] },
    {
      what: 'whose status is null',
      says: [sample('bmsCommunicationStatus', null)],
      is: ['read', 1],
    },
  ])('$what is $is', ({ says, is }) => {
    expect(interpreted([soc, volts, ...says], 'hpvinv02')[0]).toEqual(is);
  });

  test('is none wherever the key has its name', () => {
    const cell = sample('maximumTemperatureBmsSingleSection', 28, '℃');
    const silent = sample('bmsCommunicationNormal', '0');
    expect(interpreted([cell, silent], 'line-interactive')[0]).toBe('placeholder');
  });

  test('may be 0 where the BMS answers', () => {
    const empty = sample('bmsCurrentSOC', 0);
    const answers = sample('bmsCommunicationNormal', '1');
    expect(interpreted([empty, answers], 'hpvinv02')[0]).toEqual(['read', 0]);
    const noVolts = sample('bmsBatteryVoltage', 0);
    expect(interpreted([empty, answers, noVolts], 'hpvinv02')[0]).toBe('placeholder');
  });
});

describe("a field by a user's rule", () => {
  const rule: UserRule = {
    key: 'houseMeter',
    reads: 'loadPowerWatts',
    unit: 'kW',
    families: [],
    sources: EVERYWHERE,
    confidence: 'user',
  };

  test.each([{ tag: undefined }, { tag: 'W' }, { tag: 'V' }, { tag: 'abc' }])(
    'is in its unit, whatever the tag: $tag',
    ({ tag }) => {
      expect(interpreted([sample('houseMeter', 0.4, tag)], undefined, [rule])).toEqual([
        ['read', 400],
      ]);
    },
  );
});

describe('an answer without units', () => {
  const rules = new RuleSet();
  const samples = samplesOf('family-uwb1-history', 'history');
  const context = { source: 'history', family: 'uwb1' } as const;

  test('is read by units that another answer named', () => {
    const tags = new Map([['aPhaseMainsPower', 'W']]);
    const { measurements } = decodeAnswer(samples, context, rules, tags);
    expect(measuredIn(measurements)).toMatchObject({ gridFeedInPowerWatts: 495 });
  });

  test('is read by units that another answer named before those of its family', () => {
    const tags = new Map([['pv1Power', 'kW']]);
    const { measurements } = decodeAnswer(samples, context, rules, tags);
    expect(measuredIn(measurements)).toMatchObject({ 'stringPowerWatts 1': 820_000 });
  });

  test('keeps the units it has', () => {
    const tagged = samples.map((sample) => ({ ...sample, tag: 'W' }));
    const tags = new Map([['pv1Power', 'kW']]);
    const { measurements } = decodeAnswer(tagged, context, rules, tags);
    expect(measuredIn(measurements)).toMatchObject({ 'stringPowerWatts 1': 820 });
  });
});
