import { describe, expect, test } from 'vitest';
import type { Question } from '../support/fake-service-api.ts';
import { createCollection, HOUR_MS, MINUTE_MS } from './collection-harness.ts';

describe('last good values', () => {
  // Everything of 'house' that comes of the question, by the beginning of its names.
  test.each<{ question: Question; names: readonly string[]; forMs: number }>([
    {
      question: 'readings inverter',
      names: [
        'solar_pv_',
        'solar_ac_',
        'solar_load_',
        'solar_grid_',
        'solar_interface_',
        'solar_battery_',
        'solar_device_reporting',
        'solar_device_reading_max_age_seconds',
        'solar_device_dialect_info',
        'solar_device_missing_quantities',
        'solar_device_unknown_keys',
      ],
      forMs: 15 * MINUTE_MS,
    },
    {
      question: 'summary house',
      names: ['solar_month_', 'solar_energy_month_'],
      forMs: 30 * MINUTE_MS,
    },
    {
      question: 'days house',
      names: ['solar_energy_today_', 'solar_energy_yesterday_'],
      forMs: 30 * MINUTE_MS,
    },
    {
      question: 'years house',
      names: ['solar_energy_year_', 'solar_energy_lifetime_'],
      forMs: HOUR_MS + 15 * MINUTE_MS,
    },
    {
      question: 'devices house',
      names: ['solar_station_', 'solar_device_info', 'solar_device_listed'],
      forMs: HOUR_MS + 15 * MINUTE_MS,
    },
    {
      question: 'settings-get inverter',
      names: ['solar_device_setting_'],
      forMs: HOUR_MS + 15 * MINUTE_MS,
    },
  ])(
    'of "$question" are served for $forMs ms, and then exactly they are withdrawn',
    async ({ question, names, forMs }) => {
      const { api, scrape, scrapeAfter } = createCollection({ settings: true, energy: true });
      const all = Object.keys(await scrape());
      api.fail(question, 'SERVICE_UNREACHABLE');
      // Keeps everything else fresh.
      expect(Object.keys(await scrapeAfter(forMs - 1))).toEqual(all);
      const left = all.filter((name) => !names.some((start) => name.startsWith(start)));
      expect(left.length).toBeLessThan(all.length);
      expect(Object.keys(await scrapeAfter(1))).toEqual(left);
    },
  );

  test('are withdrawn without anybody asking', async () => {
    const { clock, scrape, names } = createCollection();
    await scrape();
    clock.advance(15 * MINUTE_MS);
    expect(names()).not.toContain('solar_pv_power_watts{house,inverter}');
    expect(names()).toContain('solar_month_solar_ratio{house}');
  });

  test('return with the next success', async () => {
    const { api, scrape, scrapeAfter } = createCollection();
    await scrape();
    api.fail('readings inverter', 'SERVICE_UNREACHABLE');
    await scrapeAfter(HOUR_MS);
    api.recover('readings inverter');
    expect(await scrapeAfter(MINUTE_MS)).toMatchObject({
      'solar_pv_power_watts{house,inverter}': 1500,
    });
  });

  test('are fetched anew at the maximum age when that is shorter than the TTL', async () => {
    const { api, scrape, scrapeAfter } = createCollection({
      lifetimes: { readingsTtlMs: 60_000, maxAgeMs: 20_000 },
    });
    await scrape();
    await scrapeAfter(19_999);
    expect(api.count('readings inverter')).toBe(1);
    expect(await scrapeAfter(1)).toHaveProperty(['solar_pv_power_watts{house,inverter}']);
    expect(api.count('readings inverter')).toBe(2);

    api.hang('readings inverter');
    expect(await scrapeAfter(20_000)).not.toHaveProperty(['solar_pv_power_watts{house,inverter}']);
  });
});
