import { type DeviceReport, nextExpiryAtMs, type Readings, readingsAt } from '../model/readings.ts';
import { type Collector, type DeviceTarget, liveFor } from './collector.ts';
import { DIALECT_METRICS } from './dialect-metrics.ts';
import { POWER_METRICS } from './power-metrics.ts';
import { QUALITY_METRICS } from './quality-metrics.ts';

/** Reads the newest values of a device (interface endpoint 4) and what follows from them. */
export const readingsCollector: Collector<DeviceTarget, DeviceReport, Readings> = {
  name: 'readings',
  lifetime: ({ readingsTtlMs, maxAgeMs }) => liveFor(readingsTtlMs, maxAgeMs),
  fetch: (api, { device, station }) =>
    api.fetchReadings(device.deviceId, station.timeZone, device.model),
  // An offline device answers with its last values for days: each goes by the service's own clock.
  ageing: {
    shownAt: (report, nowMs, { maxAgeMs }) => readingsAt(report, nowMs, maxAgeMs),
    changesAtMs: (report, nowMs, { maxAgeMs }) => nextExpiryAtMs(report, nowMs, maxAgeMs),
  },
  metrics: [...POWER_METRICS, ...QUALITY_METRICS, ...DIALECT_METRICS],
};
