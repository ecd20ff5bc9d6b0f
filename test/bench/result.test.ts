import { describe, expect, test } from 'vitest';
import { atLeast, atMost, exactly, judged, median, quantile } from './result.ts';

const figure = (value: number) => ({ name: 'made up', value, unit: 'ms', detail: '' });
const OK = { isWithin: true, isFarOver: false };
const OVER = { isWithin: false, isFarOver: false };
const FAR = { isWithin: false, isFarOver: true };

describe('a figure and its limit', () => {
  test.each([
    { value: 50, limit: atMost(50), expected: OK },
    { value: 51, limit: atMost(50), expected: OVER },
    { value: 75, limit: atMost(50), expected: OVER },
    { value: 76, limit: atMost(50), expected: FAR },
    { value: 50, limit: atMost(50, 200), expected: OK },
    { value: 300, limit: atMost(50, 200), expected: OVER },
    { value: 301, limit: atMost(50, 200), expected: FAR },
    { value: 0.85, limit: atLeast(0.85), expected: OK },
    { value: 0.84, limit: atLeast(0.85), expected: OVER },
    { value: 0.57, limit: atLeast(0.85), expected: OVER },
    { value: 0.56, limit: atLeast(0.85), expected: FAR },
    { value: 10, limit: exactly(10), expected: OK },
    { value: 11, limit: exactly(10), expected: FAR },
    { value: Number.NaN, limit: atMost(50), expected: FAR },
    { value: Number.NaN, limit: atLeast(0.85), expected: FAR },
  ])('$value is judged by $limit.direction $limit.value', ({ value, limit, expected }) => {
    expect(judged(figure(value), limit)).toMatchObject(expected);
  });

  test('is far over where what else has to be true is not', () => {
    const failed = judged(figure(1), atMost(50), { text: 'all answered', isTrue: false });
    expect(failed).toMatchObject({ ...FAR, limit: '<= 50, and all answered' });
  });
});

test('the median and a quantile are measurements that were made', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(quantile([3, 1, 2], 0.99)).toBe(3);
  expect(median([])).toBeNaN();
});
