import { expect, test } from 'vitest';
import { HOUR_MS, SECOND_MS, startBoth } from '../doors/house.ts';

const STATIONS = 2;
const DEVICES = 3;

test('two scrapers every 15 s for an hour cost what the TTLs allow, and no more', async () => {
  const { simulator, scrape, clock } = await startBoth({
    flags: { 'collect.settings': 'true' },
    simulator: { stations: STATIONS, devicesPerStation: DEVICES },
  });
  for (let passedMs = 0; passedMs < HOUR_MS; passedMs += 15 * SECOND_MS) {
    const [one, other] = await Promise.all([scrape(), scrape()]);
    expect(one.text).toBe(other.text);
    clock.advance(5 * SECOND_MS);
    await scrape();
    clock.advance(10 * SECOND_MS);
  }
  expect({
    login: simulator.requests('login'),
    refresh: simulator.requests('refresh'),
    stations: simulator.requests('stations'),
    devices: simulator.requests('devices'),
    settings: simulator.requests('settings-get'),
    summary: simulator.requests('summary'),
    days: simulator.requests('summary-days'),
    years: simulator.requests('summary-years'),
    readings: simulator.requests('readings'),
  }).toEqual({
    login: 1,
    refresh: 0,
    stations: 1,
    devices: STATIONS,
    settings: STATIONS * DEVICES,
    summary: STATIONS * 4,
    days: STATIONS * 4,
    years: STATIONS,
    // Every five minutes what is live, one question more that is too early, and every 15 minutes what came
    // since the last point that was counted.
    readings: STATIONS * DEVICES * (13 + 4),
  });
});

test('nothing is asked of the service while nobody scrapes', async () => {
  const { simulator, clock } = await startBoth();
  clock.advance(HOUR_MS);
  expect(simulator.requests()).toBe(0);
});
