import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fahrenheitToCelsius, productOf, scaled, sumOf } from '../../../src/model/units.ts';

test('kilowatts become watts, percents a share, and degrees those of Celsius', () => {
  const kilowatts = [0.85, 0.99391, 0.9939100000000001, -1.5];
  expect(kilowatts.map((power) => scaled(power, 3))).toEqual([850, 993.91, 993.91, -1500]);
  expect([0, 93, 55.1, 100].map((percent) => scaled(percent, -2))).toEqual([0, 0.93, 0.551, 1]);
  expect([32, 70, 73.4, 14, 70.25].map(fahrenheitToCelsius)).toEqual([0, 21.1, 23, -10, 21.25]);
});

/** A decimal with so many digits after the point, and the whole number of its last digits. */
const decimals = fc
  .record({ digits: fc.integer({ min: -9_999_999, max: 9_999_999 }), places: fc.nat({ max: 5 }) })
  .map(({ digits, places }) => ({ digits, places, value: shift(digits, -places) }));

/** The number that a person writes so, of which a double has no better one. */
function shift(digits: number, places: number): number {
  return Number(`${digits}e${places}`) + 0;
}

test('a value that is moved by powers of ten keeps its digits', () => {
  fc.assert(
    fc.property(decimals, fc.integer({ min: -6, max: 6 }), ({ digits, places, value }, power) => {
      expect(scaled(value, power) + 0).toBe(shift(digits, power - places));
    }),
  );
});

test('a sum has no digits but those of its parts', () => {
  fc.assert(
    fc.property(fc.array(decimals, { maxLength: 8 }), (parts) => {
      const lastDigits = parts.reduce(
        (sum, { digits, places }) => sum + digits * 10 ** (5 - places),
        0,
      );
      expect(sumOf(parts.map(({ value }) => value))).toBe(shift(lastDigits, -5));
    }),
  );
});

test('a product has no digits but those of its factors', () => {
  fc.assert(
    fc.property(decimals, decimals, (one, other) => {
      // Beyond twelve digits nothing was measured.
      fc.pre(Math.abs(one.digits * other.digits) < 1e12);
      const exact = shift(one.digits * other.digits, -one.places - other.places);
      expect(productOf(one.value, other.value)).toBe(exact);
    }),
  );
});

test.each([NaN, Infinity, -Infinity])('of %d comes nothing that looks measured', (value) => {
  for (const result of [scaled(value, 3), sumOf([value, 1]), productOf(value, 2)])
    expect(Number.isFinite(result)).toBe(false);
});

test('what is longer or larger than values are is scaled all the same', () => {
  expect(scaled(0.1234567, 3)).toBe(123.4567);
  expect(scaled(123_456_789_012, 3)).toBe(123_456_789_012_000);
  expect(scaled(5, -30)).toBe(5e-30);
  expect(sumOf([0.1234567, 0.2])).toBe(0.3234567);
  expect(sumOf([123_456_789_012, 0.5])).toBe(123_456_789_012.5);
  expect(productOf(1e-7, 1e-7)).toBe(0);
});
