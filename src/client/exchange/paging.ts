import { ServiceError } from '../../base/errors.ts';

/** Page size of listings (interface 8). */
export const PAGE_SIZE = 50;
/** A longer listing is a fault of the service. */
const MAX_PAGES = 200;

/** How many pages are requested at once while `total` promises more; twice as many whenever it held its promise. */
const LOOK_AHEAD = 4;
const MOST_LOOK_AHEAD = 32;

/** One page of a listing. */
export interface Page<T> {
  /** How many entries the whole listing has, or how many pages; absent where the service leaves it out. */
  readonly total?: number | undefined;
  readonly entries: readonly T[];
  /** Whether the service sent fewer records than requested, malformed ones included. */
  readonly isShort: boolean;
}

/** The entries of a listing. */
export interface Listing<T> {
  readonly entries: readonly T[];
  /** How many entries that have arrived are over the limit; at least 1 when more are there. */
  readonly dropped: number;
}

/**
 * Fetches a listing page by page from page 1 (interface 4, rule 2). Returns each entry once, in order of
 * appearance. The listing ends after a page that brings nothing new, and after a short page unless `total`
 * promises more entries.
 *
 * A total alone ends no listing: some count pages (field notes 1.7), which only shows once more entries have
 * arrived. So a listing whose last page is full costs one more request.
 *
 * A listing of more than `most` entries ends there.
 *
 * @throws ServiceError `SERVICE_PAYLOAD_INVALID` when the listing does not end.
 */
export async function listAllPages<T>(
  fetchPage: (page: number) => Promise<Page<T>>,
  idOf: (entry: T) => string,
  most = Number.POSITIVE_INFINITY,
): Promise<Listing<T>> {
  const first = await fetchPage(1);
  const entriesById = new Map<string, T>();
  const promisedPages = (): number => {
    const { total = 0 } = first;
    return entriesById.size > total ? total : Math.ceil(total / PAGE_SIZE);
  };
  let pagesSeen = 0;
  let dropped = 0;
  for await (const { entries, total = 0, isShort } of pagesInOrder(
    first,
    promisedPages,
    fetchPage,
  )) {
    const knownCount = entriesById.size;
    for (const entry of entries) {
      if (entriesById.has(idOf(entry))) continue;
      if (entriesById.size < most) entriesById.set(idOf(entry), entry);
      else dropped += 1;
    }
    pagesSeen += 1;
    if (entriesById.size >= most && (total > most || pagesSeen === MAX_PAGES))
      dropped = Math.max(1, dropped);
    if (dropped > 0) break;
    if (entriesById.size === knownCount) break;
    if (isShort && entriesById.size >= total) break;
    if (pagesSeen === MAX_PAGES)
      throw new ServiceError('SERVICE_PAYLOAD_INVALID', `a list of more than ${MAX_PAGES} pages`);
  }
  return { entries: [...entriesById.values()], dropped };
}

/** Yields the pages in order, even where several are fetched at once, up to as many as are promised by then. */
async function* pagesInOrder<T>(
  first: Page<T>,
  promisedPages: () => number,
  fetchPage: (page: number) => Promise<Page<T>>,
): AsyncGenerator<Page<T>> {
  yield first;
  let page = 2;
  let lookAhead = LOOK_AHEAD;
  while (page <= MAX_PAGES) {
    const lastPromised = Math.min(MAX_PAGES, promisedPages());
    const count = Math.max(1, Math.min(lookAhead, lastPromised - page + 1));
    const numbers = Array.from({ length: count }, (_, index) => page + index);
    yield* await Promise.all(numbers.map((number) => fetchPage(number)));
    page += count;
    lookAhead = Math.min(2 * lookAhead, MOST_LOOK_AHEAD);
  }
}
