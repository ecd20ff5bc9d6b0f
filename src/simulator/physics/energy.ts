/** Energy metered at a plant's terminals over a span of time. */
export interface EnergyTotals {
  readonly pvWattHours: number;
  readonly loadWattHours: number;
  readonly gridImportWattHours: number;
  readonly gridFeedInWattHours: number;
  readonly batteryChargedWattHours: number;
  readonly batteryDischargedWattHours: number;
}

/** What an inverter's own counters show at an instant. */
export interface EnergyCounters {
  /** Since the local midnight. */
  readonly today: EnergyTotals;
  readonly thisMonth: EnergyTotals;
  /** Since the installation; never falls. */
  readonly lifetime: EnergyTotals;
}

/** The totals of a span in which nothing has happened yet. */
export const NO_ENERGY: EnergyTotals = {
  pvWattHours: 0,
  loadWattHours: 0,
  gridImportWattHours: 0,
  gridFeedInWattHours: 0,
  batteryChargedWattHours: 0,
  batteryDischargedWattHours: 0,
};

/** Changes each total by the same rule. */
export function mapEnergy(
  totals: EnergyTotals,
  change: (wattHours: number, name: keyof EnergyTotals) => number,
): EnergyTotals {
  const changed = (name: keyof EnergyTotals): number => change(totals[name], name);
  return {
    pvWattHours: changed('pvWattHours'),
    loadWattHours: changed('loadWattHours'),
    gridImportWattHours: changed('gridImportWattHours'),
    gridFeedInWattHours: changed('gridFeedInWattHours'),
    batteryChargedWattHours: changed('batteryChargedWattHours'),
    batteryDischargedWattHours: changed('batteryDischargedWattHours'),
  };
}

/** Adds up spans of time. */
export function sumEnergy(spans: readonly EnergyTotals[]): EnergyTotals {
  return spans.reduce(
    (sum, span) => mapEnergy(sum, (wattHours, name) => wattHours + span[name]),
    NO_ENERGY,
  );
}
