import { RecentMap } from './recent-map.ts';
import { ZonedCalendar } from './time-zone.ts';

/** More zones than one account has; each calendar takes some 28 KiB. */
export const MOST_CALENDARS = 100;

/** Keeps the calendars that were used last, because one takes long to build. */
export class Calendars {
  readonly #calendars = new RecentMap<string, ZonedCalendar>(MOST_CALENDARS);

  /** @throws RangeError when this machine does not know the zone. */
  of(timeZone: string): ZonedCalendar {
    // The case of a name makes no other zone.
    return this.#calendars.getOrMake(timeZone.toLowerCase(), () => new ZonedCalendar(timeZone));
  }
}
