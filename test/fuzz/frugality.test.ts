import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../support/durations.ts';
import { dayOf, medianOf } from '../support/logger-day.ts';
import { FUZZ_TIMEOUT_MS, holds } from './runs.ts';

/** A day of scrapes takes a tenth of a second. */
const COSTS = 20;

/** A logger and a scraper that know nothing of each other. */
const anyMeeting = fc.record({
  minutes: fc.constantFrom(1, 5, 10, 15, 30),
  lagSeconds: fc.integer({ min: 60, max: 720 }),
  phase: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  isSeries: fc.boolean(),
  scrapeSeconds: fc.constantFrom(15, 30, 60),
});

/** Numbers from 0 to 1, one for each reading, that look random. */
const anyScatter = fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), {
  minLength: 101,
  maxLength: 101,
});

describe('a device, whenever its readings come and whenever it is scraped', () => {
  test.each<{
    what: string;
    /** The most requests for a reading. */
    most: number;
    longestMinutes: number;
    /** How late a reading is, by the lag of the device and a number from 0 to 1 of its own. */
    lateMs: (lagMs: number, part: number) => number;
    /** Whether its readings hardly age by waiting for them, and never go away. */
    isFresh?: boolean;
  }>([
    {
      what: 'at most 1.15 requests a reading on its first day, and hardly any age',
      most: 1.15,
      longestMinutes: 30,
      lateMs: (lagMs) => lagMs,
      isFresh: true,
    },
    {
      what: 'at most 1.15 requests a reading while one in thirteen is late, by minutes',
      most: 1.15,
      longestMinutes: 10,
      lateMs: (lagMs, part) => lagMs / 2 + (part < 1 / 13 ? part * 13 * 6 * MINUTE_MS : 0),
    },
    {
      what: 'not much more where nobody could know when its next reading comes',
      most: 1.25,
      longestMinutes: 10,
      lateMs: (_, part) => (1 + 11 * part) * MINUTE_MS,
    },
  ])('costs $what', { timeout: FUZZ_TIMEOUT_MS }, ({ most, longestMinutes, lateMs, isFresh }) => {
    holds(
      fc.property(anyMeeting, anyScatter, (meeting, scatter) => {
        const { minutes, lagSeconds, phase, isSeries, scrapeSeconds } = meeting;
        const { requests, found, addedMs, withdrawn } = dayOf({
          intervalMs: Math.min(minutes, longestMinutes) * MINUTE_MS,
          lagMs: (reading) =>
            lateMs(lagSeconds * SECOND_MS, scatter[reading % scatter.length] ?? 0),
          phaseMs: Math.floor(phase * minutes * MINUTE_MS),
          isSeries,
          scrapeMs: scrapeSeconds * SECOND_MS,
        });
        expect(requests / found).toBeLessThanOrEqual(most);
        if (isFresh !== true) return;
        expect(medianOf(addedMs)).toBeLessThanOrEqual(MINUTE_MS);
        expect(withdrawn).toBe(0);
      }),
      COSTS,
    );
  });
});
