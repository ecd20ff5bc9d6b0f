import { calendarOf, FALLBACK_TIME_ZONE, isTimeZone } from '../../base/time-zone.ts';
import type { StationPageStatus } from '../../status/status.ts';

const UTC = 'UTC';

// A number and its unit stay on one line.

/** A whole number with separated thousands; never "-0". */
function whole(value: number): string {
  return (Math.round(value) || 0).toString().replace(/\B(?=(\d{3})+$)/g, ',');
}

/** A number with one decimal; never "-0.0". */
function tenths(value: number): string {
  return (Math.round(value * 10) / 10 || 0).toFixed(1);
}

/** Formats watts for people: `420 W`, `12.3 kW`. */
export function formatWatts(watts: number): string {
  if (Math.round(Math.abs(watts)) < 10_000) return `${whole(watts)}\u00A0W`;
  const kilowatts = watts / 1000;
  return `${Math.abs(kilowatts) < 1000 ? tenths(kilowatts) : whole(kilowatts)}\u00A0kW`;
}

/** Formats kilowatt-hours with the decimals that matter: `46.9 kWh`, `1,250 kWh`. */
export function formatKwh(kwh: number, unit = '\u00A0kWh'): string {
  return `${Math.round(Math.abs(kwh) * 10) < 10_000 ? tenths(kwh) : whole(kwh)}${unit}`;
}

/** Formats a ratio (0 to 1) as a percentage. */
export function formatRatio(ratio: number): string {
  return `${whole(ratio * 100)}\u00A0%`;
}

/** Formats a duration in its one or two largest units: `12 s`, `1 h 58 min`. */
export function formatDuration(durationMs: number): string {
  const seconds = Math.max(0, Math.floor(durationMs / 1000));
  const minutes = Math.floor(seconds / 60);
  const [hours, days] = [Math.floor(minutes / 60), Math.floor(minutes / (24 * 60))];
  if (minutes < 1) return `${seconds} s`;
  if (hours < 1) return `${minutes} min`;
  if (days < 1) return `${hours} h${minutes % 60 === 0 ? '' : ` ${minutes % 60} min`}`;
  return days === 1 ? '1 day' : `${days} days`;
}

/** Formats an instant for machines; empty for one outside the calendar. */
export function isoTime(atMs: number): string {
  const date = new Date(atMs);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString();
}

/** Formats an instant for people, in a zone that this machine knows: `2026-06-21 15:00:05 Europe/Kyiv`. */
export function formatInstant(atMs: number, zone = UTC): string {
  const utc = isoTime(atMs);
  const iso = zone === UTC || utc === '' ? utc : calendarOf(zone).isoWithOffset(atMs);
  return iso.replace(/^(.+)T(.{8}).*$/, `$1 $2 ${zone}`);
}

/** Returns the zone of stations, where they have one in common: all times of a page are in one, which it names. */
export function zoneOf(stations: readonly Pick<StationPageStatus, 'timeZone'>[]): string {
  const [zone = UTC, ...others] = new Set(
    stations.map((one) => one.timeZone ?? FALLBACK_TIME_ZONE),
  );
  return others.length === 0 && isTimeZone(zone) ? zone : UTC;
}
