import { learnCadence, maxAgeMs, nextQuestionAtMs } from '../model/cadence.ts';
import { leastOf } from '../model/units.ts';
import { type DeviceReport, nextExpiryAtMs, type Readings, readingsAt } from '../model/readings.ts';
import {
  type Ageing,
  type Collector,
  type DeviceSubject,
  type FetchContext,
  liveFor,
} from './collector.ts';
import type { DevicePoints } from './device-points.ts';
import { READING_METRICS } from './reading-metrics.ts';
import { datedByRecord } from './undated-readings.ts';

const HOUR_MS = 3_600_000;
/** One page has the points of a day, also of a logger that sends every minute. */
const LONGEST_WINDOW_MS = 24 * HOUR_MS;
/** The clock that dates the readings is not known better. */
const MARGIN_MS = 5 * 60_000;
/** How often values are read that have no times by which their cadence could be learned. */
const UNDATED_TTL_MS = 60_000;

type ReadingsCollector = Collector<DeviceSubject, DeviceReport, Readings> & {
  readonly ageing: Ageing<DeviceReport, Readings>;
};

/**
 * Reads the newest values of a device (interface endpoint 4) and what follows from them.
 *
 * @param devicePoints - takes up the points that the answers bring.
 */
export const readingsCollectorWith = (devicePoints?: DevicePoints): ReadingsCollector => ({
  name: 'readings',
  lifetime: ({ readingsTtlMs, maxAgeMs: maxAge }, report) => {
    const ageMs = maxAgeMs(maxAge, report?.cadence);
    if (report?.isLearning === true) return liveFor(0, ageMs);
    if (readingsTtlMs !== 'auto') return liveFor(readingsTtlMs, ageMs);
    return liveFor(untilNextMs(report, ageMs), ageMs);
  },
  fetch: async (api, target, context) => {
    const { device, station } = target;
    const { deviceId, model, ratedPowerWatts } = device;
    const { previous } = context;
    const askedAtMs = context.nowMs();
    const windowMs = windowFor(context);
    const afterMs = devicePoints?.wantedAfterMs(target, api.serviceNowMs());
    const report = await api.fetchReadings({
      ...{ deviceId, model, ratedPowerWatts, windowMs, afterMs },
      timeZone: station.timeZone,
    });
    const seenAtMs = context.nowMs();
    const cadence = learnCadence(previous?.cadence, report, seenAtMs, askedAtMs);
    const { measurements, dialect, newestAtMs, serviceAheadMs, changedAtMs, isLearning } = report;
    // Not by spreading: V8 would give each of these objects, kept per device, a hidden class of its own.
    const learned = {
      ...{ measurements, dialect, newestAtMs, serviceAheadMs, changedAtMs, cadence, isLearning },
    };
    await devicePoints?.add(api, target, { ...report, cadence }, afterMs);
    return datedByRecord(learned, device, previous, seenAtMs);
  },
  forget: (api, target) => {
    api.forgetDevice(target.device.deviceId);
    devicePoints?.forget(target);
  },
  // An offline device answers with its last values for days, so each value ages by the time it was measured.
  ageing: {
    shownAt: (report, nowMs, { maxAgeMs: maxAge }) => ({
      ...readingsAt(report, nowMs, maxAge),
      intervalMs: report.cadence?.intervalMs,
      maxAgeMs: maxAgeMs(maxAge, report.cadence),
    }),
    changesAtMs: (report, nowMs, { maxAgeMs: maxAge }) => nextExpiryAtMs(report, nowMs, maxAge),
  },
  metrics: READING_METRICS,
  lasting: devicePoints?.lasting,
});

/** Reads devices, and takes up no points. */
export const readingsCollector = readingsCollectorWith();

/** Returns how far back to ask: an answer without the values that are still shown would withdraw them. */
function windowFor({ previous, maxAge, nowMs }: FetchContext<DeviceReport>): number {
  const shownAtMs = previous?.measurements.map(({ measuredAtMs = -Infinity }) => measuredAtMs);
  const oldestAtMs = shownAtMs === undefined ? -Infinity : leastOf(shownAtMs);
  // Where all values are young, a long maximum age would only make the answer longer.
  const shownForMs = nowMs() + (previous?.cadence?.aheadMs ?? 0) - oldestAtMs + MARGIN_MS;
  const neededMs = Math.min(maxAgeMs(maxAge, previous?.cadence), shownForMs, LONGEST_WINDOW_MS);
  return Math.max(HOUR_MS, neededMs);
}

/** Returns how long after the question that a report answers the device is asked again. */
function untilNextMs(report: DeviceReport | undefined, ageMs: number): number {
  const isUndated = report?.measurements.some(({ measuredAtMs }) => measuredAtMs === undefined);
  if (report?.cadence === undefined || isUndated === true) return UNDATED_TTL_MS;
  return nextQuestionAtMs(report.cadence, ageMs) - report.cadence.askedAtMs;
}
