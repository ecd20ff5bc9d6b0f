import { ServiceError } from '../base/errors.ts';
import { turn } from '../base/turns.ts';
import { isFinalRefusal } from '../client/exchange/retry.ts';
import { LONGEST_MAX_AGE_MS, maxAgeMs } from '../model/cadence.ts';
import {
  beginCount,
  countAnew,
  countEnergy,
  type EnergyCount,
  longestIntervalMs,
} from '../model/energy-counter.ts';
import {
  type DeviceReport,
  type PastReading,
  type Readings,
  readingsAt,
} from '../model/readings.ts';
import type { CollectorApi, DeviceSubject, Lasting } from './collector.ts';
import { curvePointOf, type DayCurves } from './day-curves.ts';
import { flowPoints } from './energy.ts';
import type { EnergyCounts } from './energy-counts.ts';
import { type Metric, pointOf, type Sample, samplesOf } from './metric.ts';

const DAY_MS = 86_400_000;
/** What was counted stays true while the service is down; it is only not complete. */
const SHOWN_FOR_MS = DAY_MS + 15 * 60_000;
/** A longer outage is a gap: its points take many pages. */
const LONGEST_PAST_MS = 31 * DAY_MS;
/** After so many failures in a row, the past of a device is given up: it is a gap. */
const MOST_FAILURES = 3;
/** Of a device whose answers have no times, points are missing always: it is asked for them so often. */
const PAST_EVERY_MS = 15 * 60_000;
/** A point may be dated ahead by so much; more means that the service's clock was set back. */
const AHEAD_MS = 60_000;

const LABELS = ['station_id', 'device_id'] as const;

/** The metrics of counted energy; a device of which nothing has been counted has none. */
export const ENERGY_COUNTER_METRICS: readonly Metric<EnergyCount>[] = [
  {
    name: 'solar_device_energy_kwh_total',
    type: 'counter',
    help: "Energy by flow, in kWh, since the count began: derived from the power at the service's own points, whatever is scraped. It differs from the service's totals, by up to 10 % as users report; where points are missing it counts nothing, and solar_device_energy_gap_seconds_total grows.",
    labelNames: [...LABELS, 'flow'],
    read: ({ energies }) =>
      flowPoints(energies).map(({ value, ...point }) => ({ ...point, value: rounded(value) })),
  },
  {
    name: 'solar_device_energy_gap_seconds_total',
    type: 'counter',
    help: 'Time between points of the device that were too far apart to count energy: more than 15 minutes, or 2.5 intervals of a logger that sends less often, and 75 minutes at most.',
    labelNames: LABELS,
    read: ({ energies, gapMs }) =>
      pointOf(Object.keys(energies).length > 0 ? gapMs / 1000 : undefined),
  },
];

/** Rounds to mWh, which a sum that grows does not make fall. */
function rounded(energyKwh: number): number {
  return Math.round(energyKwh * 1e6) / 1e6;
}

/** How asking for the past of a device went. */
interface AskedPast {
  /** When it was asked for last, by the service's clock; absent where that failed. */
  readonly atMs?: number;
  /** How often in a row that has failed. */
  readonly failures: number;
  /** Whether points stayed missing: the service may leave some out that it has (field notes 1.7). */
  readonly isDoubted?: boolean;
  /** Whether its points say nothing of power. */
  readonly isWithoutPower?: boolean;
}

/**
 * Folds the points that readings bring into the energy counters and the curves of today. The past is asked for only
 * where points are missing between the last one and those of a reading: since midnight at the start, and after an
 * outage, or when nobody has scraped.
 */
export class DevicePoints {
  readonly #counts: EnergyCounts;
  readonly #curves: DayCurves | undefined;
  readonly #asked = new Map<string, AskedPast>();

  constructor(counts: EnergyCounts, curves?: DayCurves) {
    this.#counts = counts;
    this.#curves = curves;
  }

  /** Returns the time after which the points of a device are wanted; absent where only the newest is. */
  wantedAfterMs(target: DeviceSubject, serviceNowMs: number): number | undefined {
    const known = this.#counts.get(target.device.deviceId);
    const countedAtMs =
      known === undefined || known.lastAtMs > serviceNowMs + AHEAD_MS ? Infinity : known.lastAtMs;
    const curveAtMs = this.#curves?.wantedAfterMs(target, serviceNowMs) ?? Infinity;
    const atMs = Math.min(countedAtMs, curveAtMs);
    return atMs === Infinity ? undefined : atMs;
  }

