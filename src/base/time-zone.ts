import { RecentMap } from './recent-map.ts';

/** The zone of last resort, where neither the user nor a record of the service names one (service.md#headers). */
export const FALLBACK_TIME_ZONE = 'Asia/Manila';

const MINUTE_MS = 60_000;
/** Clocks change on the quarter hour, and zones differ by whole quarter hours. */
const QUARTER_HOUR_MS = 15 * MINUTE_MS;
const MAX_QUARTERS = 16;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** More zones than the accounts of one user have; each calendar takes some 28 KiB. */
const MOST_CALENDARS = 100;

/** A half-open interval: the end is the first instant after it. */
export interface Interval {
  readonly startsAtMs: number;
  readonly endsAtMs: number;
}

/** Does calendar arithmetic in one time zone. {@link calendarOf} keeps it: the formatter is expensive to build. */
export class ZonedCalendar {
  /** The name of the zone that Node.js prefers; where a zone has two names, that depends on the version of Node.js. */
  readonly timeZone: string;
  /** Absent where the zone is an offset, which Node.js 20 cannot format. */
  readonly #format: Intl.DateTimeFormat | undefined;
  /** How far the zone is ahead of UTC, by quarter hour. It is cached, because many devices are read within one. */
  readonly #offsetsMs = new Map<number, number>();

  readonly #fixedMs: number = 0;

  /**
   * @param timeZone - an IANA name, or an offset such as `+05:30`.
   * @throws RangeError when this machine does not know the zone.
   */
  constructor(timeZone: string) {
    this.timeZone = timeZone;
    if (isOffset(timeZone)) {
      this.#fixedMs = (offsetMinutesOf(timeZone) ?? 0) * MINUTE_MS;
      return;
    }
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

  /** Returns the day, `2026-03-29`, and month, weekday and quarter hour, counted from 0; Monday is 0. */
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
  yearPeriod(instantMs: number): Interval {
    const year = this.#local(instantMs).getUTCFullYear();
    return this.#period(Date.UTC(year, 0), Date.UTC(year + 1, 0));
  }

  /** Returns the calendar month that contains the instant, clock changes included. */
  monthPeriod(instantMs: number): Interval {
    const local = this.#local(instantMs);
    const [year, month] = [local.getUTCFullYear(), local.getUTCMonth()];
    return this.#period(Date.UTC(year, month), Date.UTC(year, month + 1));
  }

  /** Returns the calendar day that contains the instant: 23 or 25 hours when the clocks change. */
  dayPeriod(instantMs: number): Interval {
    const midnightMs = this.#local(instantMs).setUTCHours(0, 0, 0, 0);
    return this.#period(midnightMs, midnightMs + DAY_MS);
  }

  #period(firstMidnightMs: number, nextMidnightMs: number): Interval {
    return {
      startsAtMs: this.instantAt(firstMidnightMs),
      endsAtMs: this.instantAt(nextMidnightMs),
    };
  }

