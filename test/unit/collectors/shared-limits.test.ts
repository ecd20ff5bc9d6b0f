import { expect, test } from 'vitest';
import { LIST_LIMITS } from '../../../src/base/limits.ts';
import { knownFirst, SharedLimits } from '../../../src/collectors/shared-limits.ts';

test.each([
  { entries: 'abcd', known: '', most: 2, kept: 'ab' },
  { entries: 'abcd', known: 'd', most: 2, kept: 'ad' },
  { entries: 'abcd', known: 'bcd', most: 2, kept: 'bc' },
  { entries: 'ab', known: 'a', most: 2, kept: 'ab' },
  { entries: 'ab', known: 'a', most: 0, kept: '' },
])('of $entries, of which "$known" is known, $most are "$kept"', (row) => {
  const { entries, known, most, kept } = row;
  const left = knownFirst(entries.split(''), most, (entry) => known.includes(entry));
  expect(left.join('')).toBe(kept);
});

test('a list may have what the others leave, and no more than one list may have', () => {
  const limits = new SharedLimits({ ...LIST_LIMITS, devices: 5, devicesInAll: 8 });
  expect(limits.mostFor('devices', 0)).toBe(5);
  limits.change('devices', 6);
  expect(limits.mostFor('devices', 0)).toBe(2);
  expect(limits.mostFor('devices', 3)).toBe(5);
});
