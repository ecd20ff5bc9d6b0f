import { z } from 'zod';
import { isRefusal } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import {
  type DailyEnergy,
  type Energies,
  type EnergyQuantity,
  lifetimeOf,
  type MonthlyEnergy,
  monthOf,
  type YearlyEnergy,
} from '../model/energy.ts';
import type { Period as TimeSpan } from '../base/time-zone.ts';
import { toKilowattHours } from './dialects/unit.ts';
import type { Call } from './endpoints.ts';
import {
  anyList,
  type Decoder,
  flag,
  id,
  optional,
  parse,
  quantity,
  type RequestTime,
  text,
} from './exchange/decode.ts';
import { isFinalRefusal } from './exchange/retry.ts';

/** The quantities by the portal's keys in lower case, because the case of the keys varies. */
const QUANTITY_BY_KEY: ReadonlyMap<string, EnergyQuantity> = new Map([
  ['pvgeneratedenergy', 'pvGeneratedKwh'],
  ['buyelectricityquantity', 'gridImportKwh'],
  ['consumeelectricityquantity', 'consumptionKwh'],
  ['sellelectricityquantity', 'gridFeedInKwh'],
  ['chargeelectricityquantity', 'batteryChargedKwh'],
  ['dischargeelectricityquantity', 'batteryDischargedKwh'],
]);

const itemsSchema = anyList.catch([]);
const summarySchema = z.object({
  hasRealTimePoints: flag,
  properties: itemsSchema,
  list: itemsSchema,
});
const propertySchema = z.object({
  property: z.object({ key: text, unit: optional(z.string()) }),
  hasRealTimePoints: flag,
  timePoints: itemsSchema,
});
// A year may come as a bare number, as ids do.
const pointSchema = z.object({ time: id, value: quantity, isRealValue: flag });
const flatItemSchema = z.object({
  // An item with a property has the nested form of the portal.
  property: z.null().optional(),
  key: text,
  name: text,
  value: quantity,
  unit: optional(z.string()),
});

/** The energy of each period, by its name (`2026-08-01`, `2026-08`, `2026`), in kWh. */
export type EnergiesByPeriod = ReadonlyMap<string, Energies>;

/** The answer about the days of a month, the months of a year, or all years. */
export interface Summary {
  /** What the portal measured, its own form (field notes 2.9). */
  readonly measured: EnergiesByPeriod;
  /** The quantities with a point that cannot be read: nobody knows of which period, or how much. */
  readonly unreadable: ReadonlySet<EnergyQuantity>;
  /** The valid items of the flat form by key, in kWh (interface 2.5); absent without any. */
  readonly flat: ReadonlyMap<string, number> | undefined;
  /**
   * Both together: an item of the flat form whose key is a period is PV generated (interface 2.5), where nothing was
   * measured; other keys say nothing of a single period.
   */
  readonly energies: EnergiesByPeriod;
  readonly time: RequestTime;
}

/** The times of points that name a period; others, such as a month among days, are of none. */
const PERIODS = {
  /** `2026-08-01`, `2026-8-1` or `2026-08-01 00:00:00`. */
  day: /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T]00:00:00)?$/,
  /** `2026-08`, `2026-8` or `2026-08-01`. */
  month: /^(\d{4})-(\d{1,2})(?:-0?1)?$/,
  year: /^(\d{4})$/,
} as const;

/** The periods that the service sums up energy for. */
export type Period = keyof typeof PERIODS;

/** Reads the time of a point as the name of a period, always spelt the same way; undefined for other times. */
export function periodOf(period: Period, time: string): string | undefined {
  const [, ...parts] = PERIODS[period].exec(time) ?? [];
  return parts.length === 0 ? undefined : parts.map((part) => part.padStart(2, '0')).join('-');
}

/** Returns the decoder of a summary by day, month or year (interface endpoint 5, field notes 1.4). */
export function decodeSummary(period: Period): Decoder<Summary> {
  return (data, answer) => {
    const { properties, list, hasRealTimePoints } = parse(summarySchema, data, answer);
    const nested = hasRealTimePoints === false ? [] : [...properties, ...list];
    const { measured, unreadable } = measuredEnergies(nested, period);
    const flat = [flatValues(properties), flatValues(list)].find(({ size }) => size > 0);
    const energies = new Map(measured);
    for (const [key, pvGeneratedKwh] of flat ?? []) {
      const name = periodOf(period, key);
      if (name !== undefined) energies.set(name, { pvGeneratedKwh, ...energies.get(name) });
    }
    return { measured, unreadable, flat, energies, time: answer };
  };
}

