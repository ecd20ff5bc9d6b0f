import type { Logger } from './log.ts';

/** The most stations of the account, and devices of a station. Each takes 0.1 MB while all are fetched at once. */
export const MOST_LISTED = 5000;

/**
 * The most entries that are read from a list in one answer: records, alarms, settings, keys, values of a key. That
 * takes about 0.1 s, so other requests do not wait for long.
 */
export const MOST_PER_ANSWER = 2000;

/** The most numbers of a device that `--collect.fields` shows; the richest inverter known sends 169. */
export const MOST_FIELDS = 300;

/** The limits, by their names in the counter and the log: far above any real account, so only a fault hits them. */
export const DROP_REASONS = ['devices', 'points', 'series'] as const;

export type DropReason = (typeof DROP_REASONS)[number];

/** Is called with how many entries a limit left out, and of what. */
export type NoteDropped = (reason: DropReason, dropped: number, of: string) => void;

/** Returns a function that counts what limits leave out, and logs the first time for each limit. */
export function dropLog(
  log: Logger,
  count: (reason: DropReason, dropped: number) => void,
): NoteDropped {
  const logged = new Set<DropReason>();
  return (limit, dropped, of) => {
    count(limit, dropped);
    if (!logged.has(limit)) log.warn({ limit, of, dropped }, 'over a limit: the rest is left out');
    logged.add(limit);
  };
}
