import { describe, expect, test } from 'vitest';
import { Pause } from '../../src/client/pause.ts';

const BEGAN_AT_MS = Date.parse('2026-08-24T08:00:00Z');
const LENGTH_MS = 7_200_000;
const ENDS_AT_MS = BEGAN_AT_MS + LENGTH_MS;
/** What a machine without a battery clock takes for the time until somebody tells it. */
const IN_1970_MS = 5000;

function begun(): Pause {
  const pause = new Pause();
  pause.begin(LENGTH_MS, BEGAN_AT_MS);
  return pause;
}

describe('a pause', () => {
  test('that never began is over', () => {
    expect(new Pause().endsAtMs(0)).toBeUndefined();
    expect(new Pause().endsAtMs(BEGAN_AT_MS)).toBeUndefined();
  });

  test.each([
    { when: 'at its beginning', atMs: BEGAN_AT_MS, endsAtMs: ENDS_AT_MS },
    { when: 'a millisecond before its end', atMs: ENDS_AT_MS - 1, endsAtMs: ENDS_AT_MS },
    { when: 'at its end', atMs: ENDS_AT_MS, endsAtMs: undefined },
    { when: 'a year later', atMs: ENDS_AT_MS + 365 * 86_400_000, endsAtMs: undefined },
  ])('ends at $endsAtMs, seen $when', ({ atMs, endsAtMs }) => {
    expect(begun().endsAtMs(atMs)).toBe(endsAtMs);
    expect(new Pause(begun().state).endsAtMs(atMs)).toBe(endsAtMs);
  });

  test('begins anew, longer or shorter', () => {
    const pause = begun();
    pause.begin(1000, BEGAN_AT_MS + 1);
    expect(pause.endsAtMs(BEGAN_AT_MS + 1)).toBe(BEGAN_AT_MS + 1001);
    pause.begin(0, 0);
    expect(pause.endsAtMs(BEGAN_AT_MS)).toBeUndefined();
  });
});

describe('a pause and a clock that is set back', () => {
  test('is no longer than it was, however far', () => {
    const pause = begun();
    expect(pause.endsAtMs(IN_1970_MS)).toBe(IN_1970_MS + LENGTH_MS);
    expect(pause.endsAtMs(IN_1970_MS + LENGTH_MS - 1)).toBe(IN_1970_MS + LENGTH_MS);
    expect(pause.endsAtMs(IN_1970_MS + LENGTH_MS)).toBeUndefined();
  });

  test('is no longer than it was after a restart, either', () => {
    const pause = new Pause(begun().state);
    expect(pause.endsAtMs(IN_1970_MS)).toBe(IN_1970_MS + LENGTH_MS);
    expect(pause.endsAtMs(IN_1970_MS + LENGTH_MS)).toBeUndefined();
  });

  test('is no longer than it was when it is set back twice', () => {
    const pause = begun();
    pause.endsAtMs(365 * 86_400_000);
    expect(pause.endsAtMs(IN_1970_MS)).toBe(IN_1970_MS + LENGTH_MS);
    expect(pause.endsAtMs(IN_1970_MS + LENGTH_MS)).toBeUndefined();
  });

  test('lasts to its real end when the clock is put right meanwhile', () => {
    const pause = new Pause(begun().state);
    pause.endsAtMs(IN_1970_MS);
    expect(pause.endsAtMs(BEGAN_AT_MS + 60_000)).toBe(ENDS_AT_MS);
    expect(pause.endsAtMs(ENDS_AT_MS - 1)).toBe(ENDS_AT_MS);
    expect(pause.endsAtMs(ENDS_AT_MS)).toBeUndefined();
  });

  test('is kept as it began for the next restart', () => {
    const pause = begun();
    pause.endsAtMs(IN_1970_MS);
    expect(pause.state).toEqual({ endsAtMs: ENDS_AT_MS, lengthMs: LENGTH_MS });
  });
});
