import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { listAllPages, type Page, PAGE_SIZE } from '../../../src/client/exchange/paging.ts';
import { settled } from '../../support/deferred.ts';

/** Serves these pages and repeats the last one. */
function walk(pages: readonly Page<string>[]) {
  const fetchPage = vi.fn((page: number) =>
    Promise.resolve(pages[Math.min(page, pages.length) - 1] ?? full()),
  );
  return { fetchPage, all: () => entriesOf(fetchPage) };
}

async function entriesOf(fetchPage: (page: number) => Promise<Page<string>>, most?: number) {
  return (await listAllPages(fetchPage, (entry) => entry, most)).entries;
}

const full = (...entries: string[]): Page<string> => ({ entries, isShort: false });
const short = (...entries: string[]): Page<string> => ({ entries, isShort: true });
const of = (total: number, page: Page<string>): Page<string> => ({ ...page, total });

describe('listAllPages', () => {
  test.each([
    {
      when: 'at the total',
      pages: [of(3, full('a', 'b')), of(3, short('c')), of(3, short('d'))],
      entries: ['a', 'b', 'c'],
      requests: 2,
    },
    {
      when: 'after the total, when the last page is full',
      pages: [of(4, full('a', 'b')), of(4, full('c', 'd')), of(4, short())],
      entries: ['a', 'b', 'c', 'd'],
      requests: 3,
    },
    {
      when: 'at the total and not at a short page before it',
      pages: [of(3, short('a')), of(3, short('b', 'c'))],
      entries: ['a', 'b', 'c'],
      requests: 2,
    },
    {
      when: 'on a short page, without a total',
      pages: [full('a', 'b'), short('c'), full('d', 'e')],
      entries: ['a', 'b', 'c'],
      requests: 2,
    },
    {
      when: 'on an empty page, without a total',
      pages: [full('a', 'b'), short()],
      entries: ['a', 'b'],
      requests: 2,
    },
    {
      when: 'on an empty page, short of the total',
      pages: [of(9, full('a', 'b')), of(9, short())],
      entries: ['a', 'b'],
      requests: 2,
    },
    { when: 'on an empty first page', pages: [of(9, short())], entries: [], requests: 1 },
    {
      when: 'on a page that repeats what is known',
      pages: [full('a', 'b'), full('b', 'a')],
      entries: ['a', 'b'],
      requests: 2,
    },
    {
      when: 'on a repeated page, short of the total',
      pages: [of(9, full('a', 'b'))],
      entries: ['a', 'b'],
      requests: 2,
    },
    {
      when: 'not on a page that repeats only in part',
      pages: [full('a', 'b'), full('b', 'c'), short('c', 'd')],
      entries: ['a', 'b', 'c', 'd'],
      requests: 3,
    },
    {
      when: 'on a short page, when a total appears on the way',
      pages: [full('a', 'b'), of(3, short('c')), full('e', 'f')],
      entries: ['a', 'b', 'c'],
      requests: 2,
    },
    {
      when: 'not after as many pages as the total says, when the last is full',
      pages: [of(2, full('a', 'b', 'c')), of(2, full('d', 'e', 'f')), of(2, short('g'))],
      entries: ['a', 'b', 'c', 'd', 'e', 'f', 'g'],
      requests: 3,
    },
    {
      when: 'not after page 1, when it is full and the total is zero',
      pages: [of(0, full('a', 'b')), of(0, short('c'))],
      entries: ['a', 'b', 'c'],
      requests: 2,
    },
    {
      when: 'on a short page, before as many pages as the total says',
      pages: [of(2, short('a', 'b', 'c')), of(2, full('d'))],
      entries: ['a', 'b', 'c'],
      requests: 1,
    },
    {
      when: 'on an empty page, before as many pages as the total says',
      pages: [of(2, full('a', 'b', 'c')), of(2, full())],
      entries: ['a', 'b', 'c'],
      requests: 2,
    },
    {
      when: 'on a repeated page, before as many pages as the total says',
      pages: [of(2, full('a', 'b', 'c'))],
      entries: ['a', 'b', 'c'],
      requests: 2,
    },
  ])('stops $when', async ({ pages, entries, requests }) => {
    const { all, fetchPage } = walk(pages);
    expect(await all()).toEqual(entries);
    expect(fetchPage.mock.calls).toEqual(
      Array.from({ length: requests }, (_, index) => [index + 1]),
    );
  });

  describe('with a total that promises more', () => {
    /** Serves a listing of `count` entries with this `total`; records how many pages are fetched at once. */
    function listing(count: number, total: number, isShort = false) {
      const underWay = new Set<number>();
      /** The sizes of the groups of pages that were fetched at once. */
      const groups: number[] = [];
      const fetchPage = vi.fn(async (page: number) => {
        underWay.add(page);
        if (underWay.size === 1) {
          await Promise.resolve();
          groups.push(underWay.size);
        }
        await settled();
        underWay.delete(page);
        const first = (page - 1) * PAGE_SIZE;
        const size = Math.max(0, Math.min(PAGE_SIZE, count - first));
        return of(
          total,
          (isShort && size < PAGE_SIZE ? short : full)(
            ...Array.from({ length: size }, (_, index) => String(first + index)),
          ),
        );
      });
      return { fetchPage, groups };
    }

    test('requests more and more pages at once, and no page beyond the total but one', async () => {
      const { fetchPage, groups } = listing(5120, 5120);
      const entries = await entriesOf(fetchPage);
      expect(entries).toEqual(Array.from({ length: 5120 }, (_, index) => String(index)));
      expect(groups).toEqual([1, 4, 8, 16, 32, 32, 10, 1]);
    });

    test.each([
      { count: 120, total: 3, expected: [1, 2] },
      { count: 150, total: 3, expected: [1, 2, 1] },
      { count: 470, total: 10, expected: [1, 4, 5] },
      { count: 70, total: 2, expected: [1, 1] },
      { count: 50, total: 1, expected: [1, 1] },
      // More than 50 pages: that they are no entries shows on page 2.
      { count: 2549, total: 51, expected: [1, 1, 8, 16, 25] },
      { count: 30, total: 1, expected: [1] },
      // A wrong total: the look-ahead has requested pages 2 to 5 before page 3 turns out to be short.
      { count: 120, total: 40, expected: [1, 4] },
    ])(
      'of pages: $count entries on $total are requested in groups of $expected',
      async ({ count, total, expected }) => {
        const { fetchPage, groups } = listing(count, total, true);
        const entries = await entriesOf(fetchPage);
        expect(entries).toHaveLength(count);
        expect(groups).toEqual(expected);
      },
    );

    test('requests at most three needless pages when the total is wrong', async () => {
      const { fetchPage } = listing(60, 1_000_000);
      expect(await entriesOf(fetchPage)).toHaveLength(60);
      expect(fetchPage).toHaveBeenCalledTimes(5);
    });
  });

  test('gives up after 200 pages of a listing that never ends', async () => {
    const fetchPage = vi.fn((page: number) => Promise.resolve(full(`entry ${page}`)));
    await expect(entriesOf(fetchPage)).rejects.toMatchObject({
      code: 'SERVICE_PAYLOAD_INVALID',
      message: 'a list of more than 200 pages',
    });
    expect(fetchPage).toHaveBeenCalledTimes(200);
  });

  test('keeps the first of two entries with one id', async () => {
    const page = {
      entries: [
        { id: '1', name: 'first' },
        { id: '1', name: 'second' },
      ],
      isShort: true,
    };
    const { entries } = await listAllPages(
      () => Promise.resolve(page),
      ({ id }) => id,
    );
    expect(entries).toEqual([{ id: '1', name: 'first' }]);
  });

  test('fails when a page fails', async () => {
    const failure = new Error('page 2');
    const fetchPage = (page: number) =>
      page === 1 ? Promise.resolve(full('a')) : Promise.reject(failure);
    await expect(entriesOf(fetchPage)).rejects.toBe(failure);
  });

  test('gives every entry once, in order, in as many requests as there are pages and one more', async () => {
    const listing = fc.record({
      entries: fc.uniqueArray(fc.string(), { maxLength: 60 }),
      pageSize: fc.integer({ min: 1, max: 20 }),
      /** How many entries the next page repeats, as when entries are added at the front. */
      overlap: fc.nat({ max: 5 }),
      totalOf: fc.constantFrom('entries', 'pages', 'nothing'),
      /** Whether pages beyond the end repeat the last one. */
      repeatsLastPage: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(listing, async ({ entries, totalOf, repeatsLastPage, ...size }) => {
        const { pageSize } = size;
        const step = Math.max(1, pageSize - size.overlap);
        const lastPage = Math.max(1, Math.ceil(entries.length / step));
        const totals = { entries: entries.length, pages: lastPage, nothing: undefined };
        const fetchPage = vi.fn((page: number): Promise<Page<string>> => {
          const startsAt = step * ((repeatsLastPage ? Math.min(page, lastPage) : page) - 1);
          const shown = entries.slice(startsAt, startsAt + pageSize);
          return Promise.resolve({
            entries: shown,
            isShort: shown.length < pageSize,
            total: totals[totalOf],
          });
        });
        expect(await entriesOf(fetchPage)).toEqual(entries);
        expect(fetchPage.mock.calls.length).toBeLessThanOrEqual(lastPage + 1);
      }),
    );
  });
});

describe('a listing over its limit', () => {
  test.each([
    {
      when: 'a page brings more entries than fit',
      pages: [full('a', 'b'), full('c', 'd', 'e'), full('f')],
      dropped: 2,
      requests: 2,
    },
    {
      when: 'the total promises more',
      pages: [of(5, full('a', 'b', 'c')), of(5, full('d', 'e'))],
      dropped: 1,
      requests: 1,
    },
    {
      when: 'nothing but the next page can say that there is more',
      pages: [full('a', 'b', 'c'), full('d', 'e')],
      dropped: 2,
      requests: 2,
    },
  ])('keeps the first and asks for no more when $when', async ({ pages, dropped, requests }) => {
    const { fetchPage } = walk(pages);
    const listing = await listAllPages(fetchPage, (entry) => entry, 3);
    expect(listing).toEqual({ entries: ['a', 'b', 'c'], dropped });
    expect(fetchPage).toHaveBeenCalledTimes(requests);
  });

  test('is whole while it is not longer than the limit', async () => {
    const { fetchPage } = walk([of(3, full('a', 'b')), of(3, short('c'))]);
    const listing = await listAllPages(fetchPage, (entry) => entry, 3);
    expect(listing).toEqual({ entries: ['a', 'b', 'c'], dropped: 0 });
  });

  test('ends with the last page that is asked for, instead of failing', async () => {
    const fetchPage = (page: number) =>
      Promise.resolve(full(...Array.from({ length: PAGE_SIZE }, (_, at) => `${page}-${at}`)));
    const listing = await listAllPages(fetchPage, (entry) => entry, 200 * PAGE_SIZE);
    expect(listing.entries).toHaveLength(200 * PAGE_SIZE);
    expect(listing.dropped).toBe(1);
  });
});
