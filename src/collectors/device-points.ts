import { turn } from '../base/turns.ts';
import { intervalsOf, LONGEST_MAX_AGE_MS, maxAgeMs } from '../model/cadence.ts';
import {
  beginCount,
  countEnergy,
  type EnergyCount,
  goOnFrom,
  longestIntervalMs,
} from '../model/energy-counter.ts';
import { hasNoEnergy } from '../model/energy.ts';
import {
  batteryShownBy,
  type BatterySign,
  type DeviceReport,
  mostOf,
  powersOf,
  readingsAt,
} from '../model/readings.ts';
import type { DeviceSubject, Lasting } from './collector.ts';
import type { DayCurves } from './day-curves.ts';
import { flowPoints } from './energy.ts';
import type { EnergyCounts } from './energy-counts.ts';
import { metricsOf, samplesOf } from './metric.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Counted energy stays true while the service is down; it is only incomplete. */
const SHOWN_FOR_MS = DAY_MS + 15 * MINUTE_MS;

/** The metrics of counted energy; a device of which nothing has been counted has none. */
export const ENERGY_COUNTER_METRICS = metricsOf<Pick<EnergyCount, 'energies' | 'gapMs'>>(
  'counter',
  ['station_id', 'device_id'],
  {
    solar_device_energy_kwh_total: [
      "Energy by flow since the count began, derived from the power at the service's own points, not from scrapes.",
      ({ energies }) =>
        // Rounded to mWh: rounding does not make a growing sum fall.
        flowPoints(energies).map(({ value, ...point }) => ({
          ...point,
          value: Math.round(value * 1e6) / 1e6,
        })),
      'flow',
    ],
    solar_device_energy_gap_seconds_total: [
      'Time in which no energy was counted, because the points of the device were too far apart or a value cannot be.',
      ({ energies, gapMs }) => (hasNoEnergy(energies) ? undefined : gapMs / 1000),
    ],
  },
);

/** Folds the points that readings bring into the energy counters and the curves of today. */
export class DevicePoints {
  readonly #counts: EnergyCounts;
  readonly #curves: DayCurves;

  constructor(counts: EnergyCounts, curves: DayCurves) {
    this.#counts = counts;
    this.#curves = curves;
  }

  /**
   * Returns the time after which points of a device are wanted, and how far apart they may be. That is the time of the
   * last counted point, a day ago at most; at first, it is midnight.
   */
  wanted(
    subject: DeviceSubject,
    serviceNowMs: number,
  ): { readonly afterMs: number; readonly spacingMs: number } {
    const { lastAtMs = Infinity, intervalsMs = [] } =
      this.#counts.get(subject.device.deviceId) ?? {};
    const countedAtMs = Math.max(lastAtMs, serviceNowMs - DAY_MS);
    const curveAtMs = this.#curves.wantedAfterMs(subject, serviceNowMs);
    return {
      afterMs: Math.min(countedAtMs, curveAtMs),
      spacingMs: longestIntervalMs(intervalsMs),
    };
  }

  /**
   * Adds the points of a reading.
   *
   * @returns what the device has shown of a battery so far, also in the past and before a restart.
   */
  async add(
    subject: DeviceSubject,
    { points = [], cadence, battery: batterySeen }: DeviceReport,
    serviceNowMs: number,
  ): Promise<BatterySign> {
    const { device, station, isParallel } = subject;
    const before = this.#counts.get(device.deviceId);
    const ageMs = maxAgeMs('auto', cadence);
    const isAhead = before !== undefined && before.lastAtMs > serviceNowMs + LONGEST_MAX_AGE_MS;
    const todayAtMs = this.#curves.midnightOf(station, serviceNowMs);
    const known = intervalsOf(cadence?.measuredAtMs ?? []);
    let count = before;
    let battery = mostOf(batterySeen, before?.battery);
    for (const { atMs, report } of points) {
      // A point in the future is wrong, and a gap up to it would be invented.
      if (atMs > serviceNowMs + ageMs) break;
      const readings = readingsAt(report, atMs, ageMs, isParallel);
      const point = { ...powersOf(readings), atMs };
      battery = mostOf(battery, batteryShownBy(readings, point.figures));
      this.#curves.add(
        subject,
        point,
        longestIntervalMs(count?.intervalsMs ?? known),
        serviceNowMs,
      );
      if (isAhead) count = goOnFrom(before, point);
      else if (count !== undefined)
        count = countEnergy(count, point, this.#curves.midnightOf(station, atMs));
      else if (atMs >= (todayAtMs ?? -Infinity)) count = beginCount(point, known, todayAtMs);
      if (turn.isOver()) await turn.next();
    }
    if (count !== undefined) this.#counts.keep(device.deviceId, { ...count, battery }, before);
    return battery;
  }

  /** The counters, which are shown even while the readings are withdrawn. */
  readonly lasting: Lasting<DeviceSubject> = {
    servedForMs: SHOWN_FOR_MS,
    samples: ({ device: { deviceId } }, labels) => {
      const count = this.#counts.shown(deviceId);
      return count === undefined ? [] : samplesOf(ENERGY_COUNTER_METRICS, count, labels);
    },
    changesAtMs: ({ device: { deviceId } }, nowMs) => this.#counts.showsMoreAtMs(deviceId, nowMs),
  };
}
