import { describe, expect, test } from 'vitest';
import { LIST_LIMITS } from '../../../src/base/limits.ts';
import { AlarmList } from '../../../src/client/alarms/alarm-list.ts';
import { decodeAlarmPage, decodeFiringAlarms } from '../../../src/client/alarms/alarm-wire.ts';
import type { DataCaller } from '../../../src/client/exchange/caller.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { SilentLog } from '../../support/silent-log.ts';

const page = (data: unknown) => decodeAlarmPage(data, '/apis/alarm/query/list');
const listed = (alarm: object = {}) => ({ key: 'lineLoss', deviceId: '1', level: 2, ...alarm });

describe('a page of the alarm list', () => {
  test('has each key of a device once, with its first level', () => {
    const list = [listed(), listed({ deviceId: 7 }), listed({ level: 3 }), listed({ key: 'fan' })];
    expect(page({ list })).toEqual({
      active: [
        { deviceId: '1', key: 'lineLoss', level: 'warning' },
        { deviceId: '7', key: 'lineLoss', level: 'warning' },
        { deviceId: '1', key: 'fan', level: 'warning' },
      ],
      length: 4,
    });
  });

  test.each([
    [{ disappearedAt: null, isProcessed: true, status: 2 }, 1],
    [{ disappearedAt: '2026-08-24T04:00:00Z' }, 0],
    [{ disappearedAt: 1_787_558_101 }, 0],
  ])('counts %j as active: %i', (alarm, count) => {
    expect(page({ list: [listed(alarm)] }).active).toHaveLength(count);
  });

  test('skips entries without a key or a device and counts them', () => {
    const list = [listed({ key: '' }), listed({ deviceId: null }), { key: 'a' }, null, 'alarm'];
    expect(page({ list })).toEqual({ active: [], length: 5 });
  });

  test.each([{}, { list: null }])('is empty in %j', (data) => {
    expect(page(data)).toEqual({ active: [], length: 0 });
  });

  // Otherwise a firing alarm would look cleared.
  test.each([null, 'no alarms', { list: 'none' }])('cannot be read from %j', (data) => {
    expect(() => page(data)).toThrow(expect.objectContaining({ code: 'SERVICE_PAYLOAD_INVALID' }));
  });
});

test('of the alarms of a device and of a station, the first are kept, and the others counted', async () => {
  const of = (deviceId: string, length: number) =>
    Array.from({ length }, (_, index) => listed({ deviceId, key: `key ${index}` }));
  const answer = page({ list: [...of('1', 120), ...of('2', 50)] });
  const dropped: number[] = [];
  const drops = { note: (_holder: string, _list: string, count: number) => dropped.push(count) };
  const caller = { call: () => Promise.resolve(answer), drops } as unknown as DataCaller;
  const limits = { ...LIST_LIMITS, alarms: 130 };
  const { alarms } = await new AlarmList(caller, new FakeClock(), new SilentLog(), limits).firing(
    '7',
  );
  const countOf = (id: string): number => alarms.filter(({ deviceId }) => deviceId === id).length;
  expect([countOf('1'), countOf('2'), ...dropped]).toEqual([100, 30, 20 + 20]);
});

describe('firing alarms', () => {
  const decode = (list: unknown) => decodeFiringAlarms(list, () => undefined);

  test.each<[level: unknown, name: string]>([
    [1, 'notice'],
    [2, 'warning'],
    ['3', 'critical'],
    [4, '4'],
    ['high', 'high'],
    ...[null, ' ', undefined].map((level): [unknown, string] => [level, 'unknown']),
  ])('of level %j are of level "%s", the first of a key', (level, name) => {
    const list = [{ key: 'lineLoss', level }, { key: 'lineLoss', level: 9 }, { key: '' }];
    expect(decode(list)).toEqual([{ key: 'lineLoss', level: name }]);
  });

  test.each([undefined, null, 'lineLoss', [], {}])('are none in %j', (list) => {
    expect(decode(list)).toEqual([]);
  });
});
