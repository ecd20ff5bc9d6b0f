import { RecentMap } from './recent-map.ts';

/** The zone of last resort, where neither the user nor a record of the service names one (service.md#headers). */
export const FALLBACK_TIME_ZONE = 'Asia/Manila';

const MINUTE_MS = 60_000;
/** Clocks change on the quarter hour, and zones differ by quarter hours. */
const QUARTER_HOUR_MS = 15 * MINUTE_MS;
const MAX_QUARTERS = 16;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** More zones than the accounts of one user have; each calendar takes some 28 KiB. */
const MOST_CALENDARS = 100;

/** A half-open interval: the end is the first instant after it. */
export interface Period {
  readonly startsAtMs: number;
  readonly endsAtMs: number;
}

/** Does calendar arithmetic in one IANA time zone. {@link calendarOf} keeps it: the formatter is expensive to build. */
export class ZonedCalendar {
  /** The name of the zone, as this machine prefers it: which of two it is depends on the version of Node.js. */
  readonly timeZone: string;
  readonly #format: Intl.DateTimeFormat;
  /** How far the zone is ahead of UTC, by quarter hour: many devices are read within one. */
  readonly #offsetsMs = new Map<number, number>();

  /** @throws RangeError when this machine does not know the zone. */
  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
    this.timeZone = this.#format.resolvedOptions().timeZone;
  }

  /** Formats an instant in whole seconds with its offset: `2026-03-29T03:00:00+02:00`. */
  isoWithOffset(instantMs: number): string {
    const offsetMs = this.#offsetMs(instantMs);
    const hoursAndMinutes = new Date(Math.abs(offsetMs)).toISOString().slice(11, 16);
    return `${this.#iso(instantMs).slice(0, 19)}${offsetMs < 0 ? '-' : '+'}${hoursAndMinutes}`;
  }

  /** Returns the calendar year in four digits. */
  year(instantMs: number): string {
    return this.#iso(instantMs).slice(0, 4);
  }

  /** Returns the calendar month: `2026-03`. */
  month(instantMs: number): string {
    return this.#iso(instantMs).slice(0, 7);
  }

  /** Returns the calendar day: `2026-03-29`. */
  day(instantMs: number): string {
    return this.#iso(instantMs).slice(0, 10);
  }

  /** Returns the day, `2026-03-29`, and the quarter hour of a month's week, each counted from 0 and Monday. */
  quarterHour(instantMs: number): {
    readonly date: string;
    readonly month: number;
    readonly weekday: number;
    readonly quarter: number;
  } {
    const local = this.#local(instantMs);
    return {
      date: this.day(instantMs),
      month: local.getUTCMonth(),
      weekday: (local.getUTCDay() + 6) % 7,
      quarter: local.getUTCHours() * 4 + Math.floor(local.getUTCMinutes() / 15),
    };
  }

  /** Returns the calendar year that contains the instant. */
  yearPeriod(instantMs: number): Period {
    const year = this.#local(instantMs).getUTCFullYear();
    return this.#period(Date.UTC(year, 0), Date.UTC(year + 1, 0));
  }

  /** Returns the calendar month that contains the instant, clock changes included. */
  monthPeriod(instantMs: number): Period {
    const local = this.#local(instantMs);
    const [year, month] = [local.getUTCFullYear(), local.getUTCMonth()];
    return this.#period(Date.UTC(year, month), Date.UTC(year, month + 1));
  }

  /** Returns the calendar day that contains the instant: 23 or 25 hours when the clocks change. */
  dayPeriod(instantMs: number): Period {
    const midnightMs = this.#local(instantMs).setUTCHours(0, 0, 0, 0);
    return this.#period(midnightMs, midnightMs + DAY_MS);
  }

  #period(firstMidnightMs: number, nextMidnightMs: number): Period {
    return {
      startsAtMs: this.instantAt(firstMidnightMs),
      endsAtMs: this.instantAt(nextMidnightMs),
    };
  }

  /**
   * Returns when it is that date and time of day; at midnight, when a day begins.
   *
   * @param localMs - the date and the time of day, as if the zone were UTC. Where the clocks skip it, this is
   * the clock change; where it comes twice, this is the second one.
   */
  instantAt(localMs: number): number {
    const dayBeforeMs = this.#offsetMs(localMs - DAY_MS);
    const dayAfterMs = this.#offsetMs(localMs + DAY_MS);
    const lastMs = localMs - Math.min(dayBeforeMs, dayAfterMs);
    // A day begins when its first hour comes for the first time: there, the time does not follow that before it.
    if (this.#localMs(lastMs - 1) === localMs - 1) return lastMs;
    let instantMs = localMs - Math.max(dayBeforeMs, dayAfterMs);
    while (this.#localMs(instantMs) < localMs)
      instantMs = (Math.floor(instantMs / QUARTER_HOUR_MS) + 1) * QUARTER_HOUR_MS;
    return instantMs;
  }

  /** Formats the local time as ISO 8601; ignore the trailing `Z`. */
  #iso(instantMs: number): string {
    return this.#local(instantMs).toISOString();
  }

  /** Returns the local time, as if the zone were UTC. */
  #local(instantMs: number): Date {
    return new Date(this.#localMs(instantMs));
  }

  #localMs(instantMs: number): number {
    return instantMs + this.#offsetMs(instantMs);
  }

  #offsetMs(instantMs: number): number {
    const quarter = Math.floor(instantMs / QUARTER_HOUR_MS);
    const known = this.#offsetsMs.get(quarter);
    if (known !== undefined) return known;
    // Plain "GMT" is no match.
    const [, sign, hours = 0, minutes = 0] =
      /GMT([+-])(\d\d):(\d\d)/.exec(this.#format.format(instantMs)) ?? [];
    const aheadMs = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
    const offsetMs = sign === '-' ? -aheadMs : aheadMs;
    if (this.#offsetsMs.size >= MAX_QUARTERS) this.#offsetsMs.clear();
    this.#offsetsMs.set(quarter, offsetMs);
    return offsetMs;
  }
}

/** The calendars that were used last, by the names of their zones in lower case. */
const calendars = new RecentMap<string, ZonedCalendar>(MOST_CALENDARS);

/**
 * Returns the calendar of a zone, which is built once because that takes long. The case of a name makes no other zone.
 *
 * @throws RangeError when this machine does not know the zone.
 */
export function calendarOf(timeZone: string): ZonedCalendar {
  return calendars.getOrMake(timeZone.toLowerCase(), () => new ZonedCalendar(timeZone));
}

/**
 * Returns the name of a zone in its usual case; undefined where this machine knows no such zone. An offset
 * such as `+08:00` is not a name. Another name for a zone stays as it is, although this machine may call that
 * zone by the first: labels must not depend on which of the two it prefers.
 */
export function canonicalTimeZone(name: string): string | undefined {
  if (/^[+-]/.test(name)) return undefined;
  try {
    const { timeZone } = calendarOf(name);
    return timeZone.toLowerCase() === name.toLowerCase() ? timeZone : name;
  } catch {
    return undefined;
  }
}

/** Whether this machine knows a zone by that name, in any case. */
export function isTimeZone(name: string): boolean {
  return canonicalTimeZone(name) !== undefined;
}
