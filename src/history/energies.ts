import { calendarOf } from '../base/time-zone.ts';
import type { EnergiesByPeriod, Retry, Period, ServiceApi } from '../client/client.ts';
import { isFinalRefusal } from '../client/exchange/retry.ts';
import { byQuantity, type Energies, ENERGY_QUANTITIES, sumWithoutHole } from '../model/energy.ts';
import { DAY_METRICS, ENERGY_TOTALS, YEAR_METRICS } from './history-metrics.ts';
import type { Month, ZonedStation } from './months.ts';
import { SeriesTable, stepFrom } from './series.ts';

/** What the service sums up: days by `2026-08-01`, the months of a year by `2026-08`, and all years by `2026`. */
type KnownEnergies = Readonly<Record<'days' | 'months' | 'years', EnergiesByPeriod>>;

/** Asks for the energies around an instant of a station; rejects with a `ServiceError`. */
export type AskEnergies = (station: ZonedStation, atMs: number) => Promise<KnownEnergies>;

/**
 * Returns what asks the service for the energies of the days of a month, of the months of its year and of all years;
 * of the month before as well, where the day before lies in it. Each answer is asked for once; what the service refuses
 * it does not have.
 */
export function energiesOnce(
  api: Pick<ServiceApi, 'fetchPastEnergies'>,
  retry: Retry,
): AskEnergies {
  const answers = new Map<string, EnergiesByPeriod>();
  async function ask(station: ZonedStation, period: Period, of: string): Promise<EnergiesByPeriod> {
    // All years are one answer, whichever year is asked for.
    const key = [station.stationId, period, period === 'year' ? '' : of].join(' ');
    const known = answers.get(key);
    if (known !== undefined) return known;
    const asked = retry(() => api.fetchPastEnergies(station, period, of));
    const answer = await asked.catch((error: unknown) => {
      if (isFinalRefusal(error)) return new Map<string, Energies>();
      throw error;
    });
    answers.set(key, answer);
    return answer;
  }
  return async (station, atMs) => {
    const calendar = calendarOf(station.timeZone);
    const dayBeforeMs = calendar.dayPeriod(atMs).startsAtMs - 1;
    const days = new Map<string, Energies>();
    for (const month of new Set([calendar.month(dayBeforeMs), calendar.month(atMs)]))
      for (const [day, known] of await ask(station, 'day', month)) days.set(day, known);
    const year = calendar.year(atMs);
    return {
      days,
      months: await ask(station, 'month', year),
      years: await ask(station, 'year', year),
    };
  };
}

/**
 * Writes down what the service had summed up for a station: of yesterday at every step, and what is only known
 * of a whole day, month or year at the last step of each day that lies in it with its end.
 */
export function energyTable(
  { station, fromMs, toMs }: Month,
  stepMs: number,
  known: KnownEnergies,
): SeriesTable {
  const table = new SeriesTable({ station_id: station.stationId });
  const calendar = calendarOf(station.timeZone);
  let day = calendar.dayPeriod(fromMs);
  while (day.startsAtMs < toMs) {
    const { startsAtMs, endsAtMs } = day;
    const [beginsMs, lastMs] = [Math.max(startsAtMs, fromMs), stepFrom(endsAtMs, stepMs) - stepMs];
    const yesterday = known.days.get(calendar.day(startsAtMs - 1)) ?? {};
    const isWhole = endsAtMs <= toMs && lastMs >= beginsMs;
    const untilMs = isWhole ? lastMs : Math.min(endsAtMs, toMs);
    if (untilMs > beginsMs) {
      table.rows.push({ fromMs: beginsMs, toMs: untilMs });
      table.fill(ENERGY_TOTALS, { yesterday });
    }
    if (isWhole) {
      const toDate = energiesToDate(known, calendar.day(startsAtMs), calendar.day(endsAtMs));
      table.rows.push({ fromMs: lastMs, toMs: endsAtMs, readAtMs: lastMs });
      table.fill(DAY_METRICS, { today: toDate.day, yesterday, endsAtMs });
      table.fill(ENERGY_TOTALS, { ...toDate, yesterday });
      table.fill(YEAR_METRICS, { ...toDate, endsAtMs });
    }
    day = calendar.dayPeriod(endsAtMs);
  }
  return table;
}

/**
 * Returns the energies up to the end of a day, in kWh: what the service says of a day, month or year that ends with it, and
 * else the sum of what it says of the periods within. A sum that lacks a period is absent.
 *
 * @param day - `2026-08-01`.
 * @param nextDay - the day after it.
 */
function energiesToDate({ days, months, years }: KnownEnergies, day: string, nextDay: string) {
  const [month, year] = [day.slice(0, 7), day.slice(0, 4)];
  const ended = (periods: EnergiesByPeriod, period: string): Energies =>
    nextDay.startsWith(period) ? {} : (periods.get(period) ?? {});
  const ofDay = days.get(day) ?? {};
  // A service may say of a month or a year what the sun gave, and nothing else.
  const ofMonth = firstOf(ended(months, month), sumOf(days, `${month}-`, day, ofDay));
  const ofYear = firstOf(ended(years, year), sumOf(months, `${year}-`, month, ofMonth));
  return { day: ofDay, month: ofMonth, year: ofYear, lifetime: sumOf(years, '', year, ofYear) };
}

/** Returns the energies of the first, and of the second where the first has none. */
function firstOf(first: Energies, second: Energies): Energies {
  return byQuantity((name) => first[name] ?? second[name]);
}

/**
 * Adds up the periods of a longer one, `2026-08-` or `2026-`, from the first that is known to the last.
 *
 * @param ofLast - what the last one had so far; it counts where the service knows of that period itself.
 */
function sumOf(periods: EnergiesByPeriod, of: string, last: string, ofLast: Energies): Energies {
  const numbered = new Map<number, Energies>();
  for (const [name, energies] of periods)
    if (name.startsWith(of) && name !== last) numbered.set(Number(name.slice(of.length)), energies);
  const whole = periods.get(last) ?? {};
  const isKnown = ENERGY_QUANTITIES.filter((quantity) => whole[quantity] !== undefined);
  const soFar = Object.fromEntries(isKnown.map((quantity) => [quantity, ofLast[quantity]]));
  const lastNumber = Number(last.slice(of.length));
  return sumWithoutHole(numbered.set(lastNumber, soFar), lastNumber);
}
