import { type Energies, ENERGY_QUANTITIES, type EnergyQuantity } from './energy.ts';

/** The quantities that the interface counts as 0 where its form of the answer lacks them (interface 2.7). */
const COUNTED_AS_ZERO = ['pvGeneratedKwh', 'gridImportKwh', 'consumptionKwh'] as const;

export type CountedAsZero = (typeof COUNTED_AS_ZERO)[number];

/** The quantities of a month, and the ratio derived from them. */
export interface MonthFigures extends Energies {
  /** The quantities that are unknown, and 0 only by the rule of the interface. */
  readonly assumed?: readonly CountedAsZero[] | undefined;
  /** Generated ÷ consumed, to three decimals; above 1 when more was generated than consumed. */
  readonly solarRatio?: number | undefined;
}

/** Energy of one calendar month in the requested time zone, and when that month starts and ends. */
export interface MonthlyEnergy extends MonthFigures {
  /** The first instant of the month by the calendar. */
  readonly startsAtMs: number;
  /** The first instant of the next month by our clock, which may differ from the calendar's. */
  readonly endsAtMs: number;
}

/** Whether no quantity of a month is known. */
export function isEmptyMonth(month: Energies): boolean {
  return ENERGY_QUANTITIES.every((name) => month[name] === undefined);
}

/** The candidates of the interface by quantity, in order of preference, in kWh (interface 2.7). */
export type MonthCandidates = Readonly<Record<CountedAsZero, readonly (number | undefined)[]>>;

/**
 * Picks the quantities of a month and derives the share of PV.
 *
 * @param measured - what the portal measured (field notes 2.9); a 0 here is a measurement.
 * @param candidates - what the interface's own form of the answer holds, where it is present: its first
 * non-zero candidate takes precedence. A quantity that it lacks is 0 then (interface 2.7), and `assumed`,
 * unless the portal measured anything: its own form leaves out what is unknown.
 */
export function deriveMonthlyEnergy(
  measured: Energies,
  candidates?: MonthCandidates,
): MonthFigures {
  if (candidates === undefined) return withRatio(measured);
  const quantities: Partial<Record<EnergyQuantity, number | undefined>> = { ...measured };
  const assumed: CountedAsZero[] = [];
  const isOfInterface = isEmptyMonth(measured);
  for (const name of COUNTED_AS_ZERO) {
    const known = firstNonZero(candidates[name]) ?? measured[name] ?? firstKnown(candidates[name]);
    quantities[name] = known ?? (isOfInterface ? 0 : undefined);
    if (known === undefined && isOfInterface) assumed.push(name);
  }
  return { ...withRatio(quantities), ...(assumed.length > 0 && { assumed }) };
}

function withRatio(quantities: Energies): MonthFigures {
  const { pvGeneratedKwh, consumptionKwh } = quantities;
  return { ...quantities, solarRatio: solarRatio(pvGeneratedKwh, consumptionKwh) };
}

/** Leaves out what is 0 only by the rule of the interface, and what follows from it. */
export function withoutAssumed<Month extends MonthFigures>(month: Month): Month {
  const { assumed = [] } = month;
  const unknown = Object.fromEntries(assumed.map((name) => [name, undefined]));
  const isRatioAssumed = assumed.some((name) => name !== 'gridImportKwh');
  return { ...month, ...unknown, ...(isRatioAssumed && { solarRatio: undefined }) };
}

function firstKnown(candidates: readonly (number | undefined)[]): number | undefined {
  return candidates.find((candidate) => candidate !== undefined);
}

function firstNonZero(candidates: readonly (number | undefined)[]): number | undefined {
  return candidates.find((candidate) => candidate !== undefined && candidate !== 0);
}

function solarRatio(generatedKwh?: number, consumedKwh?: number): number | undefined {
  if (generatedKwh === undefined || consumedKwh === undefined) return undefined;
  // The interface rounds the percentage to one decimal, which is the third decimal of the ratio.
  return consumedKwh > 0 ? Math.round((1000 * generatedKwh) / consumedKwh) / 1000 : 0;
}
