import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { parse, parseTimestamp } from '../../../src/client/exchange/decode.ts';
import { MAX_VALUES, parseJson } from '../../../src/client/exchange/json.ts';
import { ANSWER } from '../../support/answer.ts';

describe('parseJson', () => {
  test.each<[text: string, expected: unknown]>([
    ['9007199254740993', '9007199254740993'],
    ['-9007199254740993', '-9007199254740993'],
    ['999999999999999', 999_999_999_999_999],
    ['-12.50', -12.5],
    ['0.12345678901234567890', 0.12345678901234568],
    ['12345678901234567890e2', 1.234567890123456789e21],
    ['1e3', 1000],
    ['12345678901234567890.5', 12_345_678_901_234_567_890.5],
    [
      String.raw`{"a\"b: 1234567890123456789":[1234567890123456789, 1]}`,
      { 'a"b: 1234567890123456789': ['1234567890123456789', 1] },
    ],
  ])('reads %s as %j', (text, expected) => {
    expect(parseJson(text)).toEqual(expected);
  });

  test.each(['', '{"code":0', '{"code":0}}', 'NaN'])('refuses %j', (text) => {
    expect(() => parseJson(text)).toThrow('the answer is not JSON');
  });

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
    expect(() => parseJson(mark.repeat(MAX_VALUES))).toThrow('the answer is not JSON');
    expect(() => parseJson(mark.repeat(MAX_VALUES + 1))).toThrow(`more than ${MAX_VALUES} values`);
  });

  test('has one value for each text, however long', () => {
    expect(parseJson(JSON.stringify('x'.repeat(MAX_VALUES * 2)))).toHaveLength(MAX_VALUES * 2);
  });
});

describe('parseTimestamp', () => {
  test.each([
    ['2026-08-24T10:00:00z', '2026-08-24T10:00:00Z'],
    ['2026-08-24T10:00:00.123456Z', '2026-08-24T10:00:00.123Z'],
    ['2026-08-24T18:00:00+08:00', '2026-08-24T10:00:00Z'],
    ['2026-08-24T18:00:00+0800', '2026-08-24T10:00:00Z'],
    ['2026-08-24T06:30:00-03:30', '2026-08-24T10:00:00Z'],
    ['2026-08-24 10:00:00', '2026-08-24T10:00:00Z'],
    ['2026-08-25', '2026-08-25T00:00:00Z'],
  ])('reads %s as %s in every time zone of the machine', (text, utc) => {
    for (const zone of ['UTC', 'America/New_York', 'Asia/Kathmandu']) {
      vi.stubEnv('TZ', zone);
      expect(parseTimestamp(text)).toBe(Date.parse(utc));
    }
  });

  test.each(['', 'tomorrow', '2026-13-01T00:00:00Z', '1787565600000'])('rejects %j', (text) => {
    expect(parseTimestamp(text)).toBeUndefined();
  });
});

test('what does not fit is named by its field, and not by its value', () => {
  const schema = z.object({ payload: z.object({ account: z.number() }) });
  expect(() => parse(schema, { payload: { account: 'user@example.org' } }, ANSWER)).toThrow(
    '/apis/path: unexpected answer: payload.account Invalid input: expected number, received string',
  );
});
