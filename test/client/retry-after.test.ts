import { expect, test } from 'vitest';
import { retryAfterMs } from '../../src/client/retry-after.ts';

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
  '',
  ['1', '2'],
  undefined,
])('%j asks for no pause, so that our own holds', (header) => {
  expect(retryAfterMs(header, NOW_MS)).toBeUndefined();
});
