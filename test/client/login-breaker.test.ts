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

  test('is refused once by callers that were under way together', () => {
    const breaker = new LoginBreaker();
    breaker.refused(0);
    breaker.refused(1);
    expect(breaker.state.refusals).toBe(1);
    expect(breaker.blockedUntilMs(1)).toBe(MINUTE_MS);
  });

  test('is refused until it is accepted, through the pause and beyond', () => {
    const breaker = new LoginBreaker();
    expect(breaker.isRefused).toBe(false);
    breaker.refused(0);
    expect(breaker.isRefused).toBe(true);
    breaker.unanswered();
    expect(breaker.blockedUntilMs(MINUTE_MS)).toBeUndefined();
    expect(breaker.isRefused).toBe(true);
    breaker.accepted();
    expect(breaker.isRefused).toBe(false);
  });
});

describe('the login breaker after a restart', () => {
  test.each([1, 2, 3, 4, 5])('goes on with the ladder after %d refusals', (refusals) => {
    let breaker = new LoginBreaker();
    let nowMs = 1_000_000;
    for (const pauseMinutes of [1, 5, 30, 120, 120].slice(0, refusals)) {
      breaker.refused(nowMs);
      breaker = new LoginBreaker(breaker.state);
      expect(breaker.isRefused).toBe(true);
      expect(breaker.blockedUntilMs(nowMs)).toBe(nowMs + pauseMinutes * MINUTE_MS);
      nowMs += pauseMinutes * MINUTE_MS;
      expect(breaker.blockedUntilMs(nowMs)).toBeUndefined();
    }
  });

  test('forgets the refusals once it was accepted', () => {
    const breaker = new LoginBreaker();
    breaker.refused(0);
    breaker.accepted();
    expect(new LoginBreaker(breaker.state).state).toEqual(new LoginBreaker().state);
  });
});

describe('an attempt whose end the program does not live to see', () => {
  /** Starts again and again at one moment, and is killed in each attempt; tells how many there were. */
  function killedAttempts(
    starts: number,
    nowMs: number,
    first = new LoginBreaker(),
  ): LoginBreaker[] {
    const attempted: LoginBreaker[] = [];
    let breaker = first;
    for (let start = 0; start < starts; start += 1) {
      if (breaker.blockedUntilMs(nowMs) === undefined) {
        breaker = new LoginBreaker(breaker.stateDuringAttempt(nowMs));
        attempted.push(breaker);
      } else breaker = new LoginBreaker(breaker.state);
    }
    return attempted;
  }

  test('is repeated once, and then counts as refused', () => {
    const [first, second, ...others] = killedAttempts(50, 1_000_000);
    expect(first?.blockedUntilMs(1_000_000)).toBeUndefined();
    expect(second?.blockedUntilMs(1_000_000)).toBe(1_000_000 + MINUTE_MS);
    expect(others).toEqual([]);
  });

  test('makes the pauses grow like a refusal', () => {
    let breaker = killedAttempts(2, 0).at(-1) ?? new LoginBreaker();
    let nowMs = 0;
    for (const [over, next] of [
      [1, 5],
      [5, 30],
      [30, 120],
      [120, 120],
    ] as const) {
      nowMs += over * MINUTE_MS;
      expect(breaker.blockedUntilMs(nowMs - 1)).toBe(nowMs);
      breaker = killedAttempts(50, nowMs, breaker).at(-1) ?? breaker;
      expect(breaker.blockedUntilMs(nowMs)).toBe(nowMs + next * MINUTE_MS);
    }
  });

  test('after a refusal goes on where that left off', () => {
    const refused = new LoginBreaker();
    refused.refused(0);
    const attempted = killedAttempts(50, MINUTE_MS, refused);
    expect(attempted).toHaveLength(2);
    expect(attempted.at(-1)?.blockedUntilMs(MINUTE_MS)).toBe(6 * MINUTE_MS);
  });

  test('changes nothing for the program that lives', () => {
    const breaker = new LoginBreaker();
    breaker.stateDuringAttempt(0);
    breaker.stateDuringAttempt(0);
    expect(breaker.state).toEqual(new LoginBreaker().state);
  });

  test.each(['refused', 'accepted', 'unanswered'] as const)(
    'is forgotten when the next one is %s',
    (end) => {
      const [breaker = new LoginBreaker()] = killedAttempts(1, 0);
      expect(breaker.state.unfinished).toBe(1);
      breaker[end](0);
      expect(breaker.state.unfinished).toBe(0);
    },
  );
});
