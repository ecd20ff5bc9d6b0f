import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../src/base/errors.ts';
import { ZonedCalendar } from '../../src/base/time-zone.ts';
import { StationEnergy } from '../../src/client/energy/station-energy.ts';
import type { DailyEnergy, YearlyEnergy } from '../../src/model/energy.ts';
import { createCaller } from '../client/exchange/caller-harness.ts';
import { SilentLog } from '../support/silent-log.ts';
import { createCollection, HOUR_MS, MINUTE_MS } from './collection-harness.ts';

const TODAY = 'solar_energy_today_kwh{house,pv}';
const YESTERDAY = 'solar_energy_yesterday_kwh{house,pv}';
const YEAR = 'solar_energy_year_kwh{house,pv}';
const LIFETIME = 'solar_energy_lifetime_kwh{house,pv}';

interface Service {
  /** Whether it has nothing of the running day and year yet. */
  isQuiet: boolean;
  isDown: boolean;
  /** How far its clock is ahead of ours. */
  aheadMs: number;
}

/**
 * A house before the real client. Its service gave as many kWh on a day as the day has in its number, and in
 * a year as its last two digits, beginning with 2024.
 */
function createHouse(zone: string) {
  const harness = createCollection({ stationIds: ['house'], energy: true });
  const { api, clock } = harness;
  const calendar = new ZonedCalendar(zone);
  const service: Service = { isQuiet: false, isDown: false, aheadMs: 0 };
  const pointsOf = (asked: string) => {
    const nowMs = clock.nowMs() + service.aheadMs;
    const isMonth = /^\d{4}-\d\d$/.test(asked);
    const running = isMonth ? calendar.day(nowMs) : calendar.year(nowMs);
    const times = Array.from({ length: isMonth ? 31 : 10 }, (_, index) =>
      isMonth ? `${asked}-${String(index + 1).padStart(2, '0')}` : String(2024 + index),
    );
    return times.map((time) => {
      const isRealValue = time < running || (time === running && !service.isQuiet);
      return { time, value: isRealValue ? Number(time.slice(-2)) : 0, isRealValue };
    });
  };
  const client = createCaller(
    ({ body }) => {
      if (service.isDown) throw new ServiceError('SERVICE_UNREACHABLE', 'no route');
      const timePoints = pointsOf((JSON.parse(body ?? '') as { time: string }).time);
      const properties = [{ property: { key: 'pvGeneratedEnergy', unit: 'kWh' }, timePoints }];
      return { code: 0, data: { properties } };
    },
    { now: new Date(clock.nowMs()).toISOString() },
  );
  client.transport.date = () => clock.nowMs() + service.aheadMs;
  const energy = new StationEnergy(client.caller, client.serviceClock, new SilentLog());
  const station = { stationId: 'house', timeZone: zone };
  const inStep = <T>(ask: () => Promise<T>): Promise<T> => {
    client.clock.advance(clock.nowMs() - client.clock.nowMs());
    return ask();
  };
  api.devices.set('house', [{ deviceId: 'inverter', stationTimeZone: zone }]);
  Object.assign(api, {
    fetchDailyEnergy: (_id: string, _zone: string, previous?: DailyEnergy) =>
      inStep(() => energy.days(station, previous)),
    fetchYearlyEnergy: (_id: string, _zone: string, previous?: YearlyEnergy) =>
      inStep(() => energy.years(station, previous)),
  });
  return {
    ...harness,
    service,
    /** Scrapes at an instant of our clock. */
    scrapeAt: (atMs: number) => harness.scrapeAfter(atMs - clock.nowMs()),
  };
}