  /**
   * Takes up the points of a reading. Where they could not be joined to the last one for the moment, nothing is taken
   * up, and the next reading brings them again. Never fails for want of them.
   *
   * @param afterMs - the time after which points were wanted.
   */
  async add(
    api: CollectorApi,
    target: DeviceSubject,
    { points, cadence }: DeviceReport,
    afterMs: number | undefined,
  ): Promise<void> {
    const { deviceId } = target.device;
    const counts = this.#counts;
    const serviceNowMs = api.serviceNowMs();
    const known = counts.get(deviceId);
    // Until the service comes to the time of the last point once more, no point would be later.
    const isAhead = known !== undefined && known.lastAtMs > serviceNowMs + AHEAD_MS;
    const ageMs = maxAgeMs('auto', cadence);
    let count = isAhead ? undefined : known;
    let begun: EnergyCount | undefined;
    const take = async (reading: PastReading): Promise<Readings> => {
      const { atMs } = reading;
      const readings = readingsAt(reading.report, atMs, ageMs);
      this.#curves?.add(target, curvePointOf(atMs, readings));
      if (count !== undefined) count = countEnergy(count, atMs, readings);
      else if (isAhead) begun = countAnew(known, atMs, readings);
      else begun = beginCount(atMs, readings, cadence?.measuredAtMs);
      if (turn.isOver()) await turn.next();
      return readings;
    };
    const span = {
      fromMs: Math.max(afterMs ?? Infinity, serviceNowMs - LONGEST_PAST_MS),
      toMs: Math.min(points?.fromMs ?? -Infinity, serviceNowMs),
    };
    const longestMs = longestIntervalMs(known?.intervalsMs ?? []);
    const isMissing = span.toMs - span.fromMs > longestMs;
    const isJoined = !isMissing || (await this.#addPast(api, target, span, longestMs, take));
    if (isJoined) for (const reading of points?.readings ?? []) await take(reading);
    else begun = undefined;
    if (isAhead && begun !== undefined) counts.replace(deviceId, known, begun);
    const kept = isAhead ? counts.get(deviceId) : (count ?? begun);
    if (kept !== undefined) counts.keep(deviceId, kept);
  }

  /**
   * Asks for the past, and returns whether to go on: it has come, or will not come. What stays missing is asked for
   * once more at the next reading, because the service may have left it out.
   */
  async #addPast(
    api: CollectorApi,
    { device: { deviceId, model, ratedPowerWatts }, station: { timeZone } }: DeviceSubject,
    { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
    longestMs: number,
    take: (reading: PastReading) => Promise<Readings>,
  ): Promise<boolean> {
    const asked = this.#asked.get(deviceId);
    const { atMs = -Infinity, failures = 0, isDoubted = false, isWithoutPower } = asked ?? {};
    const nowMs = api.serviceNowMs();
    if (isWithoutPower === true || Math.abs(nowMs - atMs) < PAST_EVERY_MS) return true;
    // What was measured a little earlier stands for what is missing then.
    const span = { fromMs: fromMs - LONGEST_MAX_AGE_MS, toMs };
    const query = { deviceId, timeZone, model, ratedPowerWatts, ...span };
    let isPower = false;
    let [lastAtMs, spacingMs] = [fromMs, longestMs];
    try {
      for await (const page of api.fetchPastReadings(query))
        for (const reading of page) {
          if (reading.atMs <= fromMs) continue;
          [lastAtMs, spacingMs] = [reading.atMs, Math.max(longestMs, reading.atMs - lastAtMs)];
          if (beginCount(reading.atMs, await take(reading)) !== undefined) isPower = true;
        }
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const isGivenUp = isFinalRefusal(error) || failures + 1 >= MOST_FAILURES;
      const went = isGivenUp ? { atMs: nowMs, failures: 0 } : { failures: failures + 1 };
      this.#asked.set(deviceId, went);
      return isGivenUp;
    }
    if (toMs - lastAtMs > spacingMs && !isDoubted) {
      this.#asked.set(deviceId, { failures: 0, isDoubted: true });
      return false;
    }
    this.#asked.set(deviceId, {
      atMs: nowMs,
      failures: 0,
      isWithoutPower: lastAtMs > fromMs && !isPower,
    });
    return true;
  }

  /** Lets go of what is known of asking about a device. */
  forget({ device: { deviceId } }: DeviceSubject): void {
    this.#asked.delete(deviceId);
  }

  /** The counters, which are shown while the readings are withdrawn as well. */
  readonly lasting: Lasting<DeviceSubject> = {
    servedForMs: SHOWN_FOR_MS,
    samples: ({ device: { deviceId } }, labels): Iterable<Sample> => {
      const count = this.#counts.shown(deviceId);
      return count === undefined ? [] : samplesOf(ENERGY_COUNTER_METRICS, count, labels);
    },
    changesAtMs: ({ device: { deviceId } }, nowMs) => this.#counts.showsMoreAtMs(deviceId, nowMs),
  };
}