/**
 * Decodes nested properties; skips entries of another form. A placeholder (`isRealValue: false`) is absent; a real
 * 0 is 0; a negative value is a mistake of the service. The last value of a period counts.
 */
function measuredEnergies(entries: readonly unknown[], period: Period) {
  const measured = new Map<string, Partial<Record<EnergyQuantity, number>>>();
  const unreadable = new Set<EnergyQuantity>();
  for (const entry of entries) {
    const { property, hasRealTimePoints, timePoints } = propertySchema.safeParse(entry).data ?? {};
    const name = QUANTITY_BY_KEY.get(property?.key?.toLowerCase() ?? '');
    if (name === undefined || hasRealTimePoints === false) continue;
    for (const point of timePoints ?? []) {
      const { time = '', value = NaN, isRealValue } = pointSchema.safeParse(point).data ?? {};
      if (isRealValue === false) continue;
      const at = periodOf(period, time);
      const energyKwh = value >= 0 ? toKilowattHours(value, property?.unit) : undefined;
      if (at === undefined || energyKwh === undefined) unreadable.add(name);
      else measured.set(at, { ...measured.get(at), [name]: energyKwh });
    }
  }
  return { measured, unreadable };
}

function flatValues(items: readonly unknown[]): ReadonlyMap<string, number> {
  const values = new Map<string, number>();
  for (const item of items) {
    const { key, name, value = NaN, unit } = flatItemSchema.safeParse(item).data ?? {};
    const label = key ?? name;
    // Energy only counts up, so a negative value is a mistake of the service.
    const energyKwh = value >= 0 ? toKilowattHours(value, unit) : undefined;
    if (label !== undefined && energyKwh !== undefined) values.set(label, energyKwh);
  }
  return values;
}

/**
 * Returns the month of the request. The flat form follows the rules of interface 2.7. Every quantity is absent when
 * neither form has it.
 */
export function currentMonth({ measured, flat, time }: Summary): MonthlyEnergy {
  const { calendar, nowMs } = time;
  const month = calendar.month(nowMs);
  const pick = (...keys: string[]): (number | undefined)[] => keys.map((key) => flat?.get(key));
  const candidates = flat && {
    pvGeneratedKwh: pick(month, 'pvTotal', 'pv'),
    gridImportKwh: pick('gridImport', 'buy'),
    consumptionKwh: pick('totalConsumption', 'load'),
  };
  return {
    ...monthOf(measured.get(month) ?? {}, candidates),
    ...byOurClock(calendar.monthPeriod(nowMs), time),
  };
}

/** Returns the day of the request and the day before, as far as one month has them. */
export function currentDays({ energies, time }: Summary): DailyEnergy & TimeSpan {
  const { calendar, nowMs } = time;
  const period = calendar.dayPeriod(nowMs);
  return {
    today: energies.get(calendar.day(nowMs)) ?? {},
    yesterday: energies.get(calendar.day(period.startsAtMs - 1)) ?? {},
    ...byOurClock(period, time),
  };
}

/**
 * Returns the year of the request, and the sum of all. A quantity with a year that cannot be read has no sum: it
 * might be the first one, which nobody would miss.
 */
export function currentYear({ energies, unreadable, time }: Summary): YearlyEnergy {
  const { calendar, nowMs } = time;
  const years = new Map(Array.from(energies, ([year, known]) => [Number(year), known]));
  const year = Number(calendar.year(nowMs));
  const unknown = Object.fromEntries(Array.from(unreadable, (name) => [name, undefined]));
  return {
    year: years.get(year) ?? {},
    lifetime: { ...lifetimeOf(years, year), ...unknown },
    endsAtMs: byOurClock(calendar.yearPeriod(nowMs), time).endsAtMs,
  };
}

/** Gives a period its end by our clock: when this answer shows that it is wrong, the period may be over. */
function byOurClock(period: TimeSpan, { serviceAheadMs }: RequestTime): TimeSpan {
  return { ...period, endsAtMs: period.endsAtMs - serviceAheadMs };
}

/** The category of the summaries that have energies (interface endpoint 5, field notes 1.4). */
const SUMMARY_CATEGORY = 'pvInverterElectricityQuantityClass';

/** How long after midnight the service may still correct yesterday: loggers send late, and in arrears. */
const LATE_READINGS_MS = 3 * 3_600_000;

/** Of a summary that the service lacks; it never ends. */
const MISSING = { endsAtMs: Infinity, isMissing: true } as const;

/** The summaries by the periods that they are about. */
const SUMMARIES = { day: 'summaryDays', month: 'summary', year: 'summaryYears' } as const;

/** A station, and its time zone where known. */
interface EnergyOf {
  readonly stationId: string;
  readonly timeZone: string | undefined;
}

