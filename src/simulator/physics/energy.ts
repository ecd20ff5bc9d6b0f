/** What a plant's meters count at its terminals. */
const METERED = [
  'pvWattHours',
  'loadWattHours',
  'gridImportWattHours',
  'gridFeedInWattHours',
  'batteryChargedWattHours',
  'batteryDischargedWattHours',
] as const;

type Metered = (typeof METERED)[number];

/** Energy metered at a plant's terminals over a span of time. */
export type EnergyTotals = Readonly<Record<Metered, number>>;

/** What an inverter's own counters show at an instant. */
export interface EnergyCounters {
  /** Since the local midnight. */
  readonly today: EnergyTotals;
  readonly thisMonth: EnergyTotals;
  /** Since the installation; never falls. */
  readonly lifetime: EnergyTotals;
}

/** Makes totals by a rule for each. */
export function energyOf(wattHours: (name: Metered) => number): EnergyTotals {
  return Object.fromEntries(METERED.map((name) => [name, wattHours(name)])) as EnergyTotals;
}

/** The totals of a span in which nothing has happened yet. */
export const NO_ENERGY = energyOf(() => 0);

/** Adds up spans of time. */
export function sumEnergy(spans: readonly EnergyTotals[]): EnergyTotals {
  return energyOf((name) => spans.reduce((sum, span) => sum + span[name], 0));
}

/** Subtracts what a span had brought before it from what it has brought now. */
export function energySince(before: EnergyTotals, now: EnergyTotals): EnergyTotals {
  return energyOf((name) => now[name] - before[name]);
}
