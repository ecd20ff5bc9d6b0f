import { describe, expect, test } from 'vitest';
import { combineFields } from '../../../src/client/dialects/combine.ts';
import { EVERYWHERE, type FieldRule } from '../../../src/client/dialects/field-rule.ts';
import type { InterpretedField } from '../../../src/client/dialects/field-sample.ts';
import { measuredIn } from './fixture.ts';

/** Returns a field that reads this quantity; without a value, a known field that has none. */
function field(
  reads: FieldRule['reads'],
  value: number | string | undefined,
  rule: Partial<FieldRule> & { readonly rank?: number; readonly measuredAtMs?: number } = {},
): InterpretedField {
  const { rank = 0, measuredAtMs, ...changes } = rule;
  const key = changes.key ?? `${reads}${changes.part ?? ''}`;
  return {
    sample: { key },
    verdict: value === undefined ? 'no value' : 'read',
    rank,
    rule: { reads, families: [], sources: EVERYWHERE, confidence: 'high', ...changes, key },
    ...(value !== undefined && { value: { value, measuredAtMs } }),
  };
}

interface Row {
  readonly what: string;
  readonly fields: readonly InterpretedField[];
  readonly expected: Readonly<Record<string, number | string>>;
}

const IMPORT = { positive: 'import' } as const;
const FEED_IN = { positive: 'feed-in' } as const;
const DISCHARGING = { positive: 'discharging' } as const;
const CHARGING = { positive: 'charging' } as const;
const BY_DIRECTION = { directionKey: 'way' } as const;

const string = (part: string, watts: number | undefined, measuredAtMs?: number) =>
  field('stringPowerWatts', watts, { part, ...(measuredAtMs !== undefined && { measuredAtMs }) });
const phase = (part: string, watts: number | undefined) =>
  field('gridPower', watts, { ...FEED_IN, part });
const direction = (text: string | undefined) => field('gridDirection', text, { key: 'way' });
const cell = (part: string, celsius: number | undefined) =>
  field('batteryTemperatureCelsius', celsius, { part });

const CHOICES: readonly Row[] = [
  { what: 'nothing of nothing', fields: [], expected: {} },
  {
    what: 'the lowest rank',
    fields: [
      field('batterySocRatio', 0.4, { key: 'second', rank: 2 }),
      field('batterySocRatio', 0.9, { key: 'first', rank: 1 }),
    ],
    expected: { batterySocRatio: 0.9 },
  },
  {
    what: 'the next rank where the lowest has no value',
    fields: [
      field('batterySocRatio', undefined, { key: 'first', rank: 1 }),
      field('batterySocRatio', 0.4, { key: 'second', rank: 2 }),
    ],
    expected: { batterySocRatio: 0.4 },
  },
  {
    what: 'the lowest rank with a value, whatever comes later',
    fields: [
      field('batterySocRatio', undefined, { key: 'first', rank: 1 }),
      field('batterySocRatio', 0.4, { key: 'second', rank: 2 }),
      field('batterySocRatio', 0.7, { key: 'third', rank: 3 }),
    ],
    expected: { batterySocRatio: 0.4 },
  },
  {
    what: 'nothing of what has no rule',
    fields: [{ sample: { key: 'houseMeter' }, verdict: 'unknown', rank: Infinity }],
    expected: {},
  },
  {
    what: 'nothing of what is not exported',
    fields: [field('nothing', undefined)],
    expected: {},
  },
  {
    what: 'each sensor and string on its own',
    fields: [
      field('temperatureCelsius', 40, { part: 'pv' }),
      field('temperatureCelsius', 45, { part: 'boost' }),
      field('stringVoltageVolts', 180, { part: '1' }),
      field('stringCurrentAmperes', 3.5, { part: '1' }),
      field('workingMode', 'line'),
    ],
    expected: {
      'temperatureCelsius pv': 40,
      'temperatureCelsius boost': 45,
      'stringVoltageVolts 1': 180,
      'stringCurrentAmperes 1': 3.5,
      workingMode: 'line',
    },
  },
];

