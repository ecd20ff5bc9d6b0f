import { z } from 'zod';
import { isRefusal, ServiceError } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import type { Interval } from '../base/time-zone.ts';
import { isEnergyOf } from '../model/bounds.ts';
import {
  byQuantity,
  COUNTED_AS_ZERO,
  type CountedAsZero,
  type DailyEnergy,
  type Energies,
  type EnergyQuantity,
  type MonthlyEnergy,
  monthOf,
  NO_ENERGY,
  sumWithoutHole,
  type YearlyEnergy,
} from '../model/energy.ts';
import type { Station } from '../model/station.ts';
import { toKilowattHours } from './dialects/unit.ts';
import type { Call } from './call.ts';
import * as wire from './exchange/decode.ts';
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

const listSchema = wire.anyList.catch([]);
const unit = wire.optional(z.string());
const summarySchema = z.object({
  hasRealTimePoints: wire.flag,
  properties: listSchema,
  list: listSchema,
});
/** A property with its points, the portal's own form (service.md#summaries), or an item of the specified form. */
const entrySchema = z.object({
  property: wire.optional(z.object({ key: wire.text, unit })),
  hasRealTimePoints: wire.flag,
  timePoints: listSchema,
  key: wire.text,
  name: wire.text,
  value: z.unknown().optional(),
  unit,
});
// A year may come as a bare number, as ids do.
const pointSchema = z.object({
  time: wire.id,
  value: z.unknown().optional(),
  isRealValue: wire.flag,
});

/** The energy of each period, by its name (`2026-08-01`, `2026-08`, `2026`), in kWh. */
export type EnergiesByPeriod = ReadonlyMap<string, Energies>;

/** The answer about the days of a month, the months of a year, or all years. */
export interface Summary {
  /** The energy of each period in the portal's own form. */
  readonly measured: EnergiesByPeriod;
  /** Quantities with an unreadable point: its period or its energy is unknown. */
  readonly unreadable: ReadonlySet<EnergyQuantity>;
  /** The values of the specified form by key, in kWh; NaN for an invalid or implausible value. */
  readonly flat: ReadonlyMap<string, number>;
  /** The energy of each period; the portal's own form takes precedence. */
  readonly energies: EnergiesByPeriod;
  /** Says which figure came and is in no known way a number; absent where there is none. */
  readonly misread?: ServiceError | undefined;
  readonly time: wire.RequestTime;
}

/** The times of points that name a period; other times, such as a month among days, name none. */
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

/**
 * Makes the decoder of a summary (service.md#summaries). In the portal's own form, a placeholder
 * (`isRealValue: false`) is absent, and a real 0 is 0. In the specified form, an item whose key is a period is its PV
 * energy, unless the portal's own form has one.
 */
export function summaryOf(period: Period): wire.Decoder<Summary> {
  return (data, answer) => {
    const summary = wire.parse(summarySchema, data, answer);
    const measured = new Map<string, Energies>();
    const unreadable = new Set<EnergyQuantity>();
    const flat = new Map<string, number>();
    let misread: ServiceError | undefined;
    const noteIfMisread = (key: string, value: unknown, unit: string | undefined): void => {
      if (isMisread(value, unit)) misread ??= misreadError(answer.path, key);
    };
    // The properties come last, because they replace the entries of the list.
    for (const sent of wire.firstOf([...summary.list, ...summary.properties], answer)) {
      const entry = entrySchema.safeParse(sent).data;
      if (entry === undefined) continue;
      const { property, key = entry.name } = entry;
      const itemKwh = energyOf(wire.quantity.parse(entry.value), entry.unit);
      const hasCome = entry.value != null && entry.value !== '';
      if (key !== undefined && (itemKwh !== undefined || (hasCome && !flat.has(key))))
        flat.set(key, itemKwh ?? NaN);
      if (key !== undefined && isFlatKey(period, key)) noteIfMisread(key, entry.value, entry.unit);
      const name = QUANTITY_BY_KEY.get(property?.key?.toLowerCase() ?? '');
      const isReal = (summary.hasRealTimePoints ?? true) && (entry.hasRealTimePoints ?? true);
      if (name === undefined || !isReal) continue;
      for (const point of wire.firstOf(entry.timePoints, answer)) {
        const { time = '', value, isRealValue } = pointSchema.safeParse(point).data ?? {};
        if (isRealValue === false) continue;
        const at = periodOf(period, time);
        const energyKwh = energyOf(wire.quantity.parse(value), property?.unit);
        noteIfMisread(property?.key ?? '', value, property?.unit);
        if (at === undefined || energyKwh === undefined) unreadable.add(name);
        else measured.set(at, { ...measured.get(at), [name]: energyKwh });
      }
    }
    const energies = new Map(measured);
    for (const [key, pvGeneratedKwh] of flat) {
      const at = periodOf(period, key);
      if (at !== undefined && !Number.isNaN(pvGeneratedKwh))
        energies.set(at, { pvGeneratedKwh, ...energies.get(at) });
    }
    return { measured, unreadable, flat, energies, misread, time: answer };
  };
}

