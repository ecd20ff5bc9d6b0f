import { LONGEST_MAX_AGE_MS, learnCadence, maxAgeMs, nextQuestionAtMs } from '../model/cadence.ts';
import { leastOf } from '../model/units.ts';
import {
  aheadWords,
  batteryShownBy,
  datedAheadMs,
  type DeviceReport,
  type Measurement,
  mostOf,
  nextExpiryAtMs,
  powerFiguresOf,
  type Readings,
  readingsAt,
} from '../model/readings.ts';
import type { Device } from '../model/station.ts';
import type { Collector, DeviceSubject, FetchContext } from './collector.ts';
import type { DevicePoints } from './device-points.ts';
import { READING_METRICS } from './reading-metrics.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** One page has room for the points of a day, even of a logger that sends every minute. */
const LONGEST_WINDOW_MS = 24 * HOUR_MS;
/** The error of the clock that dates the readings may be this large. */
const MARGIN_MS = 5 * MINUTE_MS;
/** How often values without times are read: their cadence cannot be learned. */
const UNDATED_TTL_MS = MINUTE_MS;

type AnyReadingsCollector = Collector<DeviceSubject, DeviceReport, Readings>;
type ReadingsCollector = AnyReadingsCollector & Required<Pick<AnyReadingsCollector, 'shownAt'>>;

/**
 * Reads the newest values of a device (service.md#time-series) and what follows from them.
 *
 * @param devicePoints - gets the points that the answers bring.
 */
export const readingsCollectorWith = (devicePoints?: DevicePoints): ReadingsCollector => ({
  name: 'readings',
  validity: ({ readingsTtlMs, maxAgeMs: maxAge }, report, fetchedAtMs) => {
    const ageMs = maxAgeMs(maxAge, report.cadence);
    const ttlMs = readingsTtlMs === 'auto' ? untilNextMs(report, ageMs) : readingsTtlMs;
    const { newestAtMs = Infinity, cadence } = report;
    const withdrawnAtMs = newestAtMs - (cadence?.aheadMs ?? 0) + ageMs;
    // An answer is served until its last value is withdrawn: only a later answer can tell that the device is silent.
    const hasValues = withdrawnAtMs > fetchedAtMs && withdrawnAtMs < fetchedAtMs + ageMs;
    const servedUntilMs = hasValues ? withdrawnAtMs : fetchedAtMs + ageMs;
    return { dueAtMs: Math.min(fetchedAtMs + ttlMs, servedUntilMs), servedUntilMs };
  },
  fetch: async (api, subject, context) => {
    const { device, station } = subject;
    const { deviceId, model, ratedPowerWatts } = device;
    const { previous } = context;
    const { maxAgeMs: maxAge } = context.lifetimes;
    const askedAtMs = context.nowMs();
    const windowMs = windowFor(context);
    const report = await api.fetchReadings({
      deviceId,
      model,
      ratedPowerWatts,
      windowMs,
      ...devicePoints?.wanted(subject, api.serviceNowMs()),
      timeZone: station.timeZone,
    });
    const seenAtMs = context.nowMs();
    const cadence = learnCadence(previous?.cadence, report, seenAtMs, askedAtMs);
    const { measurements, misread, dialect, fields } = report;
    const { newestAtMs, serviceAheadMs, changedAtMs } = report;
    // One literal: with spreading, V8 would give each of these objects, kept per device, its own hidden class.
    const learned = {
      measurements,
      misread,
      dialect,
      fields,
      newestAtMs,
      serviceAheadMs,
      changedAtMs,
      cadence,
    };
    const aheadMs = datedAheadMs(learned, seenAtMs, maxAge);
    if (aheadMs !== undefined && !wasDatedAhead(context))
      context.log.warn(
        { station_id: station.stationId, device_id: deviceId },
        `readings are not shown: ${aheadWords(aheadMs)}`,
      );
    const dated = datedByRecord(learned, device, previous, seenAtMs);
    const readings = readingsAt(dated, seenAtMs, maxAge);
    const battery = mostOf(batteryShownBy(readings, powerFiguresOf(readings)), previous?.battery);
    const seen = { ...report, cadence, battery };
    const known = await devicePoints?.add(subject, seen, api.serviceNowMs());
    return { ...dated, battery: known ?? battery };
  },
  // An offline device answers with its last values for days, so each value ages by the time it was measured.
  shownAt: (nowMs, report, { maxAgeMs: maxAge }, subject) => ({
    untilMs: nextExpiryAtMs(report, nowMs, maxAge),
    // Computed only when it is read, because that takes a while for all devices of a large station.
    get value() {
      return {
        ...readingsAt(report, nowMs, maxAge, subject.isParallel),
        intervalMs: report.cadence?.intervalMs,
        maxAgeMs: maxAgeMs(maxAge, report.cadence),
      };
    },
  }),
  metrics: READING_METRICS,
  lasting: devicePoints?.lasting,
});

