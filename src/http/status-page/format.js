const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * A whole number with thousands set apart; never "-0".
 *
 * @param {number} value
 */
function whole(value) {
  return (Math.round(value) || 0).toString().replace(/\B(?=(\d{3})+$)/g, ',');
}

/**
 * Watts as people say them: `420 W`, `12.3 kW`.
 *
 * @param {number} watts
 */
export function formatWatts(watts) {
  if (Math.abs(watts) < 10_000) return `${whole(watts)} W`;
  return `${(watts / 1000).toFixed(1)} kW`;
}

/** @param {number} kwh */
export function formatKwh(kwh) {
  return Math.abs(kwh) < 1000 ? `${kwh.toFixed(1)} kWh` : `${whole(kwh)} kWh`;
}

/**
 * A ratio (0 to 1) as a percentage.
 *
 * @param {number} ratio
 */
export function formatRatio(ratio) {
  return `${whole(ratio * 100)} %`;
}

/**
 * A length of time in its one or two largest units: `12 s`, `1 h 58 min`.
 *
 * @param {number} durationMs
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
