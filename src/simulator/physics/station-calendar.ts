import { RecentMap } from '../../base/recent-map.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

// A list of stations asks for the months of this year for every station, a client of the past for those of
// ten years, and Intl is slow. Clocks change on the quarter hour.
const KEPT_OFFSETS = 1000;
const QUARTER_HOUR_MS = HOUR_MS / 4;

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
  readonly #offsetsMs = new RecentMap<number, number>(KEPT_OFFSETS);

  /** Throws RangeError when the zone is unknown. */
  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  }

  /** Finds the month that holds an instant. */
  monthAt(atMs: number): LocalMonth {
    const local = this.#localAt(atMs);
    return this.monthOf(local.getUTCFullYear(), local.getUTCMonth() + 1);
  }

  /** Finds a month by its number, 1 to 12. */
  monthOf(year: number, month: number): LocalMonth {
    const startMs = this.midnightMs(year, month);
    const endMs = this.midnightMs(year, month + 1);
    return { year, month, startMs, endMs, offsetMs: this.#offsetMsAt(startMs) };
  }

  /** Tells the local hour of day, 0 to 24, with fractions. */
  hourAt(atMs: number): number {
    return hourOfDay(atMs + this.#offsetMsAt(atMs));
  }

  /** Finds the midnight that began the day of an instant. */
  dayStartMs(atMs: number): number {
    const local = this.#localAt(atMs);
    return this.midnightMs(local.getUTCFullYear(), local.getUTCMonth() + 1, local.getUTCDate());
  }

  /** Finds the midnight that begins a day; a day beyond the month's last is one of the next month. */
  midnightMs(year: number, month: number, day = 1): number {
    const asIfUtcMs = Date.UTC(year, month - 1, day);
    // The offset at the wrong instant is at most a transition off; the second look corrects it.
    const guessMs = asIfUtcMs - this.#offsetMsAt(asIfUtcMs);
    return asIfUtcMs - this.#offsetMsAt(guessMs);
  }

  /** Moves an instant so that its UTC fields are the local ones. */
  #localAt(atMs: number): Date {
    return new Date(atMs + this.#offsetMsAt(atMs));
  }

  #offsetMsAt(atMs: number): number {
    return this.#offsetsMs.getOrMake(Math.floor(atMs / QUARTER_HOUR_MS), () => {
      const offset = /GMT([+-])(\d\d):(\d\d)/.exec(this.#format.format(atMs));
      if (offset === null) return 0; // plain "GMT"
      const [, sign, hours, minutes] = offset;
      return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
    });
  }
}

/** Reads the hour of day, 0 to 24 with fractions, off an instant already moved to local time. */
export function hourOfDay(localMs: number): number {
  return (((localMs % DAY_MS) + DAY_MS) % DAY_MS) / HOUR_MS;
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
    startAtHour === undefined ? 0 : (startAtHour - calendar.hourAt(createdAtMs)) * HOUR_MS;
  return (clockMs) => createdAtMs + (clockMs - createdAtMs) * speed + offsetMs;
}
