import { RecentMap } from '../base/recent-map.ts';
import { ZonedCalendar } from '../base/time-zone.ts';
import type { EnergiesByPeriod, Patience, Period, ServiceApi } from '../client/client.ts';
import { isFinalRefusal } from '../client/exchange/retry.ts';
import type { Energies } from '../model/energy.ts';
import type { Station } from '../model/station.ts';
import type { KnownEnergies } from './energies-to-date.ts';

/** More answers than one station needs at a time; each takes a few KiB. */
const MOST_ANSWERS = 50;

/** A station with the zone in which its days are counted. */
export type ZonedStation = Station & { readonly timeZone: string };

const NOTHING: EnergiesByPeriod = new Map();

/** Asks the service for the energies that it sums up, each answer once in a run. */
export class PastEnergies {
  readonly #api: Pick<ServiceApi, 'fetchPastEnergies'>;
  readonly #patiently: Patience;
  readonly #answers = new RecentMap<string, EnergiesByPeriod>(MOST_ANSWERS);

  constructor(api: Pick<ServiceApi, 'fetchPastEnergies'>, patiently: Patience) {
    this.#api = api;
    this.#patiently = patiently;
  }

  /**
   * Returns the energies of the days of a month, of the months of its year and of all years; of the month before
   * as well, where the day before lies in it. What the service refuses it does not have.
   *
   * @param fromMs - an instant of the month, from which on energies are needed.
   */
  async around(station: ZonedStation, fromMs: number): Promise<KnownEnergies> {
    const calendar = new ZonedCalendar(station.timeZone);
    const dayBeforeMs = calendar.dayPeriod(fromMs).startsAtMs - 1;
    const days = new Map<string, Energies>();
    for (const month of new Set([calendar.month(dayBeforeMs), calendar.month(fromMs)]))
      for (const [day, known] of await this.#of(station, 'day', month)) days.set(day, known);
    const year = calendar.year(fromMs);
    return {
      days,
      months: await this.#of(station, 'month', year),
      years: await this.#of(station, 'year', year),
    };
  }

  async #of(station: ZonedStation, period: Period, of: string): Promise<EnergiesByPeriod> {
    // All years are one answer, whichever year is asked for.
    const key = [station.stationId, period, period === 'year' ? '' : of].join(' ');
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    const answer = await this.#ask(station, period, of);
    this.#answers.set(key, answer);
    return answer;
  }

  async #ask(station: ZonedStation, period: Period, of: string): Promise<EnergiesByPeriod> {
    try {
      return await this.#patiently(() => this.#api.fetchPastEnergies(station, period, of));
    } catch (error) {
      if (isFinalRefusal(error)) return NOTHING;
      throw error;
    }
  }
}
