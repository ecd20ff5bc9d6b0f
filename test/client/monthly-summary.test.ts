import { describe, expect, test } from 'vitest';
import { decodeMonthlyEnergy } from '../../src/client/monthly-summary.ts';
import type { MonthlyEnergy } from '../../src/model/station.ts';

const PATH = '/apis/stationOverView/stateAttributeSummary/category/yearly';

function decode(data: unknown): MonthlyEnergy | undefined {
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

describe('the monthly summary', () => {
  test.each([
    { when: 'all are there', properties: items, pv: 140, grid: 60, load: 280, ratio: 0.5 },
    {
      when: 'the month is missing',
      properties: without('2026-08'),
      pv: 900,
      grid: 60,
      load: 280,
      ratio: 3.214,
    },
    {
      when: 'the month and the total are zero',
      properties: zero('2026-08', 'pvTotal'),
      pv: 800,
      grid: 60,
      load: 280,
      ratio: 2.857,
    },
    {
      when: 'the first names are zero',
      properties: zero('gridImport', 'totalConsumption'),
      pv: 140,
      grid: 50,
      load: 270,
      ratio: 0.519,
    },
    {
      when: 'the first names are missing',
      properties: without('gridImport', 'totalConsumption'),
      pv: 140,
      grid: 50,
      load: 270,
      ratio: 0.519,
    },
    {
      when: 'nothing is consumed',
      properties: without('totalConsumption', 'load'),
      pv: 140,
      grid: 60,
      load: 0,
      ratio: 0,
    },
    {
      when: 'only another month is there',
      properties: [{ key: '2026-07', value: 181.2 }],
      pv: 0,
      grid: 0,
      load: 0,
      ratio: 0,
    },
  ])('follows the rules when $when', ({ properties, pv, grid, load, ratio }) => {
    expect(decode({ properties })).toEqual({
      pvGeneratedKwh: pv,
      gridImportKwh: grid,
      consumptionKwh: load,
      solarRatio: ratio,
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
  ])('is absent when nothing can be read: $data', ({ data }) => {
    expect(decode(data)).toBeUndefined();
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
