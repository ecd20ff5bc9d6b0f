/** Used when neither the user nor the station names a zone (interface 5.2). */
export const FALLBACK_TIME_ZONE = 'Asia/Manila';

const MINUTE_MS = 60_000;
const QUARTER_HOUR_MS = 15 * MINUTE_MS;
const MAX_QUARTERS = 16;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** A stretch of time: from its first instant to the first that no longer belongs to it. */
export interface Period {
  readonly startsAtMs: number;
  readonly endsAtMs: number;
}

/** Calendar arithmetic in one IANA time zone; building the formatter is the costly part. */
export class ZonedCalendar {
  readonly #format: Intl.DateTimeFormat;
  readonly #offsetByQuarter = new Map<number, number>();

  /** @throws RangeError when `timeZone` is not a zone this machine knows. */
  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  }

  /** ISO 8601 with the zone's offset at that instant, whole seconds: `2026-03-29T03:00:00+02:00`. */
  isoWithOffset(instantMs: number): string {
    const offsetMinutes = this.#offsetMinutes(instantMs);
    const sign = offsetMinutes < 0 ? '-' : '+';
    const hours = Math.floor(Math.abs(offsetMinutes) / 60);
    const minutes = Math.abs(offsetMinutes) % 60;
    return `${this.#local(instantMs).slice(0, 19)}${sign}${pad(hours)}:${pad(minutes)}`;
  }

  /** The calendar year there, four digits. */
  year(instantMs: number): string {
    return this.#local(instantMs).slice(0, 4);
  }

  /** The calendar month there: `2026-03`. */
  month(instantMs: number): string {
    return this.#local(instantMs).slice(0, 7);
  }

  /** The whole of that calendar month there, whatever the clocks do meanwhile. */
  monthPeriod(instantMs: number): Period {
    const [year, month] = this.#yearMonthDay(instantMs);
    return this.#period(Date.UTC(year, month - 1), Date.UTC(year, month));
  }

  /** The whole of that calendar day there: 23 or 25 hours when the clocks change. */
  dayPeriod(instantMs: number): Period {
    const [year, month, day] = this.#yearMonthDay(instantMs);
    return this.#period(Date.UTC(year, month - 1, day), Date.UTC(year, month - 1, day + 1));
  }

  #period(firstMidnightMs: number, nextMidnightMs: number): Period {
    return { startsAtMs: this.#firstAt(firstMidnightMs), endsAtMs: this.#firstAt(nextMidnightMs) };
  }

  /**
   * When a day begins for good, given its midnight as if it were UTC. Where clocks skip midnight, it is
   * when they are changed; where they go back to the day before, it is when midnight comes again.
   */
  #firstAt(midnightMs: number): number {
    const beforeMs = midnightMs - DAY_MS;
    const afterMs = midnightMs + DAY_MS;
    const withOldOffsetMs = midnightMs - this.#offsetMs(beforeMs);
    const withNewOffsetMs = midnightMs - this.#offsetMs(afterMs);
    if (withOldOffsetMs === withNewOffsetMs) return withNewOffsetMs;
    const changesAtMs = this.#clockChange(beforeMs, afterMs);
    return withNewOffsetMs > changesAtMs ? withNewOffsetMs : Math.min(withOldOffsetMs, changesAtMs);
  }

  /** The one instant between two at which the clocks are changed: on the quarter hour, found by halving. */
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

  /** Local time in ISO form; the trailing `Z` is not to be believed. */
  #local(instantMs: number): string {
    return new Date(instantMs + this.#offsetMs(instantMs)).toISOString();
  }

  /** Clocks are changed on the quarter hour, if at all: whoever asks for a thousand devices asks once. */
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

/** Names seen to be good; there are only so many zones, and every device record repeats one. */
const knownTimeZones = new Set<string>();

/** Whether this machine knows the zone by that name; plain offsets are not names. */
export function isTimeZone(name: string): boolean {
  if (knownTimeZones.has(name)) return true;
  if (/^[+-]/.test(name)) return false;
  try {
    new ZonedCalendar(name);
  } catch {
    return false;
  }
  knownTimeZones.add(name);
  return true;
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}
