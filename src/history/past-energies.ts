import type { EnergiesByPeriod, Patience, Period, ServiceApi } from '../client/api.ts';
import { isFinalRefusal } from '../client/exchange/retry.ts';
import { RecentMap } from '../base/recent-map.ts';
import type { Station } from '../model/station.ts';

/** More answers than one station needs at a time; each takes a few KiB. */
const MOST_ANSWERS = 50;

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
   * Returns the energies of the days of a month, of the months of a year or of all years; nothing where the
   * service refuses them, because it does not have them.
   *
   * @param of - the month, `2026-08`; the year, `2026`, also for years.
   */
  async of(station: Station, period: Period, of: string): Promise<EnergiesByPeriod> {
    const key = [station.stationId, period, period === 'year' ? '' : of].join(' ');
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    const answer = await this.#ask(station, period, of);
    this.#answers.set(key, answer);
    return answer;
  }

  async #ask(
    { stationId, timeZone }: Station,
    period: Period,
    of: string,
  ): Promise<EnergiesByPeriod> {
    try {
      return await this.#patiently(() =>
        this.#api.fetchPastEnergies(stationId, timeZone, period, of),
      );
    } catch (error) {
      if (isFinalRefusal(error)) return NOTHING;
      throw error;
    }
  }
}
