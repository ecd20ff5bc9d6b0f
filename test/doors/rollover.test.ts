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
    { zone: 'UTC', ends: '2026-09-01T00:00:00Z', months: [8, 9] },
    { zone: 'Asia/Kathmandu', ends: '2026-09-01T00:00:00+05:45', months: [8, 9] },
    { zone: 'Pacific/Kiritimati', ends: '2026-09-01T00:00:00+14:00', months: [8, 9] },
    { zone: 'Pacific/Honolulu', ends: '2027-01-01T00:00:00-10:00', months: [12, 1] },
    // The clocks change within the month, and on its last day or first.
    { zone: 'Europe/Kyiv', ends: '2026-11-01T00:00:00+02:00', months: [10, 11] },
    { zone: 'Europe/Berlin', ends: '2027-11-01T00:00:00+01:00', months: [10, 11] },
    { zone: 'America/New_York', ends: '2026-11-01T00:00:00-04:00', months: [10, 11] },
  ])('in $zone, the old one is shown before $ends and the new one from then on', async (row) => {
    const house = await houseBefore(row.ends, row.zone, { flags: { 'collect.energy': 'false' } });
    const [old, next] = row.months;
    await house.follow(
      ...around({ [MONTH]: old }, { [MONTH]: next, [MONTH_START]: Date.parse(row.ends) / 1000 }),
    );
  });

  test('the zone of the user goes before that of the station', async () => {
    const ends = '2026-09-01T00:00:00+03:00';
    const now = new Date(Date.parse(ends) - MINUTE_MS).toISOString();
    const house = await openHouse(
      { ...summaries('Europe/Kyiv'), devices: deviceList({ stationTimezone: 'Asia/Tokyo' }) },
      { now, flags: { 'time-zone': 'Europe/Kyiv' } },
    );
    await house.follow(...around({ [MONTH]: 8 }, { [MONTH]: 9 }));
  });

  test('the old one goes while the service has no new one, and costs one request more', async () => {
    const house = await houseBefore('2026-09-01T00:00:00+08:00', 'Asia/Manila');
    const gone = { [MONTH]: undefined, [MONTH_START]: undefined, solar_station_devices: 1 };
    await house.follow(
      {},
      { afterMs: MINUTE_MS - 1, page: { [MONTH]: 8 }, asked: { summary: 1 } },
      { answers: NO_SUMMARY, afterMs: 1, page: gone },
      { afterMs: HOUR_MS / 2, page: gone },
      { answers: summaries('Asia/Manila', true), afterMs: 2 * MINUTE_MS, page: gone },
      { answers: summaries('Asia/Manila'), afterMs: 15 * MINUTE_MS, page: { [MONTH]: 9 } },
    );
  });
});

describe('at midnight of the station', () => {
  test.each([
    { what: 'a day', zone: 'UTC', ends: '2026-09-10T00:00:00Z', days: [9, 8, 10] },
    { what: 'a day', zone: 'Asia/Kathmandu', ends: '2026-09-10T00:00:00+05:45', days: [9, 8, 10] },
    { what: 'a month', zone: 'Asia/Manila', ends: '2026-10-01T00:00:00+08:00', days: [30, 29, 1] },
    { what: 'February', zone: 'UTC', ends: '2027-03-01T00:00:00Z', days: [28, 27, 1] },
    {
      what: 'a year',
      zone: 'Pacific/Honolulu',
      ends: '2027-01-01T00:00:00-10:00',
      days: [31, 30, 1],
    },
    {
      what: 'a day of 25 hours',
      zone: 'Europe/Kyiv',
      ends: '2026-10-26T00:00:00+02:00',
      days: [25, 24, 26],
    },
    {
      what: 'a day of 23 hours',
      zone: 'Europe/Kyiv',
      ends: '2027-03-29T00:00:00+03:00',
      days: [28, 27, 29],
    },
    {
      what: 'a day that skips midnight',
      zone: 'Africa/Cairo',
      ends: '2027-04-30T01:00:00+03:00',
      days: [29, 28, 30],
    },
  ])('$what in $zone becomes yesterday at $ends', async ({ zone, ends, days }) => {
    const house = await houseBefore(ends, zone);
    const [today, yesterday, next] = days;
    await house.follow(
      ...around({ [TODAY]: today, [YESTERDAY]: yesterday }, { [TODAY]: next, [YESTERDAY]: today }),
    );
  });

  test.each([{ aheadMs: 8 * HOUR_MS }, { aheadMs: -8 * HOUR_MS }])(
    'is that of the service where the machine is $aheadMs ms ahead',
    async ({ aheadMs }) => {
      const house = await houseBefore('2026-09-10T00:00:00+08:00', 'Asia/Manila', {
        machineAheadMs: aheadMs,
      });
      await house.follow(...around({ [TODAY]: 9 }, { [TODAY]: 10, [YESTERDAY]: 9 }));
    },
  );

  test('today is unknown until the service has something of it, and both are while it is down', async () => {
    const zone = 'Asia/Manila';
    const house = await houseBefore('2026-09-10T00:00:00+08:00', zone);
    await house.follow(
      { page: { [TODAY]: 9 } },
      {
        answers: summaries(zone, true),
        afterMs: MINUTE_MS,
        page: { [TODAY]: undefined, [YESTERDAY]: 9 },
      },
      { answers: summaries(zone), afterMs: 15 * MINUTE_MS, page: { [TODAY]: 10, [YESTERDAY]: 9 } },
      {
        answers: NO_SUMMARY,
        afterMs: DAY_MS,
        page: { [TODAY]: undefined, [YESTERDAY]: undefined },
      },
      { answers: summaries(zone), afterMs: HOUR_MS, page: { [TODAY]: 11, [YESTERDAY]: 10 } },
    );
  });

  test('of the new year that begins anew, and the lifetime goes on', async () => {
    const zone = 'Asia/Manila';
    const house = await houseBefore('2027-01-01T00:00:00+08:00', zone);
    await house.follow(
      ...around(
        { [YEAR]: 26, [LIFETIME]: 24 + 25 + 26 },
        { [YEAR]: 27, [LIFETIME]: 24 + 25 + 26 + 27 },
      ),
    );
    const quiet = await houseBefore('2027-01-01T00:00:00+08:00', zone);
    await quiet.follow(
      { page: { [YEAR]: 26 } },
      {
        answers: summaries(zone, true),
        afterMs: MINUTE_MS,
        page: { [YEAR]: undefined, [LIFETIME]: undefined },
      },
    );
  });
});

