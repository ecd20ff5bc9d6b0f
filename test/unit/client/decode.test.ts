import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import {
  hasTooManyValues,
  MAX_VALUES,
  parseJson,
  parseTimestamp,
} from '../../../src/client/exchange/decode.ts';

describe('parseJson', () => {
  test.each([
    { text: '100000000000000003', expected: '100000000000000003' },
    { text: '9007199254740993', expected: '9007199254740993' },
    { text: '-9007199254740993', expected: '-9007199254740993' },
    { text: '999999999999999', expected: 999_999_999_999_999 },
    { text: '1787565600000', expected: 1_787_565_600_000 },
    { text: '0', expected: 0 },
    { text: '-12.50', expected: -12.5 },
    { text: '1e3', expected: 1000 },
    { text: '0.12345678901234567890', expected: 0.12345678901234568 },
    { text: '"100000000000000003"', expected: '100000000000000003' },
    { text: 'null', expected: null },
    { text: '12345678901234567890.5', expected: 12_345_678_901_234_567_890.5 },
    { text: '12345678901234567890e2', expected: 1.234567890123456789e21 },
    { text: '0.1234567890123456', expected: 0.1234567890123456 },
    {
      text: String.raw`{"a\"b: 1234567890123456789":[1234567890123456789, 1]}`,
      expected: { 'a"b: 1234567890123456789': ['1234567890123456789', 1] },
    },
    { text: '[true, {}]', expected: [true, {}] },
  ])('reads $text as $expected', ({ text, expected }) => {
    expect(parseJson(text)).toEqual(expected);
  });

  test.each(['', '<html>', '{"code":0', '{"code":0}}', 'NaN', "{'code':0}"])(
    'refuses %j',
    (text) => {
      expect(() => parseJson(text)).toThrow(SyntaxError);
    },
  );

  test('keeps every digit of every integer id', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 80n }), (id) => {
        const { id: read } = parseJson(`{"id":${id.toString()}}`) as { id: unknown };
        expect(String(read)).toBe(id.toString());
      }),
    );
  });

  test('agrees with JSON.parse on everything without long integers', () => {
    const withoutLongIntegers = fc
      .jsonValue()
      .filter((value) => !/\d{15}/.test(JSON.stringify(value)));
    fc.assert(
      fc.property(withoutLongIntegers, (value) => {
        const text = JSON.stringify(value);
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });
});

describe('an answer', () => {
  test.each([',', '[', '{'])('has as many values as it has of %j', (mark) => {
    expect(hasTooManyValues(mark.repeat(MAX_VALUES))).toBe(false);
    expect(hasTooManyValues(mark.repeat(MAX_VALUES + 1))).toBe(true);
  });

  test('has one value for each text, however long', () => {
    expect(hasTooManyValues(JSON.stringify('x'.repeat(MAX_VALUES * 2)))).toBe(false);
  });
});

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
  ])('reads $text as $utc in every time zone of the machine', ({ text, utc }) => {
    for (const zone of ['UTC', 'America/New_York', 'Asia/Kathmandu']) {
      vi.stubEnv('TZ', zone);
      expect(parseTimestamp(text)).toBe(Date.parse(utc));
    }
  });

  test.each(['', 'tomorrow', '2026-13-01T00:00:00Z', '1787565600000'])('rejects %j', (text) => {
    expect(parseTimestamp(text)).toBeUndefined();
  });
});
