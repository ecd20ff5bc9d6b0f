import { describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS, type HouseSetup, MINUTE_MS, openHouse, type Step } from './house.ts';
import { deviceList, liveHistory, type PortalAnswer, type Script } from './scripted-service.ts';
import { summaries } from './summaries.ts';

const MONTH = 'solar_month_pv_generated_kwh';
const MONTH_START = 'solar_month_start_timestamp_seconds';
const TODAY = 'solar_energy_today_kwh{flow="pv"}';
const YESTERDAY = 'solar_energy_yesterday_kwh{flow="pv"}';
const YEAR = 'solar_energy_year_kwh{flow="pv"}';
const LIFETIME = 'solar_energy_lifetime_kwh{flow="pv"}';
const OF_DEVICE = 'solar_device_pv_energy_today_kwh';
const TOTAL = 'solar_device_pv_energy_lifetime_kwh';
const DOWN: PortalAnswer = { status: 500 };

/** Every summary is down. */
const NO_SUMMARY: Script = { summary: DOWN, summaryDays: DOWN, summaryYears: DOWN };

/** A house in a zone, before the end of something. */
function houseBefore(ends: string, zone: string, setup: HouseSetup = {}) {
  const now = new Date(Date.parse(ends) - MINUTE_MS).toISOString();
  return openHouse(
    { ...summaries(zone), devices: deviceList({ stationTimezone: zone }) },
    { now, ...setup, flags: { 'collect.alarms': 'false', ...setup.flags } },
  );
}

/** The last instant before the end, and the end. */
const around = (before: Step['page'], after: Step['page']): readonly Step[] => [
  {},
  { afterMs: MINUTE_MS - 1, ...(before && { page: before }) },
  { afterMs: 1, ...(after && { page: after }) },
];

describe('at the end of a month', () => {
  test.each([
    ['Asia/Kathmandu', '2026-09-01T00:00:00+05:45', 8],
    ['Pacific/Honolulu', '2027-01-01T00:00:00-10:00', 12],
    // The clocks change within the month.
    ['Europe/Kyiv', '2026-11-01T00:00:00+02:00', 10],
  ])('in %s, the old one is shown before %s and the new one from then on', async (...row) => {
    const [zone, ends, old] = row;
    const house = await houseBefore(ends, zone, { flags: { 'collect.energy': 'false' } });
    const next = (old % 12) + 1;
    await house.follow(
      ...around({ [MONTH]: old }, { [MONTH]: next, [MONTH_START]: Date.parse(ends) / 1000 }),
    );
  });

  test('the old one goes while there is no new one, for one request more', async () => {
    const house = await houseBefore('2026-09-01T00:00:00+08:00', 'Asia/Manila');
    const gone = { [MONTH]: undefined, [MONTH_START]: undefined, solar_station_devices: 1 };
    await house.follow(
      {},
      { afterMs: MINUTE_MS - 1, page: { [MONTH]: 8 }, asked: { summary: 1 } },
      { answers: NO_SUMMARY, afterMs: 1, page: gone },
      { afterMs: HOUR_MS / 2, page: gone },
      { answers: summaries('Asia/Manila', true), afterMs: 2 * MINUTE_MS, page: gone },
      { answers: summaries('Asia/Manila'), afterMs: 30 * MINUTE_MS, page: { [MONTH]: 9 } },
    );
  });
});

