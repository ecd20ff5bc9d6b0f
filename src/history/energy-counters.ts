import { type Metric, pointOf } from '../collectors/metric.ts';
import type { EnergyCount } from '../model/energy-counter.ts';
import type { EnergyQuantity } from '../model/energy.ts';

const FLOWS: readonly (readonly [EnergyQuantity, string])[] = [
  ['pvGeneratedKwh', 'pv'],
  ['consumptionKwh', 'load'],
  ['gridImportKwh', 'grid_import'],
  ['gridFeedInKwh', 'grid_feed_in'],
  ['batteryChargedKwh', 'battery_charge'],
  ['batteryDischargedKwh', 'battery_discharge'],
];

/** The metrics of counted energy; a device of which nothing has been counted has none. */
export const ENERGY_COUNTER_METRICS: readonly Metric<EnergyCount>[] = [
  {
    name: 'solar_device_energy_kwh_total',
    type: 'counter',
    help: "Energy by flow, in kWh: derived from the power at the service's own points. It differs from the service's totals, by up to 10 % as users report; where points are missing it counts nothing, and solar_device_energy_gap_seconds_total grows.",
    labelNames: ['station_id', 'device_id', 'flow'],
    read: ({ energies }) =>
      FLOWS.flatMap(([quantity, flow]) => pointOf(rounded(energies[quantity]), { flow })),
  },
  {
    name: 'solar_device_energy_gap_seconds_total',
    type: 'counter',
    help: 'Time between points of the device that were too far apart to count energy: more than 15 minutes, or 2.5 intervals of a logger that sends less often.',
    labelNames: ['station_id', 'device_id'],
    read: ({ energies, gapMs }) =>
      pointOf(Object.keys(energies).length === 0 ? undefined : gapMs / 1000),
  },
];

/** Rounds to mWh, which a sum that grows does not make fall. */
function rounded(energyKwh: number | undefined): number | undefined {
  return energyKwh === undefined ? undefined : Math.round(energyKwh * 1e6) / 1e6;
}
