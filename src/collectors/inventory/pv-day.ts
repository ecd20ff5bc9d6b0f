import { ZonedCalendar } from '../../base/time-zone.ts';
import type { Device } from '../../model/station.ts';

const MINUTE_MS = 60_000;

/** Devices reset their figure of the day up to two hours late. */
const LATE_RESET_MS = 3 * 60 * MINUTE_MS;

/** A midnight that is less than this from another is that of the same day. */
const LATE_MIDNIGHT_MS = 12 * 60 * MINUTE_MS;

/** By then the first reading of a new day has usually reached the service. */
const FIRST_READING_MS = 10 * MINUTE_MS;

/** The day that a device's `pvEnergyTodayKwh` counts, and how far that is certain. */
export interface PvDay {
  /** By the service's clock. */
  readonly startsAtMs: number;
  /** By our clock. */
  readonly endsAtMs: number;
  /** Whether the figure may be shown: the device has certainly begun to count anew. */
  readonly isBegun: boolean;
  /** Whether a newer figure is due: the day is over, or the device has yet to begin the new one. */
  readonly isBehind: boolean;
  /** The last figure of the day before, as far as it is known. */
  readonly dayBeforeKwh?: number | undefined;
}

/** A device, and the day of its energy of today. */
export interface DeviceOfDay extends Device {
  /** Absent without that figure, or when its day is unknown. */
  readonly pvDay?: PvDay | undefined;
}

/**
 * Returns the devices of a station, each with the day that its energy of today counts.
 *
 * @param previous - the same devices as they were listed before.
 */
export function withPvDays<D extends Device>(
  devices: readonly D[],
  timeZone: string,
  previous: readonly DeviceOfDay[] = [],
): readonly (D & DeviceOfDay)[] {
  const calendar = new ZonedCalendar(timeZone);
  const before = new Map(previous.map((device) => [device.deviceId, device]));
  return devices.map((device) => {
    const pvDay = pvDayOf(device, calendar, before.get(device.deviceId));
    // Not by spreading, which takes five times as long.
    return Object.assign({}, device, { pvDay });
  });
}

function pvDayOf(
  device: Device,
  calendar: ZonedCalendar,
  earlier: DeviceOfDay | undefined,
): PvDay | undefined {
  const { pvEnergyTodayKwh, lastDataAtMs, listedAtMs, serviceAheadMs = 0, isOnline } = device;
  // When the figure was current: the record of an offline device keeps that of its last day.
  const knownAtMs = lastDataAtMs ?? listedAtMs;
  if (pvEnergyTodayKwh === undefined || knownAtMs === undefined) return undefined;
  const { startsAtMs, endsAtMs } = calendar.dayPeriod(knownAtMs);
  // A day after this one was seen by a clock that has been set back since.
  const isBefore = (earlier?.pvDay?.startsAtMs ?? 0) < startsAtMs + LATE_MIDNIGHT_MS;
  const before = isBefore ? earlier : undefined;
  const known = before?.pvDay;
  // Another time zone, after a reload, moves midnight and makes no new day.
  const isSameDay =
    known !== undefined && Math.abs(startsAtMs - known.startsAtMs) < LATE_MIDNIGHT_MS;
  const dayBeforeKwh = isSameDay ? known.dayBeforeKwh : before?.pvEnergyTodayKwh;
  const isBegun =
    (isSameDay && known.isBegun) ||
    hasBegun(pvEnergyTodayKwh, knownAtMs - startsAtMs, dayBeforeKwh);
  const isOver = listedAtMs !== undefined && listedAtMs >= endsAtMs;
  return {
    startsAtMs,
    endsAtMs: endsAtMs - serviceAheadMs,
    isBegun,
    isBehind: (isOver || !isBegun) && isOnline !== false,
    // What was seen first, and may be of the day before, counts as its last figure.
    dayBeforeKwh: dayBeforeKwh ?? (isBegun ? undefined : pvEnergyTodayKwh),
  };
}

/**
 * Whether a figure is that of the new day. One that did not drop at midnight may still be yesterday's: for
 * hours if it is the very same, and else until every device has begun to count anew.
 */
function hasBegun(energyKwh: number, sinceMidnightMs: number, dayBeforeKwh?: number): boolean {
  if (energyKwh === 0 || energyKwh < (dayBeforeKwh ?? 0)) return true;
  return sinceMidnightMs >= LATE_RESET_MS && energyKwh !== dayBeforeKwh;
}

/** Leaves out the energy of a day that has ended or has not begun: it was not generated today. */
export function onlyToday<D extends DeviceOfDay>(
  devices: readonly D[],
  nowMs: number,
): readonly D[] {
  return devices.map((device) => {
    const { pvDay } = device;
    const isToday = pvDay === undefined || (pvDay.isBegun && nowMs < pvDay.endsAtMs);
    return isToday ? device : { ...device, pvEnergyTodayKwh: undefined };
  });
}

/** Returns when, after `nowMs`, the first day of a device ends; never where no day is known. */
export function firstDayEndAtMs(devices: readonly DeviceOfDay[], nowMs: number): number {
  let earliestAtMs = Infinity;
  for (const { pvDay } of devices)
    if (pvDay !== undefined && pvDay.endsAtMs > nowMs)
      earliestAtMs = Math.min(earliestAtMs, pvDay.endsAtMs);
  return earliestAtMs;
}

/** Returns when, after `nowMs`, a device has a first figure of its next day; never where no day is known. */
export function nextDayKnownAtMs(devices: readonly DeviceOfDay[], nowMs: number): number {
  return firstDayEndAtMs(devices, nowMs - FIRST_READING_MS) + FIRST_READING_MS;
}
