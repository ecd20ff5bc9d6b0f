import { learnCadence, type Rhythm } from '../model/reading-cadence.ts';
import { maxAgeMs } from '../model/max-age.ts';
import { nextQuestionAtMs } from '../model/next-question.ts';
import {
  type DeviceReport,
  freshnessOf,
  nextExpiryAtMs,
  type Readings,
  readingsAt,
} from '../model/readings.ts';
import { type Collector, type DeviceTarget, type FetchContext, liveFor } from './collector.ts';
import { READING_METRICS } from './reading-metrics.ts';
import { datedByRecord } from './undated-readings.ts';

const HOUR_MS = 3_600_000;
/** How often values are read that have no times by which their cadence could be learned. */
const UNDATED_TTL_MS = 60_000;
/** Live values are worth as many requests as if they were asked for so often. */
const WEIGHT_MS = 60_000;

/** Reads the newest values of a device (interface endpoint 4) and what follows from them. */
export const readingsCollector = {
  name: 'readings',
  lifetime: ({ readingsTtlMs, maxAgeMs: maxAge }, report) => {
    const ageMs = maxAgeMs(maxAge, report?.cadence);
    if (readingsTtlMs !== 'auto') return liveFor(readingsTtlMs, ageMs);
    return { ...liveFor(untilNextMs(report, ageMs), ageMs), weightMs: WEIGHT_MS };
  },
  fetch: async (api, { device, station }, context) => {
    const { deviceId, model } = device;
    const { previous } = context;
    const askedAtMs = context.nowMs();
    // A reading that is still shown has to be in the window, or the answer would withdraw it.
    const windowMs = Math.max(HOUR_MS, maxAgeMs('auto', previous?.cadence));
    const report = await api.fetchReadings(deviceId, station.timeZone, model, windowMs);
    return datedByRecord(
      withCadence(report, context, askedAtMs),
      device,
      previous,
      context.nowMs(),
    );
  },
  forget: (api, { device }) => api.forgetDevice(device.deviceId),
  // An offline device answers with its last values for days, so each value ages by the time it was measured.
  ageing: {
    shownAt: (report, nowMs, { maxAgeMs: maxAge }) => ({
      ...readingsAt(report, nowMs, maxAge),
      ...freshnessOf(report, nowMs, maxAge),
    }),
    changesAtMs: (report, nowMs, { maxAgeMs: maxAge }) => nextExpiryAtMs(report, nowMs, maxAge),
  },
  metrics: READING_METRICS,
} satisfies Collector<DeviceTarget, DeviceReport, Readings>;

/** Returns how long after the question that a report answers the device is asked again. */
function untilNextMs(report: DeviceReport | undefined, ageMs: number): number {
  const isUndated = report?.measurements.some(({ measuredAtMs }) => measuredAtMs === undefined);
  if (report?.cadence === undefined || isUndated === true) return UNDATED_TTL_MS;
  return nextQuestionAtMs(report.cadence, ageMs) - report.cadence.arrival.askedAtMs;
}

/** Puts what follows from the times of the report and of those before it in their place. */
function withCadence(
  report: DeviceReport,
  { previous, others, nowMs }: FetchContext<DeviceReport>,
  askedAtMs: number,
): DeviceReport {
  const cadence = learnCadence(previous?.cadence, report, nowMs(), askedAtMs);
  const isKnown = Object.values(cadence.rhythm).every((length) => length !== undefined);
  const assumed = isKnown ? undefined : rhythmOfFamily(report.dialect.family, others());
  const { measurements, dialect, newestAtMs, serviceAheadMs } = report;
  // One literal, and no spreading: V8 would give each of these objects, kept per device, a hidden class of its own.
  return {
    measurements,
    dialect,
    newestAtMs,
    serviceAheadMs,
    changedAtMs: report.changedAtMs,
    cadence: cadence.assumed === assumed ? cadence : Object.assign({}, cadence, { assumed }),
  };
}

/** A station may have thousands of devices, and a few show how its loggers work. */
const OTHERS_ASKED = 20;

/** Returns how often other devices of the family have readings, and how late; the slowest of them counts. */
function rhythmOfFamily(family: string, others: Iterable<DeviceReport>): Rhythm {
  let slowest: Rhythm = {};
  let asked = 0;
  for (const { cadence, dialect } of others) {
    asked += 1;
    if (asked > OTHERS_ASKED) break;
    if (cadence === undefined || dialect.family !== family) continue;
    const { intervalMs, lagMs } = cadence.rhythm;
    slowest = {
      intervalMs: longer(slowest.intervalMs, intervalMs),
      lagMs: longer(slowest.lagMs, lagMs),
    };
  }
  return slowest;
}

function longer(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other);
}