const SUMS: readonly Row[] = [
  {
    what: 'the sum of the strings where there is no other',
    fields: [string('1', 820), string('2', 610)],
    expected: { 'stringPowerWatts 1': 820, 'stringPowerWatts 2': 610, pvPowerWatts: 1430 },
  },
  {
    what: 'a sum of its own, to which strings are never added',
    fields: [field('pvPowerWatts', 1400), string('1', 820), string('2', 610)],
    expected: { pvPowerWatts: 1400, 'stringPowerWatts 1': 820, 'stringPowerWatts 2': 610 },
  },
  {
    what: 'a zero of its own rather than the sum of the strings',
    fields: [field('pvPowerWatts', 0), string('1', 820)],
    expected: { pvPowerWatts: 0, 'stringPowerWatts 1': 820 },
  },
  {
    what: 'the sum of the strings where a sum of its own has no value',
    fields: [field('pvPowerWatts', undefined), string('1', 820), string('2', 610)],
    expected: { pvPowerWatts: 1430, 'stringPowerWatts 1': 820, 'stringPowerWatts 2': 610 },
  },
  {
    what: 'no sum where a string is unknown',
    fields: [string('1', 820), string('2', undefined)],
    expected: { 'stringPowerWatts 1': 820 },
  },
  {
    what: 'no sum where no string is known',
    fields: [string('1', undefined), string('2', undefined)],
    expected: {},
  },
  {
    what: 'a sum of 0 where the strings that are known produce nothing',
    fields: [string('1', 0), string('2', undefined)],
    expected: { 'stringPowerWatts 1': 0, pvPowerWatts: 0 },
  },
  {
    what: 'no sum of 0 where the other string has a value in an unconfirmed unit',
    fields: [string('1', 0), { ...string('2', undefined), verdict: 'unit unconfirmed' }],
    expected: { 'stringPowerWatts 1': 0 },
  },
  {
    what: 'no sum where a current flows in a string whose power is not sent',
    fields: [string('1', 820), field('stringCurrentAmperes', 2, { part: '2' })],
    expected: { 'stringPowerWatts 1': 820, 'stringCurrentAmperes 2': 2 },
  },
  {
    what: 'the sum of what there is where no current flows in the other string',
    fields: [string('1', 820), field('stringCurrentAmperes', 0, { part: '2' })],
    expected: { 'stringPowerWatts 1': 820, pvPowerWatts: 820, 'stringCurrentAmperes 2': 0 },
  },
  {
    what: 'a sum without what a string produced before it went to sleep',
    fields: [string('1', 0, 60 * 60_000), string('2', 30, 44 * 60_000)],
    expected: { 'stringPowerWatts 1': 0, 'stringPowerWatts 2': 30, pvPowerWatts: 0 },
  },
  {
    what: 'a sum with what a string produced a moment ago',
    fields: [string('1', 0, 60 * 60_000), string('2', 30, 45 * 60_000)],
    expected: { 'stringPowerWatts 1': 0, 'stringPowerWatts 2': 30, pvPowerWatts: 30 },
  },
];

