import { describe, expect, test } from 'vitest';
import { decodeMonthlyEnergy } from '../../../src/client/energy/monthly-summary.ts';
import type { MonthFigures } from '../../../src/model/month.ts';

const PATH = '/apis/stationOverView/stateAttributeSummary/category/yearly';

function decode(data: unknown): MonthFigures {
  return decodeMonthlyEnergy(data, '2026-08', PATH);
}

const items = [
  { key: '2026-07', value: 181.2 },
  { key: '2026-08', value: 140 },
  { key: 'pvTotal', value: 900 },
  { key: 'pv', value: 800 },
  { key: 'gridImport', value: 60 },
  { key: 'buy', value: 50 },
  { key: 'totalConsumption', value: 280 },
  { key: 'load', value: 270 },
];
const without = (...keys: string[]) => items.filter(({ key }) => !keys.includes(key));
const zero = (...keys: string[]) =>
  items.map((item) => (keys.includes(item.key) ? { ...item, value: 0 } : item));

describe('the monthly summary of the interface', () => {
  test.each<
    readonly [
      when: string,
      properties: readonly object[],
      pv: number,
      grid: number,
      load: number,
      ratio: number,
      assumed?: readonly string[],
    ]
  >([
    ['all are there', items, 140, 60, 280, 0.5],
    ['the month is missing', without('2026-08'), 900, 60, 280, 3.214],
    ['the month and the total are zero', zero('2026-08', 'pvTotal'), 800, 60, 280, 2.857],
    ['the first names are zero', zero('gridImport', 'totalConsumption'), 140, 50, 270, 0.519],
    ['the first names are missing', without('gridImport', 'totalConsumption'), 140, 50, 270, 0.519],
    ['nothing is consumed', zero('totalConsumption', 'load'), 140, 60, 0, 0],
    [
      'the consumption is missing',
      without('totalConsumption', 'load'),
      ...([140, 60, 0, 0] as const),
      ['consumptionKwh'],
    ],
    [
      'only another month is there',
      [{ key: '2026-07', value: 181.2 }],
      ...([0, 0, 0, 0] as const),
      ['pvGeneratedKwh', 'gridImportKwh', 'consumptionKwh'],
    ],
  ])('follows the rules when %s', (_when, properties, pv, grid, load, ratio, assumed) => {
    expect(decode({ properties })).toEqual({
      pvGeneratedKwh: pv,
      gridImportKwh: grid,
      consumptionKwh: load,
      solarRatio: ratio,
      assumed,
    });
  });

  test.each([
    { where: 'list', data: { list: items } },
    { where: 'list when properties is no array', data: { properties: {}, list: items } },
    { where: 'properties before list', data: { properties: items, list: [] } },
    {
      where: 'items with a name',
      data: { properties: items.map(({ key, value }) => ({ name: key, value })) },
    },
    {
      where: 'items with a key before a name',
      data: { list: items.map((item) => ({ ...item, name: 'another' })) },
    },
    {
      where: 'items with text for values',
      data: { list: items.map(({ key, value }) => ({ key, value: ` ${value} ` })) },
    },
    {
      where: 'items with white space around their keys',
      data: { list: items.map(({ key, value }) => ({ key: ` ${key} `, value })) },
    },
    { where: 'list when properties is empty', data: { properties: [], list: items } },
    {
      where: 'list when no property can be used',
      data: { properties: [{ key: 'pv', value: null }, null], list: items },
    },
    {
      where: 'items with a unit',
      data: {
        list: [
          { key: '2026-08', value: 140_000, unit: 'Wh' },
          { key: 'gridImport', value: '0.06', unit: 'MWh' },
          { key: 'totalConsumption', value: 280, unit: 'kWh' },
        ],
      },
    },
    {
      where: 'items with a unit that is none, or unknown',
      data: {
        list: [
          { key: '2026-08', value: 140, unit: null, property: null },
          { key: 'gridImport', value: 9, unit: 'EUR' },
          { key: 'buy', value: 60, unit: '' },
          { key: 'totalConsumption', value: 280, unit: 7 },
        ],
      },
    },
    {
      where: 'items among useless ones',
      data: {
        list: [
          ...items,
          { key: '2026-08', value: null },
          { key: 'pv' },
          { key: 'gridImport', value: '' },
          { key: 'totalConsumption', value: 'much' },
          { key: 42, value: 42 },
          { value: 42 },
          null,
          'pv',
        ],
      },
    },
  ])('is read from $where', ({ data }) => {
    expect(decode(data)).toEqual({
      pvGeneratedKwh: 140,
      gridImportKwh: 60,
      consumptionKwh: 280,
      solarRatio: 0.5,
    });
  });

  test.each([
    { data: {} },
    { data: { properties: [] } },
    { data: { properties: null, list: null } },
    { data: { list: [{ key: '2026-08', value: null }, { value: 3 }] } },
    { data: { list: [{ key: '2026-08', value: 3, unit: 'kW' }] } },
  ])('is empty when nothing can be read: $data', ({ data }) => {
    expect(decode(data)).toEqual({});
  });

  test.each([{ data: null }, { data: 'none' }, { data: [] }])(
    'cannot be read from $data',
    ({ data }) => {
      expect(() => decode(data)).toThrow(
        expect.objectContaining({ code: 'SERVICE_PAYLOAD_INVALID' }),
      );
    },
  );
});

