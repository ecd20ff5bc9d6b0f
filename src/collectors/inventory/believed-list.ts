import { ServiceError } from '../../base/errors.ts';

/** How long lists have to lack an entry before it can be let go: one that is short now may be whole again soon. */
export const CONFIRMED_AFTER_MS = 3_600_000;

/** An entry of a list that is believed: a device or a station. */
export interface Believed {
  /** Since when, by our clock, the lists have lacked it; absent while it is listed. */
  readonly unlistedSinceMs?: number | undefined;
}

/**
 * What an entry that a list lacks answered when it was asked for itself: that it is `there`, `nothing` at
 * all, or `unknown` where the service could not be asked.
 */
export type OwnAnswer = 'there' | 'nothing' | 'unknown';

/** A list, and what is known of the entries that it lacks. */
export interface NewList<Entry extends object> {
  /** What was believed before. */
  readonly known: readonly (Entry & Believed)[];
  readonly listed: readonly Entry[];
  readonly idOf: (entry: Entry) => string;
  /** Whether an entry that the list lacks is listed elsewhere or under another id: nothing is wrong then. */
  readonly hasMoved: (entry: Entry) => boolean;
  readonly nowMs: number;
}

/** What is believed after a list. */
export interface Belief<Entry extends object> {
  /** The listed entries in the order of the list, then those that it lacks and that are kept. */
  readonly entries: readonly (Entry & Believed)[];
  readonly moved: readonly Entry[];
  /** Those that lists an hour apart lack and that answer nothing themselves. */
  readonly gone: readonly Entry[];
}

/**
 * Decides what to believe after a list. An entry that the list lacks is kept until lists an hour apart lack
 * it and it answers nothing itself, because an empty or short list is more often a fault of the service
 * than a house without inverters. One that is listed elsewhere is let go at once.
 *
 * @param answers - of {@link entriesToAsk}, by id; what is missing counts as unknown.
 */
export function believeList<Entry extends object>(
  list: NewList<Entry>,
  answers: ReadonlyMap<string, OwnAnswer>,
): Belief<Entry> {
  const { listed, idOf, hasMoved, nowMs } = list;
  const kept: (Entry & Believed)[] = [];
  const moved: Entry[] = [];
  const gone: Entry[] = [];
  for (const entry of missingFrom(list)) {
    if (hasMoved(entry)) moved.push(entry);
    else if (isConfirmed(entry, nowMs) && answers.get(idOf(entry)) === 'nothing') gone.push(entry);
    else kept.push({ ...entry, unlistedSinceMs: sinceMs(entry, nowMs) });
  }
  return { entries: [...listed, ...kept], moved, gone };
}

/** Returns the entries to ask for themselves: only then can they be let go. */
export function entriesToAsk<Entry extends object>(
  list: NewList<Entry>,
): readonly (Entry & Believed)[] {
  return missingFrom(list).filter(
    (entry) => !list.hasMoved(entry) && isConfirmed(entry, list.nowMs),
  );
}

const MOST_NAMED = 5;

/** Returns the failure of a list that lacks entries; absent when it lacks none. */
export function lackOf<Entry extends Believed>(
  what: 'devices' | 'stations',
  entries: readonly Entry[],
  idOf: (entry: Entry) => string,
): ServiceError | undefined {
  const unlisted = entries.filter(({ unlistedSinceMs }) => unlistedSinceMs !== undefined);
  if (unlisted.length === 0) return undefined;
  const more = unlisted.length > MOST_NAMED ? ', …' : '';
  const ids = unlisted.slice(0, MOST_NAMED).map(idOf).join(', ') + more;
  return new ServiceError(
    'SERVICE_PAYLOAD_INVALID',
    `the list of ${what} lacks ${unlisted.length} of the ${entries.length} known ones: ${ids}; ` +
      'they are kept until lists an hour apart lack them and they answer nothing themselves',
  );
}

function missingFrom<Entry extends object>({
  known,
  listed,
  idOf,
}: NewList<Entry>): readonly (Entry & Believed)[] {
  const ids = new Set(listed.map(idOf));
  return known.filter((entry) => !ids.has(idOf(entry)));
}

function isConfirmed(entry: Believed, nowMs: number): boolean {
  return nowMs - sinceMs(entry, nowMs) >= CONFIRMED_AFTER_MS;
}

/** A time to come means that the clock was set back: then the hour begins again. */
function sinceMs({ unlistedSinceMs = Infinity }: Believed, nowMs: number): number {
  return Math.min(unlistedSinceMs, nowMs);
}
