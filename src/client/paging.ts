import type { Page } from './api.ts';

/** Page size of listings (interface 8). */
export const PAGE_SIZE = 50;
/** A listing that never ends is a fault of the service, not a station with 10,000 devices. */
const MAX_PAGES = 200;

/**
 * Walks the pages of a listing from page 1 (interface 4, rule 2). It ends once `total` entries are
 * there, with a short page when there is no total, with an empty page, and with a page that brings
 * nothing new. Entries come once each, in order of appearance.
 */
export async function listAllPages<T>(
  fetchPage: (page: number) => Promise<Page<T>>,
  idOf: (entry: T) => string,
): Promise<readonly T[]> {
  const entriesById = new Map<string, T>();
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const { entries, total, isShort } = await fetchPage(page);
    const knownCount = entriesById.size;
    for (const entry of entries) {
      if (!entriesById.has(idOf(entry))) entriesById.set(idOf(entry), entry);
    }
    if (entriesById.size === knownCount) break;
    if (total === undefined ? isShort : entriesById.size >= total) break;
  }
  return [...entriesById.values()];
}
