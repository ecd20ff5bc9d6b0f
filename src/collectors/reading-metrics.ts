import { QUANTITY_NAMES } from '../client/dialects/dialect-file.ts';
import {
  type DerivedPower,
  derivePower,
  isReporting,
  type PvString,
  type Quantity,
  type Readings,
  WORKING_MODES,
} from '../model/readings.ts';
import { type Metric, metricsOf, type Point, pointOf } from './metric.ts';

const LABELS = ['station_id', 'device_id'];

/** Power, and the state of the battery (interface 2.4, 2.7). What is derived is absent while an input is unknown. */
export const POWER_METRICS = metricsOf<Readings>('gauge', LABELS, {
  solar_pv_power_watts: [
    'PV power of all strings together (pvInputPower, or what the inverter family has for it).',
    (readings) => readings.pvPowerWatts,
  ],
  solar_ac_output_power_watts: [
    'AC output power of the inverter (acOutputActivePower, or what the inverter family has for it).',
    (readings) => readings.acOutputPowerWatts,
  ],
  solar_load_power_watts: [
    'What the house draws: measured where the device measures it, else equal to the AC output (derived).',
    (readings) => derivedPower(readings).loadPowerWatts,
  ],
  solar_grid_power_watts: [
    'Net power of the grid, positive while importing and negative while feeding in: solar_grid_import_power_watts - solar_grid_feed_in_power_watts; absent unless both are known (derived).',
    (readings) => derivedPower(readings).gridPowerWatts,
  ],
  solar_grid_import_power_watts: [
    'Power drawn from the grid, never negative: measured where the device measures it, else by the energy balance, max(0, load - PV - battery + feed-in).',
    (readings) => derivedPower(readings).gridImportPowerWatts,
  ],
  solar_grid_feed_in_power_watts: [
    'Power fed into the grid (feedInPower, or what the inverter family has for it).',
    (readings) => readings.gridFeedInPowerWatts,
  ],
  solar_interface_grid_power_watts: [
    "The gridPower of the service's interface, max(0, AC output - PV + battery + feed-in), only for comparison with programs that follow that rule: it counts a discharging battery as import, and no meter shows it; for the grid use solar_grid_power_watts (derived).",
    (readings) => derivedPower(readings).interfaceGridPowerWatts,
  ],
  solar_battery_power_watts: [
    'Battery power, positive when discharging and negative when charging: measured where the device measures it, else (discharge - charging current) x voltage (derived).',
    (readings) => derivedPower(readings).batteryPowerWatts,
  ],
  solar_battery_voltage_volts: [
    'Battery voltage (batteryVoltage, or what the inverter family has for it).',
    (readings) => readings.batteryVoltageVolts,
  ],
  solar_battery_charging_current_amperes: [
    'Current into the battery (batteryChargingCurrent, or what the inverter family has for it).',
    (readings) => readings.batteryChargingCurrentAmperes,
  ],
  solar_battery_discharge_current_amperes: [
    'Current out of the battery (batteryDischargeCurrent, or what the inverter family has for it).',
    (readings) => readings.batteryDischargeCurrentAmperes,
  ],
  solar_battery_soc_ratio: [
    'Battery state of charge, 0 to 1 (batterySOC, or what the inverter family has for it).',
    (readings) => readings.batterySocRatio,
  ],
});

