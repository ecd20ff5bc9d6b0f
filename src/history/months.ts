import { calendarOf } from '../base/time-zone.ts';
import { LONGEST_MAX_AGE_MS } from '../model/cadence.ts';
import type { Device, Station } from '../model/station.ts';

const HOUR_MS = 3_600_000;

/** A span of time; its end is the first instant after it. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A station with the zone in which its days are counted. */
export type ZonedStation = Station & { readonly timeZone: string };

/** What is wanted of one station. */
export interface WantedStation {
  readonly station: ZonedStation;
  readonly devices: readonly Device[];
  /** Whether its devices may say the same of the whole house. */
  readonly isParallel?: boolean;
  /** Whether a person has chosen one device of the station. */
  readonly isOneDevice: boolean;
}

/** What one file has: a station, and its calendar month as far as it is wanted. */
export interface Month extends WantedStation, Span {
  /** `2026-08`. */
  readonly month: string;
}

/** Returns the last full hour before which every reading has arrived at the service: loggers send late. */
export function arrivedUntilMs(nowMs: number): number {
  return Math.floor((nowMs - LONGEST_MAX_AGE_MS) / HOUR_MS) * HOUR_MS;
}

/** Cuts a span into the calendar months of a station, oldest first. */
export function monthsOf(wanted: WantedStation, span: Span): readonly Month[] {
  const calendar = calendarOf(wanted.station.timeZone);
  const months: Month[] = [];
  for (let { fromMs } = span; fromMs < span.toMs;) {
    const toMs = Math.min(calendar.monthPeriod(fromMs).endsAtMs, span.toMs);
    months.push({ ...wanted, month: calendar.month(fromMs), fromMs, toMs });
    fromMs = toMs;
  }
  return months;
}
