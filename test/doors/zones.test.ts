import { describe, expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS, openHouse, PLAIN } from './house.ts';
import { deviceList, liveHistory, type Script, STATION_ID } from './scripted-service.ts';
import { pvSummary } from './summaries.ts';

const MONTH = 'solar_month_pv_generated_kwh';
/** A month that has ended west of the station, and one that has just begun. */
const MONTHS = { summary: pvSummary({ '2026-06': 600, '2026-07': 0.3 }) };

const said = (zone: unknown): Script => ({
  ...MONTHS,
  readings: liveHistory(),
  devices: deviceList({ stationTimezone: zone }),
});
const saidByList = (zone: unknown): Script => ({
  ...said(null),
  stations: { data: { total: 1, list: [{ id: STATION_ID, name: 'Home', timezone: zone }] } },
});

describe.each([
  ['the record of a device', said],
  ['the list of stations', saidByList],
])('a zone that %s calls', (_where, script) => {
  // Which names there are, unit/base/time-zones.test.ts holds.
  test.each<[zone: unknown, name: string, sent: string, ends: string]>([
    [' UTC+8 ', '+08:00', 'Etc/GMT-8', '2026-07-01T00:00:00+08:00'],
    [5.75, '+05:45', 'Asia/Kathmandu', '2026-07-01T00:00:00+05:45'],
    ['0', 'UTC', 'UTC', '2026-07-01T00:00:00Z'],
  ])('%j is %s, is sent as %s, and its month ends at %s', async (zone, name, sent, ends) => {
    const house = await openHouse(script(zone), {
      now: new Date(Date.parse(ends) - MINUTE_MS).toISOString(),
      flags: PLAIN,
    });
    await house.follow(
      { page: { [`solar_station_info{time_zone="${name}"}`]: 1 } },
      { afterMs: MINUTE_MS - 1, page: { [MONTH]: 600 } },
      { afterMs: 1, page: { [MONTH]: 0.3 } },
    );
    expect(house.asked('summary').map(({ headers }) => headers['iot-time-zone'])).toEqual([
      sent,
      sent,
    ]);
    expect(await house.problems()).toEqual([]);
    expect(house.log.messages('warn')).toEqual([]);
  });

  test.each<[zone: unknown, what: string]>([
    ['Europe', 'time zone "Europe" not understood'],
    [480, 'time zone "480" not understood'],
    [' ', 'time zone unknown'],
  ])('%j is told, once in the log, and those of Manila count', async (zone, what) => {
    const house = await openHouse(script(zone), { now: '2026-06-30T15:59:00Z', flags: PLAIN });
    await house.follow(
      { page: { [MONTH]: 600 } },
      {
        afterMs: MINUTE_MS,
        page: { [MONTH]: 0.3, 'solar_station_info{time_zone="Asia/Manila"}': 1 },
      },
    );
    await house.scrapeAfter(HOUR_MS);
    expect(house.asked('devices').length).toBeGreaterThan(1);
    const problem = `${what}: its days and months are those of Asia/Manila; --time-zone sets another`;
    expect(await house.problems()).toEqual([problem]);
    expect(await house.read()).toContain('its days and months are those of');
    expect(house.log.messages('warn')).toEqual([problem]);
    expect(new Set(house.requests.map(({ headers }) => headers['iot-time-zone']))).toEqual(
      new Set(['Asia/Manila']),
    );
  });

  test('is of no matter where the user names one', async () => {
    const house = await openHouse(script('Europe'), {
      now: '2026-06-30T21:59:00Z',
      flags: { ...PLAIN, 'time-zone': 'Europe/Berlin' },
    });
    await house.follow({ page: { [MONTH]: 600 } }, { afterMs: MINUTE_MS, page: { [MONTH]: 0.3 } });
    expect(await house.problems()).toEqual([]);
    expect(house.log.messages('warn')).toEqual([]);
  });
});
