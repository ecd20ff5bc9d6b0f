import type { ServiceError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { DailyEnergy, Energies, YearlyEnergy } from '../../model/energy.ts';
import type { MonthlyEnergy } from '../../model/month.ts';
import { type DataEndpoint, ENDPOINTS, type Operation } from '../endpoints.ts';
import type { DataCaller } from '../exchange/data-caller.ts';
import type { RequestTime } from '../exchange/decode.ts';
import { isFinalRefusal } from '../exchange/retry.ts';
import type { ServiceClock } from '../exchange/service-clock.ts';
import { type EnergiesByPeriod, PAST_ENERGIES, type Period } from './past-energies.ts';

/** The category of the summaries that have energies (interface endpoint 5, field notes 1.4). */
const SUMMARY_CATEGORY = 'pvInverterElectricityQuantityClass';

/** How long after midnight the service may still correct yesterday: loggers send late, and in arrears. */
const LATE_READINGS_MS = 3 * 3_600_000;

/** Of a summary that the service lacks; it never ends. */
const MISSING = { endsAtMs: Infinity, isMissing: true } as const;

/** A station, and its time zone where known. */
interface EnergyOf {
  readonly stationId: string;
  readonly timeZone: string | undefined;
}

/** Fetches the energies that the service sums up; a service may have only those of months. */
export class StationEnergy {
  readonly #caller: DataCaller;
  readonly #serviceClock: Pick<ServiceClock, 'nowMs'>;
  readonly #log: Logger;
  /** The summaries of which the log has said that the service lacks them. */
  readonly #lacking = new Set<Operation>();

  constructor(caller: DataCaller, serviceClock: Pick<ServiceClock, 'nowMs'>, log: Logger) {
    this.#caller = caller;
    this.#serviceClock = serviceClock;
    this.#log = log;
  }

  /** Fetches the energy of the running month (interface endpoint 5). */
  month(station: EnergyOf): Promise<MonthlyEnergy> {
    return this.#ask(ENDPOINTS.summary, station, ({ nowMs, calendar }) => calendar.year(nowMs));
  }

  /**
   * Fetches the energy of today and yesterday. On the first of a month, yesterday lies in the month before,
   * which takes a request of its own: one after midnight, and one when late readings have arrived. What that
   * one says is kept for the day.
   *
   * @throws ServiceError when the summary fails for the moment, and when one that has answered is refused.
   */
  async days(station: EnergyOf, previous?: DailyEnergy): Promise<DailyEnergy> {
    const answer = await this.#unlessMissing(ENDPOINTS.summaryDays.operation, previous, () =>
      this.#ask(ENDPOINTS.summaryDays, station, ({ nowMs, calendar }) => calendar.month(nowMs)),
    );
    if (answer === undefined) return { today: {}, yesterday: {}, ...MISSING };
    const { startsAtMs, isFirstOfMonth, ...days } = answer;
    if (!isFirstOfMonth) return days;
    return { ...days, ...(await this.#monthBefore(station, startsAtMs, previous)) };
  }

  /** Fetches the energy of this year and of all years. Throws as {@link days} does. */
  async years(station: EnergyOf, previous?: YearlyEnergy): Promise<YearlyEnergy> {
    const years = await this.#unlessMissing(ENDPOINTS.summaryYears.operation, previous, () =>
      this.#ask(ENDPOINTS.summaryYears, station, ({ nowMs, calendar }) =>
        calendar.isoWithOffset(nowMs),
      ),
    );
    return years ?? { year: {}, lifetime: {}, ...MISSING };
  }

  /**
   * Fetches the energy of every day of a month, of every month of a year, or of every year.
   *
   * @param of - the month, `2026-08`; the year, `2026`; for years, any year.
   */
  past(station: EnergyOf, period: Period, of: string): Promise<EnergiesByPeriod> {
    return this.#ask(PAST_ENERGIES[period], station, () => of);
  }

  /** Returns the last day of the month before, as it is known already or as the service says now. */
  async #monthBefore(
    station: EnergyOf,
    endsAtMs: number,
    previous: DailyEnergy | undefined,
  ): Promise<Pick<DailyEnergy, 'yesterday' | 'monthBefore'>> {
    const askedAtMs = this.#serviceClock.nowMs();
    const finalFromMs = endsAtMs + LATE_READINGS_MS;
    const known = previous?.monthBefore;
    const isKnown = known?.endsAtMs === endsAtMs;
    const knownYesterday = (isKnown ? previous?.yesterday : undefined) ?? {};
    if (isKnown && (askedAtMs < finalFromMs || known.askedAtMs >= finalFromMs))
      return { yesterday: knownYesterday, monthBefore: known };
    const yesterday = await this.#lastDayBefore(station, endsAtMs, knownYesterday);
    return { yesterday, monthBefore: { endsAtMs, askedAtMs } };
  }

  async #lastDayBefore(station: EnergyOf, endsAtMs: number, known: Energies): Promise<Energies> {
    try {
      const { yesterday } = await this.#ask(ENDPOINTS.summaryDays, station, ({ calendar }) =>
        calendar.month(endsAtMs - 1),
      );
      return yesterday;
    } catch (error) {
      // A month before the station was built may be refused, which says nothing about this one.
      if (isFinalRefusal(error) && error.code !== 'SERVICE_PAYLOAD_INVALID') return known;
      throw error;
    }
  }

  #ask<T>(
    endpoint: DataEndpoint<T>,
    { stationId, timeZone }: EnergyOf,
    time: (requestTime: RequestTime) => string,
  ): Promise<T> {
    return this.#caller.call(
      endpoint,
      (requestTime) => ({
        query: { stationId, summaryCategoryKey: SUMMARY_CATEGORY },
        body: { time: time(requestTime) },
      }),
      { stationTimeZone: timeZone },
    );
  }

  /** Returns nothing when a summary that has never answered is refused: the service lacks it. */
  async #unlessMissing<T>(
    operation: Operation,
    previous: { readonly isMissing?: boolean } | undefined,
    ask: () => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await ask();
    } catch (error) {
      const hasAnswered = previous !== undefined && previous.isMissing !== true;
      if (!isFinalRefusal(error) || hasAnswered) throw error;
      this.#warnOnce(operation, error);
      return undefined;
    }
  }

  #warnOnce(operation: Operation, error: ServiceError): void {
    if (this.#lacking.has(operation)) return;
    this.#lacking.add(operation);
    this.#log.warn(
      { operation, err: error },
      'the service has no such summary of energy: its figures are absent',
    );
  }
}
