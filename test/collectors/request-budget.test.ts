import { describe, expect, test } from 'vitest';
import { createCollection, HOUR_MS, keepScraping, MINUTE_MS } from './collection-harness.ts';

describe('the requests of an hour', () => {
  test('are what the TTLs allow, however many scrape', async () => {
    const harness = createCollection({
      settings: true,
      energy: true,
      account: { house: ['first', 'second'], barn: ['third'] },
    });
    const { api, clock, scrape } = harness;
    // Two Prometheis, each every 15 seconds, 7 seconds apart.
    for (let passedMs = 0; passedMs < HOUR_MS; passedMs += 15_000) {
      await scrape();
      clock.advance(7000);
      await scrape();
      clock.advance(8000);
    }
    expect(api.counts).toEqual({
      stations: 1,
      'devices house': 1,
      'devices barn': 1,
      'summary house': 4,
      'summary barn': 4,
      'days house': 4,
      'days barn': 4,
      'years house': 1,
      'years barn': 1,
      'settings-get first': 1,
      'settings-get second': 1,
      'settings-get third': 1,
      'readings first': 60,
      'readings second': 60,
      'readings third': 60,
    });
  });

  test('follow the TTLs that are configured', async () => {
    const harness = createCollection({
      settings: true,
      energy: true,
      lifetimes: {
        readingsTtlMs: 30_000,
        summaryTtlMs: 30 * MINUTE_MS,
        devicesTtlMs: 20 * MINUTE_MS,
        settingsTtlMs: 10 * MINUTE_MS,
      },
    });
    await keepScraping(harness, HOUR_MS, 15_000);
    expect(harness.api.counts).toEqual({
      stations: 3,
      'devices house': 3,
      'summary house': 2,
      'days house': 2,
      'years house': 1,
      'settings-get inverter': 6,
      'readings inverter': 120,
    });
  });

  test('are none when nobody scrapes', async () => {
    const harness = createCollection();
    await harness.scrape();
    const asked = harness.api.questions.length;
    harness.clock.advance(HOUR_MS);
    expect(harness.api.questions).toHaveLength(asked);
  });

  test('are one a minute and device at the most while readings fail', async () => {
    const harness = createCollection({ account: { house: ['broken', 'sound'] } });
    const { api } = harness;
    api.fail('readings broken', 'SERVICE_SERVER_ERROR');
    await keepScraping(harness, HOUR_MS, 1000);
    // 1 + 2 + 4 + 8 + 16 + 32 s, and then every minute: seven in the first 63 s, 58 in the rest.
    expect(api.count('readings broken')).toBe(65);
    expect(api.count('readings sound')).toBe(60);
  });

  test('wait as long as the service asks for', async () => {
    const harness = createCollection();
    harness.api.fail('readings inverter', 'SERVICE_RATE_LIMITED', 10 * MINUTE_MS);
    await keepScraping(harness, HOUR_MS, 15_000);
    expect(harness.api.count('readings inverter')).toBe(6);
    expect(harness.api.count('summary house')).toBe(4);
  });
});
