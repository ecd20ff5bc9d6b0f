import { describe, expect, test } from 'vitest';
import {
  NO_PAUSE,
  type Pause,
  pauseEndMs,
  pauseFor,
  withClockSeen,
} from '../../../src/client/session/pause.ts';

const BEGAN_AT_MS = Date.parse('2026-08-24T08:00:00Z');
const LENGTH_MS = 7_200_000;
const ENDS_AT_MS = BEGAN_AT_MS + LENGTH_MS;
/** What a machine without a battery clock shows until it learns the time. */
const IN_1970_MS = 5000;
const BEGUN = pauseFor(LENGTH_MS, BEGAN_AT_MS);

/** The pause after the clock was read at each of these times. */
function seenAt(...timesMs: readonly number[]): Pause {
  return timesMs.reduce(withClockSeen, BEGUN);
}

describe('a pause', () => {
  test.each([
    { what: 'that never began, in 1970', pause: NO_PAUSE, atMs: 0, endMs: undefined },
    { what: 'that never began, today', pause: NO_PAUSE, atMs: BEGAN_AT_MS, endMs: undefined },
    { what: 'at its beginning', pause: BEGUN, atMs: BEGAN_AT_MS, endMs: ENDS_AT_MS },
    { what: 'just before its end', pause: BEGUN, atMs: ENDS_AT_MS - 1, endMs: ENDS_AT_MS },
    { what: 'at its end', pause: BEGUN, atMs: ENDS_AT_MS, endMs: undefined },
    { what: 'a year later', pause: BEGUN, atMs: ENDS_AT_MS + 365 * 86_400_000, endMs: undefined },
  ])('$what ends at $endMs', ({ pause, atMs, endMs }) => {
    expect(pauseEndMs(pause, atMs)).toBe(endMs);
    expect(pauseEndMs(withClockSeen(pause, atMs), atMs)).toBe(endMs);
  });

  test('is the same value as long as no clock is set back', () => {
    expect(seenAt(BEGAN_AT_MS, BEGAN_AT_MS + 1, ENDS_AT_MS)).toBe(BEGUN);
  });
});

describe('a pause whose clock is set back', () => {
  const AFTER_SET_BACK_MS = IN_1970_MS + LENGTH_MS;

  test.each([
    { when: 'at once', seen: [], atMs: IN_1970_MS, endMs: AFTER_SET_BACK_MS },
    {
      when: 'just before the end by that clock',
      seen: [IN_1970_MS],
      atMs: AFTER_SET_BACK_MS - 1,
      endMs: AFTER_SET_BACK_MS,
    },
    {
      when: 'at the end by that clock',
      seen: [IN_1970_MS],
      atMs: AFTER_SET_BACK_MS,
      endMs: undefined,
    },
    {
      when: 'twice, first by half a century',
      seen: [365 * 86_400_000, IN_1970_MS],
      atMs: AFTER_SET_BACK_MS - 1,
      endMs: AFTER_SET_BACK_MS,
    },
    {
      when: 'twice, at the end by that clock',
      seen: [365 * 86_400_000, IN_1970_MS],
      atMs: AFTER_SET_BACK_MS,
      endMs: undefined,
    },
    {
      when: 'and put right meanwhile',
      seen: [IN_1970_MS],
      atMs: BEGAN_AT_MS + 60_000,
      endMs: ENDS_AT_MS,
    },
    {
      when: 'and put right just before the real end',
      seen: [IN_1970_MS],
      atMs: ENDS_AT_MS - 1,
      endMs: ENDS_AT_MS,
    },
    {
      when: 'and put right at the real end',
      seen: [IN_1970_MS],
      atMs: ENDS_AT_MS,
      endMs: undefined,
    },
  ])('is no longer than it was: $when', ({ seen, atMs, endMs }) => {
    expect(pauseEndMs(seenAt(...seen), atMs)).toBe(endMs);
  });

  test('keeps its real end', () => {
    expect(seenAt(IN_1970_MS)).toMatchObject({ endsAtMs: ENDS_AT_MS, lengthMs: LENGTH_MS });
  });

  test('does not count a later time as the first one', () => {
    const seen = seenAt(IN_1970_MS);
    expect(withClockSeen(seen, IN_1970_MS + 1000)).toBe(seen);
  });
});
