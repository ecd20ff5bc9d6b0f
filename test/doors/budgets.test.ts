import { describe, expect, test } from 'vitest';
import { greatestOf, leastOf } from '../../src/model/extremes.ts';
import { temporaryDirectory } from '../support/prometheus.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, openHouse, startBoth } from './house.ts';
import { deviceList, liveHistory, type PortalAnswer, stationList } from './scripted-service.ts';

const MIDNIGHT = '2026-08-24T00:00:00Z';
const EMPTY: PortalAnswer = { data: { properties: [] } };

/** An account whose devices are asked every minute when nothing limits that; a share of them fails. */
async function budgeted(dailyRequests: number, devices: number, failing = 0) {
  const perStation = Math.min(10, devices);
  const upTo = (count: number) => Array.from({ length: count }, (_, index) => `${index}`);
  const live = liveHistory();
  const house = await openHouse(
    {
      stations: stationList(...upTo(Math.ceil(devices / perStation))),
      devices: ({ body }) =>
        deviceList(
          ...upTo(perStation).map((name) => ({ id: `${String(body['stationId'])}-${name}` })),
        ),
      readings: (request) => {
        const number = Number(String(request.body['deviceId']).split('-')[1]);
        return number < failing ? { status: 500 } : live(request);
      },
      summaryDays: EMPTY,
      summaryYears: EMPTY,
    },
    {
      now: MIDNIGHT,
      flags: {
        'request.daily-budget': String(dailyRequests),
        'cache.readings-ttl': '1m',
        'cache.max-age': '75m',
        'collect.energy': 'false',
      },
    },
  );
  return Object.assign(house, {
    /** How often each device has been asked for its readings. */
    counts: () => {
      const counts = new Map<unknown, number>();
      for (const { body } of house.asked('readings'))
        counts.set(body['deviceId'], (counts.get(body['deviceId']) ?? 0) + 1);
      return [...counts.values()];
    },
  });
}

const LEFT = 'solar_api_budget_remaining_requests';
const INTERVAL = 'solar_api_effective_interval_seconds';

describe('a day with a budget', () => {
  test.each([
    [500, 10, 15],
    [900, 50, 30],
  ])(
    'of %d requests serves %d devices evenly, to its end, scraped every %d minutes',
    async (dailyRequests, devices, minutes) => {
      const house = await budgeted(dailyRequests, devices);
      await house.keepScraping(DAY_MS - minutes * MINUTE_MS, minutes * MINUTE_MS, (page) => {
        expect(page.value(LEFT)).toBeGreaterThan(0);
      });
      const sent = house.requests.length;
      expect(sent).toBeLessThanOrEqual(dailyRequests);
      // One round of everything is kept in hand.
      expect(sent).toBeGreaterThan(0.88 * dailyRequests - 2 * devices - 5 * (devices / 10 + 1));
      expect(greatestOf(house.counts()) - leastOf(house.counts())).toBeLessThanOrEqual(1);
      expect((await house.scrape()).value(LEFT)).toBe(dailyRequests - house.requests.length);
    },
  );

  test('that does for all changes nothing, and the page states the interval that it makes', async () => {
    const plenty = await budgeted(20_000, 2);
    await plenty.keepScraping(HOUR_MS - 1, MINUTE_MS);
    expect(plenty.counts()).toEqual([60, 60]);
    expect((await plenty.scrape()).value(INTERVAL)).toBe(60);
    const house = await budgeted(2500, 10);
    await house.keepScraping(4 * HOUR_MS, 5 * MINUTE_MS);
    const stated = (await house.scrape()).value(INTERVAL) ?? 0;
    const [before = 0] = house.counts();
    await house.keepScraping(2 * HOUR_MS, MINUTE_MS);
    const [after = 0] = house.counts();
    expect((2 * 3600) / (after - before) / stated).toBeGreaterThan(0.85);
    expect((2 * 3600) / (after - before) / stated).toBeLessThan(1.15);
  });

  test('that does not do for one round lets no device starve, and fails with one line', async () => {
    const house = await budgeted(12, 20);
    for (let day = 1; day <= 8; day += 1) {
      const before = house.requests.length;
      await house.keepScraping(DAY_MS, 2 * HOUR_MS);
      expect(house.requests.length - before).toBeLessThanOrEqual(12);
    }
    // Who was left out one day comes first the next.
    expect(house.counts()).toHaveLength(20);
    const warned = house.log.messages('warn');
    expect(warned).toContain('the requests of the day are used up: the service is not asked');
    expect(warned).not.toContain('collector failed');
  });

  test('is not exceeded by devices that fail, and they take nothing from those that do not', async () => {
    const house = await budgeted(750, 10, 5);
    await house.keepScraping(DAY_MS - 8 * MINUTE_MS, 8 * MINUTE_MS);
    expect(house.requests.length).toBeLessThanOrEqual(750);
    expect(leastOf(house.counts())).toBeGreaterThan(45);
    expect(greatestOf(house.counts())).toBeLessThan(1.2 * leastOf(house.counts()));
  });

  test.each([
    ['by an hour', HOUR_MS, 300],
    ['over midnight', 18 * HOUR_MS, 600],
    ['by years', 3000 * DAY_MS, 300],
  ])('is not given away when the clock is set back %s, and ends with the day', async (...row) => {
    const [, byMs, most] = row;
    const house = await budgeted(300, 5);
    const halfHourly = (durationMs: number) => house.keepScraping(durationMs, 30 * MINUTE_MS);
    await halfHourly(12 * HOUR_MS);
    const before = house.requests.length;
    house.misset(-byMs);
    await halfHourly(6 * HOUR_MS);
    house.misset(byMs);
    await halfHourly(5.5 * HOUR_MS);
    const byMidnight = house.requests.length;
    expect(byMidnight).toBeLessThanOrEqual(most);
    expect(byMidnight).toBeGreaterThan(before);
    await halfHourly(HOUR_MS);
    expect(house.requests.length).toBeGreaterThan(byMidnight);
  });
});