/** Leaves out the energies that a station cannot have had in a period. */
function plausible(
  { measured, unreadable, flat, energies, ...more }: Summary,
  period: Period,
  ratedWatts: number | undefined,
): Summary {
  const odd = new Set(unreadable);
  const judged = (name: EnergyQuantity, energyKwh = NaN): number =>
    isEnergyOf(period, name, energyKwh, ratedWatts) ? energyKwh : NaN;
  const thoseThatCanBe = (known: Energies): Energies =>
    byQuantity((name) => {
      const energyKwh = judged(name, known[name]);
      if (known[name] !== undefined && Number.isNaN(energyKwh)) odd.add(name);
      return Number.isNaN(energyKwh) ? undefined : energyKwh;
    });
  const ofPeriods = (all: EnergiesByPeriod): EnergiesByPeriod =>
    new Map(Array.from(all, ([at, known]) => [at, thoseThatCanBe(known)]));
  const quantityOf = (key: string) =>
    COUNTED_AS_ZERO.find((name) => FLAT_KEYS[name].includes(key)) ?? 'pvGeneratedKwh';
  return {
    ...more,
    measured: ofPeriods(measured),
    energies: ofPeriods(energies),
    unreadable: odd,
    flat: new Map(
      Array.from(flat, ([key, energyKwh]) => [key, judged(quantityOf(key), energyKwh)]),
    ),
  };
}

/** The keys of the specified form besides the names of periods, in order of precedence (service.md#months). */
const FLAT_KEYS: Readonly<Record<CountedAsZero, readonly string[]>> = {
  pvGeneratedKwh: ['pvTotal', 'pv'],
  gridImportKwh: ['gridImport', 'buy'],
  consumptionKwh: ['totalConsumption', 'load'],
};

/** Converts an energy to kWh; undefined for a negative value, which is a fault of the service. */
function energyOf(value = NaN, unit?: string): number | undefined {
  return value >= 0 ? toKilowattHours(value, unit) : undefined;
}

/** Whether a value has a number that cannot be read, such as "3,5", or one of an unknown unit. */
function isMisread(value: unknown, unit?: string): boolean {
  const number = wire.quantity.parse(value);
  if (number === undefined) return typeof value === 'string' && /\d/.test(value);
  return number >= 0 && energyOf(number, unit) === undefined;
}

/** Names the key alone: the value may be anything. */
function misreadError(path: string, key: string): ServiceError {
  const message = `${path}: a value of ${key} is no number of kWh that can be read; the others are shown`;
  return new ServiceError('SERVICE_PAYLOAD_INVALID', message, {
    remedy: 'please report how the service writes this figure; nothing is wrong with your options',
  });
}

/** Whether a key of the specified form is one that counts. */
function isFlatKey(period: Period, key: string): boolean {
  return periodOf(period, key) !== undefined || Object.values(FLAT_KEYS).flat().includes(key);
}

