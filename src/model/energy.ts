import { leastOf } from './extremes.ts';
import { sumOf } from './units.ts';

/** The quantities of energy that the service sums up for a station, in kWh. */
export const ENERGY_QUANTITIES = [
  'pvGeneratedKwh',
  'gridImportKwh',
  'gridFeedInKwh',
  'consumptionKwh',
  'batteryChargedKwh',
  'batteryDischargedKwh',
] as const;

export type EnergyQuantity = (typeof ENERGY_QUANTITIES)[number];

/** Energy of a day, a month or a year, in kWh; an unknown quantity is absent, never 0. */
export type Energies = Readonly<Partial<Record<EnergyQuantity, number | undefined>>>;

/** A summary that ends with the day or the year that it is about. */
interface EndingSummary {
  /** The first instant after it by our clock, which may differ from the calendar's. */
  readonly endsAtMs: number;
  /** Whether the service has no such summary at all. */
  readonly isMissing?: boolean;
}

/** Energy of the station's day so far, and of the day before. */
export interface DailyEnergy extends EndingSummary {
  readonly today: Energies;
  readonly yesterday: Energies;
  /** Which yesterday the month before was asked for, and when; absent where it did not have to be. */
  readonly monthBefore?: { readonly endsAtMs: number; readonly askedAtMs: number } | undefined;
}

/** Energy of the station's year so far, and of all years together. */
export interface YearlyEnergy extends EndingSummary {
  readonly year: Energies;
  readonly lifetime: Energies;
}

/**
 * Adds up years to the energy of a lifetime. A quantity is absent unless every year is known from its first
 * to the running one: a sum with a hole is no lifetime.
 *
 * @param years - by the number of the year; later ones than `runningYear` do not count.
 */
export function lifetimeOf(years: ReadonlyMap<number, Energies>, runningYear: number): Energies {
  const lifetime: Partial<Record<EnergyQuantity, number>> = {};
  for (const name of ENERGY_QUANTITIES) {
    const knownKwh = new Map<number, number>();
    for (const [year, energies] of years) {
      const energyKwh = year <= runningYear ? energies[name] : undefined;
      if (energyKwh !== undefined) knownKwh.set(year, energyKwh);
    }
    const firstYear = leastOf(knownKwh.keys());
    // Without any year, the first is infinite, and no number of years reaches it.
    if (knownKwh.size === runningYear - firstYear + 1)
      lifetime[name] = sumOf([...knownKwh.values()]);
  }
  return lifetime;
}