test('a rate that does not do for all devices stretches the intervals evenly', async () => {
  const devices = Array.from({ length: 24 }, (_, index) => ({ id: `${index}` }));
  const house = await openHouse(
    { devices: deviceList(...devices), readings: liveHistory() },
    {
      flags: { 'request.rate': '0.1', 'cache.readings-ttl': '1m', 'collect.energy': 'false' },
    },
  );
  // The gaps between requests are not waited for.
  const sleep = house.clock.sleep.bind(house.clock);
  house.clock.sleep = (durationMs, signal) =>
    durationMs <= 20_000 ? Promise.resolve() : sleep(durationMs, signal);
  const count = () => {
    const ids = house.asked('readings').map(({ body }) => body['deviceId']);
    return devices.map(({ id }) => ids.filter((asked) => asked === id).length);
  };
  await house.keepScraping(HOUR_MS, MINUTE_MS);
  const before = count();
  await house.keepScraping(HOUR_MS, MINUTE_MS);
  const shares = count().map((asked, index) => asked - (before[index] ?? 0));
  expect(greatestOf(shares) - leastOf(shares)).toBeLessThanOrEqual(1);
  expect(leastOf(shares)).toBeGreaterThanOrEqual(11);
  const interval = (await house.scrape()).value(INTERVAL);
  expect(interval).toBeGreaterThan(240);
  expect(interval).toBeLessThan(280);
});

describe('a budget of an account that logs in', () => {
  test('that is used up is not spent on a token either, and goes on at midnight', async () => {
    const { simulator, clock, scrape, scrapeAfter, log } = await startBoth({
      now: MIDNIGHT,
      flags: { 'request.daily-budget': '10' },
      simulator: { devicesPerStation: 8 },
    });
    await scrape();
    expect(simulator.requests()).toBe(10);
    const page = await scrapeAfter(3 * HOUR_MS);
    expect(simulator.requests()).toBe(10);
    const stopped = { [LEFT]: 0, solar_up: 0, solar_reauthentication_required: 0 };
    expect(page.like(stopped)).toEqual(stopped);
    // Of a request that was not sent, nothing is counted.
    expect(page.text).not.toContain('SERVICE_BUDGET_USED_UP');
    expect(log.messages('warn')).not.toContain('collector failed');
    // The token has long expired.
    clock.advance(21 * HOUR_MS);
    const tomorrow = await scrape();
    expect(simulator.requests()).toBe(20);
    expect(simulator.requests('refresh') + simulator.requests('login')).toBe(2);
    expect(tomorrow.value('solar_login_blocked_until_timestamp_seconds')).toBeUndefined();
  });

  test('is counted on after a restart with --state.dir, and after a reload with another one', async () => {
    const flags = { 'state.dir': temporaryDirectory(), 'request.daily-budget': '60' };
    const { simulator, scrape, restart, reload } = await startBoth({ now: MIDNIGHT, flags });
    await scrape();
    const sent = simulator.requests();
    await restart();
    await scrape();
    expect(simulator.requests()).toBeGreaterThan(sent);
    expect((await scrape()).value(LEFT)).toBe(60 - simulator.requests());
    await reload({ flags: { 'request.daily-budget': '80' } });
    expect((await scrape()).value(LEFT)).toBe(80 - simulator.requests());
  });
});
