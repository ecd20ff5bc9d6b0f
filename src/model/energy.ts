import { leastOf, sumOf } from './units.ts';

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

/** A number for each quantity; an unknown one is absent, never 0. */
export type ByQuantity = Readonly<Partial<Record<EnergyQuantity, number | undefined>>>;

/** Energy of a day, a month or a year, in kWh. */
export type Energies = ByQuantity;

/** A summary that ends with the day or the year that it is about. */
interface EndingSummary {
  /** The first instant after that period, by our clock, which may differ from the service's. */
  readonly endsAtMs: number;
  /** Whether the service has no such summary at all. */
  readonly isMissing?: boolean;
}

/** Energy of the station's day so far, and of the day before. */
export interface DailyEnergy extends EndingSummary {
  readonly today: Energies;
  readonly yesterday: Energies;
  /** Energy of the month up to yesterday; a quantity is absent unless it is known for every day. */
  readonly monthToYesterday?: Energies;
  /** When the month before was asked for yesterday's energy; absent where that was not needed. */
  readonly monthBeforeAskedAtMs?: number | undefined;
}

/** Energy of the station's year so far, and of all years together. */
export interface YearlyEnergy extends EndingSummary {
  readonly year: Energies;
  readonly lifetime: Energies;
}

/** The quantities that the specification counts as 0 where its form of the answer lacks them (service.md#months). */
export const COUNTED_AS_ZERO = ['pvGeneratedKwh', 'gridImportKwh', 'consumptionKwh'] as const;

export type CountedAsZero = (typeof COUNTED_AS_ZERO)[number];

/** Energy of the station's month so far. */
export interface MonthlyEnergy extends EndingSummary, Energies {
  /** The first instant of the month by the calendar. */
  readonly startsAtMs: number;
  /** Quantities that are unknown, and count as 0 only by the specified rule. */
  readonly countedAsZero?: readonly CountedAsZero[] | undefined;
}

/**
 * Picks the quantities of a month.
 *
 * @param measured - the values of the portal's own form (service.md#summaries), which leaves out unknown ones. A 0 is a
 * measurement, and nothing overrides these values.
 * @param candidates - the values of the specified form, where it is present, in order of preference: the first non-zero
 * one counts (service.md#months). NaN is an invalid or implausible value: its quantity then does not count as 0.
 */
export function monthOf(
  measured: Energies,
  candidates?: Readonly<Record<CountedAsZero, readonly (number | undefined)[]>>,
): Energies & Pick<MonthlyEnergy, 'countedAsZero'> {
  if (candidates === undefined) return measured;
  const known: Partial<Record<EnergyQuantity, number | undefined>> = { ...measured };
  for (const name of COUNTED_AS_ZERO) {
    const zero = candidates[name].find((candidate) => candidate === 0);
    known[name] = measured[name] ?? candidates[name].find(Boolean) ?? zero;
  }
  const isOfInterface = Object.values(measured).every((energyKwh) => energyKwh === undefined);
  const missing = COUNTED_AS_ZERO.filter(
    (name) => isOfInterface && known[name] === undefined && !candidates[name].some(Number.isNaN),
  );
  return { ...known, countedAsZero: missing };
}

/** Whether no quantity of a month is known, and none counts as 0. */
export function isEmptyMonth(month: MonthlyEnergy): boolean {
  return hasNoEnergy(withZeros(month));
}

/** Adds the quantities that count as 0 only by the specified rule. */
export function withZeros(month: MonthlyEnergy): Energies {
  const zeros: readonly EnergyQuantity[] = month.countedAsZero ?? [];
  return byQuantity((name) => month[name] ?? (zeros.includes(name) ? 0 : undefined));
}

const LEAST_KWH = 0.001;

/** Returns generated ÷ consumed energy, to three decimals; above 1 when more was generated than consumed. */
export function solarRatio({ pvGeneratedKwh, consumptionKwh }: Energies): number | undefined {
  if (pvGeneratedKwh === undefined || consumptionKwh === undefined) return undefined;
  // Meters count whole Wh, so the ratio of a smaller energy is noise.
  if (consumptionKwh > 0 && consumptionKwh < LEAST_KWH) return undefined;
  // The specification rounds the percentage to one decimal, which is the third decimal of the ratio.
  return consumptionKwh > 0 ? Math.round((1000 * pvGeneratedKwh) / consumptionKwh) / 1000 : 0;
}

/** Computes a number for each quantity; undefined for an unknown one. */
export function byQuantity(valueOf: (name: EnergyQuantity) => number | undefined): ByQuantity {
  // One literal: these are made by the thousand.
  return {
    pvGeneratedKwh: valueOf('pvGeneratedKwh'),
    gridImportKwh: valueOf('gridImportKwh'),
    gridFeedInKwh: valueOf('gridFeedInKwh'),
    consumptionKwh: valueOf('consumptionKwh'),
    batteryChargedKwh: valueOf('batteryChargedKwh'),
    batteryDischargedKwh: valueOf('batteryDischargedKwh'),
  };
}

/** Whether no quantity is known. */
export function hasNoEnergy(energies: Energies): boolean {
  return ENERGY_QUANTITIES.every((name) => energies[name] === undefined);
}

/** An empty first period of a sum: the sum then has a hole unless the next period is known. */
export const NO_ENERGY = byQuantity(() => 0);

/**
 * Adds up years, months or days. A quantity is absent unless every period from its first to the last one is known: a
 * sum with a hole would be too small.
 *
 * @param periods - by number; later ones than `last` do not count.
 */
export function sumWithoutHole(periods: ReadonlyMap<number, Energies>, last: number): Energies {
  return byQuantity((name) => {
    const known = [...periods].flatMap(([number, { [name]: energyKwh }]) =>
      number <= last && energyKwh !== undefined ? [{ number, energyKwh }] : [],
    );
    const first = leastOf(known.map(({ number }) => number));
    // Without any known period, `first` is infinite, and the lengths differ.
    const isWhole = known.length === last - first + 1;
    return isWhole ? sumOf(known.map(({ energyKwh }) => energyKwh)) : undefined;
  });
}
