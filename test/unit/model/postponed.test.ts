import { describe, expect, test } from 'vitest';
import {
  postponedUntil,
  type RequestTerms,
  wantedPerSecond,
} from '../../../src/model/postponed.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../support/durations.ts';

/** A device, every minute. */
const WANTED = 1 / 60;

/** Returns when a question is due that would be due at a time. */
function postponed(sinceMs: number, dueAtMs: number, terms: RequestTerms): number {
  return Math.max(dueAtMs, postponedUntil(sinceMs, dueAtMs - sinceMs, terms));
}

/** How long after midnight a question is due that was asked at midnight, in minutes. */
function dueAfter(terms: Partial<RequestTerms>, waitMs = MINUTE_MS): number {
  return postponed(0, waitMs, { wantedPerSecond: WANTED, ...terms }) / MINUTE_MS;
}

describe('a question', () => {
  test('is due as ever where nothing limits it, and where the limits do for all', () => {
    expect(dueAfter({})).toBe(1);
    expect(dueAfter({ ratePerSecond: 1 })).toBe(1);
    expect(dueAfter({ budget: { requests: 5000, resetsAtMs: DAY_MS } })).toBe(1);
    expect(dueAfter({ wantedPerSecond: 0, budget: { requests: 1, resetsAtMs: DAY_MS } })).toBe(1);
  });

  test('waits as many times longer as more is wanted than the rate allows', () => {
    expect(dueAfter({ wantedPerSecond: 1.9, ratePerSecond: 1 })).toBeCloseTo(2);
    expect(dueAfter({ wantedPerSecond: 9.5, ratePerSecond: 1 }, HOUR_MS)).toBeCloseTo(600);
  });

  test('waits so long that a budget lasts until it is renewed', () => {
    // 288 questions of a day are one every five minutes.
    const dueAtMinute = dueAfter({ budget: { requests: 288, resetsAtMs: DAY_MS } });
    expect(dueAtMinute).toBeGreaterThan(4.9);
    expect(dueAtMinute).toBeLessThan(5);
  });

  test('waits until a budget that is used up is renewed, unless a clock was set past that', () => {
    for (const requests of [0, -5]) {
      const terms = { wantedPerSecond: 1, budget: { requests, resetsAtMs: DAY_MS } };
      expect(postponed(HOUR_MS, HOUR_MS + MINUTE_MS, terms)).toBe(DAY_MS);
      expect(postponed(2 * DAY_MS, 2 * DAY_MS + 5, terms)).toBe(2 * DAY_MS + 5);
    }
  });

  test('that was due before it was asked is not asked all the time', () => {
    const budget = { requests: 288, resetsAtMs: DAY_MS };
    const dueAtMs = postponed(HOUR_MS, 0, { wantedPerSecond: WANTED, budget });
    expect(dueAtMs).toBeGreaterThan(HOUR_MS + 4 * MINUTE_MS);
  });
});

describe('what is wanted', () => {
  // Readings every five minutes, which count as if they were asked for every minute.
  const wishes = { othersPerSecond: 2, readingsPerSecond: 1, weightedPerSecond: 5 };

  /** How much longer the intervals of everything else are, and what is asked for then. */
  function stretched(allowedPerSecond: number): readonly [ratio: number, perSecond: number] {
    const ratio = wantedPerSecond(wishes, allowedPerSecond) / allowedPerSecond;
    const perSecond = 2 / Math.max(1, ratio) + Math.min(1, 5 / ratio);
    return [ratio, perSecond];
  }

  test('is all where it is allowed', () => {
    expect(wantedPerSecond(wishes, 3)).toBe(3);
    expect(wantedPerSecond(wishes, Infinity)).toBe(3);
  });

  test('leaves readings alone until everything else waits as much longer as they count', () => {
    expect(stretched(2)).toEqual([2, 2]);
    expect(stretched(1.5)).toEqual([4, 1.5]);
    expect(stretched(1.4)[0]).toBeCloseTo(5);
  });

  test('is as much as is counted where less is allowed', () => {
    expect(stretched(1.2)[0]).toBeCloseTo(7 / 1.2);
    expect(stretched(1.2)[1]).toBeCloseTo(1.2);
    expect(stretched(0.7)).toEqual([10, 0.7]);
    expect(wantedPerSecond(wishes, 0)).toBe(7);
  });

  test.each([3, 2, 0.5, 0])(
    'is everything where readings count once, of which %d is allowed',
    (allowed) => {
      expect(wantedPerSecond({ ...wishes, weightedPerSecond: 1 }, allowed)).toBeCloseTo(3);
    },
  );
});
