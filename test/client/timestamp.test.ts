import { describe, expect, test, vi } from 'vitest';
import { parseTimestamp } from '../../src/client/timestamp.ts';

describe('parseTimestamp', () => {
  test.each([
    { text: '2026-08-24T10:00:00Z', utc: '2026-08-24T10:00:00Z' },
    { text: '2026-08-24T10:00:00z', utc: '2026-08-24T10:00:00Z' },
    { text: '2026-08-24T10:00:00.250Z', utc: '2026-08-24T10:00:00.250Z' },
    { text: '2026-08-24T10:00:00.123456Z', utc: '2026-08-24T10:00:00.123Z' },
    { text: '2026-08-24T18:00:00+08:00', utc: '2026-08-24T10:00:00Z' },
    { text: '2026-08-24T18:00:00+0800', utc: '2026-08-24T10:00:00Z' },
    { text: '2026-08-24T06:30:00-03:30', utc: '2026-08-24T10:00:00Z' },
    { text: '2026-08-24T10:00:00', utc: '2026-08-24T10:00:00Z' },
    { text: '2026-08-24T10:00:00.5', utc: '2026-08-24T10:00:00.500Z' },
    { text: '2026-08-24T10:00', utc: '2026-08-24T10:00:00Z' },
    { text: '2026-08-24 10:00:00', utc: '2026-08-24T10:00:00Z' },
    { text: '2026-08-24 10:00:00Z', utc: '2026-08-24T10:00:00Z' },
    { text: '2026-08-24 18:00:00+08:00', utc: '2026-08-24T10:00:00Z' },
    { text: '2026-08-25', utc: '2026-08-25T00:00:00Z' },
  ])('reads $text as $utc, wherever the machine stands', ({ text, utc }) => {
    for (const zone of ['UTC', 'America/New_York', 'Asia/Kathmandu']) {
      vi.stubEnv('TZ', zone);
      expect(parseTimestamp(text)).toBe(Date.parse(utc));
    }
  });

  test.each(['', 'tomorrow', '2026-13-01T00:00:00Z', '1787565600000'])(
    'takes %j for no timestamp',
    (text) => {
      expect(parseTimestamp(text)).toBeUndefined();
    },
  );
});
