import { describe, expect, test } from 'vitest';
import { alarmList, decodeAlarmPage, decodeFiringAlarms } from '../../../src/client/alarms.ts';
import { ANSWER } from '../../support/answer.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { SilentLog } from '../../support/silent-log.ts';

const page = (data: unknown) => decodeAlarmPage(data, ANSWER);
const listed = (alarm: object = {}) => ({ key: 'lineLoss', deviceId: '1', level: 2, ...alarm });

describe('a page of the alarm list', () => {
  test.each([
    [{ disappearedAt: null, isProcessed: true, status: 2 }, 1],
    [{ disappearedAt: '', status: '0' }, 1],
    [{ disappearedAt: 0 }, 1],
    [{ disappearedAt: '0000-00-00 00:00:00', status: 0 }, 1],
    [{ disappearedAt: 'null' }, 1],
    [{ disappearedAt: '0001-01-01T00:00:00Z' }, 1],
    [{ disappearedAt: '1970-01-01T08:00:00.000Z', status: 0 }, 1],
    [{ disappearedAt: '9999-12-31T23:59:59Z' }, 1],
    [{ disappearedAt: '0001-01-01T00:00:00Z', status: 1 }, 0],
    [{ disappearedAt: 'yesterday' }, 0],
    [{ key: null, name: 'Line loss' }, 1],
    [{ deviceId: null, deviceSerialNumber: 'SN1' }, 1],
    [{ disappearedAt: null, status: 1 }, 0],
    [{ disappearedAt: '2026-08-24T04:00:00Z', status: 0 }, 0],
    [{ disappearedAt: 1_787_558_101 }, 0],
  ])('counts %j as active: %i', (alarm, count) => {
    expect(page({ list: [listed(alarm)] }).active).toHaveLength(count);
  });

  test('skips entries without a key or a device and counts them', () => {
    const list = [listed({ key: '' }), listed({ deviceId: null }), { key: 'a' }, null, 'alarm'];
    expect(page({ list })).toEqual({ active: [], length: 5, isNewestFirst: false });
  });

  // Otherwise a firing alarm would look cleared.
  test.each([null, 'no alarms', { list: 'none' }])('cannot be read from %j', (data) => {
    expect(() => page(data)).toThrow(expect.objectContaining({ code: 'SERVICE_PAYLOAD_INVALID' }));
  });
});

test('each key of a device counts once, with its first level', async () => {
  const ofSerial = { deviceId: null, deviceSerialNumber: 'SN1' };
  const list = [
    listed(),
    listed({ level: 3 }),
    listed({ key: 'fan' }),
    listed({ deviceId: 2 }),
    listed({ ...ofSerial, level: 3 }),
    listed({ ...ofSerial, key: 'heat' }),
  ];
  const call = () => Promise.resolve(page({ list })) as never;
  const { alarmsOf } = await alarmList(call, new FakeClock(), new SilentLog())(0);
  const devices = [{ deviceId: '1', serial: 'SN1' }, { deviceId: '2' }, { deviceId: '3' }];
  expect(devices.map(alarmsOf)).toEqual([
    [
      { deviceId: '1', key: 'lineLoss', level: 'warning' },
      { deviceId: '1', key: 'fan', level: 'warning' },
      { deviceId: '1', key: 'heat', level: 'warning' },
    ],
    [{ deviceId: '2', key: 'lineLoss', level: 'warning' }],
    [],
  ]);
});

describe('firing alarms', () => {
  const decode = (list: unknown) => decodeFiringAlarms(list, ANSWER);

  test.each<[level: unknown, name: string]>([
    [1, 'notice'],
    [2, 'warning'],
    ['3', 'critical'],
    [' 02 ', 'warning'],
    [4, '4'],
    [' Critical ', 'critical'],
    ['high', 'critical'],
    ['Medium', 'warning'],
    ['Severe', 'Severe'],
    ['low', 'notice'],
    [' ', 'unknown'],
  ])('of level %j are of level "%s", the first of a key', (level, name) => {
    const list = [{ key: 'lineLoss', level }, { key: 'lineLoss', level: 9 }, { key: '' }];
    expect(decode(list)).toEqual([{ key: 'lineLoss', level: name }]);
  });

  test.each([undefined, 'lineLoss', {}])('are none in %j', (list) => {
    expect(decode(list)).toEqual([]);
  });
});
