import { describe, expect, test } from 'vitest';
import { ZonedCalendar } from '../../src/base/time-zone.ts';
import type { MonthlyEnergy } from '../../src/model/month.ts';
import { createCollection, HOUR_MS, keepScraping, MINUTE_MS } from './collection-harness.ts';

const GENERATED = 'solar_month_pv_generated_kwh{house}';
const START = 'solar_month_start_timestamp_seconds{house}';
const isOfMonth = (name: string) => name.startsWith('solar_month_');

/** A house whose service generates as many kWh in a month as the month's number. */
function createHouse(stationZone: string, userZone?: string) {
  const harness = createCollection({
    stationIds: ['house'],
    ...(userZone !== undefined && { timeZone: userZone }),
  });
  const { api, clock } = harness;
  api.devices.set('house', [{ deviceId: 'inverter', stationTimeZone: stationZone }]);
  const answer = (): MonthlyEnergy => {
    const calendar = new ZonedCalendar(api.timeZones.get('summary house') ?? 'UTC');
    const nowMs = clock.nowMs();
    const pvGeneratedKwh = Number(calendar.month(nowMs).slice(5));
    return { pvGeneratedKwh, ...calendar.monthPeriod(nowMs) };
  };
  api.answer('summary house', () => Promise.resolve(answer()));
  return {
    ...harness,
    answersAgain: () => api.answer('summary house', () => Promise.resolve(answer())),
    /** Scrapes at an instant. */
    scrapeAt: (atMs: number) => harness.scrapeAfter(atMs - clock.nowMs()),
  };
}

describe('at the end of a month', () => {
  test.each([
    { zone: 'UTC', ends: '2026-09-01T00:00:00Z' },
    { zone: 'Asia/Manila', ends: '2026-09-01T00:00:00+08:00' },
    { zone: 'Asia/Kathmandu', ends: '2026-09-01T00:00:00+05:45' },
    { zone: 'Pacific/Kiritimati', ends: '2026-09-01T00:00:00+14:00' },
    { zone: 'Pacific/Honolulu', ends: '2027-01-01T00:00:00-10:00' },
    // The clocks change within the month, and on its last day or first.
    { zone: 'Europe/Kyiv', ends: '2026-11-01T00:00:00+02:00' },
    { zone: 'Europe/Kyiv', ends: '2027-04-01T00:00:00+03:00' },
    { zone: 'Europe/Berlin', ends: '2027-11-01T00:00:00+01:00' },
    { zone: 'America/New_York', ends: '2026-11-01T00:00:00-04:00' },
    { zone: 'America/New_York', ends: '2026-12-01T00:00:00-05:00' },
    // The zone of the user goes before that of the station.
    { zone: 'Pacific/Kiritimati', user: 'Europe/Kyiv', ends: '2026-09-01T00:00:00+03:00' },
  ])('in $zone, the old one is shown before $ends and the new one from then on', async (row) => {
    const endsAtMs = Date.parse(row.ends);
    const { scrapeAt } = createHouse(row.zone, row.user);
    const { [GENERATED]: last } = await scrapeAt(endsAtMs - MINUTE_MS);
    expect(await scrapeAt(endsAtMs - 1)).toMatchObject({ [GENERATED]: last });
    expect(await scrapeAt(endsAtMs)).toMatchObject({
      [GENERATED]: ((last ?? 0) % 12) + 1,
      [START]: endsAtMs / 1000,
    });
  });

  const ENDS_AT_MS = Date.parse('2026-09-01T00:00:00+08:00');

  test.each(['SERVICE_UNREACHABLE', 'SERVICE_RATE_LIMITED'] as const)(
    'the old one goes, and nothing comes while the service answers %s',
    async (code) => {
      const harness = createHouse('Asia/Manila');
      const { api, clock, scrape, scrapeAt, answersAgain, names } = harness;
      expect(await scrapeAt(ENDS_AT_MS - MINUTE_MS)).toHaveProperty([GENERATED], 8);
      api.fail('summary house', code);
      expect(await scrapeAt(ENDS_AT_MS - 1)).toHaveProperty([GENERATED], 8);
      clock.advance(1);
      for (let minute = 0; minute < 40; minute += 1) {
        expect(Object.keys(await scrape()).filter(isOfMonth)).toEqual([]);
        clock.advance(MINUTE_MS);
      }
      expect(names()).toContain('solar_station_devices{house}');
      answersAgain();
      expect(await scrape()).toHaveProperty([GENERATED], 9);
    },
  );

  test('the old one goes without anybody asking', async () => {
    const { clock, collection, scrapeAt, names } = createHouse('Asia/Manila');
    await scrapeAt(ENDS_AT_MS - 1);
    expect(collection.nextWithdrawalAtMs).toBe(ENDS_AT_MS);
    expect(collection.nextFetchAtMs).toBe(ENDS_AT_MS);
    expect(names().filter(isOfMonth)).toEqual([GENERATED, START]);
    clock.advance(1);
    expect(names().filter(isOfMonth)).toEqual([]);
  });

  test('the old one goes though the new one is not there yet', async () => {
    const { api, scrapeAt } = createHouse('Asia/Manila');
    await scrapeAt(ENDS_AT_MS - 1);
    const period = new ZonedCalendar('Asia/Manila').monthPeriod(ENDS_AT_MS);
    api.answer('summary house', () => Promise.resolve(period));
    expect(Object.keys(await scrapeAt(ENDS_AT_MS)).filter(isOfMonth)).toEqual([]);
  });

  test('an answer that arrives after it is not shown', async () => {
    const { api, clock, scrape, scrapeAt } = createHouse('Asia/Manila');
    const reply = api.hang('summary house');
    await scrapeAt(ENDS_AT_MS - 1);
    clock.advance(1);
    reply.resolve({
      pvGeneratedKwh: 8,
      ...new ZonedCalendar('Asia/Manila').monthPeriod(ENDS_AT_MS - 1),
    });
    await scrape();
    expect(Object.keys(await scrape()).filter(isOfMonth)).toEqual([]);
  });

  test('one more request is made, and no other than the usual ones', async () => {
    const harness = createHouse('Asia/Manila');
    await harness.scrapeAt(ENDS_AT_MS - HOUR_MS - MINUTE_MS);
    await keepScraping(harness, 2 * HOUR_MS, 15_000);
    // Every 15 minutes from the first, and at the end of the month, from which it counts anew.
    expect(harness.api.count('summary house')).toBe(9);
  });
});
