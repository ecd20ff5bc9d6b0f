import { calendarOf, FALLBACK_TIME_ZONE } from '../base/time-zone.ts';
import type { Device, Station } from '../model/station.ts';
import { LATE_RESET_MS } from '../model/station-totals.ts';
import { leastOf } from '../model/units.ts';

/** A station and its devices, as they were listed. */
interface Listing {
  readonly station: Station;
  readonly devices: readonly Device[];
}

const MINUTE_MS = 60_000;
/** By then the first reading of a new day has usually reached the service. */
const FIRST_READING_MS = 10 * MINUTE_MS;

/** Leaves out the energies of today that belong to another day. */
export function onlyToday<Of extends Listing>(listing: Of, nowMs: number): Of {
  const devices = listing.devices.map((device) =>
    nowMs < countsUntilMs(listing, device) ? device : { ...device, pvEnergyTodayKwh: undefined },
  );
  return { ...listing, devices };
}

/** Returns when, after `nowMs`, the next energy of today belongs to another day; Infinity where none is of this day. */
export function nextEndAtMs(listing: Listing, nowMs: number): number {
  const ends = listing.devices.map((device) => countsUntilMs(listing, device));
  return leastOf(ends.filter((endsAtMs) => endsAtMs > nowMs));
}

/** Returns when, after `nowMs`, a device has a first energy of its next day; Infinity where none is of this day. */
export function nextDayKnownAtMs(listing: Listing, nowMs: number): number {
  return nextEndAtMs(listing, nowMs - FIRST_READING_MS) + FIRST_READING_MS;
}

/** Whether a device that is not offline had not sent an energy of the day yet when it was listed. */
export function isAnyBehind(listing: Listing): boolean {
  return listing.devices.some((device) => {
    const { isOnline, listedAtMs, serviceAheadMs = 0 } = device;
    if (isOnline === false || listedAtMs === undefined) return false;
    return listedAtMs - serviceAheadMs >= countsUntilMs(listing, device);
  });
}

/**
 * Returns until when, by our clock, the energy of a device is that of today; Infinity without an energy or a time. The
 * energy was current when the device last reported: the record of an offline device keeps that of its last day. An
 * energy other than 0 may still be that of the day before, because devices reset it late.
 */
function countsUntilMs({ station }: Listing, device: Device): number {
  const { pvEnergyTodayKwh, lastDataAtMs, listedAtMs, serviceAheadMs = 0 } = device;
  const knownAtMs = lastDataAtMs ?? listedAtMs;
  if (pvEnergyTodayKwh === undefined || knownAtMs === undefined) return Infinity;
  const calendar = calendarOf(station.timeZone ?? FALLBACK_TIME_ZONE);
  const day = calendar.dayPeriod(knownAtMs - (pvEnergyTodayKwh === 0 ? 0 : LATE_RESET_MS));
  return day.endsAtMs - serviceAheadMs;
}
