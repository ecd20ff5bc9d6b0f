import type { Logger } from './log.ts';

/** The most stations of the account, and the most devices of a station. Each takes 0.1 MB while all are asked at once. */
export const MOST_LISTED = 5000;

/**
 * The most entries that are read of a list of one answer: records, alarms, settings, keys, values of a key. That takes
 * about 0.1 s, so that other requests are answered meanwhile.
 */
export const MOST_PER_ANSWER = 2000;

/** The most numbers of a device that `--collect.fields` shows; the richest inverter known sends 169. */
export const MOST_FIELDS = 300;

/** The limits, as the counter and the log name them: far above any honest account, so that only a fault reaches them. */
export const DROP_REASONS = ['devices', 'points', 'series'] as const;

export type DropReason = (typeof DROP_REASONS)[number];

/** Is told how many entries a limit left out, and of what. */
export type NoteDropped = (reason: DropReason, dropped: number, of: string) => void;

/** Returns a function that counts what limits leave out, and logs the first time for each of them. */
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
