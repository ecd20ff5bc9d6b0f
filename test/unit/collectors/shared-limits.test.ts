import { expect, test } from 'vitest';
import { LIST_LIMITS } from '../../../src/base/limits.ts';
import type { CollectionContext } from '../../../src/collectors/run/collection-context.ts';
import { LimitedList, type ListHolder } from '../../../src/collectors/run/limited-list.ts';
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

test('lists share a limit: what one holds is missing to the others until it is released', () => {
  const limits = new SharedLimits({ ...LIST_LIMITS, devicesInAll: 5 });
  const dropped: number[] = [];
  const drops = { note: (_holder: string, _list: string, count: number) => dropped.push(count) };
  const lists = new LimitedList<string>(
    {
      name: 'devices',
      list: {
        name: 'devices',
        lengthOf: (text) => text.length,
        cut: (text, most) => text.slice(0, most),
      },
    },
    { limits, drops } as unknown as CollectionContext,
  );
  const stationHolder = (station: string): ListHolder => ({ labels: { station }, held: 0 });
  const [one, other, later] = [stationHolder('1'), stationHolder('2'), stationHolder('3')];
  expect(lists.limited(one, 'abc', undefined)).toBe('abc');
  expect(lists.limited(other, 'def', undefined)).toBe('de');
  expect(lists.limited(one, 'ab', 'abc')).toBe('ab');
  expect(lists.limited(other, 'def', 'de')).toBe('def');
  lists.release(one);
  lists.hold(later, 'g');
  expect(lists.limited(later, 'ghi', 'g')).toBe('gh');
  expect(dropped).toEqual([0, 1, 0, 0, 1]);
});
