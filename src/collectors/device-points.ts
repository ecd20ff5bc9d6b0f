import { ServiceError } from '../base/errors.ts';
import { MOST_REMEMBERED, RecentMap } from '../base/recent-map.ts';
import { turn } from '../base/turns.ts';
import { SYSTEM_READS } from '../client/dialects/rules.ts';
import { isFinalRefusal } from '../client/exchange/retry.ts';
import { LONGEST_MAX_AGE_MS, type MaxAge, maxAgeMs } from '../model/cadence.ts';
import {
  beginCount,
  countEnergy,
  type EnergyCount,
  goOn,
  longestIntervalMs,
} from '../model/energy-counter.ts';
import {
  batteryShownBy,
  type BatterySign,
  type DeviceReport,
  mostOf,
  type PastReading,
  type PowerFigure,
  type Readings,
  readingsAt,
} from '../model/readings.ts';
import { shareOf } from '../model/station-totals.ts';
import type { CollectorApi, DeviceSubject, Lasting } from './collector.ts';
import type { DayCurves } from './day-curves.ts';
import { flowPoints } from './energy.ts';
import type { EnergyCounts } from './energy-counts.ts';
import { metricsOf, samplesOf } from './metric.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** What was counted stays true while the service is down; it is only not complete. */
const SHOWN_FOR_MS = DAY_MS + 15 * MINUTE_MS;
/** A longer outage is a gap: its points take many pages. */
const LONGEST_PAST_MS = 31 * DAY_MS;
/** After so many failures in a row, the past of a device is given up: it is a gap. */
const MOST_FAILURES = 3;
/** Of a device whose answers have no times, points are missing always: it is asked for them so often. */
const PAST_EVERY_MS = 15 * MINUTE_MS;

const GRID_FIGURES = ['gridPowerWatts', 'gridImportPowerWatts', 'gridFeedInPowerWatts'] as const;

/** The metrics of counted energy; a device of which nothing has been counted has none. */
export const ENERGY_COUNTER_METRICS = metricsOf<EnergyCount>(
  'counter',
  ['station_id', 'device_id'],
  {
    solar_device_energy_kwh_total: [
      "Energy by flow since the count began, derived from the power at the service's own points, not from scrapes.",
      ({ energies }) =>
        // Rounded to mWh, which a sum that grows does not make fall.
        flowPoints(energies).map(({ value, ...point }) => ({
          ...point,
          value: Math.round(value * 1e6) / 1e6,
        })),
      'flow',
    ],
    solar_device_energy_gap_seconds_total: [
      'Time in which no energy was counted, because the points of the device were too far apart or a value cannot be.',
      ({ energies, gapMs }) => (Object.keys(energies).length > 0 ? gapMs / 1000 : undefined),
    ],
  },
);

/** How asking for the past of a device went. */
interface AskedPast {
  /** How often in a row it was asked for in vain. */
  readonly tries?: number;
  /** When what came was taken for all there is, by the service's clock. */
  readonly atMs?: number;
  /** Whether its points say nothing of power. */
  readonly isWithoutPower?: boolean;
}

/** Where points of a device are missing, by the service's clock. */
interface Missing {
  readonly afterMs: number;
  readonly toMs: number;
  /** How far apart points may be. */
  readonly spacingMs: number;
}

/**
 * Folds the points that readings bring into the energy counters and the curves of today. The past is asked for only
 * where points are missing between the last one and those of a reading: since midnight at the start, and after an
 * outage, or when nobody has scraped.
 */
export class DevicePoints {
  readonly #counts: EnergyCounts;
  readonly #curves: DayCurves;
  readonly #asked = new RecentMap<string, AskedPast>(MOST_REMEMBERED);

  constructor(counts: EnergyCounts, curves: DayCurves) {
    this.#counts = counts;
    this.#curves = curves;
  }

  /** Returns the time after which the points of a device are wanted; absent where only the newest is. */
  wantedAfterMs(subject: DeviceSubject, serviceNowMs: number): number | undefined {
    const count = this.#counts.get(subject.device.deviceId);
    const countedAtMs =
      count === undefined || isAhead(count, serviceNowMs) ? Infinity : count.lastAtMs;
    const curveAtMs = this.#curves.wantedAfterMs(subject, serviceNowMs) ?? Infinity;
    const atMs = Math.min(countedAtMs, curveAtMs);
    return atMs === Infinity ? undefined : atMs;
  }