/** Creates a nested property with one point per value: `{ '2026-08': 140 }`. */
function property(key: string, values: Readonly<Record<string, unknown>>, unit: unknown = 'kWh') {
  const timePoints = Object.entries(values).map(([time, value]) => ({
    time,
    timeDisplay: time.slice(5),
    value,
    isRealValue: true,
  }));
  return { property: { key, name: key, unit }, hasRealTimePoints: true, timePoints };
}

const generated = (timePoint: object, hasRealTimePoints: unknown = true) => ({
  property: { key: 'pvGeneratedEnergy', unit: 'kWh' },
  hasRealTimePoints,
  timePoints: [timePoint],
});

describe('the monthly summary of the portal', () => {
  test.each([
    { key: 'pvGeneratedEnergy', quantity: 'pvGeneratedKwh' },
    { key: 'buyElectricityQuantity', quantity: 'gridImportKwh' },
    { key: 'sellElectricityQuantity', quantity: 'gridFeedInKwh' },
    { key: 'consumeElectricityQuantity', quantity: 'consumptionKwh' },
    { key: 'chargeElectricityQuantity', quantity: 'batteryChargedKwh' },
    { key: 'dischargeElectricityQuantity', quantity: 'batteryDischargedKwh' },
    { key: ' PVGENERATEDENERGY ', quantity: 'pvGeneratedKwh' },
  ])('gives $key as $quantity', ({ key, quantity }) => {
    const properties = [property(key, { '2026-07': 1, '2026-08': 140, '2026-09': 2 })];
    expect(decode({ hasRealTimePoints: true, properties })).toEqual({ [quantity]: 140 });
  });

  test.each([
    { what: 'a real 0', timePoint: { value: 0, isRealValue: true }, expected: 0 },
    { what: 'a number as text', timePoint: { value: ' 140.5 ' }, expected: 140.5 },
    { what: 'a placeholder', timePoint: { value: 0, isRealValue: false } },
    { what: 'a placeholder, as text', timePoint: { value: 9, isRealValue: 'false' } },
    { what: 'a negative value', timePoint: { value: -1 } },
    { what: 'an infinite value', timePoint: { value: 'Infinity' } },
    { what: 'a word', timePoint: { value: 'much' } },
    { what: 'an empty text', timePoint: { value: '' } },
    { what: 'null', timePoint: { value: null } },
  ])('reads $what as $expected', ({ timePoint, expected }) => {
    const properties = [generated({ time: '2026-08', ...timePoint })];
    expect(decode({ properties }).pvGeneratedKwh).toBe(expected);
  });

  test.each([
    { time: '2026-08', isMonth: true },
    { time: '2026-8', isMonth: true },
    { time: '2026-08-01', isMonth: true },
    { time: ' 2026-08 ', isMonth: true },
    { time: '2026-08-02', isMonth: false },
    { time: '2026-08-11', isMonth: false },
    { time: '2026-07', isMonth: false },
    { time: '2025-08', isMonth: false },
    { time: '2026', isMonth: false },
    { time: '08', isMonth: false },
    { time: 202608, isMonth: false },
    { isMonth: false },
  ])('counts a point of $time as August 2026: $isMonth', ({ isMonth, ...when }) => {
    const properties = [generated({ ...when, value: 140 })];
    expect(decode({ properties })).toEqual(isMonth ? { pvGeneratedKwh: 140 } : {});
  });

  test.each([
    { unit: 'kWh', expected: 140 },
    { unit: 'KWH', expected: 140 },
    { unit: ' kW·h ', expected: 140 },
    { unit: 'kilowatt hours', expected: 140 },
    { unit: '', expected: 140 },
    { unit: null, expected: 140 },
    { unit: 'Wh', expected: 0.14 },
    { unit: 'W.h', expected: 0.14 },
    { unit: 'MWh', expected: 140_000 },
    { unit: 'mwh', expected: 140_000 },
    { unit: 'kW', expected: undefined },
    { unit: 'GWh', expected: undefined },
    { unit: '€', expected: undefined },
  ])('reads 140 $unit as $expected kWh', ({ unit, expected }) => {
    const properties = [property('pvGeneratedEnergy', { '2026-08': 140 }, unit)];
    expect(decode({ properties }).pvGeneratedKwh).toBe(expected);
  });

  test('reads 1.003 MWh as 1003 kWh to the last digit', () => {
    const properties = [property('pvGeneratedEnergy', { '2026-08': 1.003 }, 'MWh')];
    expect(decode({ properties }).pvGeneratedKwh).toBe(1003);
  });

  test.each([
    { where: 'the property', answer: { properties: [generated(august(), false)] } },
    {
      where: 'the answer',
      answer: { hasRealTimePoints: false, properties: [generated(august())] },
    },
  ])('is empty when $where has no real values', ({ answer }) => {
    expect(decode(answer)).toEqual({});
  });

  test('is read from list, too, and from among other entries', () => {
    const list = [
      null,
      'text',
      { property: null },
      { property: { unit: 'kWh' }, timePoints: [august()] },
      { property: { key: 'co2', unit: 'kWh' }, timePoints: [august()] },
      { property: { key: 'buyElectricityQuantity' }, timePoints: 'none' },
      generated(august()),
      { property: { key: 'pvGeneratedEnergy' }, timePoints: [null, 3] },
    ];
    expect(decode({ list })).toEqual({ pvGeneratedKwh: 140 });
  });

  test('has the solar ratio when generation and consumption are real', () => {
    const properties = [
      property('pvGeneratedEnergy', { '2026-08': 140 }),
      property('consumeElectricityQuantity', { '2026-08': 280 }),
    ];
    expect(decode({ properties })).toMatchObject({ solarRatio: 0.5 });
  });
});