describe('at midnight of the station', () => {
  test.each([
    ['a day', 'Asia/Kathmandu', '2026-09-10T00:00:00+05:45', [9, 8, 10]],
    ['a year', 'Pacific/Honolulu', '2027-01-01T00:00:00-10:00', [31, 30, 1]],
    ['a day of 25 hours', 'Europe/Kyiv', '2026-10-26T00:00:00+02:00', [25, 24, 26]],
    ['a day that skips midnight', 'Africa/Cairo', '2027-04-30T01:00:00+03:00', [29, 28, 30]],
  ])('%s in %s becomes yesterday at %s', async (_what, zone, ends, days) => {
    const house = await houseBefore(ends, zone);
    const [today, yesterday, next] = days;
    await house.follow(
      ...around({ [TODAY]: today, [YESTERDAY]: yesterday }, { [TODAY]: next, [YESTERDAY]: today }),
    );
  });

  test('is that of the service where our clock is hours ahead', async () => {
    const house = await houseBefore('2026-09-10T00:00:00+08:00', 'Asia/Manila', {
      machineAheadMs: 8 * HOUR_MS,
    });
    await house.follow(...around({ [TODAY]: 9 }, { [TODAY]: 10, [YESTERDAY]: 9 }));
  });

  test('today is unknown until the service has something of it', async () => {
    const zone = 'Asia/Manila';
    const house = await houseBefore('2026-09-10T00:00:00+08:00', zone);
    const [quiet, known] = [summaries(zone, true), summaries(zone)];
    const both = (today?: number, yesterday?: number) => ({
      page: { [TODAY]: today, [YESTERDAY]: yesterday },
    });
    await house.follow(
      both(9, 8),
      { answers: quiet, afterMs: MINUTE_MS, ...both(undefined, 9) },
      { answers: known, afterMs: 30 * MINUTE_MS, ...both(10, 9) },
      { answers: NO_SUMMARY, afterMs: DAY_MS, ...both() },
      { answers: known, afterMs: HOUR_MS, ...both(11, 10) },
    );
  });

  test('of the new year that begins anew, and the lifetime goes on', async () => {
    const zone = 'Asia/Manila';
    const house = await houseBefore('2027-01-01T00:00:00+08:00', zone);
    const years = (year?: number, lifetime?: number) => ({ [YEAR]: year, [LIFETIME]: lifetime });
    await house.follow(...around(years(26, 24 + 25 + 26), years(27, 24 + 25 + 26 + 27)));
    const quiet = await houseBefore('2027-01-01T00:00:00+08:00', zone);
    await quiet.follow(
      { page: { [YEAR]: 26 } },
      { answers: summaries(zone, true), afterMs: MINUTE_MS, page: years() },
    );
  });
});

test('energies that the service lacks are asked for every six hours', async () => {
  const house = await openHouse(
    { readings: liveHistory() },
    { flags: { 'collect.alarms': 'false' } },
  );
  await house.keepScraping(12 * HOUR_MS - 1, HOUR_MS);
  await house.follow({
    page: { [TODAY]: undefined, 'solar_collector_success{collector="summary-days"}': 1 },
    asked: { summaryDays: 3, summaryYears: 3 },
  });
});

