import { CURVE_QUANTITIES, type CurveQuantity } from '../../model/day-curve.ts';
import { greatestOf, leastOf, sumOf } from '../../model/units.ts';
import type { CurveStatus, StationPageStatus } from '../../status/status.ts';
import { formatRatio, formatWatts, zoneOf } from './format.ts';
import { html, type Markup } from './markup.ts';

/** A curve has a step every five minutes; the hours of the demo are short, and so are its steps. */
const STEPS_PER_HOUR = 12;
const HOUR_MS = 3_600_000;
/** Every second step is drawn, as the mean of two: a phone has no more points. */
const STEPS_PER_POINT = 2;
/** From a last step that is not older than this, a line leads to the values of this moment. */
const STEPS_UP_TO_NOW = 6;
/** Where the day begins in the drawing, and how wide an hour is. */
const [LEFT, HOUR_WIDTH] = [56, 18];

/** The lines of power, those behind first. */
const POWERS = [
  { kind: 'sun', label: 'PV' },
  { kind: 'battery', label: 'battery (− charging)' },
  { kind: 'grid', label: 'grid (− feeding in)' },
  { kind: 'house', label: 'house' },
] as const;

type Kind = (typeof POWERS)[number]['kind'] | 'charge';

/** What a station measured so many hours after midnight: power in watts, and the charge of the battery, 0 to 1. */
type Point = Readonly<Record<Kind, number | undefined>> & { readonly hours: number };

/** Draws what flowed at a station since midnight, and how full its battery was; nothing where nothing is known. */
export function drawDay(station: StationPageStatus, atMs: number): Markup | undefined {
  const { curve } = station;
  if (curve === undefined) return undefined;
  const points = pointsOf(curve, station, atMs);
  const powers = POWERS.filter(({ kind }) => known(points, kind).length > 0);
  const kinds = powers.map(({ kind }) => kind);
  const ticks = ticksOf(kinds.flatMap((kind) => known(points, kind)));
  const hasCharge = known(points, 'charge').length > 0;
  const right = xOf(hoursAt(curve, curve.endsAtMs));
  const sentence = describeDay(curve, points, zoneOf([station]));
  const isImport = curve.gridFeedInPowerWatts === undefined;
  return html`<figure class="day">
<svg viewBox="0 0 516 ${hasCharge ? 216 : 164}" role="img" aria-label="${sentence}">
<text x="${LEFT}" y="11">kW</text>
${chart(points, kinds, ticks, [20, 140, right], (watts) => `${Math.round(watts) / 1000}`)}
${hasCharge && chart(points, ['charge'], [0, 1], [158, 192, right], formatRatio)}
${[0, 6, 12, 18, 24].map((hour) => html`<text x="${xOf(hour && hour - shiftOf(curve))}" y="${hasCharge ? 212 : 160}" text-anchor="${hour === 0 ? 'start' : 'middle'}">${hour}:00</text>`)}
</svg>
<figcaption><span aria-hidden="true">${sentence}</span><br>${powers.map(({ kind, label }) => html`<span class="key ${kind}">${kind === 'grid' && isImport ? 'grid import' : label}</span> `)}${hasCharge && html`<span class="key charge">charge of the battery</span>`}</figcaption>
</figure>`;
}

/** Returns the points of a curve, and this moment where it follows closely. */
function pointsOf(curve: CurveStatus, station: StationPageStatus, atMs: number): readonly Point[] {
  const steps = greatestOf(CURVE_QUANTITIES.map((name) => curve[name]?.length ?? 0));
  const points: Point[] = [];
  for (let step = 0; step < steps; step += STEPS_PER_POINT) {
    const read = (name: CurveQuantity) => meanOf(curve[name]?.slice(step, step + STEPS_PER_POINT));
    points.push(pointAt(step / STEPS_PER_HOUR, read));
  }
  const sinceMs = atMs - curve.startsAtMs - (steps - 1) * curve.stepMs;
  const isFollowing = sinceMs > 0 && sinceMs <= STEPS_UP_TO_NOW * curve.stepMs;
  if (!isFollowing || atMs >= curve.endsAtMs) return points;
  // A sum that lacks a device would look like a drop, and what only this moment knows like a rise.
  const { flow, partial } = station;
  const isDrawn = (name: CurveQuantity) => curve[name] !== undefined && !partial.includes(name);
  const now = pointAt(hoursAt(curve, atMs), (name) => (isDrawn(name) ? flow[name] : undefined));
  return [...points, now];
}

function pointAt(hours: number, read: (name: CurveQuantity) => number | undefined): Point {
  const [imported, fedIn] = [read('gridImportPowerWatts'), read('gridFeedInPowerWatts')];
  const isGridKnown = imported !== undefined || fedIn !== undefined;
  return {
    hours,
    sun: read('pvPowerWatts'),
    battery: read('batteryPowerWatts'),
    grid: isGridKnown ? (imported ?? 0) - (fedIn ?? 0) : undefined,
    house: read('loadPowerWatts'),
    charge: read('batterySocRatio'),
  };
}