test('energies are asked for once an hour, and absent, where the service lacks them', async () => {
  const house = await openHouse(
    { readings: liveHistory() },
    { flags: { 'collect.alarms': 'false' } },
  );
  await house.keepScraping(6 * HOUR_MS - 1, 15 * MINUTE_MS);
  await house.follow({
    page: { [TODAY]: undefined, 'solar_collector_success{collector="summary-days"}': 1 },
    asked: { summaryDays: 7, summaryYears: 7 },
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

  test.each<{ zone: string; record?: object; setup?: HouseSetup; at: string }>([
    { zone: 'that of the station', at: ends },
    {
      zone: 'that of the user',
      record: { lastDataAt: '2026-08-24T18:00:00Z' },
      setup: { flags: { 'time-zone': 'Europe/Kyiv' } },
      at: '2026-08-25T00:00:00+03:00',
    },
    { zone: 'that of the interface', record: { stationTimezone: null }, at: ends },
    { zone: 'known, and its last data is not', record: { lastDataAt: null }, at: ends },
    {
      zone: 'one with a day of 23 hours',
      record: { stationTimezone: 'Europe/Kyiv', lastDataAt: '2027-03-28T12:00:00+03:00' },
      at: '2027-03-29T00:00:00+03:00',
    },
    {
      zone: 'one with a day of 25 hours',
      record: { stationTimezone: 'Europe/Kyiv', lastDataAt: '2026-10-25T12:00:00+02:00' },
      at: '2026-10-26T00:00:00+02:00',
    },
  ])('goes at midnight of its zone, which is $zone', async ({ record, setup, at }) => {
    const house = await before(at, off(record), setup);
    await house.follow(
      ...around({ [OF_DEVICE]: 4.5 }, { [OF_DEVICE]: undefined, [TOTAL]: 1004.5 }),
    );
  });

  test.each([
    { when: 'just before midnight', lastDataAt: '2026-08-23T15:59:59Z', isToday: false },
    { when: 'at midnight itself', lastDataAt: '2026-08-23T16:00:00Z', isToday: false },
    { when: 'since this morning', lastDataAt: '2026-08-23T19:00:00Z', isToday: true },
    { when: 'days ago', lastDataAt: '2026-08-20T08:00:00Z', isToday: false },
  ])('is that of a device that last reported $when: $isToday', async ({ lastDataAt, isToday }) => {
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
    interface Night {
      readonly resetsAfterMinutes: number;
      /** What it has generated by the end of the night. */
      readonly grownKwh?: number;
    }

    /** Reports every five minutes, five minutes late, from evening to morning. */
    async function figures({ resetsAfterMinutes, grownKwh = 0 }: Night) {
      const house = await before(new Date(MIDNIGHT_MS - HOUR_MS).toISOString(), {
        devices: ({ atMs }) => {
          const lastMs = Math.floor(atMs / (5 * MINUTE_MS) - 1) * 5 * MINUTE_MS;
          const sinceMs = lastMs - MIDNIGHT_MS - resetsAfterMinutes * MINUTE_MS;
          return deviceList({
            stationTimezone: 'Asia/Manila',
            dailyProducedQuantity: sinceMs < 0 ? 4.5 : sinceMs > HOUR_MS ? grownKwh : 0,
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
      const from = (first: number) =>
        new Set(shown.filter(({ minute }) => minute >= first).map(({ figure }) => figure));
      return { from, requests: house.asked('devices').length };
    }

    test.each([0, 100])(
      'by %d minutes never shows what it generated yesterday',
      async (resetsAfterMinutes) => {
        const { from, requests } = await figures({ resetsAfterMinutes });
        expect(from(0)).toEqual(new Set([undefined, 0]));
        // Each wait is as long as all the ones before it.
        expect(from(15 + 2 * (resetsAfterMinutes + 10))).toEqual(new Set([0]));
        // One an hour, and a few more around midnight.
        expect(requests).toBeLessThanOrEqual(8 + 1 + 8);
      },
    );

    test.each([9, 4.5])('may generate %d kWh after that', async (grownKwh) => {
      const { from } = await figures({ resetsAfterMinutes: 30, grownKwh });
      expect(from(180)).toEqual(new Set([grownKwh]));
    });
  });
});