/** Reads devices, and drops their points. */
export const readingsCollector = readingsCollectorWith();

/** Returns how far back to ask: an answer without the values that are still shown would withdraw them. */
function windowFor({ previous, lifetimes, nowMs }: FetchContext<DeviceReport>): number {
  const { maxAgeMs: maxAge } = lifetimes;
  const shownAtMs = previous?.measurements.map(({ measuredAtMs = -Infinity }) => measuredAtMs);
  const oldestAtMs = shownAtMs === undefined ? -Infinity : leastOf(shownAtMs);
  // Where all values are young, a window of the maximum age would only make the answer longer.
  const shownForMs = nowMs() + (previous?.cadence?.aheadMs ?? 0) - oldestAtMs + MARGIN_MS;
  const neededMs = Math.min(maxAgeMs(maxAge, previous?.cadence), shownForMs, LONGEST_WINDOW_MS);
  return Math.max(HOUR_MS, neededMs);
}

/** Whether the previous reading was dated ahead when it arrived. */
function wasDatedAhead({ previous, lifetimes }: FetchContext<DeviceReport>): boolean {
  const askedAtMs = previous?.cadence?.askedAtMs ?? Infinity;
  return (
    previous !== undefined && datedAheadMs(previous, askedAtMs, lifetimes.maxAgeMs) !== undefined
  );
}

/** Returns how long after the request of a report the device is asked again. */
function untilNextMs(report: DeviceReport, ageMs: number): number {
  if (report.cadence === undefined || hasUndated(report)) return UNDATED_TTL_MS;
  return nextQuestionAtMs(report.cadence, ageMs) - report.cadence.askedAtMs;
}

function hasUndated({ measurements, fields = [] }: DeviceReport): boolean {
  return [...measurements, ...fields].some(({ measuredAtMs }) => measuredAtMs === undefined);
}

/**
 * Dates the undated values of a device that is silent according to its record: such a device repeats its last
 * answer, which may be of any age. The values are as old as its last data, or as their last observed change,
 * because a silent device cannot change them. A time series is left alone: it has its own times, and covers
 * an hour only.
 */
function datedByRecord(
  report: DeviceReport,
  device: Device,
  previous: DeviceReport | undefined,
  nowMs: number,
): DeviceReport {
  if (report.dialect.source === 'history' || !hasUndated(report)) return report;
  const serviceNowMs = nowMs + report.serviceAheadMs;
  const hasChanged = report.measurements.some(({ quantity, part, value }) =>
    previous?.measurements.some(
      (before) => before.quantity === quantity && before.part === part && before.value !== value,
    ),
  );
  let changedAtMs = hasChanged ? serviceNowMs : previous?.changedAtMs;
  // If the clock was set back since the change was seen, the time of the change is unknown.
  if (changedAtMs !== undefined && changedAtMs > serviceNowMs + MINUTE_MS) changedAtMs = undefined;
  if (!isSilent(device)) return { ...report, changedAtMs };
  const lastAtMs = Math.max(device.lastDataAtMs ?? 0, changedAtMs ?? 0);
  const dated = <T extends Pick<Measurement, 'measuredAtMs'>>(value: T): T => ({
    ...value,
    measuredAtMs: value.measuredAtMs ?? lastAtMs,
  });
  const [measurements, fields] = [report.measurements.map(dated), report.fields?.map(dated)];
  return { ...report, changedAtMs, measurements, fields };
}

/** Whether the record shows that the device had sent nothing for long when the devices were listed. */
function isSilent({ isOnline, lastDataAtMs, listedAtMs }: Device): boolean {
  if (isOnline === false) return true;
  if (lastDataAtMs === undefined || listedAtMs === undefined) return false;
  return listedAtMs - lastDataAtMs > LONGEST_MAX_AGE_MS;
}