  /**
   * Returns the instant of a date and time of day; for midnight, the instant at which that day begins.
   *
   * @param localMs - the date and the time of day, as if the zone were UTC. For a time that the clocks skip, the
   * instant is that of the clock change; for a time that comes twice, it is the second one.
   */
  instantAt(localMs: number): number {
    const dayBeforeMs = this.#offsetMs(localMs - DAY_MS);
    const dayAfterMs = this.#offsetMs(localMs + DAY_MS);
    const lastMs = localMs - Math.min(dayBeforeMs, dayAfterMs);
    // If midnight comes twice, the day begins at the first one: the second one does not follow the day before.
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
    if (this.#format === undefined) return this.#fixedMs;
    const quarter = Math.floor(instantMs / QUARTER_HOUR_MS);
    const known = this.#offsetsMs.get(quarter);
    if (known !== undefined) return known;
    // Plain "GMT" does not match: its offset is 0.
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
 * Returns the calendar of a zone. It is built once, because that takes long. The case of the name does not matter.
 *
 * @throws RangeError when this machine does not know the zone.
 */
export function calendarOf(timeZone: string): ZonedCalendar {
  return calendars.getOrMake(timeZone.toLowerCase(), () => new ZonedCalendar(timeZone));
}

/**
 * Returns the name of a zone in its usual case, and `±HH:MM` for an offset in any spelling; undefined for an unknown
 * zone. An alias of a zone stays as it is, although Node.js may prefer another name: labels must not depend on which
 * one it prefers.
 */
export function canonicalTimeZone(name: string): string | undefined {
  const offsetMinutes = offsetMinutesOf(name);
  if (offsetMinutes !== undefined) return offsetName(offsetMinutes);
  // Some versions of Node.js accept offsets, too, in other spellings and with minutes that no zone has.
  if (!/^[a-z]/i.test(name)) return undefined;
  try {
    const { timeZone } = calendarOf(name);
    return timeZone.toLowerCase() === name.toLowerCase() ? timeZone : name;
  } catch {
    return undefined;
  }
}

/**
 * An offset from UTC: `+05:30`, `-0330`, `8`, `-3.5`, `UTC+8`, `GMT-3`, `(UTC+08:00) Beijing`. `Etc/GMT-8` is a name,
 * and means the opposite.
 */
const OFFSET =
  /^\(?(?:UTC?|GMT)?\s*([+−-]?)\s*(\d?\d)(?::([0-5]\d)(?::00)?|(\.\d+)|(?<=\d\d)([0-5]\d))?(?:\).*)?$/i;
const [MOST_WESTERN_MINUTES, MOST_EASTERN_MINUTES] = [-12 * 60, 14 * 60];

/** Returns how many minutes an offset is ahead of UTC; undefined for one that no zone has, and for other texts. */
function offsetMinutesOf(text: string): number | undefined {
  const [, sign, hours, minutes = '0', fraction = '0', bare = minutes] = OFFSET.exec(text) ?? [];
  const size = 60 * (Number(hours) + Number(fraction)) + Number(bare);
  const offset = sign === '-' || sign === '−' ? -size : size;
  const isPossible = offset >= MOST_WESTERN_MINUTES && offset <= MOST_EASTERN_MINUTES;
  return isPossible && Number.isInteger(offset / 15) ? offset : undefined;
}

function offsetName(offsetMinutes: number): string {
  if (offsetMinutes === 0) return 'UTC';
  const hoursAndMinutes = new Date(Math.abs(offsetMinutes) * MINUTE_MS).toISOString().slice(11, 16);
  return `${offsetMinutes < 0 ? '-' : '+'}${hoursAndMinutes}`;
}

function isOffset(zone: string): boolean {
  return /^[+-]\d\d:\d\d$/.test(zone);
}

/** A name for each offset in use that is not a whole number of hours. */
const PARTS_OF_HOURS: Readonly<Record<string, string>> = {
  '-09:30': 'Pacific/Marquesas',
  '-03:30': 'America/St_Johns',
  '+03:30': 'Asia/Tehran',
  '+04:30': 'Asia/Kabul',
  '+05:30': 'Asia/Kolkata',
  '+05:45': 'Asia/Kathmandu',
  '+06:30': 'Asia/Yangon',
  '+08:45': 'Australia/Eucla',
  '+09:30': 'Australia/Darwin',
  '+10:30': 'Australia/Lord_Howe',
  '+12:45': 'Pacific/Chatham',
};

/**
 * Returns the name of a zone to send, because the service refuses offsets (service.md#headers). An approximate zone
 * is enough, because the body of a request states its times.
 */
export function zoneNameOf(zone: string): string {
  if (!isOffset(zone)) return zone;
  const hours = Math.floor((offsetMinutesOf(zone) ?? 0) / 60);
  // The offsets of Etc zones count westward.
  return PARTS_OF_HOURS[zone] ?? `Etc/GMT${hours < 0 ? '+' : '-'}${Math.abs(hours)}`;
}

/** Whether this machine knows a zone by that name, in any case. */
export function isTimeZone(name: string): boolean {
  return canonicalTimeZone(name) !== undefined;
}
