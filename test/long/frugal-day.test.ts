import { expect, test } from 'vitest';
import { FAMILIES } from '../../src/simulator/families/names.ts';
import { DAY_MS, MINUTE_MS, startBoth } from '../doors/house.ts';
import { MIDNIGHT } from '../doors/resolution.ts';
import { readingRequests } from '../support/reading-requests.ts';

test.each(FAMILIES)(
  'a day of a %s costs hardly more than one request a reading; none comes late, and no value goes away',
  async (family) => {
    const { scrape, clock, simulator } = await startBoth({
      now: MIDNIGHT,
      simulator: { family },
      // Counting asks the same endpoint, for itself.
      flags: { 'collect.energy': 'false' },
    });
    const asked = (): number => readingRequests(simulator);
    await scrape();
    const whileLearning = asked();
    const seen = new Set<number>();
    const addedMs: number[] = [];
    let withdrawn = 0;
    const startedAtMs = clock.nowMs();
    while (clock.nowMs() < startedAtMs + DAY_MS) {
      const page = await scrape();
      const measuredAt = page.value('solar_reading_timestamp_seconds');
      if (measuredAt === undefined || page.value('solar_device_reporting') !== 1) withdrawn += 1;
      else if (!seen.has(measuredAt)) {
        seen.add(measuredAt);
        addedMs.push(clock.nowMs() - measuredAt * 1000);
      }
      clock.advance(MINUTE_MS);
    }
    expect(withdrawn).toBe(0);
    // A reading every five minutes, and the one that was there.
    expect(seen.size).toBeGreaterThanOrEqual(288);
    expect((asked() - whileLearning + 1) / seen.size).toBeLessThanOrEqual(1.15);
    const ascendingMs = addedMs.toSorted((one, other) => one - other);
    expect(ascendingMs[Math.floor(ascendingMs.length / 2)]).toBeLessThanOrEqual(MINUTE_MS);
  },
);