/** Every metric that is measured, or derived from what is measured; some devices measure more (field notes 3.3, 3.5). */
export const MEASUREMENT_METRICS: readonly Metric<Readings>[] = [
  ...POWER_METRICS,
  ...metricsOf<Readings>('gauge', LABELS, {
    solar_battery_soh_ratio: [
      'Battery state of health, 0 to 1.',
      (readings) => readings.batterySohRatio,
    ],
    solar_battery_bms_connected: [
      "Whether the battery's BMS answers the inverter, 1 or 0, where the family says it; while it does not, the state of charge is the inverter's guess from the voltage, and may be far from the truth.",
      (readings) => readings.batteryBmsConnected,
    ],
    solar_battery_temperature_celsius: [
      'Battery temperature; of the hottest cell where only cells are measured.',
      (readings) => readings.batteryTemperatureCelsius,
    ],
    solar_grid_voltage_volts: [
      'Voltage of the grid at the inverter; of its first phase.',
      (readings) => readings.gridVoltageVolts,
    ],
    solar_grid_frequency_hertz: [
      'Frequency of the grid at the inverter.',
      (readings) => readings.gridFrequencyHertz,
    ],
    solar_ac_output_voltage_volts: [
      'Voltage of the AC output; of its first phase.',
      (readings) => readings.acOutputVoltageVolts,
    ],
    solar_ac_output_frequency_hertz: [
      'Frequency of the AC output.',
      (readings) => readings.acOutputFrequencyHertz,
    ],
    solar_pv_string_power_watts: [
      'Power of one PV string; the strings are part of solar_pv_power_watts.',
      ofStrings((string) => string.stringPowerWatts),
      'string',
    ],
    solar_pv_string_voltage_volts: [
      'Voltage of one PV string.',
      ofStrings((string) => string.stringVoltageVolts),
      'string',
    ],
    solar_pv_string_current_amperes: [
      'Current of one PV string.',
      ofStrings((string) => string.stringCurrentAmperes),
      'string',
    ],
    solar_device_temperature_celsius: [
      'Temperature at one sensor of the inverter.',
      ({ temperaturesCelsius = [] }) =>
        Array.from(temperaturesCelsius, ([sensor, value]) => ({ value, labels: { sensor } })),
      'sensor',
    ],
    solar_device_working_mode: [
      "Whether the inverter works in this mode (1) or not (0); a mode that nobody has named shows as the service's code.",
      ({ workingMode }) =>
        workingMode === undefined
          ? []
          : Array.from(new Set([...WORKING_MODES, workingMode]), (mode) => ({
              value: Number(mode === workingMode),
              labels: { mode },
            })),
      'mode',
    ],
  }),
];

/** How old the readings are, and how old they may become. */
export const FRESHNESS_METRICS = metricsOf<Readings>('gauge', LABELS, {
  solar_reading_timestamp_seconds: [
    "Time of the newest reading by the service's clock, in seconds since the Unix epoch, however old it is; absent where the service gives none.",
    ({ measuredAtMs }) => measuredAtMs && measuredAtMs / 1000,
  ],
  solar_device_reporting: [
    'Whether there is any reading of the device that is young enough to show (1) or none (0).',
    (readings) => Number(isReporting(readings)),
  ],
  solar_device_reading_interval_seconds: [
    'How far apart the readings of the device are, learned from the last of them; absent until it is known, and where readings have no time.',
    ({ intervalMs }) => intervalMs && intervalMs / 1000,
  ],
  solar_device_reading_max_age_seconds: [
    'Age at which readings of the device are withdrawn: --cache.max-age, or what follows from the interval and the lag of its readings.',
    ({ maxAgeMs }) => maxAgeMs && maxAgeMs / 1000,
  ],
});

/** Every metric that is read from the readings of a device, in the order of the page. */
export const READING_METRICS: readonly Metric<Readings>[] = [
  ...MEASUREMENT_METRICS,
  ...FRESHNESS_METRICS,
  ...metricsOf<Readings>('gauge', LABELS, {
    solar_device_dialect_info: [
      'Always 1; the inverter family whose keys the device uses (unknown for one that nobody has described), and where it is read: history, latest or flow.',
      ({ dialect }) => dialect && pointOf(1, { family: dialect.family, source: dialect.source }),
      'family',
      'source',
    ],
    solar_device_quantity_missing_info: [
      'Always 1; a quantity of the service interface that the device has no known key for, or that cannot be summed up because a string or phase has no value; "solar-exporter devices --explain" says more.',
      ({ dialect }) =>
        dialect?.missing.map((quantity) => ({
          value: 1,
          labels: { quantity: quantityName(quantity) },
        })),
      'quantity',
    ],
    solar_device_unknown_keys: [
      'How many keys the device offers that no rule of the exporter reads; "solar-exporter devices --explain" prints them.',
      ({ dialect }) => dialect?.unknownKeys.length,
    ],
  }),
];

const NAME_BY_QUANTITY = new Map<string, string>(
  Object.entries(QUANTITY_NAMES).map(([name, quantity]) => [quantity, name]),
);

/** Returns the name of a quantity as dialect files and labels spell it. */
export function quantityName(quantity: Quantity): string {
  return NAME_BY_QUANTITY.get(quantity) ?? quantity;
}

let lastDerived: { readonly readings: Readings; readonly power: DerivedPower } | undefined;

/** The metrics of a device are read one after the other: what they have in common is derived once. */
function derivedPower(readings: Readings): DerivedPower {
  if (lastDerived?.readings !== readings) lastDerived = { readings, power: derivePower(readings) };
  return lastDerived.power;
}

function ofStrings(
  value: (string: PvString) => number | undefined,
): (readings: Readings) => readonly Point[] {
  return ({ pvStrings = [] }) =>
    [...pvStrings].flatMap(([string, reading]) => pointOf(value(reading), { string }));
}
