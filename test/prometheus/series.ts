/** A gauge over time; undefined where the page does not have it. */
export type Gauge = (minute: number) => number | undefined;

/** One of promtool's input series. */
export interface InputSeries {
  readonly series: string;
  readonly values: string;
}

/** How long a test lasts, and how far apart its samples are. */
export interface Span {
  readonly minutes: number;
  readonly step: number;
}

export const HOUR = 60;
export const DAY = 24 * HOUR;

/** Returns a series in promtool's notation, in which a value that repeats is written once. */
export function inputSeries(
  name: string,
  labels: Readonly<Record<string, string>>,
  gauge: Gauge,
  { minutes, step }: Span,
): InputSeries {
  const parts: { text: string; times: number }[] = [];
  let shown = false;
  for (let minute = 0; minute <= minutes; minute += step) {
    const value = gauge(minute);
    // Prometheus ends a series that a page no longer has at once.
    const text = value === undefined ? (shown ? 'stale' : '_') : notation(value);
    shown = value !== undefined;
    const last = parts.at(-1);
    if (last?.text === text) last.times += 1;
    else parts.push({ text, times: 1 });
  }
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  return {
    series: `${name}{${pairs.join(',')}}`,
    values: parts
      .map(({ text, times }) => {
        if (times === 1) return text;
        // "_xN" is N samples, "VxN" is N more than one.
        return text === '_' ? `_x${times}` : `${text}x${times - 1}`;
      })
      .join(' '),
  };
}

/** Rounds what arithmetic leaves, as in 0.30000000000000004. */
function notation(value: number): string {
  return String(Math.round(value * 1e6) / 1e6);
}
