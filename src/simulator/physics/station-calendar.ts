import { RecentMap } from '../../base/recent-map.ts';

// A list of stations asks for the months of this year for every station, and a client of the past for ten years.
const KEPT_MONTHS = 120;

// A day loses an hour, rarely two, when summer time begins.
const SHORTEST_DAY_MS = 22 * 3_600_000;

/** One calendar month of the stations' zone. */
export interface LocalMonth {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly startMs: number;
  /** The next month's start. */
  readonly endMs: number;
  /** What to add to an instant to read UTC fields as local ones, as of the month's start. */
  readonly offsetMs: number;
}

/** Tells local months and hours of one IANA zone. */
export class StationCalendar {
  readonly #format: Intl.DateTimeFormat;
  readonly #months = new RecentMap<string, LocalMonth>(KEPT_MONTHS);
  #latest: LocalMonth | undefined;
  #latestDayStartMs = NaN;

  /** Throws RangeError when the zone is unknown. */
  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'gregory',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  /** Finds the month that holds an instant. */
  monthAt(atMs: number): LocalMonth {
    // Nearly every question is about the month of the one before, and Intl is slow.
    if (this.#latest !== undefined && this.#latest.startMs <= atMs && atMs < this.#latest.endMs)
      return this.#latest;
    const local = new Date(atMs + this.#offsetMsAt(atMs));
    this.#latest = this.monthOf(local.getUTCFullYear(), local.getUTCMonth() + 1);
    return this.#latest;
  }

  /** Finds a month by its number, 1 to 12. */
  monthOf(year: number, month: number): LocalMonth {
    return this.#months.getOrMake(`${year}-${month}`, () => {
      const startMs = this.midnightMs(year, month);
      const endMs = this.midnightMs(year, month + 1);
      return { year, month, startMs, endMs, offsetMs: this.#offsetMsAt(startMs) };
    });
  }

  /** Tells the local hour of day, 0 to 24, with fractions. */
  hourAt(atMs: number): number {
    return hourOfDay(atMs + this.#offsetMsAt(atMs));
  }

  /** Finds the midnight that began the day of an instant. */
  dayStartMs(atMs: number): number {
    if (this.#latestDayStartMs <= atMs && atMs < this.#latestDayStartMs + SHORTEST_DAY_MS)
      return this.#latestDayStartMs;
    const local = new Date(atMs + this.#offsetMsAt(atMs));
    this.#latestDayStartMs = this.midnightMs(
      local.getUTCFullYear(),
      local.getUTCMonth() + 1,
      local.getUTCDate(),
    );
    return this.#latestDayStartMs;
  }

  /** Finds the midnight that begins a day; a day beyond the month's last is one of the next month. */
  midnightMs(year: number, month: number, day = 1): number {
    const asIfUtcMs = Date.UTC(year, month - 1, day);
    // The offset at the wrong instant is at most a transition off; the second look corrects it.
    const guessMs = asIfUtcMs - this.#offsetMsAt(asIfUtcMs);
    return asIfUtcMs - this.#offsetMsAt(guessMs);
  }

  #offsetMsAt(atMs: number): number {
    const wholeSecondMs = Math.floor(atMs / 1000) * 1000;
    const fields = new Map(
      this.#format.formatToParts(wholeSecondMs).map(({ type, value }) => [type, Number(value)]),
    );
    const field = (name: Intl.DateTimeFormatPartTypes): number => fields.get(name) ?? 0;
    const localMs = Date.UTC(
      field('year'),
      field('month') - 1,
      field('day'),
      field('hour'),
      field('minute'),
      field('second'),
    );
    return localMs - wholeSecondMs;
  }
}

/** Reads the hour of day, 0 to 24 with fractions, off an instant already moved to local time. */
export function hourOfDay(localMs: number): number {
  const dayMs = 86_400_000;
  return (((localMs % dayMs) + dayMs) % dayMs) / 3_600_000;
}

/** Maps the clock's instants to the sun's. */
export type PhysicalTime = (clockMs: number) => number;

/**
 * Makes the mapping: physical time runs `speed` times as fast as the clock from the creation on
 * (and, before it, as fast backwards), starting at the clock's own instant or, with
 * `startAtHour`, at that local hour of the same day.
 */
export function createPhysicalTime(
  { speed, startAtHour }: { readonly speed: number; readonly startAtHour: number | undefined },
  calendar: StationCalendar,
  createdAtMs: number,
): PhysicalTime {
  const offsetMs =
    startAtHour === undefined ? 0 : (startAtHour - calendar.hourAt(createdAtMs)) * 3_600_000;
  return (clockMs) => createdAtMs + (clockMs - createdAtMs) * speed + offsetMs;
}
