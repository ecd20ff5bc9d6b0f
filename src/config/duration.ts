const UNITS = [
  ['y', 365 * 24 * 60 * 60_000],
  ['w', 7 * 24 * 60 * 60_000],
  ['d', 24 * 60 * 60_000],
  ['h', 60 * 60_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const;

// `m` must not match the first letter of `ms`.
const DURATION = new RegExp(
  `^${UNITS.map(([unit]) => `(?:(\\d+(?:\\.\\d+)?)${unit}${unit === 'm' ? '(?!s)' : ''})?`).join('')}$`,
);

/**
 * Reads a duration as Prometheus writes it: each unit at most once, in descending order. A decimal
 * fraction is allowed (`9.5s`). Zero is a duration; callers that need a positive one check for it.
 *
 * @returns whole milliseconds, at least 1 unless the length is zero; undefined when the text is no duration
 */
export function parseDurationMs(text: string): number | undefined {
  const amounts = text === '' ? null : DURATION.exec(text);
  if (amounts === null) return undefined;
  const totalMs = UNITS.reduce(
    (sumMs, [, unitMs], index) => sumMs + Number(amounts[index + 1] ?? 0) * unitMs,
    0,
  );
  if (totalMs > Number.MAX_SAFE_INTEGER) return undefined;
  return totalMs === 0 ? 0 : Math.max(1, Math.round(totalMs));
}

/**
 * Writes whole milliseconds as a person would type them: `1h30m`, `9.5s`, `500ms`. Like Prometheus, it
 * uses years and weeks only when they fit exactly, because `90d` reads better than `12w6d`.
 */
export function formatDuration(durationMs: number): string {
  if (durationMs === 0) return '0s';
  let restMs = durationMs;
  let text = '';
  for (const [unit, unitMs] of UNITS) {
    const exactOnly = unit === 'y' || unit === 'w';
    if (restMs < unitMs || (exactOnly && restMs % unitMs !== 0)) continue;
    const amount = unit === 's' ? restMs / unitMs : Math.floor(restMs / unitMs);
    text += `${amount}${unit}`;
    restMs = unit === 's' ? 0 : restMs % unitMs;
  }
  return text;
}