const SIGNS: readonly Row[] = [
  {
    what: 'an import that counts as positive',
    fields: [field('gridPower', 640, IMPORT)],
    expected: { gridImportPowerWatts: 640, gridFeedInPowerWatts: 0 },
  },
  {
    what: 'a feed-in that counts as negative',
    fields: [field('gridPower', -120, IMPORT)],
    expected: { gridImportPowerWatts: 0, gridFeedInPowerWatts: 120 },
  },
  {
    what: 'a feed-in that counts as positive',
    fields: [field('gridPower', 495, FEED_IN)],
    expected: { gridImportPowerWatts: 0, gridFeedInPowerWatts: 495 },
  },
  {
    what: 'an import that counts as negative',
    fields: [field('gridPower', -400, FEED_IN)],
    expected: { gridImportPowerWatts: 400, gridFeedInPowerWatts: 0 },
  },
  {
    what: 'no flow at all, never a negative zero',
    fields: [field('gridPower', 0, FEED_IN), field('batteryPower', 0, CHARGING)],
    expected: { gridImportPowerWatts: 0, gridFeedInPowerWatts: 0, batteryPowerWatts: 0 },
  },
  {
    what: 'nothing where the grid is unknown',
    fields: [field('gridPower', undefined, IMPORT)],
    expected: {},
  },
  {
    what: 'a measured feed-in before that of a signed power',
    fields: [field('gridFeedInPowerWatts', 118), field('gridPower', -120, IMPORT)],
    expected: { gridFeedInPowerWatts: 118, gridImportPowerWatts: 0 },
  },
  {
    what: 'phases that together import',
    fields: [phase('a', -200), phase('b', 50), phase('c', 30)],
    expected: { gridImportPowerWatts: 120, gridFeedInPowerWatts: 0 },
  },
  {
    what: 'phases that together feed in',
    fields: [phase('a', 500), phase('b', -100)],
    expected: { gridImportPowerWatts: 0, gridFeedInPowerWatts: 400 },
  },
  {
    what: 'nothing where a phase is unknown',
    fields: [phase('a', -200), phase('b', undefined)],
    expected: {},
  },
  {
    what: 'the whole before its phases',
    fields: [phase('a', -200), field('gridPower', 640, IMPORT)],
    expected: { gridImportPowerWatts: 640, gridFeedInPowerWatts: 0 },
  },
  {
    what: 'the phases where the whole is unknown',
    fields: [phase('a', -200), field('gridPower', undefined, IMPORT)],
    expected: { gridImportPowerWatts: 200, gridFeedInPowerWatts: 0 },
  },
  {
    what: 'an unsigned power that comes in',
    fields: [field('gridPower', 300, BY_DIRECTION), direction('+')],
    expected: { gridImportPowerWatts: 300, gridFeedInPowerWatts: 0 },
  },
  {
    what: 'an unsigned power that goes out',
    fields: [field('gridPower', 450, BY_DIRECTION), direction('-')],
    expected: { gridImportPowerWatts: 0, gridFeedInPowerWatts: 450 },
  },
  {
    what: 'nothing of an unsigned power in an unknown direction',
    fields: [field('gridPower', 300, BY_DIRECTION), direction('Mains To Inverter')],
    expected: {},
  },
  {
    what: 'nothing of an unsigned power in no direction',
    fields: [field('gridPower', 300, BY_DIRECTION), direction(undefined)],
    expected: {},
  },
  {
    what: 'nothing of an unsigned power whose direction is not sent',
    fields: [field('gridPower', 300, BY_DIRECTION)],
    expected: {},
  },
  {
    what: 'no flow of an unsigned zero in no direction',
    fields: [field('gridPower', 0, BY_DIRECTION)],
    expected: { gridImportPowerWatts: 0, gridFeedInPowerWatts: 0 },
  },
  {
    what: 'a battery that counts charging as negative',
    fields: [field('batteryPower', -505, DISCHARGING)],
    expected: { batteryPowerWatts: -505 },
  },
  {
    what: 'a battery that counts charging as positive',
    fields: [field('batteryPower', 505, CHARGING)],
    expected: { batteryPowerWatts: -505 },
  },
  {
    what: 'a current that discharges',
    fields: [field('batteryCurrent', 6.8, DISCHARGING)],
    expected: { batteryDischargeCurrentAmperes: 6.8, batteryChargingCurrentAmperes: 0 },
  },
  {
    what: 'a current that charges',
    fields: [field('batteryCurrent', 3, CHARGING)],
    expected: { batteryDischargeCurrentAmperes: 0, batteryChargingCurrentAmperes: 3 },
  },
  {
    what: 'measured currents before a signed one',
    fields: [field('batteryChargingCurrentAmperes', 2.9), field('batteryCurrent', 3, CHARGING)],
    expected: { batteryChargingCurrentAmperes: 2.9, batteryDischargeCurrentAmperes: 0 },
  },
];

const power = (watts: number) => field('batteryPower', watts, DISCHARGING);
const current = (amperes: number) => field('batteryCurrent', amperes, DISCHARGING);

const BATTERIES: readonly Row[] = [
  {
    what: 'a power and a current that agree',
    fields: [power(1500), current(29)],
    expected: {
      batteryPowerWatts: 1500,
      batteryDischargeCurrentAmperes: 29,
      batteryChargingCurrentAmperes: 0,
    },
  },
  {
    what: 'neither of a power and a current that contradict each other',
    fields: [power(1500), current(-29)],
    expected: {},
  },
  {
    what: 'the power alone beside a small current that contradicts it',
    fields: [power(1500), current(-0.2)],
    expected: { batteryPowerWatts: 1500 },
  },
  {
    what: 'the power alone beside a current of 0',
    fields: [power(1500), current(0)],
    expected: { batteryPowerWatts: 1500 },
  },
  {
    what: 'the power of a battery that rests, and no current that contradicts it',
    fields: [power(-30), current(0.6)],
    expected: { batteryPowerWatts: -30 },
  },
  {
    what: 'the power and the current of a battery that rests',
    fields: [power(-30), current(0)],
    expected: {
      batteryPowerWatts: -30,
      batteryDischargeCurrentAmperes: 0,
      batteryChargingCurrentAmperes: 0,
    },
  },
  {
    what: 'measured currents whatever the power',
    fields: [power(1500), current(-29), field('batteryDischargeCurrentAmperes', 28)],
    expected: { batteryDischargeCurrentAmperes: 28 },
  },
];

