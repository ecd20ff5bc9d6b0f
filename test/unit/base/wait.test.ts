import { describe, expect, test } from 'vitest';
import {
  elapsedMs,
  isOver,
  leftMs,
  NO_WAIT,
  startStopwatch,
  waitFor,
} from '../../../src/base/wait.ts';
import { HOUR_MS, MINUTE_MS } from '../../support/durations.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const CENTURY_MS = 36_525 * 24 * HOUR_MS;

describe.each([
  ['right', 0],
  ['set back by a minute', -MINUTE_MS],
  ['set back by a century', -CENTURY_MS],
])('while the clock is %s, a wait', (_how, byMs) => {
  test('is over at its end, and not before', () => {
    const clock = new FakeClock();
    const wait = waitFor(HOUR_MS, clock);
    clock.misset(byMs);
    clock.advance(HOUR_MS - 1);
    expect([leftMs(wait, clock), isOver(wait, clock)]).toEqual([1, false]);
    clock.advance(1);
    expect(isOver(wait, clock)).toBe(true);
  });

  test('that was kept since the clock was right is no longer than its length', () => {
    const clock = new FakeClock();
    const startedAtMs = clock.nowMs() - MINUTE_MS;
    clock.misset(byMs);
    const wait = { stopwatch: startStopwatch(clock, startedAtMs), lengthMs: HOUR_MS };
    expect(leftMs(wait, clock)).toBe(byMs === 0 ? HOUR_MS - MINUTE_MS : HOUR_MS);
    clock.misset(-byMs);
    expect(leftMs(wait, clock)).toBe(HOUR_MS - MINUTE_MS);
  });
});

test('a wait goes on while a machine sleeps, which stops its monotonic clock', () => {
  const clock = new FakeClock();
  const wait = waitFor(HOUR_MS, clock);
  clock.misset(HOUR_MS);
  expect(isOver(wait, clock)).toBe(true);
});

test('a wait keeps its end while the clocks tick a little apart', () => {
  const clock = new FakeClock();
  const wait = waitFor(HOUR_MS, clock);
  clock.advance(MINUTE_MS);
  clock.misset(-1);
  expect(leftMs(wait, clock)).toBe(HOUR_MS - MINUTE_MS + 1);
});

test('no wait is always over, and no time passes backwards', () => {
  const clock = new FakeClock();
  const stopwatch = startStopwatch(clock);
  clock.misset(-2 * CENTURY_MS);
  expect(isOver(NO_WAIT, clock)).toBe(true);
  expect(elapsedMs(stopwatch, clock)).toBe(0);
});
