import { describe, expect, test } from 'vitest';
import { pauseEndMs } from '../../../src/client/session/pause.ts';
import {
  duringAttempt,
  reasonToWait,
  renewalSucceeded,
  type SavedState,
  type SessionState,
} from '../../../src/client/session/session-state.ts';
import { clockSeen } from '../../../src/client/session/session-time.ts';
import { MINUTE_MS } from '../../support/durations.ts';
import { freshSession } from './session-states.ts';
import { failed, FRESH, NOW_MS, REFUSALS, REFUSED, restarted, TOKENS } from './session-states.ts';

describe.each(REFUSALS)('refusals of $kind', ({ kind, refused, accepted }) => {
  const endMs = (state: SessionState, nowMs: number) => pauseEndMs(state[kind].pause, nowMs);

  test.each([
    { program: 'one program', next: (state: SessionState) => state },
    { program: 'a program that is restarted after each', next: restarted },
  ])('pause for 1 min, 5 min, 30 min, then 2 h, to the millisecond, in $program', ({ next }) => {
    let state = FRESH;
    let nowMs = NOW_MS;
    for (const [index, minutes] of [1, 5, 30, 120, 120].entries()) {
      state = next(refused(state, nowMs));
      const untilMs = nowMs + minutes * MINUTE_MS;
      expect(state[kind].refusals).toBe(index + 1);
      expect(endMs(state, nowMs)).toBe(untilMs);
      expect(endMs(state, untilMs - 1)).toBe(untilMs);
      expect(endMs(state, untilMs)).toBeUndefined();
      nowMs = untilMs;
    }
  });

  test('start at the first pause again after an acceptance', () => {
    const state = accepted(refused(refused(FRESH, NOW_MS), NOW_MS + MINUTE_MS));
    expect(endMs(state, NOW_MS + MINUTE_MS)).toBeUndefined();
    expect(endMs(refused(state, NOW_MS), NOW_MS)).toBe(NOW_MS + MINUTE_MS);
  });

  test('count once for callers that were refused together', () => {
    const state = refused(refused(FRESH, NOW_MS), NOW_MS + 1);
    expect(state[kind].refusals).toBe(1);
    expect(endMs(state, NOW_MS + 1)).toBe(NOW_MS + MINUTE_MS);
  });

  test('last beyond the pause, until an acceptance', () => {
    const state = failed(refused(FRESH, NOW_MS), new Error('a bug'), NOW_MS + MINUTE_MS);
    expect(endMs(state, NOW_MS + MINUTE_MS)).toBeUndefined();
    expect(state[kind].refusals).toBe(1);
    expect(accepted(state)[kind]).toEqual(FRESH[kind]);
  });

  test('pause no longer when the clock is set back', () => {
    const state = clockSeen(refused(FRESH, NOW_MS), 5000);
    expect(endMs(state, 5000)).toBe(5000 + MINUTE_MS);
    expect(endMs(clockSeen(state, 6000), 6000)).toBe(5000 + MINUTE_MS);
    expect(endMs(state, 5000 + MINUTE_MS)).toBeUndefined();
    expect(endMs(state, NOW_MS)).toBe(NOW_MS + MINUTE_MS);
  });
});

describe('an attempt during which the program is killed', () => {
  /** Starts 50 times at one instant, and is killed in each attempt; returns what each attempt saved. */
  function killedAttempts(nowMs: number, first: SavedState = freshSession()): SavedState[] {
    const attempts: SavedState[] = [];
    let saved = first;
    for (let start = 0; start < 50; start += 1) {
      const state = restarted(saved);
      if (reasonToWait(state, nowMs) !== undefined) continue;
      saved = duringAttempt(state, nowMs);
      attempts.push(saved);
    }
    return attempts;
  }

  test('is repeated once, and then counts as refused', () => {
    const [first, second, ...others] = killedAttempts(NOW_MS);
    expect(first?.credentials).toMatchObject({ refusals: 0, unfinished: 1 });
    expect(second?.credentials).toEqual({
      refusals: 1,
      pause: { endsAtMs: NOW_MS + MINUTE_MS, lengthMs: MINUTE_MS },
      unfinished: 2,
    });
    expect(others).toEqual([]);
  });

  test('makes the pauses grow like a refusal', () => {
    let nowMs = NOW_MS;
    let saved = killedAttempts(nowMs).at(-1);
    for (const [over, next] of [
      [1, 5],
      [5, 30],
      [30, 120],
      [120, 120],
    ] as const) {
      nowMs += over * MINUTE_MS;
      expect(saved?.credentials.pause.endsAtMs).toBe(nowMs);
      saved = killedAttempts(nowMs, saved).at(-1);
      expect(saved?.credentials.pause.endsAtMs).toBe(nowMs + next * MINUTE_MS);
    }
  });

  test('continues with the next pause when the service refused before', () => {
    const attempts = killedAttempts(NOW_MS + MINUTE_MS, failed(FRESH, REFUSED));
    expect(attempts).toHaveLength(2);
    expect(attempts.at(-1)?.credentials.pause.endsAtMs).toBe(NOW_MS + 6 * MINUTE_MS);
  });

  test('changes nothing in the program that lives', () => {
    const before = structuredClone(FRESH);
    duringAttempt(FRESH, NOW_MS);
    expect(FRESH).toEqual(before);
  });

  test.each([
    { end: 'refused', ended: (state: SessionState) => failed(state, REFUSED) },
    { end: 'accepted', ended: (state: SessionState) => renewalSucceeded(state, TOKENS) },
    { end: 'unanswered', ended: (state: SessionState) => failed(state, new Error('no answer')) },
    {
      end: 'refused during a pause',
      ended: (state: SessionState) => failed(failed(state, REFUSED), REFUSED),
    },
  ])('is forgotten when the next one is $end', ({ ended }) => {
    const state = restarted(duringAttempt(FRESH, NOW_MS));
    expect(state.credentials.unfinished).toBe(1);
    expect(ended(state).credentials.unfinished).toBe(0);
  });
});
