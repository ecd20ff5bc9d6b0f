import {
  type DerivedPower,
  derivePower,
  type PvString,
  type Readings,
  WORKING_MODES,
} from '../model/readings.ts';
import { deviceMetric, labelledMetric } from './device-metric.ts';
import { DIALECT_METRICS, FRESHNESS_METRICS } from './freshness-metrics.ts';
import { type Metric, pointOf } from './metric.ts';

/** Power, and the state of the battery (interface 2.4, 2.7). */
export const POWER_METRICS: readonly Metric<Readings>[] = [
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
    'Net power of the grid, positive while importing and negative while feeding in: solar_grid_import_power_watts - solar_grid_feed_in_power_watts; absent unless both are known (derived).',
    (power) => power.gridPowerWatts,
  ),
  derived(
    'solar_grid_import_power_watts',
    'Power drawn from the grid, never negative: measured where the device measures it, else by the energy balance, max(0, load - PV - battery + feed-in).',
    (power) => power.gridImportPowerWatts,
  ),
  deviceMetric(
    'solar_grid_feed_in_power_watts',
    'Power fed into the grid (feedInPower, or what the inverter family has for it).',
    (readings) => readings.gridFeedInPowerWatts,
  ),
  derived(
    'solar_interface_grid_power_watts',
    "The gridPower of the service's interface, max(0, AC output - PV + battery + feed-in), only for comparison with programs that follow that rule: it counts a discharging battery as import, and no meter shows it; for the grid use solar_grid_power_watts (derived).",
    (power) => power.interfaceGridPowerWatts,
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

/** What some devices measure beside power (field notes 3.3, 3.5). */
const QUALITY_METRICS: readonly Metric<Readings>[] = [
  deviceMetric(
    'solar_battery_soh_ratio',
    'Battery state of health, 0 to 1.',
    (readings) => readings.batterySohRatio,
  ),
  deviceMetric(
    'solar_battery_bms_connected',
    "Whether the battery's BMS answers the inverter, 1 or 0, where the family says it; while it does not, the state of charge is the inverter's guess from the voltage, and may be far from the truth.",
    (readings) => readings.batteryBmsConnected,
  ),
  deviceMetric(
    'solar_battery_temperature_celsius',
    'Battery temperature; of the hottest cell where only cells are measured.',
    (readings) => readings.batteryTemperatureCelsius,
  ),
  deviceMetric(
    'solar_grid_voltage_volts',
    'Voltage of the grid at the inverter; of its first phase.',
    (readings) => readings.gridVoltageVolts,
  ),
  deviceMetric(
    'solar_grid_frequency_hertz',
    'Frequency of the grid at the inverter.',
    (readings) => readings.gridFrequencyHertz,
  ),
  deviceMetric(
    'solar_ac_output_voltage_volts',
    'Voltage of the AC output; of its first phase.',
    (readings) => readings.acOutputVoltageVolts,
  ),
  deviceMetric(
    'solar_ac_output_frequency_hertz',
    'Frequency of the AC output.',
    (readings) => readings.acOutputFrequencyHertz,
  ),
  ofString(
    'solar_pv_string_power_watts',
    'Power of one PV string; the strings are part of solar_pv_power_watts.',
    (string) => string.stringPowerWatts,
  ),
  ofString(
    'solar_pv_string_voltage_volts',
    'Voltage of one PV string.',
    (string) => string.stringVoltageVolts,
  ),
  ofString(
    'solar_pv_string_current_amperes',
    'Current of one PV string.',
    (string) => string.stringCurrentAmperes,
  ),
  labelledMetric(
    'solar_device_temperature_celsius',
    'Temperature at one sensor of the inverter.',
    ['sensor'],
    ({ temperaturesCelsius = new Map<string, number>() }) =>
      [...temperaturesCelsius].flatMap(([sensor, celsius]) => pointOf(celsius, { sensor })),
  ),
  labelledMetric(
    'solar_device_working_mode',
    "Whether the inverter works in this mode (1) or not (0); a mode that nobody has named shows as the service's code.",
    ['mode'],
    ({ workingMode }) =>
      workingMode === undefined
        ? []
        : [...new Set([...WORKING_MODES, workingMode])].flatMap((mode) =>
            pointOf(Number(mode === workingMode), { mode }),
          ),
  ),
];

/** Every metric that is measured, or derived from what is measured. */
export const MEASUREMENT_METRICS: readonly Metric<Readings>[] = [
  ...POWER_METRICS,
  ...QUALITY_METRICS,
];

/** Every metric that is read from the readings of a device, in the order of the page. */
export const READING_METRICS: readonly Metric<Readings>[] = [
  ...MEASUREMENT_METRICS,
  ...FRESHNESS_METRICS,
  ...DIALECT_METRICS,
];

/** Declares a derived gauge: absent when nothing was read, or when an input is unknown. */
function derived(
  name: `solar_${string}`,
  help: string,
  value: (power: DerivedPower) => number | undefined,
): Metric<Readings> {
  return deviceMetric(name, help, (readings) => value(derivedPower(readings)));
}

/** The metrics of a device are read one after the other: what they have in common is derived once. */
const derivedPower = rememberingLast(derivePower);

function rememberingLast<Given, Found>(find: (given: Given) => Found): (given: Given) => Found {
  let last: { readonly given: Given; readonly found: Found } | undefined;
  return (given) => {
    if (last?.given !== given) last = { given, found: find(given) };
    return last.found;
  };
}

function ofString(
  name: `solar_${string}`,
  help: string,
  value: (string: PvString) => number | undefined,
): Metric<Readings> {
  return labelledMetric(name, help, ['string'], ({ pvStrings = new Map<string, PvString>() }) =>
    [...pvStrings].flatMap(([string, reading]) => pointOf(value(reading), { string })),
  );
}
