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

/** Today's curve of each station, made of the points of its devices. It is kept in memory only. */
export class DayCurves {
  readonly #dayAt: DayOf | undefined;
  readonly #stations = new Map<string, StationDay>();

  /** @param dayAt - the days, where they are not those of the calendar of each station. */
  constructor(dayAt?: DayOf) {
    this.#dayAt = dayAt;
  }

  /** Returns the curve of a station on the day of an instant; absent where nothing is known of that day. */
  of(stationId: string, atMs: number): DayCurve | undefined {
    const curve = this.#stations.get(stationId)?.curve;
    const isToday = curve !== undefined && atMs >= curve.startsAtMs && atMs < curve.endsAtMs;
    return isToday ? curve : undefined;
  }

  /** Returns when the day began by which the energy of a station is counted; absent where its zone is not known. */
  midnightOf({ stationId, timeZone }: Station, atMs: number): number | undefined {
    // Energy is counted by the clock, and the days of the demo are shorter than those.
    if (timeZone === undefined || this.#dayAt !== undefined) return undefined;
    const isSame = this.#stations.get(stationId)?.timeZone === timeZone;
    const known = isSame ? this.of(stationId, atMs) : undefined;
    return (known ?? calendarOf(timeZone).dayPeriod(atMs)).startsAtMs;
  }

  /** Returns the time after which points of a device are wanted: the last one, else a little before midnight. */
  wantedAfterMs({ device, station }: DeviceSubject, serviceNowMs: number): number {
    const { curve, lastPoints } = this.#dayOf(station, serviceNowMs);
    return lastPoints.get(device.deviceId)?.atMs ?? beginsAtMs(curve);
  }

  /**
   * Adds the next point of a device, with what lies between it and the last one if they are no further apart than the
   * spacing. One that is known, or of a day that is over or has not begun, changes nothing.
   */
  add(
    { device: { deviceId }, station }: DeviceSubject,
    point: PowerPoint,
    spacingMs: number,
    serviceNowMs: number,
  ): void {
    // The day begins by the service's clock: before that, a device that is a little ahead begins none.
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
    // What was measured last of the day before is where this one begins.
    const recent = [...(known?.lastPoints ?? [])].filter(
      ([, point]) => point.atMs > beginsAtMs(curve),
    );
    const day: StationDay = { curve, timeZone, lastPoints: new Map(recent) };
    this.#stations.set(stationId, day);
    return day;
  }
}

/** Returns when the points begin that say something of a day: the last one before midnight is joined to the first. */
function beginsAtMs({ startsAtMs }: DayCurve): number {
  return startsAtMs - LONGEST_MAX_AGE_MS;
}
