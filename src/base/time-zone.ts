import { RecentMap } from './recent-map.ts';

/** The zone that the interface assumes when nobody names one (interface 5.2). */
const FALLBACK_TIME_ZONE = 'Asia/Manila';

/** Who may name the zone of a station; IANA names, already validated. */
export interface TimeZoneSources {
  readonly configured?: string | undefined;
  /** From the record of the station. */
  readonly station?: string | undefined;
  /** From the record of one of its devices. */
  readonly device?: string | undefined;
}

/** Returns the zone that takes precedence: the user's choice, then the station, then a device. */
export function namedTimeZone({
  configured,
  station,
  device,
}: TimeZoneSources): string | undefined {
  return configured ?? station ?? device;
}

/** Returns the zone that takes precedence, and that of the interface when nobody names one. */
export function timeZoneOf(sources: TimeZoneSources): string {
  return namedTimeZone(sources) ?? FALLBACK_TIME_ZONE;
}

const MINUTE_MS = 60_000;
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
  readonly #format: Intl.DateTimeFormat;
  readonly #offsetByQuarter = new Map<number, number>();

  /** @throws RangeError when this machine does not know the zone. */
  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  }

  /** Formats an instant in whole seconds with its offset: `2026-03-29T03:00:00+02:00`. */
  isoWithOffset(instantMs: number): string {
    const offsetMinutes = this.#offsetMinutes(instantMs);
    const sign = offsetMinutes < 0 ? '-' : '+';
    const hours = Math.floor(Math.abs(offsetMinutes) / 60);
    const minutes = Math.abs(offsetMinutes) % 60;
    return `${this.#local(instantMs).slice(0, 19)}${sign}${pad(hours)}:${pad(minutes)}`;
  }

  /** Returns the calendar year in four digits. */
  year(instantMs: number): string {
    return this.#local(instantMs).slice(0, 4);
  }

  /** Returns the calendar month: `2026-03`. */
  month(instantMs: number): string {
    return this.#local(instantMs).slice(0, 7);
  }

  /** Returns the calendar day: `2026-03-29`. */
  day(instantMs: number): string {
    return this.#local(instantMs).slice(0, 10);
  }

  /** Returns the day, `2026-03-29`, and the quarter hour of a month's week, each counted from 0 and Monday. */
  quarterHour(instantMs: number): {
    readonly date: string;
    readonly month: number;
    readonly weekday: number;
    readonly quarter: number;
  } {
    const local = new Date(instantMs + this.#offsetMs(instantMs));
    return {
      date: this.day(instantMs),
      month: local.getUTCMonth(),
      weekday: (local.getUTCDay() + 6) % 7,
      quarter: local.getUTCHours() * 4 + Math.floor(local.getUTCMinutes() / 15),
    };
  }

  /** Returns the calendar year that contains the instant. */
  yearPeriod(instantMs: number): Period {
    const [year] = this.#yearMonthDay(instantMs);
    return this.#period(Date.UTC(year, 0), Date.UTC(year + 1, 0));
  }

  /** Returns the calendar month that contains the instant, clock changes included. */
  monthPeriod(instantMs: number): Period {
    const [year, month] = this.#yearMonthDay(instantMs);
    return this.#period(Date.UTC(year, month - 1), Date.UTC(year, month));
  }

  /** Returns the calendar day that contains the instant: 23 or 25 hours when the clocks change. */
  dayPeriod(instantMs: number): Period {
    const [year, month, day] = this.#yearMonthDay(instantMs);
    return this.#period(Date.UTC(year, month - 1, day), Date.UTC(year, month - 1, day + 1));
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
    const beforeMs = localMs - DAY_MS;
    const afterMs = localMs + DAY_MS;
    const withOldOffsetMs = localMs - this.#offsetMs(beforeMs);
    const withNewOffsetMs = localMs - this.#offsetMs(afterMs);
    if (withOldOffsetMs === withNewOffsetMs) return withNewOffsetMs;
    const changesAtMs = this.#clockChange(beforeMs, afterMs);
    return withNewOffsetMs > changesAtMs ? withNewOffsetMs : Math.min(withOldOffsetMs, changesAtMs);
  }

  /** Finds the clock change between two instants by bisection; clocks change on the quarter hour. */
  #clockChange(beforeMs: number, afterMs: number): number {
    let earlier = Math.floor(beforeMs / QUARTER_HOUR_MS);
    let later = Math.ceil(afterMs / QUARTER_HOUR_MS);
    const newOffsetMs = this.#offsetMs(later * QUARTER_HOUR_MS);
    while (later - earlier > 1) {
      const middle = Math.floor((earlier + later) / 2);
      if (this.#offsetMs(middle * QUARTER_HOUR_MS) === newOffsetMs) later = middle;
      else earlier = middle;
    }
    return later * QUARTER_HOUR_MS;
  }

  #yearMonthDay(instantMs: number): readonly [year: number, month: number, day: number] {
    const local = new Date(instantMs + this.#offsetMs(instantMs));
    return [local.getUTCFullYear(), local.getUTCMonth() + 1, local.getUTCDate()];
  }

  #offsetMs(instantMs: number): number {
    return this.#offsetMinutes(instantMs) * MINUTE_MS;
  }

  /** Formats the local time as ISO 8601; ignore the trailing `Z`. */
  #local(instantMs: number): string {
    return new Date(instantMs + this.#offsetMs(instantMs)).toISOString();
  }

  /** Caches offsets by quarter hour, for many devices; clocks change on the quarter hour. */
  #offsetMinutes(instantMs: number): number {
    const quarter = Math.floor(instantMs / QUARTER_HOUR_MS);
    let offset = this.#offsetByQuarter.get(quarter);
    if (offset === undefined) {
      offset = this.#formattedOffset(instantMs);
      if (this.#offsetByQuarter.size >= MAX_QUARTERS) this.#offsetByQuarter.clear();
      this.#offsetByQuarter.set(quarter, offset);
    }
    return offset;
  }

  #formattedOffset(instantMs: number): number {
    const parts = this.#format.formatToParts(instantMs);
    const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const match = /GMT([+-])(\d\d):(\d\d)/.exec(name);
    if (match === null) return 0; // plain "GMT"
    const [, sign, hours, minutes] = match;
    return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
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

function pad(value: number): string {
  return String(value).padStart(2, '0');
}
