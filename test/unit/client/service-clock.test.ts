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
  test('equals our clock before any answer', () => {
    const { clock, serviceClock } = createServiceClock();
    expect(serviceClock.aheadMs).toBe(0);
    expect(serviceClock.nowMs()).toBe(clock.nowMs());
  });

  test.each([
    { aheadMs: 0, expected: 0 },
    { aheadMs: 999, expected: 0 },
    { aheadMs: -30_000, expected: 0 },
    { aheadMs: MINUTE_MS, expected: 0 },
    { aheadMs: -MINUTE_MS, expected: 0 },
    { aheadMs: MINUTE_MS + 1, expected: MINUTE_MS + 1 },
    { aheadMs: -MINUTE_MS - 1, expected: -MINUTE_MS - 1 },
    { aheadMs: 2 * HOUR_MS, expected: 2 * HOUR_MS },
    { aheadMs: -9000 * HOUR_MS, expected: -9000 * HOUR_MS },
  ])('that dates an answer $aheadMs ms ahead is $expected ms ahead', ({ aheadMs, expected }) => {
    const { clock, serviceClock, observe } = createServiceClock();
    observe(aheadMs);
    expect(serviceClock.aheadMs).toBe(expected);
    expect(serviceClock.nowMs()).toBe(clock.nowMs() + expected);
  });

  test('advances between answers', () => {
    const { clock, serviceClock, observe } = createServiceClock();
    observe(HOUR_MS);
    const nowMs = serviceClock.nowMs();
    clock.advance(5000);
    expect(serviceClock.nowMs()).toBe(nowMs + 5000);
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
    { what: 'nothing with one answer', answers: [30], expected: 0 },
    { what: 'nothing with two answers', answers: [30, 30], expected: 0 },
    { what: 'nothing while answers disagree', answers: [30, 0, 30, 0, 30, 30, 0, 30], expected: 0 },
    { what: 'nothing while answers are wrong in turn', answers: [30, 90, 150], expected: 0 },
    { what: 'with the third answer that agrees', answers: [30, 30, 30], expected: 30 },
    { what: 'with answers that agree to the minute', answers: [30.5, 30, 29.5], expected: 30 },
    { what: 'back with the third answer', answers: [30, 30, 30, 0, 0, 0], expected: 0 },
    { what: 'not back before', answers: [30, 30, 30, 0, 0], expected: 30 },
  ])('changes $what', ({ answers, expected }) => {
    const { serviceClock, observe } = createServiceClock();
    for (let answer = 0; answer < 3; answer += 1) observe(0);
    for (const minutes of answers) observe(minutes * MINUTE_MS);
    expect(serviceClock.aheadMs).toBe(expected * MINUTE_MS);
  });

  test('equals our clock again when ours is corrected', () => {
    const { clock, serviceClock, observe } = createServiceClock();
    observe(HOUR_MS);
    const serviceNowMs = serviceClock.nowMs();
    clock.advance(HOUR_MS);
    serviceClock.observe(serviceNowMs);
    expect(serviceClock.aheadMs).toBe(0);
  });
});
