import { ZonedCalendar } from '../client/time-zone.ts';
import { type Device, pvEnergyTodayAtMs } from '../model/station.ts';

/** A device, and when the day of its `pvEnergyTodayKwh` is over in the zone of its station. */
export interface ListedDevice extends Device {
  /** By our clock; absent where there is no such figure, or no telling its day. */
  readonly todayEndsAtMs?: number | undefined;
}

/** Works out for each device of a station when its energy of the day stops being today's. */
export function withDayEnds(devices: readonly Device[], timeZone: string): readonly ListedDevice[] {
  const calendar = new ZonedCalendar(timeZone);
  return devices.map((device) => {
    const knownAtMs = pvEnergyTodayAtMs(device);
    if (device.pvEnergyTodayKwh === undefined || knownAtMs === undefined) return device;
    const { endsAtMs } = calendar.dayPeriod(knownAtMs);
    return { ...device, todayEndsAtMs: endsAtMs - (device.serviceAheadMs ?? 0) };
  });
}

/** Leaves out the energy of a day that is over: nobody generated it today. */
export function onlyToday(
  devices: readonly ListedDevice[],
  nowMs: number,
): readonly ListedDevice[] {
  return devices.map((device) => {
    const { todayEndsAtMs = Infinity } = device;
    return nowMs < todayEndsAtMs ? device : { ...device, pvEnergyTodayKwh: undefined };
  });
}

/** When, after `nowMs`, the next day of a device is over; never without one. */
export function firstDayEndAtMs(devices: readonly ListedDevice[], nowMs: number): number {
  let earliestAtMs = Infinity;
  for (const { todayEndsAtMs = Infinity } of devices)
    if (todayEndsAtMs > nowMs) earliestAtMs = Math.min(earliestAtMs, todayEndsAtMs);
  return earliestAtMs;
}
