import { describe, expect, test } from 'vitest';
import { ZonedCalendar } from '../../../src/base/time-zone.ts';
import {
  currentDays,
  currentMonth,
  currentYears,
  periodOf,
  summaryOf,
} from '../../../src/client/energy.ts';
import { type Energies, ENERGY_QUANTITIES, solarRatio } from '../../../src/model/energy.ts';
import { ANSWER } from '../../support/answer.ts';

function at(now: string, zone = 'Europe/Kyiv', serviceAheadMs = 0) {
  return { nowMs: Date.parse(now), calendar: new ZonedCalendar(zone), serviceAheadMs };
}

const NOON = at('2026-08-24T09:00:00Z');

function decode(data: unknown) {
  const month = currentMonth(summaryOf('month')(data, { ...ANSWER, ...NOON }));
  expect(month.startsAtMs).toBeLessThan(month.endsAtMs);
  const energies: Energies = Object.fromEntries(
    ENERGY_QUANTITIES.map((name) => [name, month[name]]),
  );
  const assumed = month.countedAsZero ?? [];
  return { ...energies, solarRatio: solarRatio(month), ...(assumed.length > 0 && { assumed }) };
}

/** Items of the flat form. */
const flat = (values: Readonly<Record<string, unknown>>) =>
  Object.entries(values).map(([key, value]) => ({ key, value }));

/** A property of the nested form: a point per time, each with its value or with more to say. */
function property(points: Readonly<Record<string, unknown>>, key = 'pvGeneratedEnergy', unit = '') {
  const timePoints = Object.entries(points).map(([time, point]) =>
    typeof point === 'object' && point !== null ? { time, ...point } : { time, value: point },
  );
  return { property: { key, unit }, hasRealTimePoints: true, timePoints };
}

const MONTH = { '2026-07': 181.2, '2026-08': 140, pvTotal: 900, pv: 800 };
const ITEMS = flat({ ...MONTH, gridImport: 60, buy: 50, totalConsumption: 280, load: 270 });
const AUGUST = property({ '2026-08': 140 });

describe('the flat form of a month', () => {
  test.each<[when: string, properties: readonly object[], pv: number, grid: number, load: number]>([
    ['all are there', ITEMS, 140, 60, 280],
    ['the month is missing', ITEMS.filter(({ key }) => key !== '2026-08'), 900, 60, 280],
    ['there are only the last names', flat({ pv: 800, buy: 50, load: 270 }), 800, 50, 270],
    ['some say 0', flat({ pv: 800, gridImport: 0, load: 0 }), 800, 0, 0],
  ])('is known by its first names when %s', (_when, properties, pv, grid, load) => {
    const expected = { pvGeneratedKwh: pv, gridImportKwh: grid, consumptionKwh: load };
    expect({ ...decode({ properties }), solarRatio: undefined }).toEqual(expected);
  });

  const named = ITEMS.map(({ key, value }) => ({ name: key, value }));
  const measured = [
    { key: '2026-08', value: 140_000, unit: 'Wh', property: null },
    { key: 'gridImport', value: 9, unit: 'EUR' },
    { key: 'buy', value: '0.06', unit: 'MWh' },
    { key: 'totalConsumption', value: 280, unit: 7 },
  ];
  const useless = [
    ...flat({ '2026-08': null, gridImport: '', totalConsumption: 'much', pvTotal: -1 }),
    { key: 'pv' },
    { key: 42, value: 42 },
    { value: 42 },
    null,
    'pv',
  ];

  test.each([
    ['list', { list: ITEMS }],
    ['properties before list', { properties: ITEMS, list: flat({ '2026-08': 1 }) }],
    ['items with a name', { properties: named }],
    ['items with a key before a name', { list: ITEMS.map((item) => ({ ...item, name: 'other' })) }],
    ['texts', { list: ITEMS.map(({ key, value }) => ({ key: ` ${key} `, value: ` ${value} ` })) }],
    ['list when no property can be used', { properties: useless, list: ITEMS }],
    ['items among useless ones', { list: [...ITEMS, ...useless] }],
    ['items with units, of which one is unknown', { list: measured }],
  ])('is read from %s', (_where, data) => {
    const energies = { pvGeneratedKwh: 140, gridImportKwh: 60, consumptionKwh: 280 };
    expect(decode(data)).toEqual({ ...energies, solarRatio: 0.5 });
  });

  test.each([
    { properties: null, list: null },
    { list: [{ key: '2026-08', value: null }, { value: 3 }] },
    { list: [{ key: '2026-08', value: 3, unit: 'kW' }] },
  ])('is empty when nothing can be read: %j', (data) => {
    expect(decode(data)).toEqual({});
  });

  test('cannot be read from a list', () => {
    expect(() => decode([])).toThrow(expect.objectContaining({ code: 'SERVICE_PAYLOAD_INVALID' }));
  });
});