  /**
   * Takes up the points of a reading. Where they could not be joined to the last one for the moment, nothing is taken
   * up, and the next reading brings them again. Never fails for want of them.
   *
   * @param afterMs - the time after which points were wanted.
   * @returns what the device has shown of a battery so far, also in the past and before a restart.
   */
  async add(
    api: CollectorApi,
    subject: DeviceSubject,
    { points, cadence, battery: batterySeen }: DeviceReport,
    afterMs = Infinity,
  ): Promise<BatterySign> {
    const { deviceId } = subject.device;
    const serviceNowMs = api.serviceNowMs();
    const known = this.#counts.get(deviceId);
    // Until the service comes to the time of the last point once more, no point would be later.
    const ahead = known !== undefined && isAhead(known, serviceNowMs) ? known : undefined;
    const ageMs = maxAgeMs('auto', cadence);
    let count = ahead === undefined ? known : undefined;
    let battery = mostOf(batterySeen, known?.battery);
    // Counts these points alone where no count goes on that knows what it was at midnight.
    let alone: EnergyCount | undefined;
    const take = async ({ atMs, report }: PastReading): Promise<Readings> => {
      const readings = readingsOf(subject, report, atMs, ageMs);
      battery = mostOf(battery, batteryShownBy(readings));
      // Nobody measures tomorrow, in no time zone: a gap up to then would be invented.
      if (atMs > serviceNowMs + DAY_MS) return readings;
      const share = shareOf(readings);
      const spacingMs = longestIntervalMs((count ?? alone)?.intervalsMs ?? []);
      const point = { atMs, values: share?.figures ?? {}, shared: share?.shared };
      this.#curves.add(subject, point, spacingMs, serviceNowMs);
      const midnights = this.#curves.midnightsOf(subject.station, atMs);
      const next = (one: EnergyCount) => countEnergy(one, atMs, readings, midnights);
      if (count?.marks === undefined)
        alone = alone ? next(alone) : beginCount(atMs, readings, cadence?.measuredAtMs);
      count = count && next(count);
      if (turn.isOver()) await turn.next();
      return readings;
    };
    const missing = {
      afterMs: Math.max(afterMs, serviceNowMs - LONGEST_PAST_MS),
      toMs: Math.min(points?.fromMs ?? -Infinity, serviceNowMs),
      spacingMs: longestIntervalMs(known?.intervalsMs ?? []),
    };
    const isMissing = missing.toMs - missing.afterMs > missing.spacingMs;
    const isJoined = !isMissing || (await this.#addPast(api, subject, missing, take));
    if (isJoined) for (const reading of points?.readings ?? []) await take(reading);
    if (alone !== undefined && isJoined && (count?.lastAtMs ?? alone.lastAtMs) === alone.lastAtMs)
      count = goOn(alone, count ?? ahead);
    if (count !== undefined) this.#counts.keep(deviceId, { ...count, battery }, ahead);
    return battery;
  }

  /**
   * Asks for the past, and returns whether to go on: it has come, or will not come. What stays missing is asked for
   * once more at the next reading, because the service may have left it out (service.md#paging).
   */
  async #addPast(
    api: CollectorApi,
    { device: { deviceId, model, ratedPowerWatts }, station: { timeZone } }: DeviceSubject,
    { afterMs, toMs, spacingMs: leastSpacingMs }: Missing,
    take: (reading: PastReading) => Promise<Readings>,
  ): Promise<boolean> {
    const { tries = 0, atMs = -Infinity, isWithoutPower } = this.#asked.get(deviceId) ?? {};
    const nowMs = api.serviceNowMs();
    if (isWithoutPower === true || Math.abs(nowMs - atMs) < PAST_EVERY_MS) return true;
    // What was measured a little earlier stands for what is missing then.
    const span = { fromMs: afterMs - LONGEST_MAX_AGE_MS, toMs };
    const query = { deviceId, timeZone, model, ratedPowerWatts, ...span };
    let [lastAtMs, spacingMs, isPower] = [afterMs, leastSpacingMs, false];
    let isDone: boolean;
    try {
      for await (const page of api.fetchPastReadings(query))
        for (const reading of page) {
          if (reading.atMs <= afterMs) continue;
          spacingMs = Math.max(leastSpacingMs, reading.atMs - lastAtMs);
          lastAtMs = reading.atMs;
          isPower = beginCount(lastAtMs, await take(reading)) !== undefined || isPower;
        }
      isDone = toMs - lastAtMs <= spacingMs || tries > 0;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      isDone = isFinalRefusal(error) || tries + 1 >= MOST_FAILURES;
    }
    const asked = { atMs: nowMs, isWithoutPower: lastAtMs > afterMs && !isPower };
    this.#asked.set(deviceId, isDone ? asked : { tries: tries + 1 });
    return isDone;
  }

  /** The counters, which are shown while the readings are withdrawn as well. */
  readonly lasting: Lasting<DeviceSubject> = {
    servedForMs: SHOWN_FOR_MS,
    samples: ({ device: { deviceId } }, labels) => {
      const count = this.#counts.shown(deviceId);
      return count === undefined ? [] : samplesOf(ENERGY_COUNTER_METRICS, count, labels);
    },
    changesAtMs: ({ device: { deviceId } }, nowMs) => this.#counts.showsMoreAtMs(deviceId, nowMs),
  };
}

/** Returns what a device says at an instant, and which of that several devices of its station say of the whole house. */
export function readingsOf(
  { isParallel }: Pick<DeviceSubject, 'isParallel'>,
  report: DeviceReport,
  atMs: number,
  maxAge: MaxAge,
): Readings {
  const readings = readingsAt(report, atMs, maxAge);
  const reads = SYSTEM_READS.get(report.dialect.family);
  if (isParallel !== true || reads === undefined) return readings;
  const load = readings.loadPowerWatts === undefined ? 'acOutputPowerWatts' : 'loadPowerWatts';
  const shared: readonly PowerFigure[] = [
    ...(reads.has(load) ? (['loadPowerWatts'] as const) : []),
    ...(reads.has('gridPower') ? GRID_FIGURES : []),
  ];
  return shared.length > 0 ? { ...readings, shared } : readings;
}

/** Whether a count ends at a time to come: that point was dated by a clock that was wrong. */
function isAhead({ lastAtMs }: EnergyCount, serviceNowMs: number): boolean {
  return lastAtMs > serviceNowMs + MINUTE_MS;
}
