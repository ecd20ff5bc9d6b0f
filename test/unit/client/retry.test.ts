import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { backOffMs, isRetryable, retryAfterMs } from '../../../src/client/exchange/retry.ts';
import { SERVICE_ERROR_CODES, type ServiceErrorCode } from '../../../src/base/errors.ts';

describe('isRetryable', () => {
  const expected: Readonly<Record<ServiceErrorCode, boolean>> = {
    SERVICE_UNREACHABLE: true,
    SERVICE_TIMEOUT: true,
    SERVICE_SERVER_ERROR: true,
    SERVICE_RATE_LIMITED: true,
    SERVICE_BUDGET_USED_UP: true,
    SERVICE_REQUEST_REJECTED: false,
    SERVICE_AUTH_REJECTED: false,
    SERVICE_API_REFUSED: false,
    SERVICE_PAYLOAD_INVALID: false,
  };

  test.each(SERVICE_ERROR_CODES)('decides about %s', (code) => {
    expect(isRetryable(code)).toBe(expected[code]);
  });
});

describe('backOffMs', () => {
  test.each([
    { failures: 1, lowest: 800, middle: 1000, highest: 1200 },
    { failures: 2, lowest: 1600, middle: 2000, highest: 2400 },
    { failures: 3, lowest: 3200, middle: 4000, highest: 4800 },
    { failures: 6, lowest: 25_600, middle: 32_000, highest: 38_400 },
    { failures: 7, lowest: 48_000, middle: 60_000, highest: 60_000 },
    { failures: 5000, lowest: 48_000, middle: 60_000, highest: 60_000 },
  ])(
    'after failure $failures lies between $lowest and $highest ms',
    ({ failures, lowest, middle, highest }) => {
      expect(backOffMs(failures, () => 0)).toBeCloseTo(lowest, 6);
      expect(backOffMs(failures, () => 0.5)).toBe(middle);
      expect(backOffMs(failures, () => 1)).toBeCloseTo(highest, 6);
    },
  );

  test('is never shorter than 0.8 s, longer than 60 s, or shorter after one failure more', () => {
    const random = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000 }), random, (failures, share) => {
        const pauseMs = backOffMs(failures, () => share);
        expect(pauseMs).toBeGreaterThanOrEqual(800);
        expect(pauseMs).toBeLessThanOrEqual(60_000);
        expect(backOffMs(failures + 1, () => share)).toBeGreaterThanOrEqual(pauseMs);
      }),
    );
  });
});

describe('retryAfterMs', () => {
  const NOW_MS = Date.parse('2026-08-24T08:00:00Z');

  test.each([
    { header: '120', expected: 120_000 },
    { header: 'Mon, 24 Aug 2026 08:02:00 GMT', expected: 120_000 },
    { header: '999999999', expected: 86_400_000 },
    { header: 'Tue, 24 Aug 2027 08:00:00 GMT', expected: 86_400_000 },
  ])('"$header" asks for a pause of $expected ms', ({ header, expected }) => {
    expect(retryAfterMs(header, NOW_MS)).toBe(expected);
  });

  test.each([
    '0',
    'Mon, 24 Aug 2026 08:00:00 GMT',
    'Mon, 24 Aug 2026 07:00:00 GMT',
    '1.5',
    '-30',
    'soon',
    '+275760-09-13T00:00:00Z',
    'Sat, 01 Jan 2200 00:00:01 GMT',
    '',
    ['1', '2'],
    undefined,
  ])('%j asks for no pause, so that our own holds', (header) => {
    expect(retryAfterMs(header, NOW_MS)).toBeUndefined();
  });
});