/** Returns the time that a request is about, in the spelling of the endpoint. */
type TimeOf = (requestTime: RequestTime) => string;

/** Fetches the energies that the service sums up; a service may have only those of months. */
export class StationEnergy {
  readonly #call: Call;
  readonly #log: Logger;
  /** The summaries of which the log has said that the service lacks them. */
  readonly #lacking = new Set<Period>();

  constructor(call: Call, log: Logger) {
    this.#call = call;
    this.#log = log;
  }

  /** Fetches the energy of the running month (interface endpoint 5). */
  async month(station: EnergyOf): Promise<MonthlyEnergy> {
    return currentMonth(
      await this.#ask('month', station, ({ nowMs, calendar }) => calendar.year(nowMs)),
    );
  }

  /**
   * Fetches the energy of today and yesterday. On the first of a month, yesterday lies in the month before,
   * which takes a request of its own: one after midnight, and one when late readings have arrived. What that
   * one says is kept for the day.
   *
   * @throws ServiceError when the summary fails for the moment, and when one that has answered is refused.
   */
  async days(station: EnergyOf, previous?: DailyEnergy): Promise<DailyEnergy> {
    const summary = await this.#askUnlessMissing('day', station, previous, (time) =>
      time.calendar.month(time.nowMs),
    );
    if (summary === undefined) return { today: {}, yesterday: {}, ...MISSING };
    const { startsAtMs, ...days } = currentDays(summary);
    const { calendar, nowMs } = summary.time;
    if (!calendar.day(nowMs).endsWith('-01')) return days;
    const known = previous?.monthBefore?.endsAtMs === startsAtMs ? previous : undefined;
    const isFinal = (askedAtMs = -Infinity) => askedAtMs >= startsAtMs + LATE_READINGS_MS;
    if (known !== undefined && (!isFinal(nowMs) || isFinal(known.monthBefore?.askedAtMs)))
      return { ...days, yesterday: known.yesterday, monthBefore: known.monthBefore };
    const yesterday = await this.#lastDayOfMonth(station, startsAtMs - 1);
    return {
      ...days,
      yesterday: yesterday ?? known?.yesterday ?? {},
      monthBefore: { endsAtMs: startsAtMs, askedAtMs: nowMs },
    };
  }

  /** Fetches the energy of this year and of all years. Throws as {@link days} does. */
  async years(station: EnergyOf, previous?: YearlyEnergy): Promise<YearlyEnergy> {
    const summary = await this.#askUnlessMissing('year', station, previous, (time) =>
      time.calendar.isoWithOffset(time.nowMs),
    );
    return summary === undefined ? { year: {}, lifetime: {}, ...MISSING } : currentYear(summary);
  }

  /**
   * Fetches the energy of every day of a month, of every month of a year, or of every year.
   *
   * @param of - the month, `2026-08`; the year, `2026`; for years, any year.
   */
  async past(station: EnergyOf, period: Period, of: string): Promise<EnergiesByPeriod> {
    return (await this.#ask(period, station, () => of)).energies;
  }

  async #lastDayOfMonth(station: EnergyOf, atMs: number): Promise<Energies | undefined> {
    try {
      const { energies, time } = await this.#ask('day', station, (asked) =>
        asked.calendar.month(atMs),
      );
      return energies.get(time.calendar.day(atMs)) ?? {};
    } catch (error) {
      // A month before the station was built may be refused, which says nothing about this one.
      if (isRefusal(error)) return undefined;
      throw error;
    }
  }

  /** Returns nothing when a summary that has never answered is refused: the service lacks it. */
  async #askUnlessMissing(
    period: Period,
    station: EnergyOf,
    previous: { readonly isMissing?: boolean } | undefined,
    timeOf: TimeOf,
  ): Promise<Summary | undefined> {
    try {
      return await this.#ask(period, station, timeOf);
    } catch (error) {
      const hasAnswered = previous !== undefined && previous.isMissing !== true;
      if (!isFinalRefusal(error) || hasAnswered) throw error;
      if (!this.#lacking.has(period))
        this.#log.warn(
          { operation: `summary-${period}s`, err: error },
          'the service has no such summary of energy: its figures are absent',
        );
      this.#lacking.add(period);
      return undefined;
    }
  }

  #ask(period: Period, { stationId, timeZone }: EnergyOf, timeOf: TimeOf): Promise<Summary> {
    return this.#call(
      SUMMARIES[period],
      (requestTime) => ({
        query: { stationId, summaryCategoryKey: SUMMARY_CATEGORY },
        body: { time: timeOf(requestTime) },
      }),
      { stationTimeZone: timeZone },
    );
  }
}
