import type { EnergyCount } from '../model/energy-counter.ts';
import type { EnergyQuantity } from '../model/energy.ts';
import { type Metric, pointOf } from '../collectors/metric.ts';

const FLOWS: readonly (readonly [EnergyQuantity, string])[] = [
  ['pvGeneratedKwh', 'pv'],
  ['consumptionKwh', 'load'],
  ['gridImportKwh', 'grid_import'],
  ['gridFeedInKwh', 'grid_feed_in'],
  ['batteryChargedKwh', 'battery_charge'],
  ['batteryDischargedKwh', 'battery_discharge'],
];

/** The energy that is counted from the readings of a device. */
export const ENERGY_COUNTER_METRICS: readonly Metric<EnergyCount>[] = [
  {
    name: 'solar_device_energy_kwh_total',
    type: 'counter',
    help: 'Energy by flow, in kWh, counted from the power of every reading (derived): it differs from what the service sums up by up to 10 %.',
    labelNames: ['station_id', 'device_id', 'flow'],
    read: ({ energies }) =>
      FLOWS.flatMap(([quantity, flow]) => pointOf(energies[quantity], { flow })),
  },
  {
    name: 'solar_device_energy_gap_seconds_total',
    type: 'counter',
    help: 'How long the readings of the device had gaps, in seconds, in which no energy could be counted.',
    labelNames: ['station_id', 'device_id'],
    read: ({ gapMs }) => pointOf(gapMs / 1000),
  },
];
