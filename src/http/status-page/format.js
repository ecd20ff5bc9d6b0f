const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * Formats a whole number with separated thousands; never "-0".
 *
 * @param {number} value
 */
function whole(value) {
  return (Math.round(value) || 0).toString().replace(/\B(?=(\d{3})+$)/g, ',');
}

/**
 * Formats a number with one decimal; never "-0.0".
 *
 * @param {number} value
 */
function tenths(value) {
  return (Math.round(value * 10) / 10 || 0).toFixed(1);
}

/**
 * Formats watts for people: `420 W`, `12.3 kW`.
 *
 * @param {number} watts
 * @returns {string}
 */
export function formatWatts(watts) {
  if (Math.round(Math.abs(watts)) < 10_000) return `${whole(watts)} W`;
  const kilowatts = watts / 1000;
  return `${Math.abs(kilowatts) < 1000 ? tenths(kilowatts) : whole(kilowatts)} kW`;
}

/**
 * Formats kilowatt-hours with the decimals that matter: `46.9 kWh`, `1,250 kWh`.
 *
 * @param {number} kwh
 * @returns {string}
 */
export function formatKwh(kwh) {
  return Math.round(Math.abs(kwh) * 10) < 10_000 ? `${tenths(kwh)} kWh` : `${whole(kwh)} kWh`;
}

/**
 * Formats a ratio (0 to 1) as a percentage.
 *
 * @param {number} ratio
 * @returns {string}
 */
export function formatRatio(ratio) {
  return `${whole(ratio * 100)} %`;
}

/**
 * Formats a duration in its one or two largest units: `12 s`, `1 h 58 min`.
 *
 * @param {number} durationMs
 * @returns {string}
 */
export function formatDuration(durationMs) {
  if (durationMs < MINUTE_MS) return `${Math.floor(Math.max(0, durationMs) / SECOND_MS)} s`;
  if (durationMs < HOUR_MS) return `${Math.floor(durationMs / MINUTE_MS)} min`;
  if (durationMs < DAY_MS) {
    const minutes = Math.floor((durationMs % HOUR_MS) / MINUTE_MS);
    return `${Math.floor(durationMs / HOUR_MS)} h${minutes === 0 ? '' : ` ${minutes} min`}`;
  }
  const days = Math.floor(durationMs / DAY_MS);
  return days === 1 ? '1 day' : `${days} days`;
}

/**
 * Formats an instant for machines; empty for one outside the calendar.
 *
 * @param {number} atMs
 * @returns {string}
 */
export function isoTime(atMs) {
  const date = new Date(atMs);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString();
}

/**
 * Formats an instant for people: `2026-06-21 12:00:05 UTC`.
 *
 * @param {number} atMs
 * @returns {string}
 */
export function formatInstant(atMs) {
  return isoTime(atMs).replace(/^(.+)T(.{8}).*$/, '$1 $2 UTC');
}
