import { QUANTITY_NAMES } from '../client/dialects/dialect-file.ts';
import { isReporting, type Quantity, type Readings } from '../model/readings.ts';
import { deviceMetric, labelledMetric } from './device-metric.ts';
import { type Metric, pointOf } from './metric.ts';

const NAME_BY_QUANTITY = new Map<string, string>(
  Object.entries(QUANTITY_NAMES).map(([name, quantity]) => [quantity, name]),
);

/** Returns the name of a quantity as dialect files and labels spell it. */
export function quantityName(quantity: Quantity): string {
  return NAME_BY_QUANTITY.get(quantity) ?? quantity;
}

/** How old the readings are, and how old they may become. */
export const FRESHNESS_METRICS: readonly Metric<Readings>[] = [
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
  deviceMetric(
    'solar_device_reading_interval_seconds',
    'How far apart the readings of the device are, learned from the last of them; absent until it is known, and where readings have no time.',
    ({ intervalMs }) => (intervalMs === undefined ? undefined : intervalMs / 1000),
  ),
  deviceMetric(
    'solar_device_reading_max_age_seconds',
    'Age at which readings of the device are withdrawn: --cache.max-age, or what follows from the interval and the lag of its readings.',
    ({ maxAgeMs }) => (maxAgeMs === undefined ? undefined : maxAgeMs / 1000),
  ),
];

/** How the readings are read. */
export const DIALECT_METRICS: readonly Metric<Readings>[] = [
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
