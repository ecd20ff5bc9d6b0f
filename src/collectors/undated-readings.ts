import { LONGEST_MAX_AGE_MS } from '../model/cadence.ts';
import type { DeviceReport } from '../model/readings.ts';
import type { Device } from '../model/station.ts';

/**
 * Dates the undated values of a device that its record calls silent: such a device repeats its last
 * answer, which may be of any age. They are as old as its last data, or as the last change that was seen
 * in them, because a device that is silent cannot change them. A time series is left alone: it has its
 * own times, and covers an hour only.
 */
export function datedByRecord(
  report: DeviceReport,
  device: Device,
  previous: DeviceReport | undefined,
  nowMs: number,
): DeviceReport {
  const isUndated = report.measurements.some(({ measuredAtMs }) => measuredAtMs === undefined);
  if (report.dialect.source === 'history' || !isUndated) return report;
  const serviceNowMs = nowMs + report.serviceAheadMs;
  const hasChanged = previous !== undefined && differs(report, previous);
  let changedAtMs = hasChanged ? serviceNowMs : previous?.changedAtMs;
  // A change that was seen by a clock that has been set back since happened nobody knows when.
  if (changedAtMs !== undefined && serviceNowMs < changedAtMs) changedAtMs = undefined;
  if (!isSilent(device)) return { ...report, changedAtMs };
  const lastAtMs = Math.max(device.lastDataAtMs ?? 0, changedAtMs ?? 0);
  const measurements = report.measurements.map((measurement) => ({
    ...measurement,
    measuredAtMs: measurement.measuredAtMs ?? lastAtMs,
  }));
  return { ...report, changedAtMs, measurements };
}

/** Whether the record says that the device had nothing to say for long when the devices were listed. */
function isSilent({ isOnline, lastDataAtMs, listedAtMs }: Device): boolean {
  if (isOnline === false) return true;
  if (lastDataAtMs === undefined || listedAtMs === undefined) return false;
  return listedAtMs - lastDataAtMs > LONGEST_MAX_AGE_MS;
}

/** Whether a quantity that both reports have has another value. */
function differs(report: DeviceReport, previous: DeviceReport): boolean {
  const before = new Map(
    previous.measurements.map(({ quantity, part, value }) => [`${quantity} ${part}`, value]),
  );
  return report.measurements.some(({ quantity, part, value }) => {
    const valueBefore = before.get(`${quantity} ${part}`);
    return valueBefore !== undefined && valueBefore !== value;
  });
}