describe('what a device generated today', () => {
  const ends = '2026-08-25T00:00:00+08:00';
  const MIDNIGHT_MS = Date.parse(ends);
  const off = (record: object = {}): Script => ({
    devices: deviceList({
      dailyProducedQuantity: 4.5,
      totalProducedQuantity: 1004.5,
      stationTimezone: 'Asia/Manila',
      lastDataAt: new Date(MIDNIGHT_MS - HOUR_MS).toISOString(),
      isOnline: false,
      ...record,
    }),
  });
  const before = (at: string, script: Script, setup: HouseSetup = {}) =>
    openHouse(script, {
      now: new Date(Date.parse(at) - MINUTE_MS).toISOString(),
      ...setup,
      flags: { 'collect.energy': 'false', ...setup.flags },
    });

  const KYIV = 'Europe/Kyiv';
  const KYIV_AUTUMN = { stationTimezone: KYIV, lastDataAt: '2026-10-25T12:00:00+02:00' };
  const HEARD = { lastDataAt: '2026-08-24T18:00:00Z' };
  const byUser = { flags: { 'time-zone': KYIV } };

  test.each<[zone: string, record: object, at: string, setup?: HouseSetup]>([
    ['that of the station', {}, ends, { machineAheadMs: 3 * HOUR_MS }],
    ['that of the user', HEARD, '2026-08-25T00:00:00+03:00', byUser],
    ['known, and its last data is not', { lastDataAt: null }, ends],
    ['one with a day of 25 hours', KYIV_AUTUMN, '2026-10-26T00:00:00+02:00'],
  ])('goes at midnight of its zone, which is %s', async (_zone, record, at, setup) => {
    const house = await before(at, off(record), setup);
    const gone = { [OF_DEVICE]: undefined, [TOTAL]: 1004.5 };
    await house.follow(...around({ [OF_DEVICE]: 4.5 }, gone));
  });

  test.each([
    ['at midnight itself', '2026-08-23T16:00:00Z', false],
    ['since this morning', '2026-08-23T19:00:00Z', true],
  ])('is that of a device that last reported %s, %s: %s', async (_when, lastDataAt, isToday) => {
    const house = await before('2026-08-24T08:00:00Z', off({ lastDataAt }));
    await house.follow({ page: { [OF_DEVICE]: isToday ? 4.5 : undefined } });
  });

  test('is not that of yesterday because the lists fail at midnight', async () => {
    const house = await before(ends, off());
    await house.follow(
      { page: { [OF_DEVICE]: 4.5 } },
      { answers: { devices: DOWN }, afterMs: MINUTE_MS, page: { [OF_DEVICE]: undefined } },
      {
        answers: off({ dailyProducedQuantity: 5.5, lastDataAt: '2026-08-25T00:55:00Z' }),
        afterMs: 9 * HOUR_MS,
        page: { [OF_DEVICE]: 5.5 },
      },
    );
  });

  describe('by a device that counts anew late', () => {
    /** Reports every five minutes, five minutes late, from evening to morning. */
    async function figures(resetsAtMinute: number, grownKwh: number) {
      const house = await before(new Date(MIDNIGHT_MS - HOUR_MS).toISOString(), {
        devices: ({ atMs }) => {
          const lastMs = Math.floor(atMs / (5 * MINUTE_MS) - 1) * 5 * MINUTE_MS;
          const minute = (lastMs - MIDNIGHT_MS) / MINUTE_MS;
          return deviceList({
            stationTimezone: 'Asia/Manila',
            dailyProducedQuantity: minute < resetsAtMinute ? 4.5 : minute > 150 ? grownKwh : 0,
            lastDataAt: new Date(lastMs).toISOString(),
          });
        },
      });
      const shown: { readonly minute: number; readonly figure: number | undefined }[] = [];
      await house.keepScraping(6 * HOUR_MS, 5 * MINUTE_MS, (page) =>
        shown.push({
          minute: (house.clock.nowMs() - MIDNIGHT_MS) / MINUTE_MS,
          figure: page.value(OF_DEVICE),
        }),
      );
      const between = (first: number, last: number) => {
        const within = shown.filter(({ minute }) => minute >= first && minute < last);
        return new Set(within.map(({ figure }) => figure));
      };
      return { between, requests: house.asked('devices').length };
    }

    test.each([
      [0, 4.5],
      [100, 9],
    ])('by %d minutes never shows that of yesterday, then %d kWh', async (minutes, grownKwh) => {
      const { between, requests } = await figures(minutes, grownKwh);
      expect(between(0, 150)).toEqual(new Set([undefined, 0]));
      // Five minutes for the reading, five to its arrival, five until the list is asked for again.
      expect(between(15 + minutes + 10, 150)).toEqual(new Set([0]));
      // The list is asked for once an hour.
      expect(between(150 + 75, Infinity)).toEqual(new Set([grownKwh]));
      // One an hour, and one in five minutes while the new day is not counted.
      expect(requests).toBeLessThanOrEqual(8 + 1 + 4 + minutes / 5);
    });
  });
});

test.each<[fails: string, answer: PortalAnswer, retryMinutes: number]>([
  ['is down', DOWN, 5],
  ['asks to wait', { status: 429, headers: { 'retry-after': '600' } }, 10],
])('on the 1st, today is known while the month before %s', async (_fails, answer, retryMinutes) => {
  const known = summaries('Asia/Manila');
  const house = await houseBefore('2026-10-01T04:01:00+08:00', 'Asia/Manila');
  house.answers.summaryDays = (request) =>
    request.body['time'] === '2026-09' ? answer : known.summaryDays(request);
  const failed = 'solar_collector_success{collector="summary-days"}';
  await house.follow(
    { page: { [TODAY]: 1, [YESTERDAY]: undefined, [failed]: 0 }, asked: { summaryDays: 2 } },
    {
      answers: known,
      afterMs: retryMinutes * MINUTE_MS - 1,
      page: { [TODAY]: 1, [YESTERDAY]: undefined },
      asked: { summaryDays: 2 },
    },
    { afterMs: 1, page: { [TODAY]: 1, [YESTERDAY]: 30, [failed]: 1 } },
  );
});
