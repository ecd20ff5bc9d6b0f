import { expect, test } from 'vitest';
import { greatestOf, leastBy, leastOf } from '../../../src/model/extremes.ts';

test.each([
  { values: [3, -1, 2], least: -1, greatest: 3 },
  { values: [7], least: 7, greatest: 7 },
  { values: [], least: Infinity, greatest: -Infinity },
  { values: [Number.NaN, 1], least: Number.NaN, greatest: Number.NaN },
])('of $values, $least is the least and $greatest the greatest', ({ values, least, greatest }) => {
  expect(leastOf(values)).toBe(least);
  expect(leastBy(values, (value) => value)).toBe(least);
  expect(greatestOf(values)).toBe(greatest);
});

test('more numbers than a function takes arguments are no error', () => {
  const many = Array.from({ length: 500_000 }, (_, index) => index);
  expect(() => Math.min(...many)).toThrow(RangeError);
  expect([leastOf(many), greatestOf(many)]).toEqual([0, 499_999]);
});