/** Returns the energy of the running month, by the rules of service.md#months. */
export function currentMonth({ measured, flat, time }: Summary): MonthlyEnergy {
  const month = time.calendar.month(time.nowMs);
  const pick = (keys: readonly string[]): (number | undefined)[] =>
    keys.map((key) => flat.get(key));
  const candidates = {
    pvGeneratedKwh: pick([month, ...FLAT_KEYS.pvGeneratedKwh]),
    gridImportKwh: pick(FLAT_KEYS.gridImportKwh),
    consumptionKwh: pick(FLAT_KEYS.consumptionKwh),
  };
  const isFlat = [...flat.values()].some(Number.isFinite);
  const known = monthOf(measured.get(month) ?? {}, isFlat ? candidates : undefined);
  return { ...known, ...byOurClock(time.calendar.monthPeriod(time.nowMs), time) };
}

/** Returns the energy of today, of yesterday, and of the month up to yesterday, as far as the summary has them. */
export function currentDays({ energies, time }: Summary): DailyEnergy & Interval {
  const { calendar, nowMs } = time;
  const period = calendar.dayPeriod(nowMs);
  const [day, month] = [calendar.day(nowMs), calendar.month(nowMs)];
  const yesterday = energies.get(calendar.day(period.startsAtMs - 1)) ?? {};
  const days = new Map([[0, NO_ENERGY]]);
  for (const [name, known] of energies)
    if (name.startsWith(month)) days.set(Number(name.slice(-2)), known);
  const monthToYesterday = sumWithoutHole(days, Number(day.slice(-2)) - 1);
  const today = energies.get(day) ?? {};
  return { today, yesterday, monthToYesterday, ...byOurClock(period, time) };
}

/**
 * Returns the energy of this year, and of all years. A quantity with an unreadable year has no sum: if that is the
 * first year, no gap would show that it is missing.
 */
export function currentYears({ energies, unreadable, time }: Summary): YearlyEnergy {
  const { calendar, nowMs } = time;
  const years = new Map(Array.from(energies, ([year, known]) => [Number(year), known]));
  const running = Number(calendar.year(nowMs));
  const unknown = Object.fromEntries(Array.from(unreadable, (name) => [name, undefined]));
  const lifetime = { ...sumWithoutHole(years, running), ...unknown };
  const { endsAtMs } = byOurClock(calendar.yearPeriod(nowMs), time);
  return { year: years.get(running) ?? {}, lifetime, endsAtMs };
}

/** Converts the end of a period to our clock. If this answer shows that our clock is wrong, the period may be over. */
function byOurClock(period: Interval, { serviceAheadMs }: wire.RequestTime): Interval {
  return { ...period, endsAtMs: period.endsAtMs - serviceAheadMs };
}

/** The category of the summaries that have energies (service.md#summaries). */
const SUMMARY_CATEGORY = 'pvInverterElectricityQuantityClass';

/** How long after midnight yesterday's energy may still change: dataloggers send late, and send missed readings. */
const LATE_READINGS_MS = 3 * 3_600_000;

/** The result for a summary that the service lacks; its period never ends. */
const MISSING = { endsAtMs: Infinity, isMissing: true } as const;

/** The endpoint of the summary by each period. */
const SUMMARIES = { day: 'summaryDays', month: 'summary', year: 'summaryYears' } as const;

/** The time that asks each summary for the current period. */
const NOW: Readonly<Record<Period, (time: wire.RequestTime) => string>> = {
  day: ({ calendar, nowMs }) => calendar.month(nowMs),
  month: ({ calendar, nowMs }) => calendar.year(nowMs),
  year: ({ calendar, nowMs }) => calendar.isoWithOffset(nowMs),
};

/** Energies, and the first figure that could not be read; absent where all could. */
type Fetched<Of> = Of & Pick<Summary, 'misread'>;
export type FetchedMonth = Fetched<MonthlyEnergy>;
export type FetchedYears = Fetched<YearlyEnergy>;

/** The energy of days, and why the month before is unknown; absent where it is known or not needed. */
export interface FetchedDays extends Fetched<DailyEnergy> {
  readonly problem?: ServiceError;
}