describe('the nested form of a month', () => {
  test('gives all quantities, by their keys in any case', () => {
    const august = { '2026-07': 1, '2026-08': 140, '2026-09': 2 };
    const keys = ['pvGeneratedEnergy', 'buyElectricityQuantity', 'sellElectricityQuantity'];
    const others = ['consumeElectricityQuantity', 'CHARGEelectricityQuantity'];
    const properties = [...keys, ...others, ' dischargeElectricityQuantity '].map((key) =>
      property(august, key),
    );
    expect(decode({ properties })).toEqual({
      pvGeneratedKwh: 140,
      gridImportKwh: 140,
      gridFeedInKwh: 140,
      consumptionKwh: 140,
      batteryChargedKwh: 140,
      batteryDischargedKwh: 140,
      solarRatio: 1,
    });
  });

  test.each<[what: string, point: object, expected?: number]>([
    ['a real 0', { value: 0, isRealValue: true }, 0],
    ['a placeholder', { value: 0, isRealValue: false }],
    ['a placeholder, as text', { value: 9, isRealValue: 'false' }],
    ['a negative value', { value: -1 }],
  ])('reads %s', (_what, point, expected) => {
    expect(decode({ properties: [property({ '2026-08': point })] }).pvGeneratedKwh).toBe(expected);
  });

  test.each([
    ['the property', { properties: [{ ...AUGUST, hasRealTimePoints: false }] }],
    ['the answer', { hasRealTimePoints: false, properties: [AUGUST] }],
  ])('is empty when %s has no real values', (_what, answer) => {
    expect(decode(answer)).toEqual({});
  });

  test.each<[when: string, items: readonly object[], expected: object]>([
    ['no such value', flat({ buy: 60 }), { pvGeneratedKwh: 140, gridImportKwh: 60 }],
    ['a 0', flat({ '2026-08': 0, gridImport: 7 }), { pvGeneratedKwh: 140, gridImportKwh: 7 }],
    ['another figure', flat({ '2026-08': 150, pv: 9 }), { pvGeneratedKwh: 140 }],
    ['nothing that can be used', flat({ '2026-08': null }), { pvGeneratedKwh: 140 }],
  ])('fills in, and invents nothing, where the flat form has %s', (_when, items, expected) => {
    expect(decode({ properties: [...items, AUGUST] })).toEqual(expected);
    expect(decode({ properties: [AUGUST], list: items })).toEqual(expected);
  });
});

test.each([
  ['2026-8-4', '2026-08-04', '', ''],
  ['2026-08-24 00:00:00', '2026-08-24', '', ''],
  ['2026-08-24T00:00:00', '2026-08-24', '', ''],
  ['2026-08-24 12:30:00', '', '', ''],
  ['2026-8', '', '2026-08', ''],
  ['2026-08-01', '2026-08-01', '2026-08', ''],
  ['2026-08-11', '2026-08-11', '', ''],
  ['2026', '', '', '2026'],
  ['202608', '', '', ''],
])('%s is the day "%s", the month "%s" and the year "%s"', (time, day, month, year) => {
  const periods = (['day', 'month', 'year'] as const).map((period) => periodOf(period, time) ?? '');
  expect(periods).toEqual([day, month, year]);
});

describe('the days of a month', () => {
  const daysOf = (data: unknown, time = NOON) =>
    currentDays(summaryOf('day')(data, { ...ANSWER, ...time }));

  test('are read by the same keys, units and marks of what is real as months', () => {
    const points = {
      '2026-08-22': 1,
      ' 2026-8-23 ': 2,
      '2026-08-24': { value: 3, isRealValue: 0 },
    };
    expect(daysOf({ properties: [property(points, 'buyElectricityQuantity', 'MWh')] })).toEqual({
      today: {},
      yesterday: { gridImportKwh: 2000 },
      monthToYesterday: {},
      startsAtMs: Date.parse('2026-08-24T00:00:00+03:00'),
      endsAtMs: Date.parse('2026-08-25T00:00:00+03:00'),
    });
  });

  test('are PV in the flat form, unless the nested form has it as well', () => {
    const items = [
      ...flat({ '2026-08-23': 4, gridImport: 60, pvTotal: 300 }),
      { name: '2026-8-24', value: '5000', unit: 'Wh' },
    ];
    const yesterday = { pvGeneratedKwh: 4 };
    expect(daysOf({ list: items })).toMatchObject({ today: { pvGeneratedKwh: 5 }, yesterday });
    const both = { properties: [...items, property({ '2026-08-24': 7 })] };
    expect(daysOf(both)).toMatchObject({ today: { pvGeneratedKwh: 7 }, yesterday });
  });
});

describe('the years of a lifetime', () => {
  const yearsOf = (data: unknown, time = NOON) =>
    currentYears(summaryOf('year')(data, { ...ANSWER, ...time }));

  test.each([
    ['a value that is text', { time: '2024', value: 'much' }],
    ['no time', { value: 3 }],
    ['a time that is no year', { time: '2024-01', value: 3 }],
    ['nothing at all', null],
  ])('have no sum where one of them has %s', (_what, point) => {
    // A year may be a bare number.
    const timePoints = [point, { time: '2025', value: 1 }, { time: 2026, value: 2 }];
    const properties = [{ property: { key: 'pvGeneratedEnergy' }, timePoints }];
    expect(yearsOf({ properties })).toMatchObject({ year: { pvGeneratedKwh: 2 }, lifetime: {} });
    expect(yearsOf({ properties }).lifetime).toEqual({});
  });

  test('are PV where the flat form has them', () => {
    const list = [...flat({ 2025: 10, load: 7 }), { key: '2026', value: 2, unit: 'MWh' }];
    expect(yearsOf({ list })).toMatchObject({
      year: { pvGeneratedKwh: 2000 },
      lifetime: { pvGeneratedKwh: 2010 },
    });
  });
});

test('the day and the year end by our clock', () => {
  const answer = { ...ANSWER, ...at('2026-12-31T22:00:00Z', 'UTC', 90_000) };
  const ends = [
    currentDays(summaryOf('day')({}, answer)),
    currentYears(summaryOf('year')({}, answer)),
  ];
  const endsAtMs = Date.parse('2027-01-01T00:00:00Z') - 90_000;
  expect(ends).toMatchObject([{ endsAtMs }, { endsAtMs }]);
});
