import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatDuration, parseDurationMs } from '../../../src/config/duration.ts';

describe('parseDurationMs', () => {
  test.each([
    ['9.5s', 9500],
    ['1y2w3d4h5m6s7ms', 33_019_506_007],
    ['1m1ms', 60_001],
    ['0s', 0],
    ['0h0m', 0],
    // A positive length below a millisecond is not rounded to zero.
    ['0.1ms', 1],
    ['1.1s', 1100],
  ])('%s lasts %d ms', (text, expected) => {
    expect(parseDurationMs(text)).toBe(expected);
  });

  test.each([
    '',
    ' ',
    '60',
    '-1s',
    's',
    '1 s',
    '1S',
    '1m1h',
    '1s1s',
    '.5s',
    '5.s',
    '1e3s',
    '1h ',
    '1month',
    '9999999999y',
    `${'9'.repeat(400)}s`,
  ])('%j is no duration', (text) => {
    expect(parseDurationMs(text)).toBeUndefined();
  });
});

describe('formatDuration', () => {
  test.each([
    [0, '0s'],
    [1, '1ms'],
    [9500, '9.5s'],
    [5_400_000, '1h30m'],
    [86_400_000 * 7, '1w'],
    [86_400_000 * 90, '90d'],
    [86_400_000 * 365, '1y'],
  ])('%d ms reads %s', (durationMs, expected) => {
    expect(formatDuration(durationMs)).toBe(expected);
  });

  test('every length survives being written and read again', () => {
    fc.assert(
      fc.property(fc.oneof(fc.nat(), fc.maxSafeNat()), (durationMs) => {
        expect(parseDurationMs(formatDuration(durationMs))).toBe(durationMs);
      }),
    );
  });
});
