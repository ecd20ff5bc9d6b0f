import { ZonedCalendar } from '../../base/time-zone.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** One calendar month of the stations' zone. */
export interface LocalMonth {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly startMs: number;
  /** The next month's start. */
  readonly endMs: number;
}

/** Tells local months and hours of one IANA zone. */
export class StationCalendar {
  readonly #zone: ZonedCalendar;

  /** Throws RangeError when the zone is unknown. */
  constructor(timeZone: string) {
    this.#zone = new ZonedCalendar(timeZone);
  }

  /** Finds the month that holds an instant. */
  monthAt(atMs: number): LocalMonth {
    const [year = 0, month = 0] = this.#zone.month(atMs).split('-').map(Number);
    return this.monthOf(year, month);
  }

  /** Finds a month by its number, 1 to 12. */
  monthOf(year: number, month: number): LocalMonth {
    const startMs = this.midnightMs(year, month);
    const endMs = this.midnightMs(year, month + 1);
    return { year, month, startMs, endMs };
  }

  /** Tells the local hour of day, 0 to 24, with fractions. */
  hourAt(atMs: number): number {
    const [local = ''] = this.#zone.isoWithOffset(atMs).split(/[+-]\d\d:/);
    return hourOfDay(Date.parse(`${local}Z`) + (atMs % 1000));
  }

  /** Finds the midnight that began the day of an instant. */
  dayStartMs(atMs: number): number {
    return this.#zone.dayPeriod(atMs).startsAtMs;
  }

  /** Finds the midnight that begins a day; a day beyond the month's last is one of the next month. */
  midnightMs(year: number, month: number, day = 1): number {
    return this.#zone.instantAt(Date.UTC(year, month - 1, day));
  }
}

/** Reads the hour of day, 0 to 24 with fractions, off an instant already moved to local time. */
export function hourOfDay(localMs: number): number {
  return (((localMs % DAY_MS) + DAY_MS) % DAY_MS) / HOUR_MS;
}

/**
 * Makes the mapping of the clock's instants to the sun's, which runs `speed` times as fast, before the
 * creation too; from the clock's own instant or, with `startAtHour`, from that local hour of the same day.
 */
export function createPhysicalTime(
  { speed, startAtHour }: { readonly speed: number; readonly startAtHour: number | undefined },
  calendar: StationCalendar,
  createdAtMs: number,
): (clockMs: number) => number {
  const offsetMs =
    startAtHour === undefined ? 0 : (startAtHour - calendar.hourAt(createdAtMs)) * HOUR_MS;
  return (clockMs) => createdAtMs + (clockMs - createdAtMs) * speed + offsetMs;
}
