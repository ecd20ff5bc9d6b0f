import { calendarOf, FALLBACK_TIME_ZONE } from '../base/time-zone.ts';
import { type CurveDay, type CurvePoint, DayCurve } from '../model/day-curve.ts';
import { LEAST_MAX_AGE_MS } from '../model/cadence.ts';
import type { Midnights } from '../model/energy-counter.ts';
import type { DeviceSubject } from './collector.ts';

/** A curve takes 10 KB, and nobody looks at more of them on one page. */
const MOST_STATIONS = 100;
/** Of so many devices the whole day is read first, which costs no request, but 288 points to decode. */
const MOST_WHOLE_DAYS = 100;
/** Of the day before, enough points of a slow logger to know how far apart they are. */
const OF_DAY_BEFORE = 0.1;

/** Returns the day of an instant. */
export type DayOf = (atMs: number) => CurveDay;

/** What is known of a station today. */
interface StationDay {
  readonly curve: DayCurve;
  readonly timeZone: string;
  /** By device. */
  readonly lastPoints: Map<string, CurvePoint>;
}

/** Today's curve of each station of an account, made of the points of its devices. */
export interface DayCurves {
  /** Returns the curve of a station on the day of an instant; absent where nothing is known of that day. */
  of(stationId: string, atMs: number): DayCurve | undefined;
  /** Returns the midnights by which the energy of a station is counted; absent where its zone is not known. */
  midnightsOf(station: DeviceSubject['station'], atMs: number): Midnights | undefined;
  /**
   * Returns the time after which points of a device are wanted: the last one that is known, and in the beginning, for
   * the first few devices that are asked about, midnight; else absent.
   */
  wantedAfterMs(subject: DeviceSubject, serviceNowMs: number): number | undefined;
  /**
   * Takes up the next point of a device, with what lies between it and the last one if they are no further apart than
   * the spacing. One that is known, of a day that is over, or dated ahead of the service's clock changes nothing.
   */
  add(subject: DeviceSubject, point: CurvePoint, spacingMs: number, serviceNowMs: number): void;
}

/** @param dayAt - the days, where they are not those of the calendar of each station. */
export function createDayCurves(dayAt?: DayOf): DayCurves {
  const stations = new Map<string, StationDay>();
  /** Whether points have come of each device whose whole day is read: many are asked for before the first has. */
  const wholeDays = new Map<string, boolean>();

  /** Returns the day that an instant belongs to, or the later one that has begun; absent where there is no room. */
  function dayOf({ stationId, timeZone }: DeviceSubject['station'], atMs: number) {
    const known = stations.get(stationId);
    const zone = timeZone ?? FALLBACK_TIME_ZONE;
    if (known?.timeZone === zone && atMs < known.curve.endsAtMs) return known;
    if (known === undefined && stations.size >= MOST_STATIONS) {
      for (const [id, { curve }] of stations) if (curve.endsAtMs <= atMs) stations.delete(id);
      if (stations.size >= MOST_STATIONS) return undefined;
    }
    const curve = new DayCurve(dayAt?.(atMs) ?? calendarOf(zone).dayPeriod(atMs));
    const recent = [...(known?.lastPoints ?? [])].filter(
      ([, { atMs: lastAtMs }]) => lastAtMs >= beforeMidnightMs(curve),
    );
    const day: StationDay = { curve, timeZone: zone, lastPoints: new Map(recent) };
    stations.set(stationId, day);
    return day;
  }

  return {
    of(stationId, atMs) {
      const curve = stations.get(stationId)?.curve;
      const isToday = curve !== undefined && atMs >= curve.startsAtMs && atMs < curve.endsAtMs;
      return isToday ? curve : undefined;
    },

    midnightsOf({ timeZone }, atMs) {
      // Energy is counted by the clock, and the days of the demo are shorter than those.
      if (timeZone === undefined || dayAt !== undefined) return undefined;
      const calendar = calendarOf(timeZone);
      const todayAtMs = calendar.dayPeriod(atMs).startsAtMs;
      const yesterdayAtMs = calendar.dayPeriod(todayAtMs - 1).startsAtMs;
      return [todayAtMs, yesterdayAtMs, calendar.monthPeriod(atMs).startsAtMs];
    },

    wantedAfterMs({ device: { deviceId }, station }, serviceNowMs) {
      const day = dayOf(station, serviceNowMs);
      const lastAtMs = day?.lastPoints.get(deviceId)?.atMs;
      const isBegun = wholeDays.get(deviceId);
      if (day === undefined || lastAtMs !== undefined || isBegun === true) return lastAtMs;
      if (wholeDays.size >= MOST_WHOLE_DAYS && isBegun === undefined) return undefined;
      wholeDays.set(deviceId, false);
      return beforeMidnightMs(day.curve);
    },

    add({ device: { deviceId }, station }, point, spacingMs, serviceNowMs) {
      if (wholeDays.has(deviceId)) wholeDays.set(deviceId, true);
      if (point.atMs - serviceNowMs > LEAST_MAX_AGE_MS) return;
      // The day begins by the service's clock: before that, a device that is a little ahead begins none.
      const day = dayOf(station, Math.min(point.atMs, serviceNowMs));
      const last = day?.lastPoints.get(deviceId);
      if (day === undefined || point.atMs <= (last?.atMs ?? -Infinity)) return;
      // A point of the next day is brought again once that has begun.
      if (point.atMs >= day.curve.endsAtMs) return;
      if (last !== undefined && point.atMs - last.atMs <= spacingMs) day.curve.add(last, point);
      day.lastPoints.set(deviceId, point);
    },
  };
}

/** Returns from when on the points of the day before say something about this day. */
function beforeMidnightMs({ startsAtMs, endsAtMs }: DayCurve): number {
  return startsAtMs - OF_DAY_BEFORE * (endsAtMs - startsAtMs);
}
