import { expect, test } from 'vitest';
import { RecentMap } from '../../src/base/recent-map.ts';

test('holds at most so many entries, of which the one that was used longest ago goes', () => {
  const map = new RecentMap<string, number>(3);
  for (const [index, key] of ['a', 'b', 'c'].entries()) map.set(key, index);
  expect(map.get('a')).toBe(0);
  map.set('b', 5);
  map.set('d', 3);
  expect(map.size).toBe(3);
  expect(map.get('c')).toBeUndefined();
  expect([map.get('a'), map.get('b'), map.get('d')]).toEqual([0, 5, 3]);
});

test('makes a value once, and again when it is gone', () => {
  const map = new RecentMap<number, string>(2);
  const made: number[] = [];
  const valueOf = (key: number): string =>
    map.getOrMake(key, () => {
      made.push(key);
      return `value ${key}`;
    });
  expect([1, 1, 2, 1, 3, 1, 2].map(valueOf)).toEqual(
    [1, 1, 2, 1, 3, 1, 2].map((key) => `value ${key}`),
  );
  expect(made).toEqual([1, 2, 3, 2]);
  map.delete(1);
  valueOf(1);
  expect(made).toEqual([1, 2, 3, 2, 1]);
});

test('stays as small however many keys there are', () => {
  const map = new RecentMap<number, number>(10);
  for (let key = 0; key < 10_000; key += 1) map.set(key, key);
  expect(map.size).toBe(10);
});

test('does not count a peek, or a look at all entries, as a use', () => {
  const map = new RecentMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  expect(map.peek('a')).toBe(1);
  expect([...map.entries()]).toEqual([
    ['a', 1],
    ['b', 2],
  ]);
  map.set('c', 3);
  expect(map.peek('a')).toBeUndefined();
  expect(map.peek('b')).toBe(2);
});
