import { describe, expect, test } from 'vitest';
import { boundedMs, isBelievable } from '../../src/base/instant.ts';

const LATEST_MS = Date.parse('2200-01-01T00:00:00Z');

describe('a time from outside', () => {
  test.each([
    { at: 0, bounded: 0 },
    { at: Date.UTC(1971, 0), bounded: Date.UTC(1971, 0) },
    { at: Date.UTC(2107, 11, 31), bounded: Date.UTC(2107, 11, 31) },
    { at: LATEST_MS, bounded: LATEST_MS },
  ])('from 1970 to 2199 is believed: $at', ({ at, bounded }) => {
    expect(isBelievable(at)).toBe(true);
    expect(boundedMs(at)).toBe(bounded);
  });

  test.each([
    { at: -1, bounded: 0 },
    { at: -8.64e15, bounded: 0 },
    { at: -Infinity, bounded: 0 },
    { at: LATEST_MS + 1, bounded: LATEST_MS },
    { at: 8.64e15, bounded: LATEST_MS },
    { at: 1e300, bounded: LATEST_MS },
    { at: Infinity, bounded: LATEST_MS },
  ])('outside of them is not: $at', ({ at, bounded }) => {
    expect(isBelievable(at)).toBe(false);
    expect(boundedMs(at)).toBe(bounded);
  });

  test('that is none is not believed', () => {
    expect(isBelievable(Number.NaN)).toBe(false);
  });
});
