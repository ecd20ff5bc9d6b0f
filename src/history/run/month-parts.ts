import { ConfigError } from '../../base/errors.ts';
import { earliestOf, instantOf, type Moment } from '../../base/instant.ts';
import { quote } from '../../base/shown.ts';
import type { ZonedCalendar } from '../../base/time-zone.ts';
import { LONGEST_MAX_AGE_MS } from '../../model/cadence.ts';
import type { Station } from '../../model/station.ts';
import type { MonthPart } from '../collect-month.ts';
import type { Span } from '../reading-gaps.ts';

/** What a person wants of the past; until now where there is no end. */
export interface PastRange {
  readonly from: Moment;
  readonly to: Moment | undefined;
}

/**
 * Refuses a range that is wrong wherever the station is, before the service is asked where that is.
 *
 * @throws ConfigError
 */
export function checkRange({ from, to }: PastRange, nowMs: number): void {
  if (earliestOf(from) >= nowMs) throw inFuture('--from', from);
  if (to === undefined) return;
  if (earliestOf(to) > nowMs) throw inFuture('--to', to);
  const areComparable = (from.offsetMs === undefined) === (to.offsetMs === undefined);
  if (areComparable && earliestOf(from) >= earliestOf(to)) throw notBefore(from, to);
}

/**
 * Returns the span that a range is by the calendar of a station.
 *
 * @throws ConfigError when it is in the future there, or its end is not after its beginning.
 */
export function spanOf({ from, to }: PastRange, calendar: ZonedCalendar, nowMs: number): Span {
  const fromMs = instantOf(from, calendar);
  if (fromMs >= nowMs) throw inFuture('--from', from);
  if (to === undefined) return { fromMs, toMs: nowMs };
  const toMs = instantOf(to, calendar);
  if (toMs > nowMs) throw inFuture('--to', to);
  if (fromMs >= toMs) throw notBefore(from, to);
  return { fromMs, toMs };
}

function inFuture(flag: string, { text }: Moment): ConfigError {
  return new ConfigError([
    `${flag}: ${quote(text)} is in the future; accepted: a time of the past`,
  ]);
}

function notBefore(from: Moment, to: Moment): ConfigError {
  return new ConfigError([
    `--from: ${quote(from.text)} is not before --to ${quote(to.text)}; accepted: a beginning before the end`,
  ]);
}

/**
 * Cuts a span into the calendar months of a station, oldest first. A month that has ended only now is not yet
 * whole: its last readings may still be on their way.
 */
export function monthParts(
  station: Station,
  span: Span,
  calendar: ZonedCalendar,
  nowMs: number,
): readonly MonthPart[] {
  const parts: MonthPart[] = [];
  for (let atMs = span.fromMs; atMs < span.toMs;) {
    const { startsAtMs, endsAtMs } = calendar.monthPeriod(atMs);
    const toMs = Math.min(endsAtMs, span.toMs);
    const isWhole = atMs === startsAtMs && toMs === endsAtMs && isSettled(toMs, nowMs);
    parts.push({ station, month: calendar.month(atMs), fromMs: atMs, toMs, isWhole });
    atMs = toMs;
  }
  return parts;
}

/** Whether everything that was measured until then has arrived at the service. */
export function isSettled(toMs: number, nowMs: number): boolean {
  return toMs + LONGEST_MAX_AGE_MS <= nowMs;
}
