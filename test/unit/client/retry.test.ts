import { describe, expect, test } from 'vitest';
import {
  askedPauseMs,
  backOffMs,
  isRetryable,
  retryAfterMs,
} from '../../../src/client/exchange/retry.ts';
import { SERVICE_ERROR_CODES } from '../../../src/base/errors.ts';

test('what fails by itself may succeed by itself, and a refusal may not', () => {
  expect(SERVICE_ERROR_CODES.filter(isRetryable)).toEqual([
    'SERVICE_UNREACHABLE',
    'SERVICE_TIMEOUT',
    'SERVICE_SERVER_ERROR',
    'SERVICE_BLOCKED',
    'SERVICE_RATE_LIMITED',
  ]);
});

describe('backOffMs', () => {
  test.each([
    [1, 800, 1000, 1200],
    [3, 3200, 4000, 4800],
    [6, 25_600, 32_000, 38_400],
    [7, 48_000, 60_000, 60_000],
    [5000, 48_000, 60_000, 60_000],
  ])('after failure %i is at least %i ms, about %i ms, at most %i ms', (failures, ...expected) => {
    const pausesMs = [0, 0.5, 1].map((share) => backOffMs(failures, () => share));
    expect(pausesMs.map((pauseMs) => Math.round(pauseMs))).toEqual(expected);
  });
});

describe('retryAfterMs', () => {
  const NOW_MS = Date.parse('2026-08-24T08:00:00Z');

  test.each([
    ['120', 120_000],
    ['Mon, 24 Aug 2026 08:02:00 GMT', 120_000],
    ['999999999', 900_000],
    ['Tue, 24 Aug 2027 08:00:00 GMT', 900_000],
  ])('"%s" asks for a pause of %i ms', (header, expected) => {
    expect(retryAfterMs(header, NOW_MS)).toBe(expected);
  });

  test('may ask for more, which is said', () => {
    expect(askedPauseMs('999999999', NOW_MS)).toBe(999_999_999_000);
  });

  test.each([
    '0',
    'Mon, 24 Aug 2026 07:00:00 GMT',
    '1.5',
    'soon',
    '+275760-09-13T00:00:00Z',
    'Sat, 01 Jan 2200 00:00:01 GMT',
    ['1', '2'],
    undefined,
  ])('%j asks for no pause, so that our own holds', (header) => {
    expect(retryAfterMs(header, NOW_MS)).toBeUndefined();
  });
});
