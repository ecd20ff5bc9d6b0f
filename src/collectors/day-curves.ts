import { calendarOf, FALLBACK_TIME_ZONE } from '../base/time-zone.ts';
import { type CurveDay, type CurvePoint, DayCurve } from '../model/day-curve.ts';
import { derivePower, type Readings } from '../model/readings.ts';
import { longestIntervalMs, withInterval } from '../model/energy-counter.ts';
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
  readonly lastPoints: Map<string, LastPoint>;
}

/** The last point of a device, and how far apart those before it were. */
interface LastPoint extends CurvePoint {
  readonly intervalsMs: readonly number[];
}

/** Today's curve of each station of an account, made of the points by which its energy is counted. */
export interface DayCurves {
  /** Returns the curve of a station on the day of an instant; absent where nothing is known of that day. */
  of(stationId: string, atMs: number): DayCurve | undefined;
  /**
   * Returns the time after which points of a device are wanted: the last one that is known, and in the beginning, for
   * the first few devices that are asked about, midnight; else absent.
   */
  wantedAfterMs(subject: DeviceSubject, serviceNowMs: number): number | undefined;
  /** Takes up the next point of a device. One that is known, or of a day that is over, changes nothing. */
  add(subject: DeviceSubject, point: CurvePoint): void;
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

    wantedAfterMs({ device: { deviceId }, station }, serviceNowMs) {
      const day = dayOf(station, serviceNowMs);
      const lastAtMs = day?.lastPoints.get(deviceId)?.atMs;
      const isBegun = wholeDays.get(deviceId);
      if (day === undefined || lastAtMs !== undefined || isBegun === true) return lastAtMs;
      if (wholeDays.size >= MOST_WHOLE_DAYS && isBegun === undefined) return undefined;
      wholeDays.set(deviceId, false);
      return beforeMidnightMs(day.curve);
    },

    add({ device: { deviceId }, station }, point) {
      if (wholeDays.has(deviceId)) wholeDays.set(deviceId, true);
      const day = dayOf(station, point.atMs);
      const last = day?.lastPoints.get(deviceId);
      if (day === undefined || point.atMs <= (last?.atMs ?? -Infinity)) return;
      day.lastPoints.set(deviceId, joined(day.curve, last, point));
    },
  };
}

/** Returns from when on the points of the day before say something about this day. */
function beforeMidnightMs({ startsAtMs, endsAtMs }: DayCurve): number {
  return startsAtMs - OF_DAY_BEFORE * (endsAtMs - startsAtMs);
}

/** Adds to a curve what lies between two points of a device, unless they are too far apart to know that. */
function joined(curve: DayCurve, last: LastPoint | undefined, point: CurvePoint): LastPoint {
  if (last === undefined) return { ...point, intervalsMs: [] };
  const lengthMs = point.atMs - last.atMs;
  if (lengthMs <= longestIntervalMs(last.intervalsMs)) curve.add(last, point);
  return { ...point, intervalsMs: withInterval(last.intervalsMs, lengthMs) };
}

/** Returns what the curve of a day takes from the readings of a device at one time. */
export function curvePointOf(atMs: number, readings: Readings): CurvePoint {
  const derived = derivePower(readings);
  return {
    atMs,
    values: {
      pvPowerWatts: readings.pvPowerWatts,
      loadPowerWatts: derived.loadPowerWatts,
      gridImportPowerWatts: derived.gridImportPowerWatts,
      gridFeedInPowerWatts: readings.gridFeedInPowerWatts,
      batteryPowerWatts: derived.batteryPowerWatts,
      batterySocRatio: readings.batterySocRatio,
    },
  };
}
