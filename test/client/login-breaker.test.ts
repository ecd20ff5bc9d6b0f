import { describe, expect, test } from 'vitest';
import { LoginBreaker } from '../../src/client/login-breaker.ts';

const MINUTE_MS = 60_000;

describe('the login breaker', () => {
  test('allows the first attempt', () => {
    expect(new LoginBreaker().blockedUntilMs(0)).toBeUndefined();
  });

  test('blocks 1 min, 5 min, 30 min, then 2 h, to the millisecond', () => {
    const breaker = new LoginBreaker();
    let nowMs = 1_000_000;
    for (const pauseMinutes of [1, 5, 30, 120, 120]) {
      breaker.refused(nowMs);
      const untilMs = nowMs + pauseMinutes * MINUTE_MS;
      expect(breaker.blockedUntilMs(nowMs)).toBe(untilMs);
      expect(breaker.blockedUntilMs(untilMs - 1)).toBe(untilMs);
      expect(breaker.blockedUntilMs(untilMs)).toBeUndefined();
      nowMs = untilMs;
    }
  });

  test('starts at the first pause again after an acceptance', () => {
    const breaker = new LoginBreaker();
    breaker.refused(0);
    breaker.refused(0);
    breaker.accepted();
    expect(breaker.blockedUntilMs(0)).toBeUndefined();
    breaker.refused(0);
    expect(breaker.blockedUntilMs(0)).toBe(MINUTE_MS);
  });
});
