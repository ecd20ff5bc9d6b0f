import { describe, expect, test } from 'vitest';
import {
  elapsedMs,
  endMs,
  isOver,
  NO_WAIT,
  waitFor,
  wasSetBack,
} from '../../src/base/not-before.ts';

const NOW_MS = Date.parse('2026-08-24T08:00:00Z');
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const CENTURY_MS = 36_525 * 24 * HOUR_MS;

describe('a wait of an hour', () => {
  const wait = waitFor(HOUR_MS, NOW_MS);

  test.each([
    { when: 'at once', afterMs: 0, over: false },
    { when: 'just before its end', afterMs: HOUR_MS - 1, over: false },
    { when: 'at its end', afterMs: HOUR_MS, over: true },
    { when: 'after the clock jumped ahead', afterMs: CENTURY_MS, over: true },
    { when: 'after the clock was adjusted by a minute', afterMs: -MINUTE_MS, over: false },
    { when: 'after the clock was set back by more', afterMs: -MINUTE_MS - 1, over: true },
    { when: 'after the clock was set back by a century', afterMs: -CENTURY_MS, over: true },
  ])('$when is over: $over', ({ afterMs, over }) => {
    expect(isOver(wait, NOW_MS + afterMs)).toBe(over);
    expect(wasSetBack(NOW_MS, NOW_MS + afterMs)).toBe(over && afterMs < 0);
  });
});

test.each([1, 1000, MINUTE_MS, HOUR_MS, CENTURY_MS])(
  'a wait of %i ms lasts at most twice as long, and at most a minute longer',
  (lengthMs) => {
    const wait = waitFor(lengthMs, NOW_MS);
    const steps = [0, 1, 500, 1000, 30_000, MINUTE_MS, HOUR_MS, CENTURY_MS];
    const longestMs = Math.max(...steps.map((stepMs) => lengthOf(wait, NOW_MS - stepMs)));
    expect(longestMs).toBeLessThanOrEqual(Math.min(2 * lengthMs, lengthMs + MINUTE_MS));
  },
);

/** How long a wait still lasts by a clock that shows this. */
function lengthOf(wait: ReturnType<typeof waitFor>, nowMs: number): number {
  return Math.max(0, endMs(wait, nowMs) - nowMs);
}

test('a wait that is over stays over', () => {
  for (const nowMs of [-CENTURY_MS, 0, NOW_MS]) expect(isOver(NO_WAIT, nowMs)).toBe(true);
});

test('a wait without an end ends when the clock is set back', () => {
  const wait = { endsAtMs: Infinity, setAtMs: NOW_MS };
  expect(isOver(wait, NOW_MS + CENTURY_MS)).toBe(false);
  expect(isOver(wait, NOW_MS - HOUR_MS)).toBe(true);
});

test('nothing took less than no time', () => {
  expect(elapsedMs(NOW_MS, NOW_MS + 5)).toBe(5);
  expect(elapsedMs(NOW_MS, NOW_MS - 5)).toBe(0);
});
