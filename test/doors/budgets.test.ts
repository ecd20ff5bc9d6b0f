import { setMaxListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { greatestOf, leastOf } from '../../src/model/units.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { hasProgram } from '../support/programs.ts';
import { temporaryDirectory } from '../support/prometheus.ts';
import { recordScrapes } from '../support/rules.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, openHouse, SECOND_MS, startBoth } from './house.ts';
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

  test('that does for all changes nothing', async () => {
    const plenty = await budgeted(20_000, 2);
    await plenty.keepScraping(HOUR_MS, MINUTE_MS);
    expect(plenty.counts()).toEqual([60, 60]);
    expect(plenty.log.messages('warn')).toEqual([]);
  });

  test('that does for a reading in ten minutes has one in ten minutes, and something of all else', async () => {
    const house = await budgeted(DAY_MS / (9 * MINUTE_MS), 1);
    await house.keepScraping(DAY_MS - 1, 2 * MINUTE_MS);
    const [readings] = house.counts();
    expect(readings).toBeGreaterThan(130);
    expect(readings).toBeLessThanOrEqual(144);
    for (const endpoint of ['summary', 'alarms', 'devices'] as const)
      expect(house.asked(endpoint).length, endpoint).toBeGreaterThan(2);
    expect((await house.scrape()).value('solar_up')).toBe(1);
  });

  test('that does not do for one round asks about every device in turn, and fails nothing', async () => {
    const house = await budgeted(12, 20);
    for (let day = 1; day <= 5; day += 1) {
      const before = house.requests.length;
      await house.keepScraping(DAY_MS, 2 * HOUR_MS, (page) => {
        expect(page.value('solar_up')).not.toBe(0);
      });
      expect(house.requests.length - before).toBeLessThanOrEqual(12);
    }
    expect(house.counts()).toHaveLength(20);
    expect(house.log.messages('warn')).toEqual([
      'so few requests are allowed that readings are withdrawn before they are asked for again',
    ]);
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

/** From its start to what follows from its answer, several times over. */
const TURNS_OF_A_REQUEST = 200;

/** Lets the house sleep by its fake clock, which goes on in steps; a step ends when nothing more is asked. */
function stepper({ clock, requests }: Awaited<ReturnType<typeof openHouse>>) {
  clock.sleep = async (durationMs, signal) => {
    if (signal !== undefined) setMaxListeners(0, signal);
    const stopped = new Promise((resolve) => signal?.addEventListener('abort', resolve));
    await Promise.race([FakeClock.prototype.sleep.call(clock, durationMs), stopped]);
  };
  return async (durationMs: number, stepMs: number) => {
    for (let passedMs = 0; passedMs < durationMs; passedMs += stepMs) {
      clock.advance(stepMs);
      for (let seen = -1; seen < requests.length;) {
        seen = requests.length;
        // The service is in this process: what is on its way needs turns of the event loop, and no time.
        for (let turn = 0; turn < TURNS_OF_A_REQUEST; turn += 1)
          await new Promise((resolve) => setImmediate(resolve));
      }
    }
  };
}

test('a rate that does not do for all devices asks about them in turn, between scrapes too', async () => {
  const devices = Array.from({ length: 24 }, (_, index) => ({ id: `${index}` }));
  const house = await openHouse(
    { devices: deviceList(...devices), readings: liveHistory() },
    {
      flags: {
        'request.rate': '0.1',
        'cache.readings-ttl': '1m',
        'collect.energy': 'false',
        'collect.alarms': 'false',
      },
    },
  );
  const pass = stepper(house);
  const count = () => {
    const ids = house.asked('readings').map(({ body }) => body['deviceId']);
    return devices.map(({ id }) => ids.filter((asked) => asked === id).length);
  };
  const hour = async () => {
    const [asked, before] = [house.requests.length, count()];
    for (let minute = 0; minute < 60; minute += 1) {
      await house.scrape();
      await pass(MINUTE_MS, 10 * SECOND_MS);
    }
    return {
      requests: house.requests.length - asked,
      shares: count().map((now, index) => now - (before[index] ?? 0)),
    };
  };
  await hour();
  const { requests, shares } = await hour();
  expect(requests).toBeGreaterThanOrEqual(355);
  expect(requests).toBeLessThanOrEqual(361);
  expect(greatestOf(shares) - leastOf(shares)).toBeLessThanOrEqual(1);
  expect(leastOf(shares)).toBeGreaterThanOrEqual(13);
});

describe('a fleet that starts under a rate', () => {
  const STATIONS = 300;
  const openFleet = (
    flags: Readonly<Record<string, string>> = { 'request.rate': '1' },
    stations = STATIONS,
  ) =>
    openHouse(
      {
        stations: stationList(...Array.from({ length: stations }, (_, index) => `${index}`)),
        devices: ({ body }) => deviceList({ id: `${String(body['stationId'])}-1` }),
        readings: liveHistory(),
      },
      { flags },
    );

  test('is up, station after station, and says nothing of those that were not asked yet', async () => {
    const house = await openFleet();
    const pass = stepper(house);
    for (let minute = 0; minute < 10; minute += 1) {
      await house.scrape();
      await pass(MINUTE_MS, 5 * SECOND_MS);
    }
    expect(house.requests.length).toBeLessThanOrEqual(610);
    const page = await house.scrape();
    const up = page.all('solar_up');
    expect(up.length).toBeGreaterThan(100);
    expect(up.filter(({ value }) => value !== 1)).toEqual([]);
    expect(page.all('solar_pv_power_watts').length).toBeGreaterThanOrEqual(up.length);
    expect(page.all('solar_collector_success').filter(({ value }) => value !== 1)).toEqual([]);
    expect(page.value('solar_stations_unread')).toBe(STATIONS - up.length);
    // Nothing but lists and readings was asked for.
    expect(house.asked('summary')).toEqual([]);
    for (let minute = 0; minute < 8; minute += 1) {
      await house.scrape();
      await pass(MINUTE_MS, 5 * SECOND_MS);
    }
    const later = await house.scrape();
    expect(later.all('solar_up').filter(({ value }) => value === 1)).toHaveLength(STATIONS);
    expect(later.value('solar_stations_unread')).toBe(0);
  });

  test('has all readings within one question each after a restart with --state.dir', async () => {
    const house = await openFleet({ 'state.dir': temporaryDirectory() });
    await house.scrape();
    await house.restart({ flags: { 'request.rate': '1' } });
    await Promise.all([house.scrape(), stepper(house)(5 * MINUTE_MS, 5 * SECOND_MS)]);
    const up = (await house.scrape()).all('solar_up').filter(({ value }) => value === 1);
    expect(up.length).toBeGreaterThanOrEqual(STATIONS - 5);
  });

  test.skipIf(!hasProgram('promtool'))(
    'answers every probe at once, and wakes nobody until all is read: no target is down, and no alert fires',
    async () => {
      const [stations, minutes] = [24, 20];
      const house = await openFleet({ 'request.rate': '0.08' }, stations);
      const [recording, pass] = [recordScrapes(house.clock.nowMs(), 1), stepper(house)];
      const targets = Array.from({ length: stations }, (_, id) => ({
        instance: `${id}`,
        path: `/probe?target=${id}`,
      }));
      const self = { instance: 'exporter:9877', path: '/metrics/self' };
      expect((await house.scrape({}, '/sd')).status).toBe(200);
      for (let minute = 0; minute <= minutes; minute += 1) {
        const scrapes = [...targets, self].map(async ({ instance, path }) => {
          recording.store(instance, await house.scrape({}, path), minute);
        });
        await Promise.all(scrapes);
        await pass(MINUTE_MS, 5 * SECOND_MS);
      }
      const all = (value: number) => ({ labels: '{}', value });
      const { status, output } = recording.judge([
        ['min_over_time({__name__=~"up|solar_up"}[20m]) == 0', minutes],
        ['max_over_time(ALERTS{alertstate="firing"}[20m])', minutes],
        ['count(up == 1)', 1, all(stations + 1)],
        ['count(solar_up == 1)', minutes, all(stations)],
      ]);
      expect(status, output).toBe(0);
    },
  );
});

describe('a budget of an account that logs in', () => {
  test('that is used up is not spent on a token either, and goes on at midnight', async () => {
    const { simulator, clock, scrape, scrapeAfter, reload, log } = await startBoth({
      now: MIDNIGHT,
      flags: { 'request.daily-budget': '1000' },
      simulator: { devicesPerStation: 8 },
    });
    await scrape();
    const sent = simulator.requests();
    expect(sent).toBeGreaterThan(10);
    await reload({ flags: { 'request.daily-budget': '10' } });
    const page = await scrapeAfter(3 * HOUR_MS);
    expect(simulator.requests()).toBe(sent);
    const stopped = { [LEFT]: 0, solar_up: 0, solar_reauthentication_required: 0 };
    expect(page.like(stopped)).toEqual(stopped);
    // Of a request that was not sent, nothing is counted.
    expect(page.text).not.toContain('SERVICE_BUDGET_USED_UP');
    expect(log.messages('warn')).toContain(
      'the requests of the day are used up: the service is not asked',
    );
    expect(log.messages('warn')).not.toContain('collector failed');
    // The token has long expired.
    clock.advance(21 * HOUR_MS);
    const tomorrow = await scrape();
    expect(simulator.requests()).toBeGreaterThan(sent);
    expect(simulator.requests()).toBeLessThanOrEqual(sent + 10);
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
