import { setMaxListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { greatestOf, leastOf } from '../../src/model/units.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { hasProgram } from '../support/programs.ts';
import { recordScrapes } from '../support/rules.ts';
import { MINUTE_MS, openHouse, SECOND_MS } from './house.ts';
import { deviceList, liveHistory, stationList } from './scripted-service.ts';
import { summaries } from './summaries.ts';

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

test('a rate too low for all devices asks about them in turn', async () => {
  const devices = Array.from({ length: 6 }, (_, index) => ({ id: `${index}` }));
  const house = await openHouse(
    {
      devices: deviceList(...devices),
      readings: liveHistory(),
      summary: summaries('Asia/Manila').summary,
    },
    {
      flags: {
        'request.rate': '0.05',
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
  const quarter = async () => {
    const [asked, before] = [house.requests.length, count()];
    let withoutMonth = 0;
    for (let minute = 0; minute < 15; minute += 1) {
      const page = await house.scrape();
      if (page.value('solar_month_start_timestamp_seconds') === undefined) withoutMonth += 1;
      await pass(MINUTE_MS, 20 * SECOND_MS);
    }
    return {
      withoutMonth,
      requests: house.requests.length - asked,
      shares: count().map((now, index) => now - (before[index] ?? 0)),
    };
  };
  await quarter();
  const { requests, shares, withoutMonth } = await quarter();
  // What is no reading gives way, and is not left out.
  expect(withoutMonth).toBe(0);
  expect(requests).toBeGreaterThanOrEqual(42);
  expect(requests).toBeLessThanOrEqual(46);
  expect(greatestOf(shares) - leastOf(shares)).toBeLessThanOrEqual(1);
  expect(leastOf(shares)).toBeGreaterThanOrEqual(6);
});

describe('a fleet that starts under a rate', () => {
  const STATIONS = 24;
  const openFleet = (
    flags: Readonly<Record<string, string>> = { 'request.rate': '0.2' },
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

  test('is up station by station, silent of those that were not asked', async () => {
    const house = await openFleet();
    const pass = stepper(house);
    for (let minute = 0; minute < 3; minute += 1) {
      await house.scrape();
      await pass(MINUTE_MS, 20 * SECOND_MS);
    }
    expect(house.requests.length).toBeLessThanOrEqual(51);
    const page = await house.scrape();
    const up = page.all('solar_up');
    expect(up.length).toBeGreaterThan(8);
    expect(up.length).toBeLessThan(STATIONS);
    expect(up.filter(({ value }) => value !== 1)).toEqual([]);
    expect(page.all('solar_pv_power_watts').length).toBeGreaterThanOrEqual(up.length);
    expect(page.all('solar_collector_success').filter(({ value }) => value !== 1)).toEqual([]);
    expect(page.value('solar_stations_unread')).toBe(STATIONS - up.length);
    // Nothing but lists and readings was asked for.
    expect(house.asked('summary')).toEqual([]);
    for (let minute = 0; minute < 4; minute += 1) {
      await house.scrape();
      await pass(MINUTE_MS, 20 * SECOND_MS);
    }
    const later = await house.scrape();
    expect(later.all('solar_up').filter(({ value }) => value === 1)).toHaveLength(STATIONS);
    expect(later.value('solar_stations_unread')).toBe(0);
  });

  test.skipIf(!hasProgram('promtool'))(
    'answers every probe at once, and wakes nobody until all is read: no target is down, and no alert fires',
    async () => {
      const [stations, minutes] = [8, 16];
      const house = await openFleet({ 'request.rate': '0.05' }, stations);
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
        await pass(MINUTE_MS, 20 * SECOND_MS);
      }
      const all = (value: number) => ({ labels: '{}', value });
      const { status, output } = recording.judge([
        ['min_over_time({__name__=~"up|solar_up"}[16m]) == 0', minutes],
        ['max_over_time(ALERTS{alertstate="firing"}[16m])', minutes],
        ['count(up == 1)', 1, all(stations + 1)],
        ['count(solar_up == 1)', minutes, all(stations)],
      ]);
      expect(status, output).toBe(0);
    },
  );
});