/** Fetches the energies that the service sums up; a service may have only those of months. */
export interface StationEnergies {
  /** Fetches the energy of the running month (service.md#summaries). */
  fetchMonthlyEnergy(station: Station): Promise<FetchedMonth>;
  /**
   * Fetches the energy of today and yesterday. On the first of a month, yesterday lies in the month before,
   * which takes a request of its own: one after midnight, and one when late readings have arrived. The answer is
   * kept for the day. When this request fails, the energy of today is returned nevertheless.
   *
   * @throws ServiceError when the summary fails temporarily, or is refused although it answered before.
   */
  fetchDailyEnergy(station: Station, previous?: DailyEnergy): Promise<FetchedDays>;
  /** Fetches the energy of this year and of all years. Throws as {@link fetchDailyEnergy} does. */
  fetchYearlyEnergy(station: Station, previous?: YearlyEnergy): Promise<FetchedYears>;
  /**
   * Fetches the energy of every day of a month, of every month of a year, or of every year.
   *
   * @param of - the month, `2026-08`; the year, `2026`; for years, any year.
   */
  fetchPastEnergies(station: Station, period: Period, of: string): Promise<EnergiesByPeriod>;
}

/** Makes {@link StationEnergies}. Logs once for each summary that the service lacks it. */
export function stationEnergies(
  call: Call<Record<(typeof SUMMARIES)[Period], Summary>>,
  log: Logger,
): StationEnergies {
  /** The missing summaries that have been logged. */
  const lacking = new Set<Period>();

  return {
    async fetchMonthlyEnergy(station) {
      const summary = await ask('month', station);
      return { ...currentMonth(summary), misread: summary.misread };
    },

    async fetchDailyEnergy(station, previous) {
      const summary = await askUnlessMissing('day', station, previous);
      if (summary === undefined) return { today: {}, yesterday: {}, ...MISSING };
      const { startsAtMs, ...known } = currentDays(summary);
      const days = { ...known, misread: summary.misread };
      const { calendar, nowMs } = summary.time;
      if (!calendar.day(nowMs).endsWith('-01')) return days;
      const { yesterday: knownBefore = {}, monthBeforeAskedAtMs: askedAtMs = 0 } = previous ?? {};
      const isKnown = askedAtMs >= startsAtMs;
      const finalFromMs = startsAtMs + LATE_READINGS_MS;
      if (isKnown && (askedAtMs >= finalFromMs || nowMs < finalFromMs))
        return { ...days, yesterday: knownBefore, monthBeforeAskedAtMs: askedAtMs };
      const kept = isKnown ? knownBefore : {};
      try {
        const { energies } = await ask('day', station, calendar.month(startsAtMs - 1));
        const yesterday = energies.get(calendar.day(startsAtMs - 1)) ?? kept;
        return { ...days, yesterday, monthBeforeAskedAtMs: nowMs };
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        // The service may refuse a month before the station was built. That says nothing about this month.
        const outcome = isRefusal(error)
          ? { monthBeforeAskedAtMs: nowMs }
          : { monthBeforeAskedAtMs: askedAtMs, problem: error };
        return { ...days, yesterday: kept, ...outcome };
      }
    },

    async fetchYearlyEnergy(station, previous) {
      const summary = await askUnlessMissing('year', station, previous);
      if (summary === undefined) return { year: {}, lifetime: {}, ...MISSING };
      return { ...currentYears(summary), misread: summary.misread };
    },

    fetchPastEnergies: async (station, period, of) => (await ask(period, station, of)).energies,
  };

  /** Returns undefined when a summary that has never answered is refused: the service lacks it. */
  async function askUnlessMissing(
    period: Period,
    station: Station,
    previous: { readonly isMissing?: boolean } = MISSING,
  ): Promise<Summary | undefined> {
    try {
      return await ask(period, station);
    } catch (error) {
      if (!isFinalRefusal(error) || previous.isMissing !== true) throw error;
      if (!lacking.has(period))
        log.warn(
          { operation: `summary-${period}s`, err: error },
          'the service has no such summary of energy: its figures are absent',
        );
      lacking.add(period);
      return undefined;
    }
  }

  async function ask(period: Period, station: Station, of?: string): Promise<Summary> {
    const { stationId, timeZone, ratedPowerWatts } = station;
    const summary = await call(
      SUMMARIES[period],
      (time) => ({
        query: { stationId, summaryCategoryKey: SUMMARY_CATEGORY },
        body: { time: of ?? NOW[period](time) },
      }),
      { stationTimeZone: timeZone },
    );
    return plausible(summary, period, ratedPowerWatts);
  }
}