const CELLS: readonly Row[] = [
  {
    what: 'the hottest cell',
    fields: [cell('1', 24), cell('2', 26), cell('3', 25)],
    expected: { batteryTemperatureCelsius: 26 },
  },
  {
    what: 'the hottest of the cells that are known',
    fields: [cell('1', 24), cell('2', undefined)],
    expected: { batteryTemperatureCelsius: 24 },
  },
  {
    what: 'the hottest cell below zero',
    fields: [cell('1', -4), cell('2', -2)],
    expected: { batteryTemperatureCelsius: -2 },
  },
  {
    what: 'the whole battery before its cells',
    fields: [cell('1', 24), field('batteryTemperatureCelsius', 20)],
    expected: { batteryTemperatureCelsius: 20 },
  },
  {
    what: 'the cells where the whole battery is unknown',
    fields: [cell('1', 24), field('batteryTemperatureCelsius', undefined)],
    expected: { batteryTemperatureCelsius: 24 },
  },
];

describe('fields amount to', () => {
  test.each([...CHOICES, ...SUMS, ...SIGNS, ...BATTERIES, ...CELLS])(
    '$what',
    ({ fields, expected }) => {
      expect(measuredIn(combineFields(fields).measurements)).toEqual(expected);
    },
  );

  test.each([...SUMS, ...SIGNS, ...BATTERIES, ...CELLS])(
    '$what, in any order',
    ({ fields, expected }) => {
      expect(measuredIn(combineFields(fields.toReversed()).measurements)).toEqual(expected);
    },
  );
});

describe('by night', () => {
  const soc = field('batterySocRatio', 0.9, { measuredAtMs: 7 });

  test.each([
    { what: 'null strings', fields: [string('1', undefined), string('2', undefined), soc], pv: 0 },
    { what: 'one null string', fields: [string('1', 4), string('2', undefined), soc], pv: 4 },
    { what: 'nothing at all', fields: [string('1', undefined)], pv: undefined },
    { what: 'no strings', fields: [soc], pv: undefined },
    {
      what: 'a null sum of its own without strings',
      fields: [field('pvPowerWatts', undefined), soc],
      pv: undefined,
    },
  ])('$what amount to $pv W', ({ fields, pv }) => {
    expect(measuredIn(combineFields(fields, true).measurements)['pvPowerWatts']).toBe(pv);
  });

  test('strings that all sleep are as old as the newest value of the answer', () => {
    const { measurements } = combineFields([string('1', undefined), soc], true);
    expect(measurements).toContainEqual({
      quantity: 'pvPowerWatts',
      part: '',
      value: 0,
      measuredAtMs: 7,
    });
  });
});

describe('a sum that is unknown names the keys that it wants', () => {
  test.each([
    { fields: [string('1', 820), string('2', undefined)], keys: ['stringPowerWatts2'] },
    { fields: [phase('a', -200), phase('b', undefined)], keys: ['gridPowerb'] },
    { fields: [string('1', undefined), string('2', undefined)], keys: [] },
    { fields: [string('1', 0), string('2', undefined)], keys: [] },
    {
      fields: [field('pvPowerWatts', 900), string('1', 820), string('2', undefined)],
      keys: [],
    },
  ])('$keys', ({ fields, keys }) => {
    expect(combineFields(fields).incomplete.flatMap((sum) => sum.keys)).toEqual(keys);
  });
});

describe('the time of a measurement is', () => {
  const ages = (fields: readonly InterpretedField[]) =>
    Object.fromEntries(
      combineFields(fields).measurements.map(({ quantity, part, measuredAtMs }) => [
        `${quantity} ${part}`.trim(),
        measuredAtMs,
      ]),
    );

  test('that of its value', () => {
    expect(ages([field('batterySocRatio', 0.9, { measuredAtMs: 7 })])).toEqual({
      batterySocRatio: 7,
    });
  });

  test('that of the signed value it is split from', () => {
    expect(ages([field('gridPower', 5, { ...FEED_IN, measuredAtMs: 7 })])).toEqual({
      gridImportPowerWatts: 7,
      gridFeedInPowerWatts: 7,
    });
  });

  test('of a sum, that of its oldest part', () => {
    expect(ages([string('1', 820, 9), string('2', 610, 7)])).toMatchObject({ pvPowerWatts: 7 });
    expect(ages([string('1', 820, 7), string('2', 610, 9)])).toMatchObject({ pvPowerWatts: 7 });
  });

  test('of a sum, that of the parts that have one', () => {
    expect(ages([string('1', 820), string('2', 610, 7)])).toMatchObject({ pvPowerWatts: 7 });
  });

  test('unknown where no part has one', () => {
    expect(ages([string('1', 820), string('2', 610)])).toMatchObject({ pvPowerWatts: undefined });
  });

  test('of the battery, that of its hottest cell', () => {
    const cells = [24, 26].map((celsius, index) =>
      field('batteryTemperatureCelsius', celsius, { part: `${index}`, measuredAtMs: index + 1 }),
    );
    expect(ages(cells)).toEqual({ batteryTemperatureCelsius: 2 });
  });
});
