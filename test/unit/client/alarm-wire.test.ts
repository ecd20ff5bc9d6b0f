import { describe, expect, test } from 'vitest';
import { decodeAlarmPage, decodeFiringAlarms } from '../../../src/client/alarms/alarm-wire.ts';
import { openEnvelope } from '../../../src/client/exchange/envelope.ts';
import { readRecording } from '../../support/recordings.ts';

const PATH = '/apis/alarm/query/list';
const dataOf = (name: string) => openEnvelope(readRecording(name), PATH, true).data;
const GARAGE = '100000000000000001';
const ROOF = '100000000000000004';

const listed = (alarm: object) => ({ key: 'lineLoss', deviceId: '1', level: 2, ...alarm });

describe('a page of the alarm list', () => {
  test('has the alarms that have not disappeared, each key of a device once', () => {
    expect(decodeAlarmPage(dataOf('alarms-with-past'), PATH)).toEqual({
      active: [
        { deviceId: GARAGE, key: 'lineLoss', level: 'warning' },
        { deviceId: GARAGE, key: 'gridVoltLows', level: 'critical' },
        { deviceId: ROOF, key: 'lineLoss', level: 'notice' },
        { deviceId: GARAGE, key: 'fanLocked', level: '7' },
      ],
      length: 6,
    });
  });

  test.each([
    { alarm: {}, isActive: true },
    { alarm: { disappearedAt: null }, isActive: true },
    { alarm: { disappearedAt: null, isProcessed: true, status: 2 }, isActive: true },
    { alarm: { disappearedAt: '2026-08-24T04:00:00Z' }, isActive: false },
    { alarm: { disappearedAt: 1_787_558_101 }, isActive: false },
  ])('counts $alarm as active: $isActive', ({ alarm, isActive }) => {
    const { active } = decodeAlarmPage({ list: [listed(alarm)] }, PATH);
    expect(active).toHaveLength(isActive ? 1 : 0);
  });

  test('skips entries without a key or a device and counts them', () => {
    const list = [listed({ key: '' }), listed({ deviceId: null }), { key: 'a' }, null, 'alarm'];
    expect(decodeAlarmPage({ list }, PATH)).toEqual({ active: [], length: 5 });
  });

  test('reads a numeric id as its digits', () => {
    const { active } = decodeAlarmPage({ list: [listed({ deviceId: 7 })] }, PATH);
    expect(active).toMatchObject([{ deviceId: '7' }]);
  });

  test.each([{ data: {} }, { data: dataOf('alarms-null-list') }])(
    'is empty in $data',
    ({ data }) => {
      expect(decodeAlarmPage(data, PATH)).toEqual({ active: [], length: 0 });
    },
  );

  // Otherwise a firing alarm would look cleared.
  test.each([{ data: null }, { data: 'no alarms' }, { data: { list: 'none' } }])(
    'cannot be read from $data',
    ({ data }) => {
      expect(() => decodeAlarmPage(data, PATH)).toThrow(
        expect.objectContaining({ code: 'SERVICE_PAYLOAD_INVALID' }),
      );
    },
  );
});

describe('firing alarms', () => {
  test.each([
    { level: 1, name: 'notice' },
    { level: 2, name: 'warning' },
    { level: 3, name: 'critical' },
    { level: '3', name: 'critical' },
    { level: 4, name: '4' },
    { level: 'high', name: 'high' },
    { level: null, name: 'unknown' },
    { level: ' ', name: 'unknown' },
    { level: undefined, name: 'unknown' },
  ])('of level $level are of level "$name"', ({ level, name }) => {
    expect(decodeFiringAlarms([{ key: 'lineLoss', level }], () => undefined)).toEqual([
      { key: 'lineLoss', level: name },
    ]);
  });

  test.each([
    { list: undefined },
    { list: null },
    { list: 'lineLoss' },
    { list: [] },
    { list: {} },
  ])('are none in $list', ({ list }) => {
    expect(decodeFiringAlarms(list, () => undefined)).toEqual([]);
  });
});
