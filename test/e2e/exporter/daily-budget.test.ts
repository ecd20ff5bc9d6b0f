import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../support/prometheus.ts';
import {
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  startBoth,
  startExporterFor,
  startService,
  SteeredClock,
} from '../../doors/house.ts';

const MIDNIGHT = '2026-08-24T00:00:00Z';

describe('an exporter with --request.daily-budget', () => {
  test('sends no more than that in a day, all day long, and says what is left', async () => {
    const { simulator, clock, keepScraping, scrape } = await startBoth({
      now: MIDNIGHT,
      flags: { 'request.daily-budget': '1000' },
      simulator: { stations: 2, devicesPerStation: 2 },
    });
    const intervals: (number | undefined)[] = [];
    await keepScraping(DAY_MS - 5 * MINUTE_MS, 2 * MINUTE_MS, (page) => {
      intervals.push(page.value('solar_api_effective_interval_seconds'));
      expect(page.all('solar_up').map(({ value }) => value)).toEqual([1, 1]);
      expect(page.all('solar_battery_soc_ratio')).toHaveLength(4);
    });
    expect(simulator.requests()).toBeLessThanOrEqual(1000);
    expect(simulator.requests()).toBeGreaterThan(900);
    const page = await scrape();
    expect(page.value('solar_api_budget_remaining_requests')).toBe(1000 - simulator.requests());
    // Without a budget, these would be some 3,500 requests; the last wait of the day ends at midnight.
    const ofMostOfTheDay = intervals.slice(10, -60).map(Number);
    expect(Math.min(...ofMostOfTheDay)).toBeGreaterThan(4 * 60);
    expect(Math.max(...ofMostOfTheDay)).toBeLessThan(16 * 60);

    clock.advance(HOUR_MS);
    const before = simulator.requests();
    await scrape();
    const tomorrow = await scrape();
    expect(simulator.requests()).toBeGreaterThan(before);
    expect(tomorrow.value('solar_api_budget_remaining_requests')).toBe(
      1000 - (simulator.requests() - before),
    );
  });

  test('asks nothing when it is used up, not even for a token, and goes on at midnight', async () => {
    const { simulator, clock, log, scrape, scrapeAfter } = await startBoth({
      now: MIDNIGHT,
      flags: { 'request.daily-budget': '10' },
      simulator: { devicesPerStation: 8 },
    });
    await scrape();
    expect(simulator.requests()).toBe(10);
    const page = await scrapeAfter(3 * HOUR_MS);
    expect(simulator.requests()).toBe(10);
    expect(page.value('solar_api_budget_remaining_requests')).toBe(0);
    expect(page.all('solar_up').map(({ value }) => value)).toEqual([0]);
    expect(page.value('solar_collector_success', { collector: 'readings' })).toBe(0);
    expect(page.value('solar_reauthentication_required')).toBe(0);
    // Of a request that was not sent, nothing is counted.
    expect(page.text).not.toContain('SERVICE_BUDGET_USED_UP');
    expect(log.messages('warn').filter((line) => line.includes('used up'))).toHaveLength(1);
    expect(log.messages('warn')).not.toContain('collector failed');

    // The token has long expired.
    clock.advance(21 * HOUR_MS);
    const tomorrow = await scrape();
    expect(simulator.requests()).toBe(20);
    expect(simulator.requests('refresh') + simulator.requests('login')).toBe(2);
    expect(tomorrow.value('solar_login_blocked_until_timestamp_seconds')).toBeUndefined();
  });

  test('goes on counting after a restart with --state.dir, and after a reload with another budget', async () => {
    const clock = new SteeredClock(MIDNIGHT);
    const { simulator, serviceUrl } = await startService({ devicesPerStation: 2 }, clock);
    let content = 'request:\n  daily-budget: 40\n';
    const setup = {
      flags: { 'state.dir': temporaryDirectory(), 'config.file': 'config.yaml' },
      readFile: () => content,
    };
    const first = await startExporterFor(simulator, serviceUrl, clock, setup);
    await first.scrape();
    const sent = simulator.requests();
    await first.stop();

    const second = await startExporterFor(simulator, serviceUrl, clock, setup);
    await second.scrape();
    const page = await second.scrape();
    expect(simulator.requests()).toBeGreaterThan(sent);
    expect(page.value('solar_api_budget_remaining_requests')).toBe(40 - simulator.requests());

    content = 'request:\n  daily-budget: 60\n';
    await second.reload();
    expect((await second.scrape()).value('solar_api_budget_remaining_requests')).toBe(
      60 - simulator.requests(),
    );
  });
});
