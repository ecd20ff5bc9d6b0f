import type { ZonedCalendar } from './time-zone.ts';

/**
 * A time from outside counts only between these. A machine without a battery clock starts in 1970, and no working clock
 * is as far ahead as 2200. Between these times, calendars and differences cannot fail.
 */
const EARLIEST_MS = 0;
const LATEST_MS = Date.UTC(2200, 0);

/** Whether a time from outside is plausible: from 1970 to 2199. */
export function isPlausibleTime(atMs: number): boolean {
  return atMs >= EARLIEST_MS && atMs <= LATEST_MS;
}

/**
 * Returns the nearest plausible time. Use it for times of readings: a reading without a time would count as new, but a
 * bounded time is as far from now as possible.
 */
export function boundedMs(atMs: number): number {
  return Math.min(Math.max(atMs, EARLIEST_MS), LATEST_MS);
}

/** A date, or a date with a time of day, as a person types it. */
export interface Moment {
  readonly text: string;
  /** The date and the time of day, as if the zone were UTC. */
  readonly localMs: number;
  /** How far the zone is ahead of UTC; undefined where no offset was typed: a calendar then decides. */
  readonly offsetMs: number | undefined;
}

/** No zone is further from UTC than this. */
const MOST_OFFSET_MS = 14 * 3_600_000;

const MOMENT = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?:(:\d\d)(?:\.(\d+))?)?(Z|[+-]\d\d:\d\d)?)?$/i;

/**
 * Parses `2026-08-01`, `2026-08-01 12:30` or `2026-08-01T12:30:00.250+08:00`; a date means its midnight. Returns
 * undefined for anything else, and for a day that does not exist.
 */
export function parseMoment(text: string): Moment | undefined {
  const [, date, time = '00:00', seconds = ':00', fraction = '', offset] = MOMENT.exec(text) ?? [];
  if (date === undefined) return undefined;
  const iso = `${date}T${time}${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
  const localMs = Date.parse(iso);
  // `Date.parse` accepts the 31st of every month.
  if (!isPlausibleTime(localMs) || new Date(localMs).toISOString() !== iso) return undefined;
  if (offset === undefined) return { text, localMs, offsetMs: undefined };
  // An impossible offset gives NaN.
  const offsetMs = -Date.parse(`1970-01-01T00:00:00${offset.toUpperCase()}`);
  return Math.abs(offsetMs) <= MOST_OFFSET_MS ? { text, localMs, offsetMs } : undefined;
}

/** Returns the instant of a moment, by its own offset, else by the calendar of a station. */
export function instantOf({ localMs, offsetMs }: Moment, calendar: ZonedCalendar): number {
  return offsetMs === undefined ? calendar.instantAt(localMs) : localMs - offsetMs;
}

/** Returns the earliest instant that a moment can be in any zone. */
export function earliestOf({ localMs, offsetMs }: Moment): number {
  return localMs - (offsetMs ?? MOST_OFFSET_MS);
}
