import { type DeviceReport, nextExpiryAtMs, type Readings, readingsAt } from '../model/readings.ts';
import type { Device } from '../model/station.ts';
import { type Collector, type DeviceTarget, liveFor } from './collector.ts';
import { DIALECT_METRICS } from './dialect-metrics.ts';
import { POWER_METRICS } from './power-metrics.ts';
import { QUALITY_METRICS } from './quality-metrics.ts';

/** Reads the newest values of a device (interface endpoint 4) and what follows from them. */
export const readingsCollector: Collector<DeviceTarget, DeviceReport, Readings> = {
  name: 'readings',
  lifetime: ({ readingsTtlMs, maxAgeMs }) => liveFor(readingsTtlMs, maxAgeMs),
  fetch: async (api, { device, station }) =>
    datedByRecord(await api.fetchReadings(device.deviceId, station.timeZone, device.model), device),
  // An offline device answers with its last values for days: each goes by the service's own clock.
  ageing: {
    shownAt: (report, nowMs, { maxAgeMs }) => readingsAt(report, nowMs, maxAgeMs),
    changesAtMs: (report, nowMs, { maxAgeMs }) => nextExpiryAtMs(report, nowMs, maxAgeMs),
  },
  metrics: [...POWER_METRICS, ...QUALITY_METRICS, ...DIALECT_METRICS],
};

/**
 * An answer without a time may be of any age, and an offline device goes on giving its last one: it is
 * from when the record last heard of the device then. A time series says its own time: it has an hour.
 */
function datedByRecord(report: DeviceReport, { isOnline, lastDataAtMs = 0 }: Device): DeviceReport {
  if (isOnline !== false || report.dialect.source === 'history') return report;
  const measurements = report.measurements.map((measurement) => ({
    ...measurement,
    measuredAtMs: measurement.measuredAtMs ?? lastDataAtMs,
  }));
  return { ...report, measurements };
}