function august() {
  return { time: '2026-08', value: 140, isRealValue: true };
}

describe('a monthly summary of both forms', () => {
  test.each([
    {
      when: 'the flat form has no such value',
      flat: [{ key: 'buy', value: 60 }],
      expected: { pvGeneratedKwh: 140, gridImportKwh: 60 },
    },
    {
      when: 'the flat form has a 0',
      flat: [
        { key: '2026-08', value: 0 },
        { key: 'load', value: 70 },
      ],
      expected: { pvGeneratedKwh: 140, consumptionKwh: 70, solarRatio: 2 },
    },
    {
      when: 'the flat form has a fallback',
      flat: [
        { key: 'pv', value: 150 },
        { key: 'load', value: 300 },
      ],
      expected: { pvGeneratedKwh: 150, consumptionKwh: 300, solarRatio: 0.5 },
    },
    {
      when: 'nothing of the flat form can be used',
      flat: [{ key: '2026-08', value: null }],
      expected: { pvGeneratedKwh: 140 },
    },
  ])(
    'takes from the nested form what the flat form lacks, and invents nothing: $when',
    ({ flat, expected }) => {
      expect(decode({ properties: [...flat, generated(august())] })).toEqual(expected);
      expect(decode({ properties: [generated(august())], list: flat })).toEqual(expected);
    },
  );

  test('uses the flat form alone when the nested form has only placeholders', () => {
    const properties = [
      { key: 'buy', value: 60 },
      generated({ ...august(), value: 0, isRealValue: false }),
      { ...property('buyElectricityQuantity', { '2026-08': 9 }), hasRealTimePoints: false },
    ];
    expect(decode({ properties })).toEqual({
      pvGeneratedKwh: 0,
      gridImportKwh: 60,
      consumptionKwh: 0,
      solarRatio: 0,
      assumed: ['pvGeneratedKwh', 'consumptionKwh'],
    });
  });
});
