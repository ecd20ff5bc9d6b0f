import { QUANTITY_NAMES } from '../client/dialects/dialect-file.ts';
import {
  interfaceGridWatts,
  isReporting,
  type PowerFigures,
  powerFiguresOf,
  type PvString,
  type Quantity,
  type Readings,
  WORKING_MODES,
} from '../model/readings.ts';
import { type Metric, metricsOf, type Point, pointOf } from './metric.ts';

const LABELS = ['station_id', 'device_id'];

/** Power and battery (service.md#keys, #derived-powers). A derived value is absent while an input is unknown. */
export const POWER_METRICS = metricsOf<Readings>('gauge', LABELS, {
  solar_pv_power_watts: [
    'PV power of all strings (classic: pvInputPower).',
    (readings) => readings.pvPowerWatts,
  ],
  solar_ac_output_power_watts: [
    'AC output power of the inverter (classic: acOutputActivePower).',
    (readings) => readings.acOutputPowerWatts,
  ],
  solar_load_power_watts: [
    'Power that the house draws: measured, else equal to the AC output.',
    (readings) => figuresOf(readings).loadPowerWatts,
  ],
  solar_grid_power_watts: [
    'Net power of the grid, positive for import and negative for feed-in; absent unless both are known.',
    (readings) => figuresOf(readings).gridPowerWatts,
  ],
  solar_grid_import_power_watts: [
    'Power drawn from the grid, never negative: measured, else max(0, load - PV - battery + feed-in); absent where parallel inverters share the load and none measures the import.',
    (readings) => figuresOf(readings).gridImportPowerWatts,
  ],
  solar_grid_feed_in_power_watts: [
    'Power fed into the grid (classic: feedInPower).',
    (readings) => readings.gridFeedInPowerWatts,
  ],
  solar_interface_grid_power_watts: [
    "Grid power by the service's own rule, max(0, AC output - PV + battery + feed-in), which counts a discharging battery as import; use solar_grid_power_watts.",
    interfaceGridWatts,
  ],
  solar_battery_power_watts: [
    'Battery power, positive when discharging and negative when charging: measured, else (discharge - charging current) x voltage.',
    (readings) => figuresOf(readings).batteryPowerWatts,
  ],
  solar_battery_voltage_volts: [
    'Battery voltage (classic: batteryVoltage).',
    (readings) => readings.batteryVoltageVolts,
  ],
  solar_battery_charging_current_amperes: [
    'Current into the battery (classic: batteryChargingCurrent).',
    (readings) => readings.batteryChargingCurrentAmperes,
  ],
  solar_battery_discharge_current_amperes: [
    'Current out of the battery (classic: batteryDischargeCurrent).',
    (readings) => readings.batteryDischargeCurrentAmperes,
  ],
  solar_battery_soc_ratio: [
    'Battery state of charge, 0 to 1 (classic: batterySOC).',
    (readings) => readings.batterySocRatio,
  ],
});

/** Every metric that is measured or derived; some devices measure more (service.md#keys, #modes). */
export const MEASUREMENT_METRICS: readonly Metric<Readings>[] = [
  ...POWER_METRICS,
  ...metricsOf<Readings>('gauge', LABELS, {
    solar_battery_soh_ratio: [
      'Battery state of health, 0 to 1.',
      (readings) => readings.batterySohRatio,
    ],
    solar_battery_bms_connected: [
      'Whether the BMS of the battery answers the inverter (1) or not (0); at 0, the state of charge is a guess from the voltage.',
      (readings) => readings.batteryBmsConnected,
    ],
    solar_battery_temperature_celsius: [
      'Battery temperature; of the hottest cell where only cells are measured.',
      (readings) => readings.batteryTemperatureCelsius,
    ],
    solar_grid_voltage_volts: [
      'Grid voltage at the inverter, of the first phase.',
      (readings) => readings.gridVoltageVolts,
    ],
    solar_grid_frequency_hertz: [
      'Grid frequency at the inverter.',
      (readings) => readings.gridFrequencyHertz,
    ],
    solar_ac_output_voltage_volts: [
      'Voltage of the AC output, of the first phase.',
      (readings) => readings.acOutputVoltageVolts,
    ],
    solar_ac_output_frequency_hertz: [
      'Frequency of the AC output.',
      (readings) => readings.acOutputFrequencyHertz,
    ],
    solar_pv_string_power_watts: [
      'Power of one PV string, a part of solar_pv_power_watts.',
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
      "Whether the inverter works in this mode (1) or not (0); a mode without a name shows as the service's code.",
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
    "When the newest reading was measured, by the service's clock; there however old it is.",
    ({ measuredAtMs }) => measuredAtMs && measuredAtMs / 1000,
  ],
  solar_device_reporting: [
    'Whether the device has a reading that is recent enough to show (1) or not (0).',
    (readings) => Number(isReporting(readings)),
  ],
  solar_device_reading_interval_seconds: [
    'Learned time between readings of the device; absent while unknown.',
    ({ intervalMs }) => intervalMs && intervalMs / 1000,
  ],
  solar_device_reading_max_age_seconds: [
    'Age at which readings of the device are withdrawn: --cache.max-age, or learned.',
    ({ maxAgeMs }) => maxAgeMs && maxAgeMs / 1000,
  ],
});

/** Every metric that is read from the readings of a device, in the order of the page. */
export const READING_METRICS: readonly Metric<Readings>[] = [
  ...MEASUREMENT_METRICS,
  ...FRESHNESS_METRICS,
  ...metricsOf<Readings>('gauge', LABELS, {
    solar_device_dialect_info: [
      'Inverter family of the device, or own (rules of the user) or unknown, and where it is read: history, latest or flow.',
      ({ dialect }) => dialect && pointOf(1, { family: dialect.family, source: dialect.source }),
      'family',
      'source',
    ],
    solar_device_quantity_missing_info: [
      'A basic quantity that the device has no known key for, or whose sum lacks a string or phase.',
      ({ dialect }) =>
        dialect?.missing.map((quantity) => ({
          value: 1,
          labels: { quantity: quantityName(quantity) },
        })),
      'quantity',
    ],
    solar_device_battery_info: [
      'That the device has a battery: it has shown a level above 0, a power, or a BMS. bms: whether a BMS has ever answered it.',
      ({ battery }) =>
        battery === undefined || battery === 'none'
          ? []
          : pointOf(1, { bms: String(battery === 'bms') }),
      'bms',
    ],
    solar_device_field: [
      'Every number that the device sends, by its own key and unit, as the service spells them; only with --collect.fields.',
      ({ fields }) => fields?.map(({ field, unit, value }) => ({ value, labels: { field, unit } })),
      'field',
      'unit',
    ],
    solar_device_unknown_keys: [
      'Number of keys of the device that no rule reads; solar-exporter devices --explain prints them.',
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

let last: { readonly readings: Readings; readonly figures: PowerFigures } | undefined;

/** Returns the figures of a device. They are derived once, because its metrics are read one after the other. */
function figuresOf(readings: Readings): PowerFigures {
  if (last?.readings !== readings) last = { readings, figures: powerFiguresOf(readings) };
  return last.figures;
}

function ofStrings(
  value: (string: PvString) => number | undefined,
): (readings: Readings) => readonly Point[] {
  return ({ pvStrings = [] }) =>
    [...pvStrings].flatMap(([string, reading]) => pointOf(value(reading), { string }));
}
