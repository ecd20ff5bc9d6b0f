import { daysCollector, yearsCollector } from '../collectors/energy.ts';
import { devicesCollector } from '../collectors/inventory.ts';
import type { Metric, MetricDefinition } from '../collectors/metric.ts';
import { FRESHNESS_METRICS, MEASUREMENT_METRICS } from '../collectors/reading-metrics.ts';
import { ENERGY_COUNTER_METRICS } from '../collectors/device-points.ts';
import { TOTAL_METRICS } from '../collectors/totals.ts';

/** What the station list and the device list say that was true in the past as well. */
export const STATION_INFO = chosen(devicesCollector.metrics, ['solar_station_info']);
export const DEVICE_INFO = chosen(devicesCollector.metrics, [
  'solar_device_info',
  'solar_device_rated_power_watts',
]);

/** What the readings of a device say; how late they came then, and how old they might become, nobody knows. */
export const PAST_READING_METRICS = [
  ...MEASUREMENT_METRICS,
  ...chosen(FRESHNESS_METRICS, ['solar_reading_timestamp_seconds', 'solar_device_reporting']),
];

/** What the devices of a station say together. */
export const STATION_TOTALS = chosen(TOTAL_METRICS, [
  'solar_station_power_watts',
  'solar_station_battery_soc_ratio',
  'solar_station_devices_missing',
]);

/** The energies that the service sums up, by the value that they are read from. */
export const DAY_METRICS = daysCollector.metrics;
export const ENERGY_TOTALS = TOTAL_METRICS.filter(({ name }) => name.startsWith('solar_energy_'));
export const YEAR_METRICS = yearsCollector.metrics;

/** Every metric of the past, in the order in which it is written. */
export const HISTORY_METRICS: readonly MetricDefinition[] = [
  ...STATION_INFO,
  ...STATION_TOTALS,
  ...DEVICE_INFO,
  ...PAST_READING_METRICS,
  ...ENERGY_COUNTER_METRICS,
  ...DAY_METRICS,
  ...ENERGY_TOTALS,
  ...YEAR_METRICS,
];

function chosen<Value>(
  metrics: readonly Metric<Value>[],
  names: readonly string[],
): readonly Metric<Value>[] {
  return metrics.filter(({ name }) => names.includes(name));
}
