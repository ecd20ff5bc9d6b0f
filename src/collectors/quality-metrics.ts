import { type PvString, type Readings, WORKING_MODES } from '../model/readings.ts';
import { deviceMetric, labelledMetric } from './device-metric.ts';
import { type CollectorMetric, pointOf } from './metric.ts';

/** What some devices measure beside power (field notes 3.3, 3.5). */
export const QUALITY_METRICS: readonly CollectorMetric<Readings>[] = [
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

function ofString(
  name: `solar_${string}`,
  help: string,
  value: (string: PvString) => number | undefined,
): CollectorMetric<Readings> {
  return labelledMetric(name, help, ['string'], ({ pvStrings = new Map<string, PvString>() }) =>
    [...pvStrings].flatMap(([string, reading]) => pointOf(value(reading), { string })),
  );
}
