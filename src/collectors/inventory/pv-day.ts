import { calendarOf, FALLBACK_TIME_ZONE, type Period } from '../../base/time-zone.ts';
import type { Device } from '../../model/station.ts';
import { LATE_RESET_MS } from '../../model/station-totals.ts';
import type { StationListing } from './devices.ts';

const MINUTE_MS = 60_000;
/** By then the first reading of a new day has usually reached the service. */
const FIRST_READING_MS = 10 * MINUTE_MS;

/** Leaves out the energies of today that count another day. */
export function onlyToday(listing: StationListing, nowMs: number): StationListing {
  const today = dayOf(listing, nowMs + aheadMs(listing));
  const devices = listing.devices.map((device) =>
    isCounting(device, today) ? device : { ...device, pvEnergyTodayKwh: undefined },
  );
  return { ...listing, devices };
}

/** Returns when, by our clock, the day of the station ends. */
export function dayEndAtMs(listing: StationListing, nowMs: number): number {
  return dayOf(listing, nowMs + aheadMs(listing)).endsAtMs - aheadMs(listing);
}

/** Returns when, after `nowMs`, a device has a first figure of its next day; never where none counts this day. */
export function nextDayKnownAtMs(listing: StationListing, nowMs: number): number {
  const atMs = nowMs - FIRST_READING_MS;
  const isAnyKnown = onlyToday(listing, atMs).devices.some(hasFigure);
  return isAnyKnown ? dayEndAtMs(listing, atMs) + FIRST_READING_MS : Infinity;
}

/** Whether a device that is not offline had yet to send a figure of the day on which it was listed. */
export function isAnyBehind(listing: StationListing): boolean {
  return listing.devices.some((device) => {
    const { isOnline, listedAtMs } = device;
    if (isOnline === false || listedAtMs === undefined || !hasFigure(device)) return false;
    return !isCounting(device, dayOf(listing, listedAtMs));
  });
}

function hasFigure({ pvEnergyTodayKwh }: Device): boolean {
  return pvEnergyTodayKwh !== undefined;
}

/** Returns how far the service's clock was ahead of ours when the devices were listed. */
function aheadMs({ devices: [device] }: StationListing): number {
  return device?.serviceAheadMs ?? 0;
}

/** Returns the day of the station at an instant, by the service's clock. */
function dayOf({ station }: StationListing, atMs: number): Period {
  return calendarOf(station.timeZone ?? FALLBACK_TIME_ZONE).dayPeriod(atMs);
}

/**
 * Whether the figure of a device counts a day, or a later one. It was current when the device last reported: the
 * record of an offline device keeps that of its last day. One that is not 0 may still be that of the day before for
 * as long as devices reset late.
 */
function isCounting(device: Device, { startsAtMs }: Period): boolean {
  const { pvEnergyTodayKwh, lastDataAtMs, listedAtMs } = device;
  const knownAtMs = lastDataAtMs ?? listedAtMs ?? Infinity;
  return knownAtMs >= startsAtMs + (pvEnergyTodayKwh === 0 ? 0 : LATE_RESET_MS);
}
