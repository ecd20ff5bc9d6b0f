import { derivePower, isReporting } from '../model/derive.ts';
import type { DerivedPower, Readings } from '../model/station.ts';
import { type Collector, type DeviceTarget, liveFor } from './collector.ts';
import { type CollectorMetric, pointOf } from './metric.ts';

const DEVICE_LABELS = ['station_id', 'device_id'] as const;

/** Reads the newest time-series window of a device (interface endpoint 4) and what follows from it. */
export const readingsCollector: Collector<DeviceTarget, Readings> = {
  name: 'readings',
  lifetime: ({ readingsTtlMs, maxAgeMs }) => liveFor(readingsTtlMs, maxAgeMs),
  fetch: (api, { device, station }) => api.fetchReadings(device.deviceId, station.timeZone),
  metrics: [
    measured(
      'solar_pv_power_watts',
      'PV power, never negative (pvInputPower).',
      (readings) => readings.pvPowerWatts,
    ),
    measured(
      'solar_ac_output_power_watts',
      'AC output power of the inverter (acOutputActivePower, which the service gives in kW).',
      (readings) => readings.acOutputPowerWatts,
    ),
    derived(
      'solar_load_power_watts',
      'What the house draws; equal to the AC output (derived).',
      (power) => power.loadPowerWatts,
    ),
    derived(
      'solar_grid_power_watts',
      "Grid power by the service interface's own rule, max(0, AC output - PV + battery + feed-in): a discharging battery counts as import there, so prefer solar_grid_import_power_watts (derived).",
      (power) => power.gridPowerWatts,
    ),
    derived(
      'solar_grid_import_power_watts',
      'Power drawn from the grid by the energy balance, max(0, load - PV - battery + feed-in); solar_grid_power_watts follows the service interface instead, which adds a discharging battery (derived).',
      (power) => power.gridImportPowerWatts,
    ),
    measured(
      'solar_grid_feed_in_power_watts',
      'Power fed into the grid, never negative (feedInPower).',
      (readings) => readings.gridFeedInPowerWatts,
    ),
    derived(
      'solar_battery_power_watts',
      'Battery power, positive when discharging and negative when charging: (discharge - charging current) x voltage (derived).',
      (power) => power.batteryPowerWatts,
    ),
    measured(
      'solar_battery_voltage_volts',
      'Battery voltage (batteryVoltage).',
      (readings) => readings.batteryVoltageVolts,
    ),
    measured(
      'solar_battery_charging_current_amperes',
      'Current into the battery, never negative (batteryChargingCurrent).',
      (readings) => readings.batteryChargingCurrentAmperes,
    ),
    measured(
      'solar_battery_discharge_current_amperes',
      'Current out of the battery, never negative (batteryDischargeCurrent).',
      (readings) => readings.batteryDischargeCurrentAmperes,
    ),
    measured(
      'solar_battery_soc_ratio',
      'Battery state of charge, 0 to 1 (batterySOC, which the service gives in percent).',
      (readings) => readings.batterySocRatio,
    ),
    measured(
      'solar_reading_timestamp_seconds',
      "Time of the newest reading by the service's clock, in seconds since the Unix epoch; absent where the service gives none.",
      ({ measuredAtMs }) => (measuredAtMs === undefined ? undefined : measuredAtMs / 1000),
    ),
    measured(
      'solar_device_reporting',
      'Whether the last hour held at least one reading of the device (1) or none (0).',
      (readings) => Number(isReporting(readings)),
    ),
  ],
};

function measured(
  name: `solar_${string}`,
  help: string,
  value: (readings: Readings) => number | undefined,
): CollectorMetric<Readings> {
  const read: CollectorMetric<Readings>['read'] = (readings) => pointOf(value(readings));
  return { name, type: 'gauge', help, labelNames: DEVICE_LABELS, read };
}

/** A derived gauge: there for every device that reported anything, absent when nothing was read. */
function derived(
  name: `solar_${string}`,
  help: string,
  value: (power: DerivedPower) => number,
): CollectorMetric<Readings> {
  return measured(name, help, (readings) =>
    isReporting(readings) ? value(derivePower(readings)) : undefined,
  );
}