describe('at midnight of the station', () => {
  test.each([
    { what: 'a day', zone: 'UTC', ends: '2026-09-10T00:00:00Z', days: [9, 8, 10, 9] },
    {
      what: 'a day',
      zone: 'Asia/Kathmandu',
      ends: '2026-09-10T00:00:00+05:45',
      days: [9, 8, 10, 9],
    },
    {
      what: 'a month',
      zone: 'Asia/Manila',
      ends: '2026-10-01T00:00:00+08:00',
      days: [30, 29, 1, 30],
    },
    { what: 'February', zone: 'UTC', ends: '2027-03-01T00:00:00Z', days: [28, 27, 1, 28] },
    {
      what: 'a year',
      zone: 'Pacific/Honolulu',
      ends: '2027-01-01T00:00:00-10:00',
      days: [31, 30, 1, 31],
    },
    // The clocks go back on the 25th of October, and forward on the 28th of March.
    {
      what: 'a day of 25 hours',
      zone: 'Europe/Kyiv',
      ends: '2026-10-26T00:00:00+02:00',
      days: [25, 24, 26, 25],
    },
    {
      what: 'the day before it',
      zone: 'Europe/Kyiv',
      ends: '2026-10-25T00:00:00+03:00',
      days: [24, 23, 25, 24],
    },
    {
      what: 'a day of 23 hours',
      zone: 'Europe/Kyiv',
      ends: '2027-03-29T00:00:00+03:00',
      days: [28, 27, 29, 28],
    },
    {
      what: 'a day that skips midnight',
      zone: 'Africa/Cairo',
      ends: '2027-04-30T01:00:00+03:00',
      days: [29, 28, 30, 29],
    },
  ])('$what in $zone becomes yesterday at $ends', async ({ zone, ends, days }) => {
    const endsAtMs = Date.parse(ends);
    const { scrapeAt, collection } = createHouse(zone);
    const [today, yesterday, nextToday, nextYesterday] = days;
    await scrapeAt(endsAtMs - MINUTE_MS);
    expect(collection.nextWithdrawalAtMs).toBeLessThanOrEqual(endsAtMs);
    expect(await scrapeAt(endsAtMs - 1)).toMatchObject({ [TODAY]: today, [YESTERDAY]: yesterday });
    expect(await scrapeAt(endsAtMs)).toMatchObject({
      [TODAY]: nextToday,
      [YESTERDAY]: nextYesterday,
    });
  });

  const ENDS_AT_MS = Date.parse('2026-09-10T00:00:00+08:00');

  test('today goes until the service knows of the new day, and yesterday is there at once', async () => {
    const { service, scrapeAt } = createHouse('Asia/Manila');
    await scrapeAt(ENDS_AT_MS - MINUTE_MS);
    service.isQuiet = true;
    const quiet = await scrapeAt(ENDS_AT_MS);
    expect(quiet).not.toHaveProperty([TODAY]);
    expect(quiet).toHaveProperty([YESTERDAY], 9);
    service.isQuiet = false;
    expect(await scrapeAt(ENDS_AT_MS + 15 * MINUTE_MS)).toHaveProperty([TODAY], 10);
  });

  test('both go while the service is down, without anybody asking', async () => {
    const { service, clock, scrapeAt, names } = createHouse('Asia/Manila');
    await scrapeAt(ENDS_AT_MS - 1);
    expect(names()).toContain(TODAY);
    service.isDown = true;
    clock.advance(1);
    expect(names()).not.toContain(TODAY);
    expect(names()).not.toContain(YESTERDAY);
    await scrapeAt(ENDS_AT_MS + HOUR_MS);
    expect(names()).not.toContain(YESTERDAY);
    service.isDown = false;
    expect(await scrapeAt(ENDS_AT_MS + HOUR_MS + MINUTE_MS)).toMatchObject({
      [TODAY]: 10,
      [YESTERDAY]: 9,
    });
  });

  test.each([{ aheadMs: 8 * HOUR_MS }, { aheadMs: -8 * HOUR_MS }])(
    'is that of the service when its clock is $aheadMs ms ahead',
    async ({ aheadMs }) => {
      const { service, scrapeAt } = createHouse('Asia/Manila');
      service.aheadMs = aheadMs;
      // The first answer says what time it is.
      await scrapeAt(ENDS_AT_MS - aheadMs - HOUR_MS);
      expect(await scrapeAt(ENDS_AT_MS - aheadMs - 30 * MINUTE_MS)).toHaveProperty([TODAY], 9);
      expect(await scrapeAt(ENDS_AT_MS - aheadMs - 1)).toHaveProperty([TODAY], 9);
      expect(await scrapeAt(ENDS_AT_MS - aheadMs)).toMatchObject({ [TODAY]: 10, [YESTERDAY]: 9 });
    },
  );
});

describe('at the new year of the station', () => {
  const ENDS_AT_MS = Date.parse('2027-01-01T00:00:00+08:00');

  test('the year begins anew, and the lifetime goes on', async () => {
    const { scrapeAt } = createHouse('Asia/Manila');
    await scrapeAt(ENDS_AT_MS - MINUTE_MS);
    expect(await scrapeAt(ENDS_AT_MS - 1)).toMatchObject({ [YEAR]: 26, [LIFETIME]: 24 + 25 + 26 });
    expect(await scrapeAt(ENDS_AT_MS)).toMatchObject({ [YEAR]: 27, [LIFETIME]: 24 + 25 + 26 + 27 });
  });

  test('both go until the service knows of the new year', async () => {
    const { service, scrapeAt } = createHouse('Asia/Manila');
    await scrapeAt(ENDS_AT_MS - MINUTE_MS);
    service.isQuiet = true;
    const quiet = await scrapeAt(ENDS_AT_MS);
    expect(quiet).not.toHaveProperty([YEAR]);
    expect(quiet).not.toHaveProperty([LIFETIME]);
  });
});