function meanOf(values: readonly (number | null)[] = []): number | undefined {
  const numbers = values.filter((value) => value !== null);
  return numbers.length === 0 ? undefined : sumOf(numbers) / numbers.length;
}

function known(points: readonly Point[], kind: Kind): readonly number[] {
  return points.map((point) => point[kind]).filter((value) => value !== undefined);
}

function hoursAt({ startsAtMs, stepMs }: CurveStatus, atMs: number): number {
  return (atMs - startsAtMs) / (stepMs * STEPS_PER_HOUR);
}

/** By how many hours the clocks of the station are changed early in the morning: 1 on a day of 23 hours. */
function shiftOf(curve: CurveStatus): number {
  return 24 - Math.round(hoursAt(curve, curve.endsAtMs));
}

/** Says the time that the clock of the station shows so many hours after midnight. */
function timeAt(curve: CurveStatus, hours: number): string {
  const minutes = Math.round((hours < 6 ? hours : hours + shiftOf(curve)) * 60);
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;
}

/** The days of the demo are short, and those of no zone. */
function isOfDemo({ startsAtMs, endsAtMs }: CurveStatus): boolean {
  return endsAtMs - startsAtMs <= 20 * HOUR_MS;
}

/** Says how far the day of the demo is, which is no time of a clock; nothing of other days. */
export function demoTimeOf(curve: CurveStatus | undefined, atMs: number): string | undefined {
  if (curve === undefined || !isOfDemo(curve) || atMs >= curve.endsAtMs) return undefined;
  return timeAt(curve, hoursAt(curve, atMs));
}

function xOf(hours: number): number {
  return Math.round(LEFT + hours * HOUR_WIDTH);
}

/** Says the most important figures of the day. */
function describeDay(curve: CurveStatus, points: readonly Point[], zone: string): string {
  const most = (name: string, kind: Kind): string | undefined => {
    const watts = greatestOf(known(points, kind));
    const hours = points.find((point) => point[kind] === watts)?.hours;
    if (hours === undefined) return undefined;
    if (watts < 1) return `${name} idle`;
    return `${name} up to ${formatWatts(watts)}, at ${timeAt(curve, hours)}`;
  };
  const ratios = known(points, 'charge');
  const charge = `battery between ${formatRatio(leastOf(ratios))} and ${formatRatio(greatestOf(ratios))}`;
  const parts = [most('PV', 'sun'), most('house', 'house'), ratios.length > 0 ? charge : undefined];
  const today = isOfDemo(curve) ? 'Today' : `Today (${zone})`;
  return `${today}: ${parts.filter((part) => part !== undefined).join('; ')}.`;
}

/** Returns round numbers of watts that enclose these: 0, and some above and below it. */
function ticksOf(watts: readonly number[]): readonly number[] {
  const [least, most] = [Math.min(0, leastOf(watts)), Math.max(1, greatestOf(watts))];
  const rough = (most - least) / 4;
  const decade = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5].find((times) => times * decade >= rough) ?? 10) * decade;
  const [first, last] = [Math.floor(least / step), Math.ceil(most / step)];
  return Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step);
}

/** Draws lines between the lowest and the highest tick; a line stops where nothing is known. */
function chart(
  points: readonly Point[],
  kinds: readonly Kind[],
  ticks: readonly number[],
  [top, bottom, right]: readonly [number, number, number],
  format: (value: number) => string,
): Markup {
  const [least, most] = [leastOf(ticks), greatestOf(ticks)];
  const yOf = (value: number): number => {
    const share = Math.min(1, Math.max(0, (value - least) / (most - least)));
    return Math.round(bottom - share * (bottom - top));
  };
  const lines = kinds.map((kind) => {
    const places = points.map(({ hours, [kind]: value }) => {
      return value === undefined ? 'gap' : `${xOf(hours)} ${yOf(value)}`;
    });
    const runs = places.join(' ').match(/\d[\d ]*\d/g) ?? [];
    // The sun and the charge are filled down to 0; of a single point, h0 makes a dot.
    const isFilled = kind === 'sun' || kind === 'charge';
    const ends = (run: string) => (isFilled ? `V${yOf(0)}H${Number.parseInt(run)}Z` : 'h0');
    return html`<path class="curve ${kind}" d="${runs.map((run) => `M${run}${ends(run)}`)}" />`;
  });
  const rules = ticks.map((value) => {
    const y = yOf(value);
    return html`<path class="rule" d="M${LEFT} ${y}H${right}" /><text x="${LEFT - 5}" y="${y + 4}" text-anchor="end">${format(value)}</text>`;
  });
  return html`${rules}${lines}`;
}
