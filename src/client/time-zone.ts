/** Used when neither the user nor the station names a zone (interface 5.2). */
export const FALLBACK_TIME_ZONE = 'Asia/Manila';

const MINUTE_MS = 60_000;
const QUARTER_HOUR_MS = 15 * MINUTE_MS;
const MAX_QUARTERS = 16;

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

  /** Local time in ISO form; the trailing `Z` is not to be believed. */
  #local(instantMs: number): string {
    return new Date(instantMs + this.#offsetMinutes(instantMs) * MINUTE_MS).toISOString();
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
