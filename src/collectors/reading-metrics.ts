import { QUANTITY_NAMES } from '../client/dialects/dialect-file.ts';
import { type DerivedPower, derivePowerIfReporting, isReporting } from '../model/derive.ts';
import { type PvString, type Quantity, type Readings, WORKING_MODES } from '../model/readings.ts';
import { type Metric, type Point, pointOf } from './metric.ts';

const DEVICE_LABELS = ['station_id', 'device_id'] as const;

const NAME_BY_QUANTITY = new Map<string, string>(
  Object.entries(QUANTITY_NAMES).map(([name, quantity]) => [quantity, name]),
);

/** Returns the name of a quantity as dialect files and labels spell it. */
export function quantityName(quantity: Quantity): string {
  return NAME_BY_QUANTITY.get(quantity) ?? quantity;
}

/** Power, and the state of the battery (interface 2.4, 2.7). */
const POWER_METRICS: readonly Metric<Readings>[] = [
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
    (string) => string.powerWatts,
  ),
  ofString(
    'solar_pv_string_voltage_volts',
    'Voltage of one PV string.',
    (string) => string.voltageVolts,
  ),
  ofString(
    'solar_pv_string_current_amperes',
    'Current of one PV string.',
    (string) => string.currentAmperes,
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

/** How old the readings are, and how they are read. */
const DIALECT_METRICS: readonly Metric<Readings>[] = [
  deviceMetric(
    'solar_reading_timestamp_seconds',
    "Time of the newest reading by the service's clock, in seconds since the Unix epoch, however old it is; absent where the service gives none.",
    ({ measuredAtMs }) => (measuredAtMs === undefined ? undefined : measuredAtMs / 1000),
  ),
  deviceMetric(
    'solar_device_reporting',
    'Whether there is any reading of the device that is young enough to show (1) or none (0).',
    (readings) => Number(isReporting(readings)),
  ),
  labelledMetric(
    'solar_device_dialect_info',
    'Always 1; the inverter family whose keys the device uses (unknown for one that nobody has described), and where it is read: history, latest or flow.',
    ['family', 'source'],
    ({ dialect }) =>
      dialect === undefined ? [] : pointOf(1, { family: dialect.family, source: dialect.source }),
  ),
  deviceMetric(
    'solar_device_missing_quantities',
    'How many of the seven quantities of the service interface the device has no known key for, or cannot sum up because a string or phase has no value; "solar-exporter devices --explain" names them.',
    ({ dialect }) => dialect?.missing.length,
  ),
  labelledMetric(
    'solar_device_quantity_missing',
    'Always 1; a quantity of the service interface that the device has no known key for, or that cannot be summed up because a string or phase has no value.',
    ['quantity'],
    ({ dialect }) =>
      (dialect?.missing ?? []).flatMap((quantity) =>
        pointOf(1, { quantity: quantityName(quantity) }),
      ),
  ),
  deviceMetric(
    'solar_device_unknown_keys',
    'How many keys the device offers that no rule of the exporter reads; "solar-exporter devices --explain" prints them.',
    ({ dialect }) => dialect?.unknownKeys.length,
  ),
];

/** Every metric that is read from the readings of a device, in the order of the page. */
export const READING_METRICS: readonly Metric<Readings>[] = [
  ...POWER_METRICS,
  ...QUALITY_METRICS,
  ...DIALECT_METRICS,
];

/** Declares a derived gauge: absent when nothing was read, or when an input is unknown. */
function derived(
  name: `solar_${string}`,
  help: string,
  value: (power: DerivedPower) => number | undefined,
): Metric<Readings> {
  return deviceMetric(name, help, (readings) => value(derivePowerIfReporting(readings)));
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

/** Declares a gauge with one value per device; absent where it is unknown. */
function deviceMetric(
  name: `solar_${string}`,
  help: string,
  value: (readings: Readings) => number | undefined,
): Metric<Readings> {
  const read: Metric<Readings>['read'] = (readings) => pointOf(value(readings));
  return { name, type: 'gauge', help, labelNames: DEVICE_LABELS, read };
}

/** Declares a gauge with several values per device, told apart by labels of its own. */
function labelledMetric(
  name: `solar_${string}`,
  help: string,
  labelNames: readonly string[],
  read: (readings: Readings) => readonly Point[],
): Metric<Readings> {
  return { name, type: 'gauge', help, labelNames: [...DEVICE_LABELS, ...labelNames], read };
}
