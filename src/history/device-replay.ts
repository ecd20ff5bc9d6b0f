import type { ServiceError } from '../base/errors.ts';
import type { Retry, ServiceApi } from '../client/client.ts';
import { isFinalRefusal } from '../client/exchange/retry.ts';
import { ENERGY_COUNTER_METRICS } from '../collectors/device-points.ts';
import {
  intervalsOf,
  learnCadence,
  LONGEST_MAX_AGE_MS,
  type MaxAge,
  type ReadingCadence,
} from '../model/cadence.ts';
import { beginCount, countEnergy, type EnergyCount } from '../model/energy-counter.ts';
import {
  isReporting,
  nextExpiryAtMs,
  type PastReading,
  powersOf,
  readingsAt,
} from '../model/readings.ts';
import { type DeviceShare, shareOf } from '../model/station-totals.ts';
import type { Device } from '../model/station.ts';
import { DEVICE_INFO, PAST_READING_METRICS } from './history-metrics.ts';
import type { Month } from './months.ts';
import { SeriesTable } from './series.ts';

/** A reading a minute in the longest month, and some more: most loggers have a fifth of it. */
export const MOST_READINGS = 50_000;

export interface ReplayOptions {
  readonly api: Pick<ServiceApi, 'fetchPastReadings'>;
  /** Sends each request; it may wait and send it again. */
  readonly retry: Retry;
  /** When readings are withdrawn. With `auto`, a reading was there at once: nobody knows how late it came. */
  readonly maxAge: MaxAge;
  /** Whether energy is counted. */
  readonly isCounting: boolean;
  /** {@link MOST_READINGS} when left out. */
  readonly mostReadings?: number | undefined;
}

/** What came of a device. */
export interface ReplayedDevice {
  readonly device: Device;
  readonly table: SeriesTable;
  /** What it says of its station, by row of the table. */
  readonly shares: readonly (DeviceShare | undefined)[];
  /** How many readings the month has; those after the first `mostReadings` are left out. */
  readonly readings: number;
  /** Whether the service has no more of the device, or refuses all of it: not everything that is listed measures. */
  readonly isComplete: boolean;
  /** Why the service gives no more of it: a refusal, or a past without an end. */
  readonly refusal?: ServiceError;
}

/**
 * Asks for the readings of a device and plays them again, in ascending order of time: writes down what the page would
 * have shown of them, by the functions that make the page. Readings before the month decide what it shows at
 * its beginning, and counters begin at the last of them.
 *
 * @throws ServiceError when what failed is not about this device alone.
 */
export async function replayDevice(
  month: Month,
  device: Device,
  { api, retry, maxAge, isCounting, mostReadings = MOST_READINGS }: ReplayOptions,
): Promise<ReplayedDevice> {
  const { station, fromMs, toMs } = month;
  const { deviceId, model, ratedPowerWatts } = device;
  const listing = { station, devices: [device] };
  const table = new SeriesTable({ station_id: station.stationId, device_id: deviceId });
  const shares: (DeviceShare | undefined)[] = [];
  let cadence: ReadingCadence | undefined;
  let last: PastReading | undefined;
  /** What is counted up to the last reading; absent before the first. */
  let count: EnergyCount | undefined;

  /** Adds a row for each stretch of time, up to an instant, in which the same values of the last reading are shown. */
  function showLast(untilMs: number, isEnd: boolean): void {
    if (last === undefined) return;
    const { atMs, report } = last;
    for (let shownAtMs = atMs; shownAtMs < untilMs;) {
      const untilNextMs = nextExpiryAtMs(report, shownAtMs, maxAge);
      const readings = readingsAt(report, shownAtMs, maxAge, month.isParallel);
      if (isEnd && !isReporting(readings)) return;
      const row = { fromMs: Math.max(shownAtMs, fromMs), toMs: Math.min(untilNextMs, untilMs) };
      if (row.fromMs < row.toMs) {
        table.rows.push({ ...row, ...(row.fromMs === atMs && { readAtMs: atMs }) });
        shares.push(shareOf(readings));
        table.fill(DEVICE_INFO, listing);
        table.fill(PAST_READING_METRICS, readings);
        if (count !== undefined) table.fill(ENERGY_COUNTER_METRICS, count);
      }
      shownAtMs = untilNextMs;
    }
  }

  /** Plays the next reading; until then, the one before it was shown. */
  function play({ atMs, report: received }: PastReading): void {
    showLast(atMs, false);
    cadence = learnCadence(cadence, received, atMs);
    const report = { ...received, cadence };
    last = { atMs, report };
    if (!isCounting) return;
    const point = { ...powersOf(readingsAt(report, atMs, maxAge, month.isParallel)), atMs };
    // Of the points before the month, only how far apart they were is of interest.
    count =
      count === undefined || atMs < fromMs
        ? beginCount(point, intervalsOf(cadence.measuredAtMs))
        : countEnergy(count, point);
  }

  // What was read before the month may still be shown at its first steps.
  const beforeMs = Math.max(LONGEST_MAX_AGE_MS, maxAge === 'auto' ? 0 : maxAge);
  const span = { timeZone: station.timeZone, fromMs: fromMs - beforeMs, toMs };
  const pages = api.fetchPastReadings({ deviceId, model, ratedPowerWatts, ...span }, retry);
  let [isAnswered, readings] = [false, 0];
  try {
    for await (const page of pages) {
      isAnswered = true;
      for (const reading of page) {
        play(reading);
        if (reading.atMs >= fromMs) readings += 1;
        if (readings === mostReadings) break;
      }
      if (readings === mostReadings) break;
    }
  } catch (error) {
    if (!isFinalRefusal(error)) throw error;
    return { device, table, shares, readings, isComplete: !isAnswered, refusal: error };
  }
  showLast(toMs, true);
  return { device, table, shares, readings, isComplete: readings < mostReadings };
}
