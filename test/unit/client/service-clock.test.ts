import { describe, expect, test } from 'vitest';
import { ServiceClock } from '../../../src/client/exchange/service-clock.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { HOUR_MS, MINUTE_MS } from '../../support/durations.ts';

function createServiceClock() {
  const clock = new FakeClock();
  const serviceClock = new ServiceClock(clock);
  /** Observes an answer of a service whose clock is this far ahead of ours. */
  const observe = (aheadMs: number) => serviceClock.observe(clock.nowMs() + aheadMs);
  return { clock, serviceClock, observe };
}

describe("the service's clock", () => {
  test.each([
    [MINUTE_MS, 0],
    [-MINUTE_MS - 1, -MINUTE_MS - 1],
  ])('that dates an answer %i ms ahead is %i ms ahead, and advances', (aheadMs, expected) => {
    const { clock, serviceClock, observe } = createServiceClock();
    observe(aheadMs);
    clock.advance(5000);
    expect(serviceClock.nowMs()).toBe(clock.nowMs() + expected);
  });

  test('is the one closest to ours until answers agree', () => {
    const { serviceClock, observe } = createServiceClock();
    observe(2 * HOUR_MS);
    observe(-HOUR_MS);
    expect(serviceClock.aheadMs).toBe(-HOUR_MS);
    observe(0);
    expect(serviceClock.aheadMs).toBe(0);
  });

  test.each([
    ['nothing with two answers', [30, 30], 0],
    ['nothing while answers disagree', [30, 0, 30, 0, 30, 30, 0, 30], 0],
    ['nothing while answers are wrong in turn', [30, 90, 150], 0],
    ['with the third answer that agrees', [30, 30, 30], 30],
    ['with answers that agree to the minute', [30.5, 30, 29.5], 30],
    ['back with the third answer', [30, 30, 30, 0, 0, 0], 0],
    ['not back before', [30, 30, 30, 0, 0], 30],
  ])('changes %s', (_what, answers, expected) => {
    const { serviceClock, observe } = createServiceClock();
    for (const minutes of [0, 0, 0, ...answers]) observe(minutes * MINUTE_MS);
    expect(serviceClock.aheadMs).toBe(expected * MINUTE_MS);
  });
});
