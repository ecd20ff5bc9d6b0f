import type { EnergiesByPeriod } from '../client/client.ts';
import {
  type Energies,
  ENERGY_QUANTITIES,
  type EnergyQuantity,
  lifetimeOf as sumWithoutHole,
} from '../model/energy.ts';

/** What the service sums up: the days around a month, the months around it, and all years. */
export interface KnownEnergies {
  /** By day, `2026-08-01`. */
  readonly days: EnergiesByPeriod;
  /** By month, `2026-08`. */
  readonly months: EnergiesByPeriod;
  /** By year, `2026`. */
  readonly years: EnergiesByPeriod;
}

/** What the service had summed up when a day ended, in kWh. */
export interface EnergiesToDate {
  readonly day: Energies;
  readonly month: Energies;
  readonly year: Energies;
  readonly lifetime: Energies;
}

/**
 * Returns the energies up to the end of a day. The service says what a whole day, month or year had; up to a
 * day within them, what it says is added up, and a sum that lacks a period is absent.
 *
 * @param day - `2026-08-01`.
 * @param nextDay - the day after it.
 */
export function energiesToDate(known: KnownEnergies, day: string, nextDay: string): EnergiesToDate {
  const month = day.slice(0, 7);
  const year = day.slice(0, 4);
  const ofMonth = sumOfPeriods(known.days, `${month}-`, day);
  const toMonth = nextDay.startsWith(month) ? ofMonth : (known.months.get(month) ?? {});
  const ofYear = sumOfPeriods(upToNow(known.months, month, toMonth), `${year}-`, month);
  const toYear = nextDay.startsWith(year) ? ofYear : (known.years.get(year) ?? {});
  return {
    day: known.days.get(day) ?? {},
    month: toMonth,
    year: toYear,
    lifetime: sumOfPeriods(upToNow(known.years, year, toYear), '', year),
  };
}

/** Replaces the energies of a period by those up to the day; only where the service knows of the period itself. */
function upToNow(periods: EnergiesByPeriod, name: string, toDate: Energies): EnergiesByPeriod {
  const whole = periods.get(name) ?? {};
  const energies: Partial<Record<EnergyQuantity, number | undefined>> = {};
  for (const quantity of ENERGY_QUANTITIES)
    if (whole[quantity] !== undefined) energies[quantity] = toDate[quantity];
  return new Map([...periods, [name, energies]]);
}

/** Adds up the periods of a longer one, `2026-08-` or `2026-`, from the first that is known to the last. */
function sumOfPeriods(periods: EnergiesByPeriod, of: string, last: string): Energies {
  const numbered = new Map<number, Energies>();
  for (const [name, energies] of periods)
    if (name.startsWith(of)) numbered.set(Number(name.slice(of.length)), energies);
  return sumWithoutHole(numbered, Number(last.slice(of.length)));
}
