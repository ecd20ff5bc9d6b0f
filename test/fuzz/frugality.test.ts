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
  test(
    'costs at most 1.15 requests a reading on its first day, and hardly any age, and never goes away',
    () => {
      holds(
        fc.property(anyMeeting, ({ minutes, lagSeconds, phase, isSeries, scrapeSeconds }) => {
          const { requests, found, addedMs, withdrawn } = dayOf({
            intervalMs: minutes * MINUTE_MS,
            lagMs: lagSeconds * SECOND_MS,
            phaseMs: Math.floor(phase * minutes * MINUTE_MS),
            isSeries,
            scrapeMs: scrapeSeconds * SECOND_MS,
          });
          expect(requests / found).toBeLessThanOrEqual(1.15);
          expect(medianOf(addedMs)).toBeLessThanOrEqual(MINUTE_MS);
          expect(withdrawn).toBe(0);
        }),
        COSTS,
      );
    },
    FUZZ_TIMEOUT_MS,
  );

  test(
    'costs at most 1.15 requests a reading while one in thirteen is late, by minutes',
    () => {
      holds(
        fc.property(
          anyMeeting,
          anyScatter,
          ({ minutes, lagSeconds, phase, isSeries, scrapeSeconds }, scatter) => {
            const lateMs = (reading: number): number => {
              const part = (scatter[reading % scatter.length] ?? 0) * 13;
              return part < 1 ? part * 6 * MINUTE_MS : 0;
            };
            const { requests, found } = dayOf({
              intervalMs: Math.min(minutes, 10) * MINUTE_MS,
              lagMs: (reading) => (lagSeconds / 2) * SECOND_MS + lateMs(reading),
              phaseMs: Math.floor(phase * minutes * MINUTE_MS),
              isSeries,
              scrapeMs: scrapeSeconds * SECOND_MS,
            });
            expect(requests / found).toBeLessThanOrEqual(1.15);
          },
        ),
        COSTS,
      );
    },
    FUZZ_TIMEOUT_MS,
  );

  test(
    'is not asked much more often where nobody could know when its next reading comes',
    () => {
      holds(
        fc.property(
          anyMeeting,
          anyScatter,
          ({ minutes, phase, isSeries, scrapeSeconds }, scatter) => {
            const { requests, found } = dayOf({
              intervalMs: Math.min(minutes, 10) * MINUTE_MS,
              lagMs: (reading) => (1 + 11 * (scatter[reading % scatter.length] ?? 0)) * MINUTE_MS,
              phaseMs: Math.floor(phase * minutes * MINUTE_MS),
              isSeries,
              scrapeMs: scrapeSeconds * SECOND_MS,
            });
            expect(requests / found).toBeLessThanOrEqual(1.25);
          },
        ),
        COSTS,
      );
    },
    FUZZ_TIMEOUT_MS,
  );
});
