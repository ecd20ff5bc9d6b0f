import type { Readings } from '../model/readings.ts';
import { type CollectorMetric, type Point, pointOf } from './metric.ts';

const DEVICE_LABELS = ['station_id', 'device_id'] as const;

/** A gauge with one value for a device; absent where it is unknown. */
export function deviceMetric(
  name: `solar_${string}`,
  help: string,
  value: (readings: Readings) => number | undefined,
): CollectorMetric<Readings> {
  const read: CollectorMetric<Readings>['read'] = (readings) => pointOf(value(readings));
  return { name, type: 'gauge', help, labelNames: DEVICE_LABELS, read };
}

/** A gauge with several values for a device, told apart by labels of its own. */
export function labelledMetric(
  name: `solar_${string}`,
  help: string,
  labelNames: readonly string[],
  read: (readings: Readings) => readonly Point[],
): CollectorMetric<Readings> {
  return { name, type: 'gauge', help, labelNames: [...DEVICE_LABELS, ...labelNames], read };
}
