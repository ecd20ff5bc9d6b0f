import type { Logger } from './log.ts';

/**
 * The most entries of a list of several pages: far above any honest account, so that only a fault reaches it. What is
 * over a limit is left out, counted and logged.
 */
export const LIST_LIMITS = {
  // Each takes 0.1 MB while all of them are asked at once.
  stations: 5000,
  /** Of one station. */
  devices: 10_000,
  alarms: 20_000,
} as const;

/**
 * The most that is read of one answer, before any of it is checked: what takes about 0.1 s, so that other
 * requests are answered meanwhile.
 */
export const ANSWER_LIMITS = {
  /** Twenty times as many as we ask for. */
  recordsPerPage: 1000,
  /** Five times as many as we ask for; alarms that have ended are among them. */
  alarmsPerPage: 2500,
  alarmsPerDevice: 100,
  settingsPerDevice: 1000,
  /** Of a setting, and words for the codes of a key; series do not come of them. */
  choicesPerSetting: 100,
  /** Keys with a value, or of the catalogue of a model: a family has some 300. */
  keysPerDevice: 2000,
  /** As many as we ask for of a time series; the newest count. */
  valuesPerKey: 2000,
  /** Of all quantities: a day of a month, a month of a year or a year each. */
  pointsPerSummary: 10_000,
} as const;

/** The limits that leave something out, as the counter and the log name them. */
export const DROP_REASONS = [
  'stations',
  'devices',
  'alarms',
  'settings',
  'keys',
  'series',
  'page_bytes',
] as const;

export type DropReason = (typeof DROP_REASONS)[number];

/** Is told how many entries a limit left out. */
export type NoteDropped = (reason: DropReason, count: number) => void;

/** Returns the first entries of a list, as many as the limit allows, and tells how many are left out. */
export function firstOf<T>(
  list: readonly T[],
  most: number,
  reason: DropReason,
  noteDropped: NoteDropped,
): readonly T[] {
  if (list.length <= most) return list;
  noteDropped(reason, list.length - most);
  return list.slice(0, most);
}

/** More lists than this that are over a limit at a time are counted, but not logged. */
const MOST_LOGGED = 100;

/** Takes up what limits leave out of lists. */
export interface DropLog {
  /**
   * Reads a list, and takes up what limits leave out of it.
   *
   * @param list - names the list in the log, always alike.
   */
  reading<T>(list: string, read: (noteDropped: NoteDropped) => T): T;
  /** Takes up how many entries a limit left out of a list; 0 where it is within. */
  note(list: string, reason: DropReason, dropped: number): void;
}

/**
 * Counts what limits leave out, and logs each list that is over a limit once, until it was within again.
 *
 * @param count - is told of everything that is left out.
 */
export function dropLog(log: Logger, count: NoteDropped): DropLog {
  /** The lists that were over a limit when they were last read. */
  const over = new Set<string>();
  const noteIn =
    (list: string): NoteDropped =>
    (limit, dropped) => {
      count(limit, dropped);
      if (over.has(list) || over.size >= MOST_LOGGED) return;
      over.add(list);
      log.warn({ list, limit, dropped }, 'a list is over its limit: the rest is left out');
    };
  return {
    reading(list, read) {
      let left = 0;
      const value = read((reason, dropped) => {
        left += dropped;
        noteIn(list)(reason, dropped);
      });
      if (left === 0) over.delete(list);
      return value;
    },
    note(list, reason, dropped) {
      if (dropped > 0) noteIn(list)(reason, dropped);
      else over.delete(list);
    },
  };
}
