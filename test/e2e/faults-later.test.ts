import { describe, expect, test } from 'vitest';
import { MINUTE_MS, SECOND_MS, startBoth } from '../doors/house.ts';
import { FAULTS_NOW as NOW } from './fault-matrix/fault-cases.ts';

/** Everything is due every minute, and nothing is served for longer than four. */
const SHORT_LIVES = {
  'cache.readings-ttl': '1m',
  // Years live four times as long.
  'cache.summary-ttl': '15s',
  'cache.devices-ttl': '1m',
  'cache.max-age': '3m',
};

/** Counting asks for readings as well, for itself. */
const NOT_COUNTING = { ...SHORT_LIVES, 'collect.energy': 'false' };

/** A reading is younger than those lives, at any instant. */
const OFTEN = { sampleIntervalMs: 30_000 };

describe('an exporter at work, when', () => {
  test('everything fails, withdraws everything but how it itself is doing, and recovers', async () => {
    const { simulator, scrape, scrapeAfter } = await startBoth({
      now: NOW,
      flags: SHORT_LIVES,
      simulator: OFTEN,
    });
    await scrape();
    simulator.setFault('*', { kind: 'status', status: 502 });
    await scrapeAfter(MINUTE_MS);

    const withdrawn = await scrapeAfter(5 * MINUTE_MS);
    const names = new Set(withdrawn.samples.map(({ name }) => name));
    expect(
      [...names].filter(
        (name) =>
          !/^solar_(up|collector|api|token|session|exporter|config|rea|simulated|log|series)/.test(
            name,
          ),
      ),
      // What was counted up to now stays true, for a day.
    ).toEqual(['solar_device_energy_kwh_total', 'solar_device_energy_gap_seconds_total']);
    expect(withdrawn.value('solar_up')).toBe(0);

    simulator.setFault('*', undefined);
    expect((await scrapeAfter(MINUTE_MS)).value('solar_up')).toBe(1);
  });

  test('some readings of several devices fail, loses those alone', async () => {
    const { simulator, scrape, scrapeAfter, stationId } = await startBoth({
      now: NOW,
      flags: NOT_COUNTING,
      simulator: { ...OFTEN, devicesPerStation: 3 },
    });
    await scrape();
    simulator.setFault('readings', { kind: 'status', status: 500, times: 1 });

    const broken = await scrapeAfter(3 * MINUTE_MS);
    expect(broken.value('solar_up', { station_id: stationId })).toBe(0);
    expect(broken.all('solar_pv_power_watts')).toHaveLength(2);

    const repaired = await scrapeAfter(SECOND_MS);
    expect(repaired.value('solar_up', { station_id: stationId })).toBe(1);
    expect(repaired.all('solar_pv_power_watts')).toHaveLength(3);
    expect(repaired.requests('readings', 'ok')).toBe(6);
  });

  test('it is asked to stay away, stays away so long', async () => {
    const { simulator, scrape, scrapeAfter } = await startBoth({
      now: NOW,
      flags: NOT_COUNTING,
      simulator: OFTEN,
    });
    await scrape();
    const headers = { 'retry-after': '120' };
    simulator.setFault('readings', { kind: 'status', status: 429, headers, times: 1 });
    await scrapeAfter(MINUTE_MS);
    expect(simulator.requests('readings')).toBe(2);

    await scrapeAfter(2 * MINUTE_MS - 1);
    expect(simulator.requests('readings')).toBe(2);
    expect((await scrapeAfter(1)).value('solar_up')).toBe(1);
    expect(simulator.requests('readings')).toBe(3);
  });
});
