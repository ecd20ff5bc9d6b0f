import { expect, test } from 'vitest';
import { isOver, leftMs, NO_WAIT, shortened, waitFor } from '../../../src/base/wait.ts';
import { HOUR_MS, MINUTE_MS } from '../../support/durations.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const CENTURY_MS = 36_525 * 24 * HOUR_MS;

test.each([0, -CENTURY_MS, CENTURY_MS])(
  'a wait is over at its end, with a clock that is set by %i ms',
  (byMs) => {
    const clock = new FakeClock();
    const wait = waitFor(HOUR_MS, clock);
    clock.misset(byMs);
    clock.advance(HOUR_MS - 1);
    expect([leftMs(wait, clock), isOver(wait, clock)]).toEqual([1, false]);
    clock.advance(1);
    expect([isOver(wait, clock), isOver(NO_WAIT, clock)]).toEqual([true, true]);
  },
);

test('a shortened wait ends so long after its beginning, never later', () => {
  const clock = new FakeClock();
  const wait = waitFor(HOUR_MS, clock);
  clock.advance(10 * MINUTE_MS);
  expect(leftMs(shortened(wait, 15 * MINUTE_MS), clock)).toBe(5 * MINUTE_MS);
  expect(leftMs(shortened(wait, 2 * HOUR_MS), clock)).toBe(50 * MINUTE_MS);
});
