import type { Readings } from '../model/readings.ts';
import { type Metric, type Point, pointOf } from './metric.ts';

const DEVICE_LABELS = ['station_id', 'device_id'] as const;

/** Declares a gauge with one value per device; absent where it is unknown. */
export function deviceMetric(
  name: `solar_${string}`,
  help: string,
  value: (readings: Readings) => number | undefined,
): Metric<Readings> {
  const read: Metric<Readings>['read'] = (readings) => pointOf(value(readings));
  return { name, type: 'gauge', help, labelNames: DEVICE_LABELS, read };
}

/** Declares a gauge with several values per device, told apart by labels of its own. */
export function labelledMetric(
  name: `solar_${string}`,
  help: string,
  labelNames: readonly string[],
  read: (readings: Readings) => readonly Point[],
): Metric<Readings> {
  return { name, type: 'gauge', help, labelNames: [...DEVICE_LABELS, ...labelNames], read };
}
