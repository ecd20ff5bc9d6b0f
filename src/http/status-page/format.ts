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
  if (Math.round(Math.abs(watts)) < 10_000) return `${whole(watts)} W`;
  const kilowatts = watts / 1000;
  return `${Math.abs(kilowatts) < 1000 ? tenths(kilowatts) : whole(kilowatts)} kW`;
}

/** Formats kilowatt-hours with the decimals that matter: `46.9 kWh`, `1,250 kWh`. */
export function formatKwh(kwh: number): string {
  return Math.round(Math.abs(kwh) * 10) < 10_000 ? `${tenths(kwh)} kWh` : `${whole(kwh)} kWh`;
}

/** Formats a ratio (0 to 1) as a percentage. */
export function formatRatio(ratio: number): string {
  return `${whole(ratio * 100)} %`;
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

/** Formats an instant for people: `2026-06-21 12:00:05 UTC`. */
export function formatInstant(atMs: number): string {
  return isoTime(atMs).replace(/^(.+)T(.{8}).*$/, '$1 $2 UTC');
}
