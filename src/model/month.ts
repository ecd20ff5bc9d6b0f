/** The quantities that are counted in a calendar month, in kWh. */
const MONTH_QUANTITIES = [
  'pvGeneratedKwh',
  'gridImportKwh',
  'gridFeedInKwh',
  'consumptionKwh',
  'batteryChargedKwh',
  'batteryDischargedKwh',
] as const;

export type MonthQuantity = (typeof MONTH_QUANTITIES)[number];

/** Energy of one calendar month; an unknown quantity is absent, never 0. */
export type MonthQuantities = Readonly<Partial<Record<MonthQuantity, number | undefined>>>;

/** The quantities of a month, and the ratio derived from them. */
export interface MonthFigures extends MonthQuantities {
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
export function isEmptyMonth(month: MonthQuantities): boolean {
  return MONTH_QUANTITIES.every((name) => month[name] === undefined);
}

/** The candidates of the interface by quantity, in order of preference, in kWh (interface 2.7). */
export type MonthCandidates = Readonly<
  Record<'pvGeneratedKwh' | 'gridImportKwh' | 'consumptionKwh', readonly (number | undefined)[]>
>;

/**
 * Picks the quantities of a month and derives the share of PV.
 *
 * @param measured - what the portal measured (field notes 2.9); a 0 here is a measurement.
 * @param candidates - what the interface's own form of the answer holds, where it is present: its first
 * non-zero candidate takes precedence, and a quantity that neither knows is 0 then (interface 2.7).
 */
export function deriveMonthlyEnergy(
  measured: MonthQuantities,
  candidates?: MonthCandidates,
): MonthFigures {
  const quantities =
    candidates === undefined
      ? measured
      : {
          ...measured,
          pvGeneratedKwh: firstNonZero(candidates.pvGeneratedKwh) ?? measured.pvGeneratedKwh ?? 0,
          gridImportKwh: firstNonZero(candidates.gridImportKwh) ?? measured.gridImportKwh ?? 0,
          consumptionKwh: firstNonZero(candidates.consumptionKwh) ?? measured.consumptionKwh ?? 0,
        };
  const { pvGeneratedKwh, consumptionKwh } = quantities;
  return { ...quantities, solarRatio: solarRatio(pvGeneratedKwh, consumptionKwh) };
}

function firstNonZero(candidates: readonly (number | undefined)[]): number | undefined {
  return candidates.find((candidate) => candidate !== undefined && candidate !== 0);
}

function solarRatio(generatedKwh?: number, consumedKwh?: number): number | undefined {
  if (generatedKwh === undefined || consumedKwh === undefined) return undefined;
  // The interface rounds the percentage to one decimal, which is the third decimal of the ratio.
  return consumedKwh > 0 ? Math.round((1000 * generatedKwh) / consumedKwh) / 1000 : 0;
}
