import { type DeviceReport, nextExpiryAtMs, type Readings, readingsAt } from '../model/readings.ts';
import type { Device } from '../model/station.ts';
import { type Collector, type DeviceTarget, liveFor } from './collector.ts';
import { READING_METRICS } from './reading-metrics.ts';

/** Reads the newest values of a device (interface endpoint 4) and what follows from them. */
export const readingsCollector: Collector<DeviceTarget, DeviceReport, Readings> = {
  name: 'readings',
  lifetime: ({ readingsTtlMs, maxAgeMs }) => liveFor(readingsTtlMs, maxAgeMs),
  fetch: async (api, { device, station }) =>
    datedByRecord(await api.fetchReadings(device.deviceId, station.timeZone, device.model), device),
  // An offline device answers with its last values for days, so each value ages by the time it was measured.
  ageing: {
    shownAt: (report, nowMs, { maxAgeMs }) => readingsAt(report, nowMs, maxAgeMs),
    changesAtMs: (report, nowMs, { maxAgeMs }) => nextExpiryAtMs(report, nowMs, maxAgeMs),
  },
  metrics: READING_METRICS,
};

/**
 * Dates the undated values of an offline device by when its record last heard of it: such a device
 * repeats its last answer, which may be of any age. A time series is left alone: it has its own times,
 * and covers an hour only.
 */
function datedByRecord(report: DeviceReport, { isOnline, lastDataAtMs = 0 }: Device): DeviceReport {
  if (isOnline !== false || report.dialect.source === 'history') return report;
  const measurements = report.measurements.map((measurement) => ({
    ...measurement,
    measuredAtMs: measurement.measuredAtMs ?? lastDataAtMs,
  }));
  return { ...report, measurements };
}
