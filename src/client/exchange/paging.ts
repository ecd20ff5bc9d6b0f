import { isRefusal, ServiceError } from '../../base/errors.ts';

/** Page size of listings (interface 8). */
export const PAGE_SIZE = 50;
/** A longer listing is a fault of the service. */
const MAX_PAGES = 200;

/** One page of a listing. */
export interface Page<T> {
  /** How many entries the whole listing has, or how many pages; absent where the service leaves it out. */
  readonly total?: number | undefined;
  readonly entries: readonly T[];
  /** How many records the service sent, malformed ones included. */
  readonly length: number;
}

/** The entries of a listing. */
export interface Listing<T> {
  readonly entries: readonly T[];
  /** How many entries that have arrived are over the limit; at least 1 when more may be there. */
  readonly dropped: number;
}

/**
 * Fetches a listing page after page, from page 1 (interface 4, rule 2). Returns each entry once, in order of
 * appearance. The listing ends after a page that brings nothing new, after a short page unless `total`
 * promises more entries, and after more than `most` entries.
 *
 * A total alone ends no listing, because some count pages (field notes 1.7). So a listing whose last page is
 * full costs one more request, which some services refuse: that is its end, too.
 *
 * @throws ServiceError `SERVICE_PAYLOAD_INVALID` when the listing does not end.
 */
export async function listAllPages<T>(
  fetchPage: (page: number) => Promise<Page<T>>,
  idOf: (entry: T) => string,
  most = Number.POSITIVE_INFINITY,
): Promise<Listing<T>> {
  const entriesById = new Map<string, T>();
  let dropped = 0;
  let promised = 0;
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const knownCount = entriesById.size;
    const { entries, total, length } = await fetchPage(page).catch((error: unknown): Page<T> => {
      if (page > 1 && isRefusal(error) && knownCount >= promised) return { entries: [], length: 0 };
      throw error;
    });
    promised = total ?? 0;
    for (const entry of entries) {
      if (entriesById.has(idOf(entry))) continue;
      if (entriesById.size < most) entriesById.set(idOf(entry), entry);
      else dropped += 1;
    }
    const { size } = entriesById;
    const isAtEnd = size === knownCount || (length < PAGE_SIZE && size >= promised);
    if (isAtEnd || dropped > 0) return { entries: [...entriesById.values()], dropped };
  }
  if (entriesById.size < most)
    throw new ServiceError('SERVICE_PAYLOAD_INVALID', `a list of more than ${MAX_PAGES} pages`);
  return { entries: [...entriesById.values()], dropped: 1 };
}
