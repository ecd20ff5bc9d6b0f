import { ServiceError } from '../../base/errors.ts';
import type { Validity } from '../collector.ts';

/** How long an entry is kept that its list lacks: a short list is more often a fault of the service than the truth. */
const KEPT_MS = 24 * 3_600_000;
const MOST_NAMED = 5;

/** An entry of a list: a device or a station. */
export interface Listed {
  /** Since when, by our clock, the lists have lacked it; absent while it is listed. */
  readonly unlistedSinceMs?: number | undefined;
}

/** Returns the listed entries in the order of the list, then those of before that it lacks and that are kept for a day. */
export function withKept<Entry extends object>(
  before: readonly (Entry & Listed)[],
  listed: readonly Entry[],
  idOf: (entry: Entry) => string,
  nowMs: number,
): readonly (Entry & Listed)[] {
  const ids = new Set(listed.map(idOf));
  const kept = before
    .filter((entry) => !ids.has(idOf(entry)))
    // A time to come means that the clock was set back: then the day begins again.
    .map((entry) => ({
      ...entry,
      unlistedSinceMs: Math.min(entry.unlistedSinceMs ?? Infinity, nowMs),
    }))
    .filter(({ unlistedSinceMs }) => nowMs - unlistedSinceMs < KEPT_MS);
  return [...listed, ...kept];
}

/** Returns what is wrong with a list: it is empty, or lacks what was there before. */
export function doubtOf<Entry extends Listed>(
  what: 'devices' | 'stations',
  entries: readonly Entry[],
  idOf: (entry: Entry) => string,
): Pick<Validity, 'isDoubtful' | 'problem'> {
  const unlisted = entries.filter(({ unlistedSinceMs }) => unlistedSinceMs !== undefined);
  if (unlisted.length === 0) return { isDoubtful: entries.length === 0 };
  const more = unlisted.length > MOST_NAMED ? ', …' : '';
  const ids = unlisted.slice(0, MOST_NAMED).map(idOf).join(', ') + more;
  const problem = new ServiceError(
    'SERVICE_PAYLOAD_INVALID',
    `the list of ${what} lacks ${unlisted.length} of the ${entries.length} known ones: ${ids}; ` +
      'they are kept for a day',
    { remedy: 'if you removed them, wait; else look for them in the app of the portal' },
  );
  return { isDoubtful: true, problem };
}
