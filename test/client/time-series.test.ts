import { describe, expect, test } from 'vitest';
import { decodeTimeSeries } from '../../src/client/time-series.ts';

const PATH = '/apis/deviceState/simple/attribute/keys/history/v1';

/** The newest number of each key. */
function numbers(data: unknown): Record<string, number | undefined> {
  const samples = decodeTimeSeries(data, PATH);
  return Object.fromEntries(samples.map(({ key, number }) => [key, number?.value]));
}

describe('the samples of a time series', () => {
  test.each([
    { elements: [1, 2, 3], newest: 3 },
    { elements: [1, 2, null], newest: 2 },
    { elements: [null, 7, null, null], newest: 7 },
    { elements: [5, 0], newest: 0 },
    { elements: [5, -4], newest: -4 },
    { elements: ['1200', '1250.5'], newest: 1250.5 },
    { elements: [' 42 '], newest: 42 },
    { elements: [3, '', ' '], newest: 3 },
    { elements: [3, 'L', '--', 'NaN', 'Infinity'], newest: 3 },
    { elements: [3, Infinity], newest: 3 },
    { elements: [{ vd: '237.4' }], newest: 237.4 },
    { elements: [{ value: 12 }, {}], newest: 12 },
    { elements: [{ value: '12' }, { vd: null }], newest: 12 },
    { elements: [{ value: null, vd: '9' }], newest: 9 },
    { elements: [{ value: 8, vd: '9' }], newest: 8 },
    { elements: [4, { value: { value: 5 } }, { vd: [6] }], newest: 4 },
    { elements: [4, true, [5], { vd: '' }], newest: 4 },
    { elements: ['12345678901234567890'], newest: 12345678901234567890 },
  ])('take $newest out of $elements', ({ elements, newest }) => {
    expect(numbers({ payload: { fields: { pvInputPower: elements } } })).toEqual({
      pvInputPower: newest,
    });
  });

  test.each([
    { what: 'no payload', data: {} },
    { what: 'a null payload', data: { payload: null } },
    { what: 'no fields', data: { payload: {} } },
    { what: 'null fields', data: { payload: { timeSeries: null, fields: null } } },
    { what: 'empty fields', data: { payload: { timeSeries: [], fields: {} } } },
  ])('are none with $what', ({ data }) => {
    expect(decodeTimeSeries(data, PATH)).toEqual([]);
  });

  test.each([
    { what: 'an empty array', elements: [] },
    { what: 'an array of nulls', elements: [null, null] },
    { what: 'null for an array', elements: null },
    { what: 'text for an array', elements: '12' },
    { what: 'an object for an array', elements: { 0: 1 } },
  ])('have no value with $what', ({ elements }) => {
    expect(decodeTimeSeries({ payload: { fields: { pvInputPower: elements } } }, PATH)).toEqual([
      { key: 'pvInputPower' },
    ]);
  });

  test.each([
    { elements: ['L', 'B'], newest: 'B' },
    { elements: ['010', '011', null], newest: '011' },
    { elements: [' L ', ''], newest: 'L' },
    { elements: [3, 4], newest: '4' },
    { elements: [{ vd: '07' }], newest: '07' },
  ])('keep the text $newest of $elements as it is', ({ elements, newest }) => {
    const [sample] = decodeTimeSeries({ payload: { fields: { workingMode: elements } } }, PATH);
    expect(sample?.text?.value).toBe(newest);
  });

  test('carry the unit that a formatter names', () => {
    const payload = {
      fields: { pvPower: [1.2], batterySOC: [50] },
      formatters: { pvPower: { unit: 'kW' }, batterySOC: 'none' },
    };
    const samples = decodeTimeSeries({ payload }, PATH);
    expect(samples.map(({ key, tag }) => [key, tag])).toEqual([
      ['pvPower', 'kW'],
      ['batterySOC', undefined],
    ]);
  });

  test.each([
    { data: null },
    { data: 'no data' },
    { data: [] },
    { data: { payload: 'none' } },
    { data: { payload: { fields: [] } } },
  ])('cannot be read from $data', ({ data }) => {
    expect(() => decodeTimeSeries(data, PATH)).toThrow(
      expect.objectContaining({
        code: 'SERVICE_PAYLOAD_INVALID',
        message: expect.stringContaining(`${PATH}: unexpected answer: `) as string,
      }),
    );
  });

  const timeSeries = [
    '2026-08-24T07:45:01.000Z',
    '2026-08-24T07:50:02.000Z',
    '2026-08-24T07:55:01.000Z',
  ];

  test('are dated each by its own element', () => {
    const fields = { pvInputPower: [1, 2, null], batterySOC: [93, null, null], load: [1, 2, 3] };
    const samples = decodeTimeSeries({ payload: { timeSeries, fields } }, PATH);
    expect(samples.map(({ number }) => number?.measuredAtMs)).toEqual(
      [timeSeries[1], timeSeries[0], timeSeries[2]].map((instant) => Date.parse(instant ?? '')),
    );
  });

  test('take number and text from the elements that are theirs', () => {
    const payload = { timeSeries, fields: { mixed: [1, 'L', null] } };
    const [sample] = decodeTimeSeries({ payload }, PATH);
    expect(sample?.number).toEqual({ value: 1, measuredAtMs: Date.parse(timeSeries[0] ?? '') });
    expect(sample?.text).toEqual({ value: 'L', measuredAtMs: Date.parse(timeSeries[1] ?? '') });
  });

  test.each([
    { instants: [] },
    { instants: ['soon'] },
    { instants: [null] },
    { instants: [1_787_558_101_000] },
    { instants: 'never' },
  ])('are not dated by $instants', ({ instants }) => {
    const payload = { timeSeries: instants, fields: { pvInputPower: [1] } };
    expect(decodeTimeSeries({ payload }, PATH)[0]?.number).toEqual({ value: 1 });
  });
});
