import { Calendars } from '../../base/calendars.ts';

/** From this hour on, and until that one, the sun is down or so low that no string produces. */
const BEGINS_AT_HOUR = 22;
const ENDS_AT_HOUR = 4;

/**
 * Knows when it is night at a station by its clock alone, because the place of a station is not asked
 * for. Dusk and dawn count as day: then a string without a value may produce.
 */
export class Nights {
  readonly #calendars = new Calendars();

  /** Whether it is night in a time zone; false where the zone is unknown. */
  isNight(instantMs: number, timeZone: string | undefined): boolean {
    if (timeZone === undefined) return false;
    const hour = Number(this.#calendars.of(timeZone).isoWithOffset(instantMs).slice(11, 13));
    return hour >= BEGINS_AT_HOUR || hour < ENDS_AT_HOUR;
  }
}
