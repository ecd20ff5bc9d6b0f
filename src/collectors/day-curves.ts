import { calendarOf, FALLBACK_TIME_ZONE } from '../base/time-zone.ts';
import { LONGEST_MAX_AGE_MS } from '../model/cadence.ts';
import { type CurveDay, DayCurve } from '../model/day-curve.ts';
import type { PowerPoint } from '../model/readings.ts';
import type { Station } from '../model/station.ts';
import type { DeviceSubject } from './collector.ts';

/** Returns the day of an instant. */
export type DayOf = (atMs: number) => CurveDay;

/** What is known of a station today. */
interface StationDay {
  readonly curve: DayCurve;
  readonly timeZone: string;
  /** By device. */
  readonly lastPoints: Map<string, PowerPoint>;
}

/** Keeps today's curve of each station, made of the points of its devices; in memory only. */
export class DayCurves {
  readonly #dayAt: DayOf | undefined;
  readonly #stations = new Map<string, StationDay>();

  /** @param dayAt - returns the days, where they are not those of the calendar of each station. */
  constructor(dayAt?: DayOf) {
    this.#dayAt = dayAt;
  }

  /** Returns the curve of a station on the day of an instant; absent where nothing is known of that day. */
  of(stationId: string, atMs: number): DayCurve | undefined {
    const curve = this.#stations.get(stationId)?.curve;
    const isToday = curve !== undefined && atMs >= curve.startsAtMs && atMs < curve.endsAtMs;
    return isToday ? curve : undefined;
  }

  /** Returns the midnight from which the energy of a station's day is counted; undefined where its zone is unknown. */
  midnightOf({ stationId, timeZone }: Station, atMs: number): number | undefined {
    // Energy is counted by the clock, and the days of the demo are shorter than those of the clock.
    if (timeZone === undefined || this.#dayAt !== undefined) return undefined;
    const isSame = this.#stations.get(stationId)?.timeZone === timeZone;
    const known = isSame ? this.of(stationId, atMs) : undefined;
    return (known ?? calendarOf(timeZone).dayPeriod(atMs)).startsAtMs;
  }

  /** Returns the time after which points of a device are wanted: its last point, else a little before midnight. */
  wantedAfterMs({ device, station }: DeviceSubject, serviceNowMs: number): number {
    const { curve, lastPoints } = this.#dayOf(station, serviceNowMs);
    return lastPoints.get(device.deviceId)?.atMs ?? beginsAtMs(curve);
  }

  /**
   * Adds the next point of a device, with the span since the last one if that is no longer than the spacing. A point
   * that is known, or of a day that is over or has not begun, changes nothing.
   */
  add(
    { device: { deviceId }, station }: DeviceSubject,
    point: PowerPoint,
    spacingMs: number,
    serviceNowMs: number,
  ): void {
    // The day begins by the service's clock: a point that is dated slightly ahead does not begin it.
    const { curve, lastPoints } = this.#dayOf(station, Math.min(point.atMs, serviceNowMs));
    const last = lastPoints.get(deviceId);
    const isNext = point.atMs > (last?.atMs ?? -Infinity) && point.atMs < curve.endsAtMs;
    if (!isNext) return;
    if (last !== undefined && point.atMs - last.atMs <= spacingMs) curve.add(last, point);
    lastPoints.set(deviceId, point);
  }

  /** Returns the day that an instant belongs to, or the later one that has begun. */
  #dayOf({ stationId, timeZone = FALLBACK_TIME_ZONE }: Station, atMs: number): StationDay {
    const known = this.#stations.get(stationId);
    if (known?.timeZone === timeZone && atMs < known.curve.endsAtMs) return known;
    const curve = new DayCurve(this.#dayAt?.(atMs) ?? calendarOf(timeZone).dayPeriod(atMs));
    // The last points of the day before are where this day begins.
    const recent = [...(known?.lastPoints ?? [])].filter(
      ([, point]) => point.atMs > beginsAtMs(curve),
    );
    // A station that has left the account adds no points any more.
    for (const [id, { curve: other }] of this.#stations)
      if (other.endsAtMs < beginsAtMs(curve)) this.#stations.delete(id);
    const day: StationDay = { curve, timeZone, lastPoints: new Map(recent) };
    this.#stations.set(stationId, day);
    return day;
  }
}

/** Returns from when on points matter for a day: the last one before midnight is joined to the first one after it. */
function beginsAtMs({ startsAtMs }: DayCurve): number {
  return startsAtMs - LONGEST_MAX_AGE_MS;
}
