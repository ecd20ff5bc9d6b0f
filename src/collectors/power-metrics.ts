import { type DerivedPower, derivePower, isReporting } from '../model/derive.ts';
import type { Readings } from '../model/readings.ts';
import { deviceMetric } from './device-metric.ts';
import type { CollectorMetric } from './metric.ts';

/** What flows, and how full the battery is (interface 2.4, 2.7). */
export const POWER_METRICS: readonly CollectorMetric<Readings>[] = [
  deviceMetric(
    'solar_pv_power_watts',
    'PV power of all strings together (pvInputPower, or what the inverter family has for it).',
    (readings) => readings.pvPowerWatts,
  ),
  deviceMetric(
    'solar_ac_output_power_watts',
    'AC output power of the inverter (acOutputActivePower, or what the inverter family has for it).',
    (readings) => readings.acOutputPowerWatts,
  ),
  derived(
    'solar_load_power_watts',
    'What the house draws: measured where the device measures it, else equal to the AC output (derived).',
    (power) => power.loadPowerWatts,
  ),
  derived(
    'solar_grid_power_watts',
    "Grid power by the service interface's own rule, max(0, AC output - PV + battery + feed-in): a discharging battery counts as import there, so prefer solar_grid_import_power_watts (derived).",
    (power) => power.gridPowerWatts,
  ),
  derived(
    'solar_grid_import_power_watts',
    'Power drawn from the grid, never negative: measured where the device measures it, else by the energy balance, max(0, load - PV - battery + feed-in); solar_grid_power_watts follows the service interface instead, which adds a discharging battery.',
    (power) => power.gridImportPowerWatts,
  ),
  deviceMetric(
    'solar_grid_feed_in_power_watts',
    'Power fed into the grid (feedInPower, or what the inverter family has for it).',
    (readings) => readings.gridFeedInPowerWatts,
  ),
  derived(
    'solar_battery_power_watts',
    'Battery power, positive when discharging and negative when charging: measured where the device measures it, else (discharge - charging current) x voltage (derived).',
    (power) => power.batteryPowerWatts,
  ),
  deviceMetric(
    'solar_battery_voltage_volts',
    'Battery voltage (batteryVoltage, or what the inverter family has for it).',
    (readings) => readings.batteryVoltageVolts,
  ),
  deviceMetric(
    'solar_battery_charging_current_amperes',
    'Current into the battery (batteryChargingCurrent, or what the inverter family has for it).',
    (readings) => readings.batteryChargingCurrentAmperes,
  ),
  deviceMetric(
    'solar_battery_discharge_current_amperes',
    'Current out of the battery (batteryDischargeCurrent, or what the inverter family has for it).',
    (readings) => readings.batteryDischargeCurrentAmperes,
  ),
  deviceMetric(
    'solar_battery_soc_ratio',
    'Battery state of charge, 0 to 1 (batterySOC, or what the inverter family has for it).',
    (readings) => readings.batterySocRatio,
  ),
];

/** A derived gauge: absent when nothing was read, and where an input that it needs is unknown. */
function derived(
  name: `solar_${string}`,
  help: string,
  value: (power: DerivedPower) => number | undefined,
): CollectorMetric<Readings> {
  return deviceMetric(name, help, (readings) =>
    isReporting(readings) ? value(derivePower(readings)) : undefined,
  );
}
