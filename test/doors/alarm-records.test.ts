import { expect, test } from 'vitest';
import { HOUR_MS, openHouse, PLAIN } from './house.ts';
import { CLASSIC, DEVICE_ID, liveHistory } from './scripted-service.ts';

const SINCE = { createdAt: '2026-08-24T03:10:00Z' };

test.each<[record: object, level?: string]>([
  [{ level: 3, status: 0, disappearedAt: null }, 'critical'],
  [{ level: '3', status: 2, disappearedAt: null, isProcessed: true }, 'critical'],
  [{ level: ' Critical ', disappearedAt: '' }, 'critical'],
  [{ level: 'HIGH' }, 'critical'],
  [{ level: '2.0', status: '0' }, 'warning'],
  [{ level: 'Warning' }, 'warning'],
  [{ level: 'Notice' }, 'notice'],
  [{ level: 'Odd' }, 'Odd'],
  [{ level: 3, status: 1, disappearedAt: null }],
  [{ level: 3, status: '1' }],
  [{ level: 3, status: 0, disappearedAt: '2026-08-24T04:00:00Z' }],
])('an alarm that the list has with %j fires at level %s', async (record, level) => {
  const alarms = {
    data: { list: [{ key: 'lineLoss', deviceId: DEVICE_ID, ...SINCE, ...record }] },
  };
  const house = await openHouse(
    { readings: liveHistory(() => CLASSIC), alarms },
    { flags: { ...PLAIN, 'collect.alarms': 'true' } },
  );
  await house.follow({ afterMs: HOUR_MS });
  const firing = (await house.scrape()).all('solar_device_alarm_firing');
  expect(firing.map(({ labels }) => labels['level'])).toEqual(level === undefined ? [] : [level]);
});
