import type { CurveQuantity } from '../../model/day-curve.ts';
import { greatestOf, leastOf } from '../../model/units.ts';
import type { CurveStatus, StationPageStatus } from '../../status/status.ts';
import { formatRatio, formatWatts, zoneOf } from './format.ts';
import { html, type Markup } from './markup.ts';

/** A curve has a step every five minutes; the hours of the demo are short, and so are its steps. */
const STEPS_PER_HOUR = 12;
/** Every second step is drawn: a phone has no more points. */
const POINTS_PER_HOUR = 6;
const HOUR_MS = 3_600_000;
/** Where the day begins in the drawing, and how wide an hour is. */
const [LEFT, HOUR_WIDTH] = [56, 18];

/** One of the lines, from midnight on: power in watts, or the charge of the battery, 0 to 1. */
interface Line {
  readonly kind: string;
  readonly label: string;
  readonly values: readonly (number | null)[];
}

/** Draws what flowed at a station since midnight, and how full its battery was; nothing where nothing is known. */
export function drawDay(station: StationPageStatus): Markup | undefined {
  const { curve } = station;
  if (curve === undefined) return undefined;
  const lines = linesOf(curve);
  const charges = lines.filter(({ kind }) => kind === 'charge');
  const powers = lines.filter(({ kind }) => kind !== 'charge');
  const watts = [0, ...powers.flatMap(known)];
  const ticks = [leastOf(watts), 0, Math.max(1, greatestOf(watts))];
  const [height, hoursY] = charges.length > 0 ? [216, 212] : [164, 160];
  const hours = hoursOf(curve);
  const right = xOf(hours);
  const zone = isOfDemo(curve) ? '' : ` (${zoneOf([station])})`;
  const sentence = `Today${zone}: ${lines.flatMap(wordsOf).join('; ')}.`;
  return html`<figure class="day">
<svg viewBox="0 0 516 ${height}" role="img" aria-label="${sentence}">
<text x="${LEFT}" y="11">kW</text>
${chart(powers, ticks, [20, 140, right], (power) => `${Math.round(power / 10) / 100}`)}
${charges.length > 0 && chart(charges, [0, 1], [158, 192, right], formatRatio)}
${[0, 6, 12, 18, 24].map((hour) => html`<text x="${xOf(hour && hour + hours - 24)}" y="${hoursY}" text-anchor="${hour === 0 ? 'start' : 'middle'}">${hour}:00</text>`)}
</svg>
<figcaption><span aria-hidden="true">${sentence}</span><br>${lines.map(({ kind, label }) => html`<span class="key ${kind}">${label}</span> `)}</figcaption>
</figure>`;
}

/** Returns the lines of which anything is known, those behind first. */
function linesOf(curve: CurveStatus): readonly Line[] {
  const drawn = (name: CurveQuantity): Line['values'] =>
    (curve[name] ?? []).filter((_, step) => step % (STEPS_PER_HOUR / POINTS_PER_HOUR) === 0);
  const [imported, fedIn] = [drawn('gridImportPowerWatts'), drawn('gridFeedInPowerWatts')];
  const grid = Array.from({ length: Math.max(imported.length, fedIn.length) }, (_, point) => {
    const [bought = null, sold = null] = [imported[point], fedIn[point]];
    return bought === null && sold === null ? null : (bought ?? 0) - (sold ?? 0);
  });
  const gridLabel = fedIn.length > 0 ? 'grid (− feeding in)' : 'grid import';
  const lines = [
    { kind: 'sun', label: 'PV', values: drawn('pvPowerWatts') },
    { kind: 'battery', label: 'battery (− charging)', values: drawn('batteryPowerWatts') },
    { kind: 'grid', label: gridLabel, values: grid },
    { kind: 'house', label: 'house', values: drawn('loadPowerWatts') },
    { kind: 'charge', label: 'charge of the battery', values: drawn('batterySocRatio') },
  ];
  return lines.filter((line) => known(line).length > 0);
}

function known({ values }: Line): readonly number[] {
  return values.filter((value) => value !== null);
}

/** Returns how many hours a day has: 23 or 25 where the clocks are changed, which they are early in the morning. */
function hoursOf({ startsAtMs, endsAtMs, stepMs }: CurveStatus): number {
  return Math.round((endsAtMs - startsAtMs) / (stepMs * STEPS_PER_HOUR));
}

/** The days of the demo are short, and those of no zone. */
function isOfDemo({ startsAtMs, endsAtMs }: CurveStatus): boolean {
  return endsAtMs - startsAtMs <= 20 * HOUR_MS;
}

/** Says how far the day of the demo is, which is no time of a clock; nothing of other days. */
export function demoTimeOf(curve: CurveStatus | undefined, atMs: number): string | undefined {
  if (curve === undefined || !isOfDemo(curve) || atMs >= curve.endsAtMs) return undefined;
  const { startsAtMs, endsAtMs } = curve;
  // Any day has this time.
  const atTime = new Date(((atMs - startsAtMs) / (endsAtMs - startsAtMs)) * 24 * HOUR_MS);
  return atTime.toISOString().slice(11, 16);
}

function xOf(hours: number): number {
  return Math.round(LEFT + hours * HOUR_WIDTH);
}

/** Says the greatest figure of a line; grid and battery have two sides, which the drawing shows better. */
function wordsOf(line: Line): readonly string[] {
  const [least, most] = [leastOf(known(line)), greatestOf(known(line))];
  if (line.kind === 'charge')
    return [`battery between ${formatRatio(least)} and ${formatRatio(most)}`];
  if (line.kind === 'battery' || line.kind === 'grid') return [];
  return [most < 1 ? `${line.label} idle` : `${line.label} up to ${formatWatts(most)}`];
}

/** Draws lines between the lowest and the highest tick; a line stops where nothing is known. */
function chart(
  lines: readonly Line[],
  ticks: readonly number[],
  [top, bottom, right]: readonly [number, number, number],
  format: (value: number) => string,
): Markup {
  const [least, most] = [leastOf(ticks), greatestOf(ticks)];
  const yOf = (value: number): number => {
    const share = Math.min(1, Math.max(0, (value - least) / (most - least)));
    return Math.round(bottom - share * (bottom - top));
  };
  // One that is too near to 0 would cover it.
  const apart = ticks.filter((value) => value === 0 || Math.abs(yOf(value) - yOf(0)) > 14);
  const rules = [...new Set(apart)].map((value) => {
    const y = yOf(value);
    return html`<path class="rule" d="M${LEFT} ${y}H${right}" /><text x="${LEFT - 5}" y="${y + 4}" text-anchor="end">${format(value)}</text>`;
  });
  const paths = lines.map(({ kind, values }) => {
    const places = values.map((value, point) =>
      value === null ? 'gap' : `${xOf(point / POINTS_PER_HOUR)} ${yOf(value)}`,
    );
    const runs = places.join(' ').match(/\d[\d ]*\d/g) ?? [];
    // The sun and the charge are filled down to 0; of a single point, h0 makes a dot.
    const isFilled = kind === 'sun' || kind === 'charge';
    const ends = (run: string) => (isFilled ? `V${yOf(0)}H${Number.parseInt(run)}Z` : 'h0');
    return html`<path class="curve ${kind}" d="${runs.map((run) => `M${run}${ends(run)}`)}" />`;
  });
  return html`${rules}${paths}`;
}
