import { ServiceError } from '../errors.ts';

/** Page size of listings (interface 8). */
export const PAGE_SIZE = 50;
/** A listing that never ends is a fault of the service, not a station with 10,000 devices. */
const MAX_PAGES = 200;

/** So many pages are asked for at once while the total promises more. */
const LOOK_AHEAD = 4;

/** One page of a listing; `total` is absent where the service leaves it out. */
export interface Page<T> {
  readonly total?: number | undefined;
  readonly entries: readonly T[];
  /** Whether the service sent fewer entries than asked for, malformed ones included. */
  readonly isShort: boolean;
}

/**
 * Walks the pages of a listing from page 1 (interface 4, rule 2). It ends once `total` entries are
 * there, with a short page when there is no total, with an empty page, and with a page that brings
 * nothing new. Entries come once each, in order of appearance.
 *
 * Where page 1 alone holds more entries than `total`, it can only count pages (field notes 1.7): it
 * ends after that many then, or with a short page.
 *
 * @throws ServiceError `SERVICE_PAYLOAD_INVALID` when it does not end.
 */
export async function listAllPages<T>(
  fetchPage: (page: number) => Promise<Page<T>>,
  idOf: (entry: T) => string,
): Promise<readonly T[]> {
  const first = await fetchPage(1);
  const pageCount = totalAsPages(first);
  const promisedPages = pageCount ?? Math.ceil((first.total ?? 0) / PAGE_SIZE);
  const entriesById = new Map<string, T>();
  let pagesSeen = 0;
  for await (const { entries, total, isShort } of pagesInOrder(first, promisedPages, fetchPage)) {
    const knownCount = entriesById.size;
    for (const entry of entries) {
      if (!entriesById.has(idOf(entry))) entriesById.set(idOf(entry), entry);
    }
    pagesSeen += 1;
    if (entriesById.size === knownCount) break;
    if (pageCount !== undefined) {
      if (isShort || pagesSeen >= pageCount) break;
    } else if (total === undefined ? isShort : entriesById.size >= total) break;
    if (pagesSeen === MAX_PAGES)
      throw new ServiceError('SERVICE_PAYLOAD_INVALID', `a list of more than ${MAX_PAGES} pages`);
  }
  return [...entriesById.values()];
}

function totalAsPages<T>({ total, entries }: Page<T>): number | undefined {
  return total !== undefined && entries.length > total ? total : undefined;
}

/** All pages one after the other, though some were fetched together. */
async function* pagesInOrder<T>(
  first: Page<T>,
  promisedPages: number,
  fetchPage: (page: number) => Promise<Page<T>>,
): AsyncGenerator<Page<T>> {
  yield first;
  const lastPromised = Math.min(MAX_PAGES, promisedPages);
  let page = 2;
  while (page <= MAX_PAGES) {
    const count = Math.max(1, Math.min(LOOK_AHEAD, lastPromised - page + 1));
    const numbers = Array.from({ length: count }, (_, index) => page + index);
    yield* await Promise.all(numbers.map((number) => fetchPage(number)));
    page += count;
  }
}
