import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { ServiceError } from '../../../src/base/errors.ts';
import { listAllPages, type Page, PAGE_SIZE } from '../../../src/client/stations.ts';

async function entriesOf(fetchPage: (page: number) => Promise<Page<string>>) {
  return (await listAllPages(fetchPage, (entry) => entry)).entries;
}

const full = (...entries: string[]): Page<string> => ({ entries, length: PAGE_SIZE });
const short = (...entries: string[]): Page<string> => ({ entries, length: entries.length });
const of = (total: number, page: Page<string>): Page<string> => ({ ...page, total });

describe('listAllPages', () => {
  type Pages = readonly Page<string>[];
  test.each<[when: string, pages: Pages, entries: string, requests: number, dropped?: number]>([
    ['after a total that is a full page', [of(2, full('a', 'b')), of(2, short())], 'ab', 2],
    ['at the total, not at a short page', [of(3, short('a')), of(3, short('b', 'c'))], 'abc', 2],
    ['on a page that repeats what is known', [full('a', 'b'), full('b', 'a')], 'ab', 2],
    ['on no page that repeats in part', [full('a', 'b'), full('b', 'c'), short('d')], 'abcd', 3],
    ['at a total that appears later', [full('a', 'b'), of(3, short('c')), full('d')], 'abc', 2],
    ['on no full page, whatever the total', [of(0, full('a')), of(1, full('b')), short()], 'ab', 3],
    ['on a short page, before a total of pages', [of(2, short('a', 'b', 'c'))], 'abc', 1],
    ['at a limit, which a page exceeds', [full('a', 'b'), full('c', 'd', 'e')], 'abc', 2, 2],
    ['at a limit, which the next page exceeds', [full('a', 'b', 'c'), full('d', 'e')], 'abc', 2, 2],
    ['at a limit that is its length', [of(3, full('a', 'b')), of(3, short('c'))], 'abc', 2, 0],
  ])('stops %s', async (_when, pages, entries, requests, dropped) => {
    // The last page is repeated.
    const fetchPage = vi.fn((page: number) =>
      Promise.resolve(pages[Math.min(page, pages.length) - 1] ?? full()),
    );
    const most = dropped === undefined ? undefined : 3;
    const listing = await listAllPages(fetchPage, (entry) => entry, most);
    expect(listing).toEqual({ entries: [...entries], dropped: dropped ?? 0 });
    const numbers = Array.from({ length: requests }, (_, index) => [index + 1]);
    expect(fetchPage.mock.calls).toEqual(numbers);
  });

  test.each<[what: string, pages: Pages, promised?: number]>([
    ['an empty page', [of(120, full('a', 'b')), of(120, short())], 120],
    ['an empty page that says nothing', [of(120, full('a', 'b')), short()], 120],
    ['a repeated page, of a total of two pages of records', [of(100, full('a', 'b'))], 100],
    ['a short page and then none', [of(4, short('a', 'b')), of(4, short())], 4],
    ['as many records, one without an id', [of(51, full('a')), of(51, short('b'))]],
    ['as many pages', [of(2, full('a')), of(2, short('b'))]],
    ['no total', [full('a'), short('b')]],
  ])('says what was promised after %s', async (_what, pages, promised) => {
    const fetchPage = (page: number) =>
      Promise.resolve(pages[Math.min(page, pages.length) - 1] ?? full());
    expect((await listAllPages(fetchPage, (entry) => entry)).promised).toBe(promised);
  });

  test.each<
    [code: 'API_REFUSED' | 'REQUEST_REJECTED' | 'SERVER_ERROR', page: number, total?: number]
  >([
    // Whoever has listed n times 50 entries asks for one page more.
    ['API_REFUSED', 2],
    ['REQUEST_REJECTED', 3, 2],
    ['API_REFUSED', 3, 4],
    ['API_REFUSED', 1],
    ['API_REFUSED', 3, 5],
    ['SERVER_ERROR', 3],
  ])('%s of page %i, of a total of %s entries', async (code, refused, total) => {
    const error = new ServiceError(`SERVICE_${code}`, 'no such page');
    const pages = [full('a', 'b'), full('c', 'd')];
    const listing = entriesOf((page) =>
      page < refused
        ? Promise.resolve({ ...(pages[page - 1] ?? short()), total })
        : Promise.reject(error),
    );
    const known = refused === 2 ? 'ab' : 'abcd';
    const isEnd = code !== 'SERVER_ERROR' && refused > 1 && (total ?? 0) <= known.length;
    if (isEnd) expect(await listing).toEqual([...known]);
    else await expect(listing).rejects.toBe(error);
  });

  test('gives up after 200 pages of a listing that never ends', async () => {
    const fetchPage = vi.fn((page: number) => Promise.resolve(full(`entry ${page}`)));
    await expect(entriesOf(fetchPage)).rejects.toMatchObject({
      code: 'SERVICE_PAYLOAD_INVALID',
      message: 'a list of more than 200 pages',
    });
    expect(fetchPage).toHaveBeenCalledTimes(200);
  });

  test('gives every entry once, in order, with one request more than pages', async () => {
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
          const length = shown.length < pageSize ? shown.length : PAGE_SIZE;
          return Promise.resolve({ entries: shown, length, total: totals[totalOf] });
        });
        expect(await entriesOf(fetchPage)).toEqual(entries);
        expect(fetchPage.mock.calls.length).toBeLessThanOrEqual(lastPage + 1);
      }),
    );
  });
});

test('a listing as long as its limit ends with its last page', async () => {
  const fetchPage = (page: number) =>
    Promise.resolve(full(...Array.from({ length: PAGE_SIZE }, (_, at) => `${page}-${at}`)));
  const listing = await listAllPages(fetchPage, (entry) => entry, 200 * PAGE_SIZE);
  expect(listing.entries).toHaveLength(200 * PAGE_SIZE);
  expect(listing.dropped).toBe(1);
});
