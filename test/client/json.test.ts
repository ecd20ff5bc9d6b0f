import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson } from '../../src/client/json.ts';

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
