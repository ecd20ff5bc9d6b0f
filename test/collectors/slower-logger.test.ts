import { describe, expect, test } from 'vitest';
import { MINUTE_MS, SECOND_MS } from './collection-harness.ts';
import { FIRST_READING, scrapeLogger } from './scraped-logger.ts';

/** A logger with a reading every 5 minutes, 4 minutes late; `isLost` goes by the hours since the first scrape. */
function dayWithout(isLost: (hours: number, reading: number) => boolean, isSeries: boolean) {
  const readings = Array.from({ length: 300 }, (_, index) => index);
  const lost = readings.filter((index) => isLost(index / 12, index));
  return scrapeLogger({
    intervalMs: 5 * MINUTE_MS,
    lagMs: 4 * MINUTE_MS,
    phaseMs: 0,
    lost: new Set(lost.map((index) => FIRST_READING + index)),
    isSeries,
    scrapeMs: 30 * SECOND_MS,
    hours: 24,
  });
}

describe.each([true, false])('a device that is answered with a series: %s', (isSeries) => {
  test('goes once when it changes from a reading every 5 minutes to one every 30, and comes back for good', async () => {
    const { changes } = await dayWithout((hours, index) => hours >= 8 && index % 6 !== 0, isSeries);
    const [from, goneAt = 0, backAt = 0] = changes;
    expect(changes).toHaveLength(3);
    expect(from).toBe(0);
    expect(goneAt).toBeGreaterThan(8 * 60 + 15);
    expect(backAt - goneAt).toBeLessThanOrEqual(20);
  });

  test('is asked as promptly as before after an outage', async () => {
    const { addedMs, changes } = await dayWithout((hours) => hours >= 2 && hours < 8, isSeries);
    expect(changes).toHaveLength(3);
    expect(addedMs).toBeLessThanOrEqual(MINUTE_MS);
  });
});
