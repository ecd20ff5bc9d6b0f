import { describe, expect, test } from 'vitest';
import { CLASSIC_DIALECT } from '../../src/client/dialects/classic.ts';
import { decodeReadings } from '../../src/client/time-series.ts';
import type { Readings } from '../../src/model/station.ts';

const PATH = '/apis/deviceState/simple/attribute/keys/history/v1';

function decode(payload: unknown): Readings {
  return decodeReadings({ payload }, CLASSIC_DIALECT, PATH);
}

describe('the readings of a time series', () => {
  test('are the newest of each key, in our units', () => {
    const fields = {
      pvInputPower: [1100, 1200],
      acOutputActivePower: [0.5, 0.85],
      batteryDischargeCurrent: [0, 1.5],
      batteryChargingCurrent: [12, 10],
      batteryVoltage: [52, 52.4],
      feedInPower: [0, 30],
      batterySOC: [92, 93],
    };
    expect(decode({ fields })).toEqual({
      pvPowerWatts: 1200,
      acOutputPowerWatts: 850,
      batteryDischargeCurrentAmperes: 1.5,
      batteryChargingCurrentAmperes: 10,
      batteryVoltageVolts: 52.4,
      gridFeedInPowerWatts: 30,
      batterySocRatio: 0.93,
    });
  });

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
    expect(decode({ fields: { pvInputPower: elements } })).toEqual({ pvPowerWatts: newest });
  });

  test.each([
    { what: 'no payload', data: {} },
    { what: 'a null payload', data: { payload: null } },
    { what: 'no fields', data: { payload: {} } },
    { what: 'null fields', data: { payload: { timeSeries: null, fields: null } } },
    { what: 'empty fields', data: { payload: { timeSeries: [], fields: {} } } },
    { what: 'an empty array', data: { payload: { fields: { pvInputPower: [] } } } },
    { what: 'an array of nulls', data: { payload: { fields: { pvInputPower: [null, null] } } } },
    { what: 'null for an array', data: { payload: { fields: { pvInputPower: null } } } },
    { what: 'text for an array', data: { payload: { fields: { pvInputPower: '12' } } } },
    { what: 'an object for an array', data: { payload: { fields: { pvInputPower: { 0: 1 } } } } },
    { what: 'unknown keys alone', data: { payload: { fields: { workingMode: ['L'] } } } },
  ])('are absent with $what', ({ data }) => {
    expect(decodeReadings(data, CLASSIC_DIALECT, PATH)).toEqual({});
  });

  test.each([
    { data: null },
    { data: 'no data' },
    { data: [] },
    { data: { payload: 'none' } },
    { data: { payload: { fields: [] } } },
  ])('cannot be read from $data', ({ data }) => {
    expect(() => decodeReadings(data, CLASSIC_DIALECT, PATH)).toThrow(
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

  test.each([
    { fields: { pvInputPower: [1, 2, 3] }, measuredAt: timeSeries[2] },
    {
      fields: { pvInputPower: [1, 2, null], batterySOC: [93, null, null] },
      measuredAt: timeSeries[1],
    },
    {
      fields: { pvInputPower: [1, null, null], workingMode: ['L', 'L', 'L'] },
      measuredAt: timeSeries[0],
    },
  ])('are dated by the newest of them: $fields', ({ fields, measuredAt }) => {
    expect(decode({ timeSeries, fields }).measuredAtMs).toBe(Date.parse(measuredAt ?? ''));
  });

  test.each([
    { timeSeries: [] },
    { timeSeries: ['soon'] },
    { timeSeries: [null] },
    { timeSeries: [1_787_558_101_000] },
    { timeSeries: 'never' },
  ])('are not dated by $timeSeries', (row) => {
    expect(decode({ ...row, fields: { pvInputPower: [1] } })).toEqual({ pvPowerWatts: 1 });
  });
});
